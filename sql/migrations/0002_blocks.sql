-- The store: blocks of messages, source groups, the pieces (partitions), and which blocks have been stored.

set local role azekura;

-- One row holds many messages as columns (firmware/block/README.md is the format).  The metadata in
-- front of the columns lets a query skip a block without opening it.
create table azekura.log_block (
    source_group smallint not null default 0 check (source_group between 0 and 31),
    first_at timestamptz not null,      -- received_at of the first message; the partition key, with the group
    last_at timestamptz not null,       -- received_at of the last message; in the same quarter of an hour, or merged within a piece
    first_seq bigint not null,          -- sequence number of the first message (unsigned 64 bits)
    messages integer not null check (messages between 1 and 65536),
    raw_bytes bigint not null,          -- bytes as received
    severities smallint not null,       -- bit s: a message of severity s is inside
    facilities integer not null,        -- bit f
    listeners smallint not null,        -- bit l: 0 udp, 1 tcp, 2 tls
    senders bytea not null,             -- distinct source addresses, sorted
    tokens bytea,                       -- token index; null: must be opened
    times bytea, reported bytea, sources bytea, listener bytea, pri bytea, formats bytea,
    flags bytea, hostname bytea, app_name bytea, procid bytea, msgid bytea, structured_data bytea,
    message bytea, layouts bytea, raw bytea, seq bytea
) partition by range (source_group, first_at);

comment on table azekura.log_block is 'blocks of messages; read them through azekura.logs and azekura.search()';

do $$
declare
    c text;
begin
    foreach c in array array['tokens', 'times', 'reported', 'sources', 'listener', 'pri', 'formats',
        'flags', 'hostname', 'app_name', 'procid', 'msgid', 'structured_data', 'message', 'layouts', 'raw',
        'seq', 'senders'] loop
        -- compressed already, and slices of a stored value are read without the rest
        execute format('alter table azekura.log_block alter column %I set storage external', c);
    end loop;
end $$;

create index log_block_last_at on azekura.log_block (last_at, first_at);

grant insert on azekura.log_block to azekura_receiver;
grant select, insert, delete on azekura.log_block to azekura_keeper;
grant select on azekura.log_block to azekura_web;

-- A sender belongs to one group; group 0 takes those that no other claims.
create table azekura.source_group (
    id smallint primary key check (id between 0 and 31),
    name text not null unique check (length(name) between 1 and 64 and name !~ '[[:cntrl:]]'),
    quota_percent real check (quota_percent > 0 and quota_percent <= 100), -- of the month's budget; null: none
    keep_days integer check (keep_days between 0 and 36600), -- 0: for ever; null: as retention.keep_days
    retired_at timestamptz check (retired_at is null or id > 0) -- nothing new goes to it; gone with its last piece
);
insert into azekura.source_group (id, name) values (0, 'default');

-- The longest prefix that contains an address decides.
create table azekura.source_group_member (
    prefix cidr primary key,
    source_group smallint not null references azekura.source_group
);
create index source_group_member_group on azekura.source_group_member (source_group);

-- Ranges of time that may not be deleted.
create table azekura.hold (
    id bigint generated always as identity primary key,
    lower timestamptz not null,
    upper timestamptz not null check (upper > lower),
    source_group smallint references azekura.source_group, -- null: all groups
    reason text not null check (length(reason) between 1 and 500),
    actor text not null,
    at timestamptz not null default now()
);

grant select on azekura.source_group, azekura.source_group_member to azekura_receiver, azekura_keeper;
grant select, insert, update, delete on azekura.source_group, azekura.source_group_member to azekura_web;
grant select on azekura.hold to azekura_keeper;
grant select, insert, delete on azekura.hold to azekura_web;

