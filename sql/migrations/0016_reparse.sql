-- Stored messages of a source parsed again from their bytes, with the zone and charset its row has now: asked for by people, done
-- by the keeper a block at a time, newest first.

set local role azekura;

create table azekura.reparse_request (
    id bigint generated always as identity primary key,
    actor text not null,
    at timestamptz not null default clock_timestamp(),
    network cidr not null,
    but_not cidr[] not null,            -- networks in it that have rows of their own: left alone
    zone text not null,                 -- as the row in force for the network said then, else as for all
    charset text,                       -- null: UTF-8
    lower timestamptz not null default '-infinity', -- received_at in [lower, upper)
    upper timestamptz not null default 'infinity' check (upper > lower),
    state text not null default 'queued' check (state in ('queued', 'running', 'done', 'cancelled', 'failed')),
    started_at timestamptz,
    ended_at timestamptz,
    ended_by text,                      -- who cancelled it
    -- How far it is.  Pieces are dealt with by falling (lower, source_group), the blocks of one by falling (first_at, first_seq).
    round smallint not null default 1,  -- 2: once more what came about when it was asked for
    piece_lower timestamptz,            -- null: before the first piece
    piece_group smallint,
    block_at timestamptz,               -- null: none of its blocks yet; -infinity: all
    block_seq bigint,
    expected bigint,                    -- messages ever stored of it; null: it is about a range of time
    share real not null default 0 check (share between 0 and 1), -- of what is to be done, as far as that is known
    blocks bigint not null default 0,   -- looked into
    messages bigint not null default 0, -- parsed again, of the network
    changed bigint not null default 0,  -- of them, those that came out otherwise
    skipped bigint not null default 0,  -- blocks left as they are: damaged, or their text would not fit
    fault text                          -- the first that was skipped, and why; or why it failed
);
create index reparse_request_open on azekura.reparse_request (id) where state in ('queued', 'running');

create function azekura.reparse_asked() returns trigger language plpgsql as $$
begin
    perform pg_notify('azekura_reparse', '');
    return null;
end $$;
create trigger reparse_asked after insert on azekura.reparse_request for each statement execute function azekura.reparse_asked();

-- ---- what it would be ----

-- The networks below one that have rows of their own.
create function azekura.settings_below(network cidr) returns cidr[]
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
    select coalesce(array_agg(s.network order by s.network), '{}') from azekura.source_setting s where s.network << $1
$$;

create function azekura.entry_json(entry azekura.logs) returns json
language sql stable set search_path = pg_catalog, pg_temp as $$
    select json_build_object('received_at', azekura.json_time(entry.received_at), 'reported_at', azekura.json_time(entry.reported_at),
        'source', host(entry.source), 'listener', entry.listener, 'facility', entry.facility, 'severity', entry.severity,
        'hostname', entry.hostname, 'app_name', entry.app_name, 'procid', entry.procid, 'msgid', entry.msgid,
        'structured_data', entry.structured_data, 'message', entry.message, 'format', entry.format, 'id', entry.id)
$$;

-- What the newest 1,000 stored messages of a network would become, were its row to say `zone` (null: box_zone) and `charset`
-- (null: box_charset).
create function azekura.source_preview(network text, zone text, charset text, box_zone text, box_charset text,
                                       out code text, out field text, out message text, out preview json)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    net cidr := azekura.parse_network(network);
    known text := azekura.charset_name(nullif(charset, ''));
