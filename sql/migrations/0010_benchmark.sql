-- Messages of the benchmark: apart from the logs, from the first byte to the last.
--
-- They are those of the built-in source group 32: senders of 127.66.0.0/16, which reaches no other machine, and addresses
-- that are registered for the time of a run.  So they lie in pieces of their own, and nothing looks into a message to know it.

set local role azekura;

-- ---- the group ----

-- Each piece has its own lock here, and a piece lies within its group's bounds whatever this check says: the check goes.
do $$
declare
    pieces bigint := (select count(*) from pg_inherits where inhparent = 'azekura.log_block'::regclass);
    locks bigint := current_setting('max_locks_per_transaction')::bigint
                    * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint);
begin
    if pieces + 500 > locks then
        raise exception using errcode = '53200',
            message = format('the store has %s pieces, and the server has room for %s locks at once', pieces, locks),
            hint = format('set max_locks_per_transaction to %s in postgresql.conf, restart PostgreSQL, and migrate again',
                          (pieces + 1000) / current_setting('max_connections')::bigint + 64);
    end if;
end $$;
alter table azekura.log_block drop constraint log_block_source_group_check;

-- A group that people have named so gets another name; what they gave our network to loses it, or the benchmark's messages
-- would be counted as logs.
do $$
declare
    g azekura.source_group;
    n integer := 2;
begin
    select * into g from azekura.source_group where name = 'benchmark';
    if found then
        while exists (select from azekura.source_group where name = format('benchmark (%s)', n)) loop
            n := n + 1;
        end loop;
        update azekura.source_group set name = format('benchmark (%s)', n) where id = g.id;
        insert into azekura.audit (actor, action, detail)
        values ('azekura', 'retention.group.set', jsonb_build_object('id', g.id, 'name', format('benchmark (%s)', n),
                'former_name', g.name, 'reason', 'the built-in group benchmark has this name'));
    end if;
    with gone as (
        delete from azekura.source_group_member where prefix <<= cidr '127.66.0.0/16' returning *)
    insert into azekura.audit (actor, action, detail)
    select 'azekura', 'retention.group.set', jsonb_build_object('id', source_group, 'removed_members', jsonb_agg(prefix),
           'reason', 'the network belongs to the built-in group benchmark')
      from gone group by source_group;
end $$;

alter table azekura.source_group drop constraint source_group_id_check,
    add constraint source_group_id_check check (id between 0 and 32),
    add constraint source_group_benchmark check (id <> 32 or (name = 'benchmark' and quota_percent is null and retired_at is null));
insert into azekura.source_group (id, name, keep_days) values (32, 'benchmark', 7);
insert into azekura.source_group_member (prefix, source_group) values ('127.66.0.0/16', 32);
alter table azekura.source_group_member
    add constraint source_group_member_benchmark check ((prefix <<= cidr '127.66.0.0/16') = (source_group = 32));

-- Addresses whose messages are the benchmark's until then: a benchmark that runs on another machine.
create table azekura.benchmark_sender (
    address inet primary key check (masklen(address) = case family(address) when 4 then 32 else 128 end),
    since timestamptz not null default now(),
    until timestamptz not null check (until > since),
    is_over boolean not null default false, -- the receiver has been told
    actor text not null
);
create trigger setting_changed after insert or update or delete on azekura.benchmark_sender
    for each statement execute function azekura.setting_changed();

-- What came from the benchmark's senders, a minute; kept as long as their messages are, and a day.
create table azekura.benchmark_count (
    minute timestamptz primary key,
    arrived bigint not null,
    stored bigint not null,
    bytes bigint not null,
    not_allowed bigint not null,
    rate_limit bigint not null,
    oversize bigint not null,
    bad_frame bigint not null,
    over_budget bigint not null,
    queue_full bigint not null,
    crash bigint not null,
    rejected bigint not null
) with (fillfactor = 50); -- this minute's row is updated with every unit, within its page

-- All that was ever stored of it.
create table azekura.benchmark_total (
    only_one boolean primary key default true check (only_one),
    stored bigint not null default 0
) with (fillfactor = 50);
insert into azekura.benchmark_total default values;

-- Whether what came from `source` in the minute `at` is the benchmark's.
create function azekura.is_benchmark(source inet, at timestamptz) returns boolean
language sql stable parallel safe as $$
    select source <<= inet '127.66.0.0/16'
           or exists (select from azekura.benchmark_sender b
                       where b.address = source and b.since < at + interval '1 minute' and b.until > at)