-- One row a piece: the partition that holds the blocks of one group with first_at in [lower, upper).  As made,
-- a piece is a day, midnight to midnight in the zone the box had; a day in which much comes is split.
-- messages and raw_bytes are kept by claim_unit() in the transaction that stores: they are exact.
create table azekura.day_partition (
    name text primary key,              -- of the table, without schema: log_block_20261130, log_block_g3_20261130_1
    source_group smallint not null references azekura.source_group,
    day date not null,                  -- the local day it is part of; a month is those of its year and month
    lower timestamptz not null,
    upper timestamptz not null check (upper > lower),
    messages bigint not null default 0 check (messages >= 0),
    raw_bytes bigint not null default 0 check (raw_bytes >= 0),
    made_at timestamptz not null default now(),
    changed_at timestamptz not null default clock_timestamp(), -- when something was last stored, merged or rewritten
    merged_at timestamptz,              -- changed_at when there was nothing more to merge in it
    tidied_at timestamptz,              -- changed_at when a rewrite would have given nothing back
    unique (source_group, lower),
    unique (source_group, upper)
) with (fillfactor = 50); -- the open pieces' rows are updated with every unit, within their page

-- What a piece takes on disk.  A table of its own: the keeper writes it, and never waits for the receiver's rows.
create table azekura.piece_size (
    name text primary key,
    bytes bigint not null,              -- heap, TOAST, indexes
    changed_at timestamptz not null,    -- that of the piece when it was measured
    measured_at timestamptz not null default now()
);
grant select on azekura.day_partition, azekura.piece_size to azekura_keeper, azekura_web;
grant update (changed_at) on azekura.day_partition to azekura_keeper; -- compact()

-- Locks, in this order everywhere: log_block, hold, rows of day_partition.  Storing holds ROW EXCLUSIVE on
-- log_block from claim_unit() on, making a piece takes SHARE UPDATE EXCLUSIVE (readers and writers go on),
-- split, drop and rewrite take ACCESS EXCLUSIVE.  Always ONLY: the pieces themselves follow.

-- Make a piece of a group for [lo, hi), which has to be free; its name.  The caller holds the lock.
create function azekura.make_piece(source_group smallint, day date, lo timestamptz, hi timestamptz) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    base text := 'log_block_' || case when source_group > 0 then format('g%s_', source_group) else '' end
                 || to_char(day, 'YYYYMMDD');
    part text := base;
    n int := 0;
begin
    while exists (select from azekura.day_partition d where d.name = part)
          or to_regclass(format('azekura.%I', part)) is not null loop
        n := n + 1;
        part := base || '_' || n;
    end loop;
    -- not "partition of": that would wait for everybody who reads
    execute format('create table azekura.%I (like azekura.log_block including all)', part);
    execute format('alter table azekura.log_block attach partition azekura.%I for values from (%s, %L) to (%s, %L)',
                   part, source_group, lo, source_group, hi);
    insert into azekura.day_partition (name, source_group, day, lower, upper) values (part, source_group, day, lo, hi);
    return part;
end $$;

-- Make sure that the day of `at` has a piece for the group; the name of it.  Days are those of `zone`, the zone
-- the caller is configured for (null: the setting time.zone of the database, else UTC).  Bounds never
-- overlap, also after the zone was changed: a new day is cut to the room its neighbours leave.
create function azekura.ensure_partition(at timestamptz, zone text default null, source_group smallint default 0)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    here azekura.day_partition;
    local_day timestamp;
    lo timestamptz;
    hi timestamptz;