begin
    if net is null then
        code := 'bad_value';
        field := 'network';
        message := format('"%s" is not a network or address, such as 192.0.2.0/24, 2001:db8::/32 or 192.0.2.1', left(network, 64));
        return;
    elsif nullif(charset, '') is not null and known is null then
        code := 'bad_value';
        field := 'charset';
        message := format('charset: "%s" is no charset that is known here', left(charset, 64));
        return;
    end if;
    with entry as materialized (
        select row_number() over () as n, p.before, p.before_marks, p.after, p.after_marks
          from azekura.reparse_preview(net, azekura.settings_below(net)::inet[], coalesce(nullif(zone, ''), box_zone), 
                                      coalesce(known, nullif(box_charset, '')), 1000) p
    ), difference as materialized (
        select e.n, b.key from entry e, jsonb_each(to_jsonb(e.before)) b, jsonb_each(to_jsonb(e.after)) a
         where a.key = b.key and a.value <> b.value
        union all
        select e.n, 'marks' from entry e where e.before_marks <> e.after_marks
    ), example as (
        select e.* from entry e where e.n in (select d.n from difference d) order by e.n limit 20
    )
    select json_build_object(
               'examined', (select count(*) from entry),
               'changed', (select count(distinct d.n) from difference d),
               'fields', (select coalesce(json_object_agg(x.key, x.n), '{}') from
                             (select d.key, count(*) as n from difference d group by 1 order by 2 desc, 1) x),
               'formats', json_build_object(
                   'before', (select coalesce(json_object_agg(x.format, x.n), '{}') from
                                 (select (e.before).format, count(*) as n from entry e group by 1 order by 2 desc, 1) x),
                   'after', (select coalesce(json_object_agg(x.format, x.n), '{}') from
                                 (select (e.after).format, count(*) as n from entry e group by 1 order by 2 desc, 1) x)),
               'marks', json_build_object(
                   'before', (select coalesce(json_object_agg(x.m, x.n), '{}') from
                                 (select m, count(*) as n from entry e, unnest(e.before_marks) m group by 1 order by 2 desc, 1) x),
                   'after', (select coalesce(json_object_agg(x.m, x.n), '{}') from
                                 (select m, count(*) as n from entry e, unnest(e.after_marks) m group by 1 order by 2 desc, 1) x)),
               'examples', (select coalesce(json_agg(json_build_object('id', (x.before).id,
                                 'received_at', azekura.json_time((x.before).received_at),
                                 'before', azekura.entry_json(x.before), 'before_marks', x.before_marks,
                                 'after', azekura.entry_json(x.after), 'after_marks', x.after_marks) order by x.n), '[]')
                              from example x))
      into preview;
    -- asked once all is counted: it tells of the last scan
    preview := (select (preview::jsonb || jsonb_build_object('complete', coalesce((azekura.last_scan()).complete, true)))::json);
end $$;

-- The last message of a source that was not understood, and the last with bytes that are no UTF-8.  The one is looked for where
-- source_health says it was, the other in a week.
create function azekura.source_recent(address inet) returns json
language sql stable set search_path = pg_catalog, pg_temp as $$
    select json_build_object(
        'last_raw', (select json_build_object('id', e.id, 'received_at', azekura.json_time(e.received_at), 'message', left(e.message, 1000))
                       from azekura.source_health h,
                            azekura.search(format('source:%s format:raw', host($1)), h.last_raw_at - interval '1 min',
                                           h.last_raw_at + interval '1 min', 1) e
                      where h.address = $1 and h.last_raw_at is not null),
        'last_invalid', (select json_build_object('id', e.id, 'received_at', azekura.json_time(e.received_at), 'message', left(e.message, 1000))
                           from azekura.source_health h,
                                azekura.search(format('source:%s mark:invalid_utf8', host($1)), now() - interval '7 days', null, 1) e
                          where h.address = $1 and h.invalid_utf8 > 0))
$$;

-- ---- asking ----