$$;

-- The rule may always take the benchmark's messages: a hold on all groups is one on all logs.
create or replace function azekura.piece_is_held(source_group smallint, lower timestamptz, upper timestamptz) returns boolean
language sql stable parallel safe as $$
    select exists (select from azekura.hold h, (select azekura.piece_reach($3) as reach offset 0) p
                    where (h.source_group = $1 or (h.source_group is null and $1 <> 32)) and h.lower < p.reach and h.upper > $2)
$$;

-- What the benchmark has stored, and what of it is found first and last.
create function azekura.benchmark_messages(out messages bigint, out bytes bigint, out oldest timestamptz, out newest timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    part text;
begin
    -- measured now, not when the keeper last did: a benchmark divides what its messages took by their number
    select coalesce(sum(d.messages), 0),
           coalesce(sum(pg_total_relation_size(to_regclass(format('azekura.%I', d.name)))) filter (where d.messages > 0), 0)
      into messages, bytes from azekura.day_partition d where d.source_group = 32;
    begin
        select d.name into part from azekura.day_partition d where d.source_group = 32 and d.messages > 0 order by d.lower limit 1;
        if found then
            execute format('select first_at from azekura.%I order by last_at, first_at limit 1', part) into oldest;
        end if;
        select d.name into part from azekura.day_partition d where d.source_group = 32 and d.messages > 0 order by d.lower desc limit 1;
        if found then
            execute format('select last_at from azekura.%I order by last_at desc limit 1', part) into newest;
        end if;
    exception when undefined_table then
        null; -- dropped at this moment
    end;
end $$;

-- Addresses whose time is up, and what is older than anything of the benchmark that is kept.  The addresses that ended.
create function azekura.end_benchmark_senders() returns inet[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    ended inet[] := '{}';
begin
    -- a statement that changes nothing would tell the receiver all the same
    if exists (select from azekura.benchmark_sender where until <= now() and not is_over) then
        with gone as (update azekura.benchmark_sender set is_over = true where until <= now() and not is_over returning address)
        select coalesce(array_agg(address order by address), '{}') into ended from gone;
    end if;
    if exists (select from azekura.benchmark_sender where is_over and until < now() - interval '1 day') then
        delete from azekura.benchmark_sender where is_over and until < now() - interval '1 day';
    end if;
    delete from azekura.benchmark_count where minute < now() - interval '8 days';
    return ended;
end $$;

-- ---- counting ----

-- As before; what the benchmark sends is in the ledger like everything, is counted once more by itself, and its senders are no
-- devices: nobody wants to be told that they fell silent.
create or replace function azekura.count_unit(
    minutes timestamptz[], listeners text[], sources inet[],
    arrived bigint[], stored bigint[], bytes bigint[], truncated bigint[], refused bigint[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    -- no hour is being added up from here to the end of the transaction
    select pg_advisory_xact_lock_shared(hashtext('azekura.ledger_sum'));

    insert into azekura.ledger as l (minute, listener, source, arrived, stored, bytes, truncated, not_allowed,
        rate_limit, oversize, bad_frame, over_budget, queue_full, crash, rejected)
    select m, li, s, a, st, b, t, refused[8 * i - 7], refused[8 * i - 6], refused[8 * i - 5], refused[8 * i - 4],
           refused[8 * i - 3], refused[8 * i - 2], refused[8 * i - 1], refused[8 * i]
      from unnest(minutes, listeners, sources, arrived, stored, bytes, truncated)
           with ordinality u(m, li, s, a, st, b, t, i)
     order by m, li, s
    on conflict (minute, listener, source) do update set
        arrived = l.arrived + excluded.arrived, stored = l.stored + excluded.stored,
        bytes = l.bytes + excluded.bytes, truncated = l.truncated + excluded.truncated,
        not_allowed = l.not_allowed + excluded.not_allowed, rate_limit = l.rate_limit + excluded.rate_limit,
        oversize = l.oversize + excluded.oversize, bad_frame = l.bad_frame + excluded.bad_frame,
        over_budget = l.over_budget + excluded.over_budget, queue_full = l.queue_full + excluded.queue_full,
        crash = l.crash + excluded.crash, rejected = l.rejected + excluded.rejected;

    insert into azekura.ledger_sum as l (step, minute, listener, source, arrived, stored, bytes, truncated, not_allowed,
        rate_limit, oversize, bad_frame, over_budget, queue_full, crash, rejected)
    select x.step, date_trunc(x.unit, m, 'UTC'), li, s, sum(a), sum(st), sum(b), sum(t), sum(refused[8 * i - 7]),
           sum(refused[8 * i - 6]), sum(refused[8 * i - 5]), sum(refused[8 * i - 4]), sum(refused[8 * i - 3]),
           sum(refused[8 * i - 2]), sum(refused[8 * i - 1]), sum(refused[8 * i])
      from azekura.ledger_summed z,
           lateral (values (3600, 'hour', z.hours_from, z.hours_upto), (86400, 'day', z.days_from, z.days_upto)) x(step, unit, since, upto),
           unnest(minutes, listeners, sources, arrived, stored, bytes, truncated)
           with ordinality u(m, li, s, a, st, b, t, i)
     where m >= x.since and m < x.upto
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (step, minute, listener, source) do update set
        arrived = l.arrived + excluded.arrived, stored = l.stored + excluded.stored,
        bytes = l.bytes + excluded.bytes, truncated = l.truncated + excluded.truncated,
        not_allowed = l.not_allowed + excluded.not_allowed, rate_limit = l.rate_limit + excluded.rate_limit,
        oversize = l.oversize + excluded.oversize, bad_frame = l.bad_frame + excluded.bad_frame,
        over_budget = l.over_budget + excluded.over_budget, queue_full = l.queue_full + excluded.queue_full,
        crash = l.crash + excluded.crash, rejected = l.rejected + excluded.rejected;

    insert into azekura.ledger_total as t (listener, arrived, stored, bytes, truncated, not_allowed, rate_limit,
        oversize, bad_frame, over_budget, queue_full, crash, rejected)
    select li, sum(a), sum(st), sum(b), sum(t), sum(refused[8 * i - 7]), sum(refused[8 * i - 6]),
           sum(refused[8 * i - 5]), sum(refused[8 * i - 4]), sum(refused[8 * i - 3]), sum(refused[8 * i - 2]),
           sum(refused[8 * i - 1]), sum(refused[8 * i])
      from unnest(listeners, arrived, stored, bytes, truncated) with ordinality u(li, a, st, b, t, i)
     group by li order by li
    on conflict (listener) do update set
        arrived = t.arrived + excluded.arrived, stored = t.stored + excluded.stored,
        bytes = t.bytes + excluded.bytes, truncated = t.truncated + excluded.truncated,
        not_allowed = t.not_allowed + excluded.not_allowed, rate_limit = t.rate_limit + excluded.rate_limit,
        oversize = t.oversize + excluded.oversize, bad_frame = t.bad_frame + excluded.bad_frame,
        over_budget = t.over_budget + excluded.over_budget, queue_full = t.queue_full + excluded.queue_full,
        crash = t.crash + excluded.crash, rejected = t.rejected + excluded.rejected;

    insert into azekura.source as o (address, first_heard, last_heard, messages, bytes)
    select s, min(m), max(least(m + interval '1 minute', greatest(m, now()))), sum(st), sum(b)
      from unnest(minutes, sources, stored, bytes) u(m, s, st, b)
     where not azekura.is_benchmark(s, m)
     group by s order by s
    on conflict (address) do update set
        -- what lies in the future was written under a wrong clock, and would hide that the sender fell silent
        last_heard = greatest(case when o.last_heard <= now() then o.last_heard end, excluded.last_heard),
        messages = o.messages + excluded.messages, bytes = o.bytes + excluded.bytes;

    insert into azekura.benchmark_count as c (minute, arrived, stored, bytes, not_allowed, rate_limit, oversize, bad_frame,
        over_budget, queue_full, crash, rejected)
    select m, sum(a), sum(st), sum(b), sum(refused[8 * i - 7]), sum(refused[8 * i - 6]), sum(refused[8 * i - 5]),
           sum(refused[8 * i - 4]), sum(refused[8 * i - 3]), sum(refused[8 * i - 2]), sum(refused[8 * i - 1]), sum(refused[8 * i])
      from unnest(minutes, sources, arrived, stored, bytes) with ordinality u(m, s, a, st, b, i)
     where azekura.is_benchmark(s, m)
     group by m order by m
    on conflict (minute) do update set
        arrived = c.arrived + excluded.arrived, stored = c.stored + excluded.stored, bytes = c.bytes + excluded.bytes,
        not_allowed = c.not_allowed + excluded.not_allowed, rate_limit = c.rate_limit + excluded.rate_limit,
        oversize = c.oversize + excluded.oversize, bad_frame = c.bad_frame + excluded.bad_frame,
        over_budget = c.over_budget + excluded.over_budget, queue_full = c.queue_full + excluded.queue_full,
        crash = c.crash + excluded.crash, rejected = c.rejected + excluded.rejected;

    update azekura.benchmark_total t set stored = t.stored + u.stored
      from (select sum(st) as stored from unnest(minutes, sources, stored) u(m, s, st) where azekura.is_benchmark(s, m)) u
     where u.stored > 0;
$$;

delete from azekura.source where address <<= inet '127.66.0.0/16';

-- ---- what the receiver says of itself ----

alter table azekura.receiver_status
    add benchmark_queued bigint not null default 0,     -- of `queued`
    add benchmark_stored bigint not null default 0;     -- benchmark_total then: what has come to that since is not queued any more

drop function azekura.report_receiver(text, uuid, timestamptz, bigint, bigint, bigint, bigint, bigint, integer, bigint, bigint);
create function azekura.report_receiver(
    receiver text, run uuid, started_at timestamptz, arrived bigint, stored bigint, refused bigint, queued bigint,
    queue_bytes bigint, connections integer, udp_buffer_bytes bigint, kernel_dropped bigint, benchmark_queued bigint default 0)
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into azekura.receiver_status as r values (receiver, run, started_at, clock_timestamp(), arrived, stored,
        refused, queued, queue_bytes, connections, udp_buffer_bytes, kernel_dropped, benchmark_queued,
        (select t.stored from azekura.benchmark_total t))
    on conflict (receiver) do update set (run, started_at, at, arrived, stored, refused, queued, queue_bytes,
        connections, udp_buffer_bytes, kernel_dropped, benchmark_queued, benchmark_stored) = (excluded.run, excluded.started_at, excluded.at,
        excluded.arrived, excluded.stored, excluded.refused, excluded.queued, excluded.queue_bytes,
        excluded.connections, excluded.udp_buffer_bytes, excluded.kernel_dropped, excluded.benchmark_queued,
        excluded.benchmark_stored);
$$;

-- Where a receiver listens.
create table azekura.receiver_listener (
    receiver text not null,             -- its state folder, as in receiver_status
    name text not null check (name in ('udp', 'tcp', 'tls')),
    address inet not null,
    port integer not null check (port between 1 and 65535),
    receive_buffer_bytes bigint,        -- granted by the kernel; null: the kernel chooses for each connection
    primary key (receiver, name)
);

-- A receiver says where it listens: parallel arrays, an element a listener.
create function azekura.report_listeners(receiver text, names text[], addresses inet[], ports integer[], buffers bigint[])
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
    delete from azekura.receiver_listener l where l.receiver = report_listeners.receiver and l.name <> all (names);
    insert into azekura.receiver_listener as l (receiver, name, address, port, receive_buffer_bytes)
    select report_listeners.receiver, n, a, p, b from unnest(names, addresses, ports, buffers) u(n, a, p, b)
    on conflict on constraint receiver_listener_pkey do update set (address, port, receive_buffer_bytes) = (excluded.address,
        excluded.port, excluded.receive_buffer_bytes);
$$;

-- ---- who may ----

revoke execute on function azekura.is_benchmark(inet, timestamptz), azekura.benchmark_messages(), azekura.end_benchmark_senders(),
    azekura.report_receiver(text, uuid, timestamptz, bigint, bigint, bigint, bigint, bigint, integer, bigint, bigint, bigint),
    azekura.report_listeners(text, text[], inet[], integer[], bigint[])
    from public;
grant execute on function
    azekura.report_receiver(text, uuid, timestamptz, bigint, bigint, bigint, bigint, bigint, integer, bigint, bigint, bigint),
    azekura.report_listeners(text, text[], inet[], integer[], bigint[]) to azekura_receiver;
grant select (address, since, until) on azekura.benchmark_sender to azekura_receiver;
grant execute on function azekura.end_benchmark_senders() to azekura_keeper;
grant execute on function azekura.benchmark_messages() to azekura_web;
grant select on azekura.benchmark_count, azekura.benchmark_total, azekura.receiver_listener to azekura_web;
grant select, insert, update, delete on azekura.benchmark_sender to azekura_web;

reset role;
grant execute on function azekura.server_pid() to azekura_web;