begin
    for attempt in 1..2 loop
        select * into here from azekura.day_partition d
         where d.source_group = ensure_partition.source_group and d.lower <= at order by d.lower desc limit 1;
        if here.upper > at then
            if to_regclass(format('azekura.%I', here.name)) is not null then
                return here.name;
            end if;
            if attempt = 2 then
                -- somebody dropped the table to make room: the day begins anew
                delete from azekura.day_partition where name = here.name;
                delete from azekura.piece_size where name = here.name;
            end if;
        end if;
        if attempt = 1 then
            lock table only azekura.log_block in share update exclusive mode;
        end if;
    end loop;
    if not exists (select from azekura.source_group g where g.id = ensure_partition.source_group) then
        -- blocks that waited while their group was removed: it is there again, retired
        insert into azekura.source_group (id, name, retired_at)
        select source_group, format('group %s', source_group)
               || coalesce((select ' ' || gen_random_uuid() from azekura.source_group g
                             where g.name = format('group %s', ensure_partition.source_group)), ''), now();
    end if;
    zone := coalesce(zone, (select value from azekura.setting where name = 'time.zone'), 'UTC');
    local_day := date_trunc('day', at at time zone zone);
    lo := local_day at time zone zone;
    hi := (local_day + interval '1 day') at time zone zone;
    select greatest(lo, max(d.upper)) into lo from azekura.day_partition d
     where d.source_group = ensure_partition.source_group and d.upper <= at;
    select least(hi, min(d.lower)) into hi from azekura.day_partition d
     where d.source_group = ensure_partition.source_group and d.lower > at;
    return azekura.make_piece(source_group, local_day::date, lo, hi);
end $$;

-- A block lies within a quarter of an hour, so what is in a piece ends before the next full quarter.
create function azekura.piece_reach(upper timestamptz) returns timestamptz
language sql stable parallel safe as $$
    select date_bin(interval '15 minutes', upper + interval '14:59.999999', timestamptz 'epoch')
$$;

-- Whether a hold pins something in a piece.
create function azekura.piece_is_held(source_group smallint, lower timestamptz, upper timestamptz) returns boolean
language sql stable parallel safe as $$
    select exists (select from azekura.hold h, (select azekura.piece_reach($3) as reach offset 0) p
                    where (h.source_group is null or h.source_group = $1) and h.lower < p.reach and h.upper > $2)
$$;