create function azekura.ask_reparse(network text, "from" timestamptz, "to" timestamptz, box_zone text, box_charset text, actor text,
                                    out code text, out field text, out message text, out id bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
    n record;
    s azekura.source_setting;
begin
    n := azekura.check_source_network(network);
    if n.code is not null then
        code := n.code;
        field := 'network';
        message := n.message;
        return;
    elsif coalesce("from", '-infinity') >= coalesce("to", 'infinity') then
        code := 'bad_value';
        field := 'to';
        message := 'to: it has to be later than from';
        return;
    end if;
    lock table azekura.reparse_request in share row exclusive mode;
    if (select count(*) from azekura.reparse_request r where r.state in ('queued', 'running')) >= 16 then
        code := 'too_many';
        message := '16 requests wait already, as many as there can be';
        return;
    end if;
    select * into s from azekura.source_setting x where x.network >>= n.cidr order by masklen(x.network) desc limit 1;
    insert into azekura.reparse_request as r (actor, network, but_not, zone, charset, lower, upper, expected)
    values (actor, n.cidr, azekura.settings_below(n.cidr), coalesce(s.zone, box_zone), coalesce(s.charset, nullif(box_charset, '')),
            coalesce("from", '-infinity'), coalesce("to", 'infinity'),
            case when "from" is null and "to" is null then
                (select sum(o.messages) from azekura.source o
                  where o.address >= n.cidr and not o.address <<= any (azekura.settings_below(n.cidr))
                    and o.address <= set_masklen(broadcast(n.cidr), case family(n.cidr) when 4 then 32 else 128 end)) end)
    returning r.id into id;
    insert into azekura.audit (actor, action, detail)
    select actor, 'source.reparse', jsonb_build_object('id', r.id, 'network', r.network, 'but_not', r.but_not, 'zone', r.zone,
           'charset', r.charset, 'from', azekura.json_time("from"), 'to', azekura.json_time("to"))
      from azekura.reparse_request r where r.id = ask_reparse.id;
    delete from azekura.reparse_request r where r.ended_at is not null
       and r.id < (select x.id from azekura.reparse_request x order by x.id desc offset 99 limit 1);
end $$;

-- Whether it is cancelled: null when there is no such request, false when it was over.
create function azekura.cancel_reparse(id bigint, actor text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    r azekura.reparse_request;
begin
    select * into r from azekura.reparse_request x where x.id = cancel_reparse.id for update;
    if not found then
        return null;
    elsif r.ended_at is not null then
        return false;
    end if;
    update azekura.reparse_request x set state = 'cancelled', ended_at = clock_timestamp(), ended_by = cancel_reparse.actor
     where x.id = r.id;
    insert into azekura.audit (actor, action, detail)
    values (cancel_reparse.actor, 'source.reparse.cancel', jsonb_build_object('id', r.id, 'network', r.network,
            'messages', r.messages, 'changed', r.changed));
    return true;
end $$;

-- ---- doing ----

-- It is over; what came of it stands in the audit log.
create function azekura.end_reparse(id bigint, state text, fault text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
    with ended as (
        update azekura.reparse_request r
           set state = end_reparse.state, ended_at = clock_timestamp(), share = case when end_reparse.state = 'done' then 1 else r.share end,
               fault = coalesce(end_reparse.fault, r.fault)
         where r.id = end_reparse.id and r.ended_at is null returning *)
    insert into azekura.audit (actor, action, detail)
    select e.actor, 'source.reparse.' || e.state, jsonb_build_object('id', e.id, 'network', e.network, 'messages', e.messages,
           'changed', e.changed, 'skipped', e.skipped, 'fault', e.fault) from ended e;
end $$;

-- The request whose turn it is; null: none.
create function azekura.reparse_at_work() returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select r.id from azekura.reparse_request r where r.state in ('queued', 'running') order by r.id limit 1
$$;

-- Deal with the next block of the request whose turn it is, or with as many pieces that have none as 0.2 s allow.  How long to
-- wait until the next step, µs; null: there is no request.  All it did is in one transaction: whatever dies, it goes on there.
--
-- Blocks are found by the senders in their metadata; those of others are not opened.  The order, by falling first message, is what
-- lets it be interrupted: what has been dealt with lies behind it, however that is merged.  Merging what has been dealt with and
-- what has not would not keep to that, so a piece is not merged while it is at work in it (next_to_compact()).
create function azekura.reparse_step() returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    began constant timestamptz := clock_timestamp();
    r azekura.reparse_request;
    p azekura.day_partition;
    least_at timestamptz;
    oldest timestamptz;
    b_at timestamptz;
    b_seq bigint;
    n_messages bigint;
    n_changed bigint;
    outcome text;
    why text;
begin
    select * into r from azekura.reparse_request x where x.id = azekura.reparse_at_work() for update;
    if not found or r.ended_at is not null then
        return case when azekura.reparse_at_work() is not null then 0 end;
    end if;
    -- before any piece, as who drops one has it: he would wait for us, and we for him
    lock table only azekura.log_block in row exclusive mode;
    r.state := 'running';
    r.started_at := coalesce(r.started_at, began);
    least_at := case r.round when 2 then greatest(r.lower, r.at - interval '1 min') else r.lower end;
    loop
        select * into p from azekura.day_partition d
         where d.source_group <> 32 and d.messages > 0 and d.lower < r.upper and azekura.piece_reach(d.upper) > least_at
           and (r.piece_lower is null or (d.lower, d.source_group) < (r.piece_lower, r.piece_group)
                or ((d.lower, d.source_group) = (r.piece_lower, r.piece_group) and r.block_at is distinct from '-infinity'))
         order by d.lower desc, d.source_group desc limit 1;
        exit when not found;
        if (p.lower, p.source_group) is distinct from (r.piece_lower, r.piece_group) then
            r.piece_lower := p.lower;
            r.piece_group := p.source_group;
            r.block_at := null;
        end if;
        begin
            execute format('select first_at, first_seq from azekura.%I where first_at < $1 and last_at >= $2'
                           ' and ($3 is null or (first_at, first_seq) < ($3, $4)) and azekura.senders_in_network(senders, $5)'
                           ' order by first_at desc, first_seq desc limit 1', p.name)
               into b_at, b_seq using r.upper, least_at, r.block_at, r.block_seq, r.network::inet;
        exception when undefined_table then
            b_at := null; -- dropped at this moment
        end;
        if b_at is not null then
            begin
                select x.messages, x.changed, x.state, x.fault into n_messages, n_changed, outcome, why
                  from azekura.reparse_block(p.name, b_at, b_seq, r.network, r.but_not::inet[], least_at, r.upper, r.zone, r.charset) x;
            exception when data_corrupted or index_corrupted then
                n_messages := 0;
                n_changed := 0;
                outcome := 'damaged';
                why := sqlerrm;
            end;
            r.block_at := b_at;
            r.block_seq := b_seq;
            r.blocks := r.blocks + (r.round = 1)::integer;
            r.messages := r.messages + case r.round when 1 then n_messages else n_changed end;
            r.changed := r.changed + n_changed;
            if outcome in ('damaged', 'full') then
                r.skipped := r.skipped + (r.round = 1)::integer;
                r.fault := coalesce(r.fault, format('the block of %s is left as it is: %s', azekura.json_time(b_at), why));
            end if;
        else
            r.block_at := '-infinity';
        end if;
        exit when b_at is not null or clock_timestamp() > began + interval '200 ms';
    end loop;
    if r.round = 1 and p.name is not null then
        select greatest(r.lower, min(d.lower)) into oldest from azekura.day_partition d where d.source_group <> 32 and d.messages > 0;
        r.share := greatest(r.share, least(0.99,
            case when r.expected > 0 then r.messages::real / r.expected
                 when r.block_at > oldest and least(r.at, r.upper) > oldest
                 then extract(epoch from least(r.at, r.upper) - r.block_at) / extract(epoch from least(r.at, r.upper) - oldest)
                 else 0 end));
    end if;
    if p.name is null and r.round = 1 and r.upper > r.at - interval '1 min' then
        r.share := 0.99;
        -- what was parsed before the receiver knew of the row, and stored after we were there
        r.round := 2;
        r.piece_lower := null;
        r.piece_group := null;
        r.block_at := null;
        p.name := '';
    end if;
    update azekura.reparse_request x
       set state = r.state, started_at = r.started_at, round = r.round, piece_lower = r.piece_lower, piece_group = r.piece_group,
           block_at = r.block_at, block_seq = r.block_seq, share = r.share, blocks = r.blocks, messages = r.messages,
           changed = r.changed, skipped = r.skipped, fault = r.fault
     where x.id = r.id;
    if p.name is null then
        perform azekura.end_reparse(r.id, 'done');
    elsif r.round = 2 and r.piece_lower is null then
        return greatest(0, extract(epoch from r.at + interval '5 s' - clock_timestamp()) * 1000000)::bigint;
    end if;
    return 0;
end $$;

-- A block parsed again leaves the room of the one before as a hole, which nothing fills in a piece that is over, and the rule counts
-- it.  One that the request at work has done with is written anew, so that at most a piece and the open one are larger
-- meanwhile.  Bytes given back; null: none is to be written anew, or not now.
create function azekura.reparse_tidy() returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select azekura.rewrite_piece(x.name)
      from (select d.name
              from azekura.reparse_request r
              join azekura.day_partition d on d.source_group <> 32 and d.upper < now() and d.changed_at >= r.started_at
                   and d.tidied_at is distinct from d.changed_at
                   and case when r.piece_lower is null then r.round = 2 else (d.lower, d.source_group) > (r.piece_lower, r.piece_group) end
             where r.id = azekura.reparse_at_work()
             order by d.lower, d.source_group limit 1) x
$$;

-- As 0002 has it, but for the piece that is being parsed again.
create or replace function azekura.next_to_compact(after text, small_blocks integer, older_than timestamptz, since timestamptz)
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
                and not exists (select from azekura.reparse_request r where r.state = 'running' and r.block_at is distinct from '-infinity'
                                   and (r.piece_lower, r.piece_group) = (d.lower, d.source_group))
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

revoke execute on function azekura.reparse_asked(), azekura.source_recent(inet), azekura.settings_below(cidr), azekura.entry_json(azekura.logs),
    azekura.source_preview(text, text, text, text, text), azekura.ask_reparse(text, timestamptz, timestamptz, text, text, text),
    azekura.cancel_reparse(bigint, text), azekura.end_reparse(bigint, text, text), azekura.reparse_at_work(), azekura.reparse_step(), azekura.reparse_tidy()
    from public;
grant execute on function azekura.settings_below(cidr), azekura.entry_json(azekura.logs),
    azekura.source_preview(text, text, text, text, text), azekura.ask_reparse(text, timestamptz, timestamptz, text, text, text),
    azekura.cancel_reparse(bigint, text), azekura.source_recent(inet) to azekura_web;
grant execute on function azekura.reparse_step(), azekura.reparse_tidy(), azekura.reparse_at_work(), azekura.end_reparse(bigint, text, text) to azekura_keeper;
grant select on azekura.reparse_request to azekura_web;