-- A piece that is written to ends at `at`, and what comes from then on goes to a new one; the new one's name.
-- `at` has to lie after the beginning of every block in the piece.  Null: right after the newest of them, which has
-- to begin before `latest`; so also what waits in the receiver, begun before now, goes to the new one.
create function azekura.split_piece(name text, at timestamptz, latest timestamptz default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    p azekura.day_partition;
    newest timestamptz;
begin
    lock table only azekura.log_block in access exclusive mode;
    select * into p from azekura.day_partition d where d.name = split_piece.name for update;
    if not found or to_regclass(format('azekura.%I', p.name)) is null then
        raise exception using errcode = 'AZ003', message = format('there is no piece "%s"', name);
    end if;
    if coalesce(at, latest) is null or at <= p.lower or at >= p.upper then
        raise exception using errcode = '22023',
            message = format('piece %s cannot be split at %s: that is not between %s and %s', p.name, at, p.lower, p.upper);
    end if;
    execute format('select first_at from azekura.%I order by first_at desc limit 1', p.name) into newest;
    if at is null then
        at := newest + interval '1 us';
        if at >= least(latest, p.upper) is not false then
            raise exception using errcode = 'AZ002',
                message = format('piece %s cannot be split before %s: its newest block begins at %s', p.name, latest, newest);
        end if;
    end if;
    if newest >= at then
        raise exception using errcode = 'AZ002',
            message = format('piece %s cannot be split at %s: a block in it begins at %s', p.name, at, newest);
    end if;
    execute format('alter table azekura.log_block detach partition azekura.%I', p.name);
    execute format('alter table azekura.log_block attach partition azekura.%I for values from (%s, %L) to (%s, %L)',
                   p.name, p.source_group, p.lower, p.source_group, at);
    update azekura.day_partition d set upper = at where d.name = p.name;
    return azekura.make_piece(p.source_group, p.day, at, p.upper);
end $$;

-- Drop pieces for good, all or none; the id of the receipt in the audit log.  `messages`: how many each of them
-- was said to hold (null: not said).  AZ002: one holds another number now; AZ003: one is held, or gone.
create function azekura.drop_pieces(names text[], messages bigint[], reason text, actor text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
    p azekura.day_partition;
    one jsonb;
    pieces jsonb := '[]';
    has_messages bigint;
    has_bytes bigint;
    receipt bigint;
begin
    if names is null or cardinality(names) not between 1 and 512
       or cardinality(messages) <> cardinality(names) -- null when nothing was said
       or cardinality(names) <> (select count(distinct n) from unnest(names) n) then
        raise exception using errcode = '22023',
            message = format('drop_pieces() takes 1 to 512 different names and as many numbers of messages or null, not %s and %s',
                             coalesce(cardinality(names), 0), coalesce(cardinality(messages)::text, 'null'));
    end if;
    if coalesce(reason, '') = '' or coalesce(actor, '') = '' then
        raise exception using errcode = '22023', message = 'a deletion has a reason and somebody who does it';
    end if;
    lock table only azekura.log_block in access exclusive mode;
    lock table azekura.hold in share mode; -- a hold that is being made counts, or comes too late
    for i in 1..cardinality(names) loop
        select * into p from azekura.day_partition d where d.name = names[i] for update;
        if not found or to_regclass(format('azekura.%I', p.name)) is null then
            raise exception using errcode = 'AZ003', message = format('piece "%s" is gone', names[i]);
        end if;
        if azekura.piece_is_held(p.source_group, p.lower, p.upper) then
            raise exception using errcode = 'AZ003', message = format('piece %s is held', p.name);
        end if;
        execute format('select coalesce(sum(messages), 0), coalesce(sum(raw_bytes), 0) from azekura.%I', p.name)
           into has_messages, has_bytes;
        if messages is not null and has_messages is distinct from messages[i] then
            raise exception using errcode = 'AZ002',
                message = format('piece %s holds %s messages now, not %s', p.name, has_messages, coalesce(messages[i]::text, 'null'));
        end if;
        select jsonb_build_object('name', p.name, 'group', g.name, 'day', p.day, 'from', p.lower, 'to', p.upper,
                                  'messages', has_messages, 'raw_bytes', has_bytes,
                                  'bytes', pg_total_relation_size(format('azekura.%I', p.name)::regclass))
          into one from azekura.source_group g where g.id = p.source_group;
        pieces := pieces || one;
    end loop;
    execute (select 'drop table ' || string_agg(format('azekura.%I', n), ', ') from unnest(names) n);
    delete from azekura.day_partition d where d.name = any (names);
    delete from azekura.piece_size s where s.name = any (names);
    perform azekura.forget_retired_groups();
    insert into azekura.audit (actor, action, detail)
    select actor, 'retention.delete',
           jsonb_build_object('reason', reason, 'from', min((e ->> 'from')::timestamptz),
               'to', max((e ->> 'to')::timestamptz),
               'group', case when count(distinct e ->> 'group') = 1 then min(e ->> 'group') end,
               'messages', sum((e ->> 'messages')::bigint), 'raw_bytes', sum((e ->> 'raw_bytes')::bigint),
               'bytes', sum((e ->> 'bytes')::bigint), 'pieces', pieces)
      from jsonb_array_elements(pieces) e
    returning id into receipt;
    return receipt;
end $$;

-- Retired groups that nothing refers to any more.
create function azekura.forget_retired_groups() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    g smallint;
begin
    for g in select id from azekura.source_group s
              where s.retired_at is not null
                and not exists (select from azekura.day_partition d where d.source_group = s.id) loop
        begin
            delete from azekura.source_group s where s.id = g;
        exception when foreign_key_violation then
            null; -- a sender, a hold or a request names it
        end;
    end loop;
end $$;

-- Drop pieces that are over, or whose group is retired, and never had a message: at most `most`.  How many.
create function azekura.drop_empty_pieces(most integer default 100) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
declare
    part text;
    is_empty boolean;
    n bigint := 0;
begin
    if not exists (select from azekura.day_partition d join azekura.source_group g on g.id = d.source_group
                    where d.messages = 0 and (d.upper < now() - interval '1 hour' or g.retired_at is not null)) then
        return 0; -- without the lock, which waits for all who read
    end if;
    begin
        lock table only azekura.log_block in access exclusive mode;
    exception when lock_not_available then
        return 0; -- not worth that all others wait for one who reads for long
    end;
    for part in select d.name from azekura.day_partition d join azekura.source_group g on g.id = d.source_group
                 where d.messages = 0 and (d.upper < now() - interval '1 hour' or g.retired_at is not null)
                 order by d.lower limit most for update of d loop
        if to_regclass(format('azekura.%I', part)) is not null then
            execute format('select not exists (select from azekura.%I)', part) into is_empty;
            continue when not is_empty;
            execute format('drop table azekura.%I', part);
        end if;
        delete from azekura.day_partition d where d.name = part;
        delete from azekura.piece_size s where s.name = part;
        n := n + 1;
    end loop;
    perform azekura.forget_retired_groups();
    return n;
end $$;

-- The oldest piece after `after` (null, or one that is gone: from the first on) with small blocks that ended before
-- `older_than`: two of them where it is over, else `small_blocks`; only of pieces that reach past `since`.  Each
-- piece is looked at by itself: one query over all would plan and lock every piece there is.
create function azekura.next_to_compact(after text, small_blocks integer, older_than timestamptz, since timestamptz)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    p azekura.day_partition;
    last azekura.day_partition;
    n bigint;
begin
    select * into last from azekura.day_partition d where d.name = after;
    for p in select * from azekura.day_partition d
              where d.lower <= now() and d.upper > since and d.messages > 0 and d.merged_at is distinct from d.changed_at
                and (last.name is null or (d.lower, d.source_group) > (last.lower, last.source_group))
              order by d.lower, d.source_group loop
        begin
            -- a block is small when two of its kind fit into one
            execute format('select count(*) from azekura.%I where messages < 32768 and raw_bytes < 33554432 and last_at < $1',
                           p.name) into n using older_than;
        exception when undefined_table then
            continue; -- dropped, perhaps at this moment
        end;
        if n >= (case when p.upper < now() then 2 else small_blocks end) then
            return p.name;
        end if;
        if azekura.piece_reach(p.upper) <= older_than then -- nothing in it is still too young
            update azekura.day_partition d set merged_at = p.changed_at where d.name = p.name and d.changed_at = p.changed_at;
        end if;
    end loop;
    return null;
end $$;

-- Give the space back that a finished piece wastes: merging many blocks at once leaves the room of the small ones
-- as holes, which nothing fills in a day that is over.  Its rows are written to a fresh table, which takes its place;
-- only the exchange keeps others waiting.  Done when more than `waste` (of 1) of the piece are holes.  Bytes given
-- back; 0: there was too little to be won; null: not now: something changed in it
-- meanwhile, somebody reads for long, the disk has no room for a copy, or the piece is gone.
create function azekura.rewrite_piece(name text, waste real default 0.2) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
declare
    p azekura.day_partition;
    again azekura.day_partition;
    old_table regclass;
    fresh text := name || '_fresh';
    columns text;
    needed bigint;
    before bigint;
    after bigint;
begin
    if waste is null or waste not between 0 and 1 then
        raise exception using errcode = '22023', message = format('waste %s is out of 0..1', coalesce(waste::text, 'null'));
    end if;
    perform pg_advisory_xact_lock(hashtext('azekura.rewrite_piece')); -- two would wait for each other's exchange
    select * into p from azekura.day_partition d where d.name = rewrite_piece.name;
    if found then
        old_table := to_regclass(format('azekura.%I', p.name));
    end if;
    if old_table is null then
        return null;
    end if;
    -- what it would take: the columns as stored, and for TOAST's chunks, pages and indexes a little
    select string_agg(format('coalesce(pg_column_size(%I), 0)', a.attname), ' + ') into columns
      from pg_attribute a where a.attrelid = old_table and a.attnum > 0 and not a.attisdropped;
    begin
        execute format('select coalesce(sum(%s), 0) * 1.05 + 65536 from azekura.%I', columns, p.name) into needed;
    exception when undefined_table or lock_not_available then
        return null; -- it is being dropped, or split, at this moment
    end;
    before := pg_total_relation_size(old_table);
    if needed > before * (1 - waste) then
        update azekura.day_partition d set tidied_at = p.changed_at where d.name = p.name;
        return 0;
    end if;
    if (select free_bytes from azekura.file_system()) < needed * 2 + 268435456 then
        return null; -- the copy and its log would fill the disk
    end if;
    execute format('create table azekura.%I (like azekura.log_block including all)', fresh);
    perform azekura.copy_blocks(old_table, format('azekura.%I', fresh)::regclass);
    execute format('reindex table azekura.%I', fresh);
    after := pg_total_relation_size(format('azekura.%I', fresh));
    begin
        lock table only azekura.log_block in access exclusive mode;
    exception when lock_not_available then -- somebody reads for long; all others are not to wait for him
        execute format('drop table azekura.%I', fresh);
        return null;
    end;
    select * into again from azekura.day_partition d where d.name = p.name for update;
    if not found or (again.changed_at, again.lower, again.upper) is distinct from (p.changed_at, p.lower, p.upper) then
        execute format('drop table azekura.%I', fresh);
        return null;
    end if;
    execute format('drop table azekura.%I', p.name);
    execute format('alter table azekura.%I rename to %I', fresh, p.name);
    execute format('alter table azekura.log_block attach partition azekura.%I for values from (%s, %L) to (%s, %L)',
                   p.name, p.source_group, p.lower, p.source_group, p.upper);
    again.changed_at := clock_timestamp();
    update azekura.day_partition d
       set changed_at = again.changed_at, tidied_at = again.changed_at,
           merged_at = case when d.merged_at = d.changed_at then again.changed_at end
     where d.name = p.name;
    return before - after;
end $$;

-- Measure the pieces that changed since they were measured; what all of them take together.
create function azekura.measure_pieces() returns table (bytes bigint)
language sql security definer set search_path = pg_catalog, pg_temp as $$
    delete from azekura.piece_size s where not exists (select from azekura.day_partition d where d.name = s.name);
    insert into azekura.piece_size as s (name, bytes, changed_at)
    select d.name, coalesce(pg_total_relation_size(to_regclass(format('azekura.%I', d.name))), 0), d.changed_at
      from azekura.day_partition d left join azekura.piece_size o on o.name = d.name
     where o.changed_at is distinct from d.changed_at
    on conflict (name) do update set bytes = excluded.bytes, changed_at = excluded.changed_at, measured_at = now();
    select coalesce(sum(s.bytes), 0)::bigint from azekura.piece_size s;
$$;

revoke execute on all functions in schema azekura from public;
grant execute on function azekura.ensure_partition(timestamptz, text, smallint), azekura.split_piece(text, timestamptz, timestamptz),
    azekura.drop_pieces(text[], bigint[], text, text), azekura.drop_empty_pieces(integer), azekura.rewrite_piece(text, real),
    azekura.next_to_compact(text, integer, timestamptz, timestamptz), azekura.measure_pieces()
    to azekura_keeper;
grant execute on function azekura.piece_reach(timestamptz), azekura.piece_is_held(smallint, timestamptz, timestamptz)
    to azekura_keeper, azekura_web;

-- Which units of work of which receiver run are stored: written in the transaction that stores the
-- unit, so that a unit whose outcome was unknown can be sent again and is never stored twice.  One row
-- a run; a run's numbers are contiguous but for what is still queued, so the multirange stays small.
create table azekura.stored_unit (
    run uuid primary key,
    numbers int8multirange not null default '{}',
    last_at timestamptz not null default now()
);
-- no role but its owner needs it: azekura.claim_unit() works with its owner's rights
