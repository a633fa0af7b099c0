-- The ledger: arrived = stored + refused (by reason) + queued, per minute, listener and source.
-- Rows are added in the transaction that stores the block they belong to; what is queued is not here yet.

set local role azekura;

create table azekura.ledger (
    minute timestamptz not null,        -- the minute of arrival, UTC
    listener text not null check (listener in ('udp', 'tcp', 'tls')),
    source inet not null,
    arrived bigint not null default 0,  -- messages cut from the socket
    stored bigint not null default 0,   -- messages in log_block
    bytes bigint not null default 0,    -- as received, of the arrived ones
    truncated bigint not null default 0,-- of the stored ones: cut at receiver.message_max_bytes
    -- refused, by reason
    not_allowed bigint not null default 0,
    rate_limit bigint not null default 0,
    oversize bigint not null default 0,
    bad_frame bigint not null default 0,
    over_budget bigint not null default 0,
    queue_full bigint not null default 0, -- the database was away and the memory for waiting blocks was used up
    crash bigint not null default 0,      -- read by a receiver that was killed before it could store them
    rejected bigint not null default 0,   -- the database refused their block: set aside in STATE/receiver/rejected/
    refused bigint not null generated always as (
        not_allowed + rate_limit + oversize + bad_frame + over_budget + queue_full + crash + rejected) stored,
    primary key (minute, listener, source)
);
create index ledger_source on azekura.ledger (source, minute);

-- The same counts since the store was made, a listener: the ledger forgets old minutes, a counter that
-- is exported must never fall.
create table azekura.ledger_total (
    listener text primary key check (listener in ('udp', 'tcp', 'tls')),
    arrived bigint not null default 0,
    stored bigint not null default 0,
    bytes bigint not null default 0,
    truncated bigint not null default 0,
    not_allowed bigint not null default 0,
    rate_limit bigint not null default 0,
    oversize bigint not null default 0,
    bad_frame bigint not null default 0,
    over_budget bigint not null default 0,
    queue_full bigint not null default 0,
    crash bigint not null default 0,
    rejected bigint not null default 0,
    kernel_dropped bigint not null default 0
);

-- What the kernel dropped before the receiver saw it (SO_RXQ_OVFL), a listener and minute.
create table azekura.kernel_drop (
    minute timestamptz not null,
    listener text not null check (listener in ('udp', 'tcp', 'tls')),
    dropped bigint not null,
    primary key (minute, listener)
);

-- One row a sender ever heard.
create table azekura.source (
    address inet primary key,
    first_heard timestamptz not null,
    last_heard timestamptz not null,
    messages bigint not null,           -- stored, ever
    bytes bigint not null               -- as received, ever
);
create index source_last_heard on azekura.source (last_heard);

-- What a receiver says of itself, once a second while it has a database: its live part of the equation.
create table azekura.receiver_status (
    receiver text primary key,          -- its state folder
    run uuid not null,
    started_at timestamptz not null,
    at timestamptz not null,            -- of this row
    arrived bigint not null,            -- since started_at
    stored bigint not null,
    refused bigint not null,
    queued bigint not null,             -- in memory now, open block included
    queue_bytes bigint not null,        -- of closed blocks waiting
    connections integer not null,       -- TCP and TLS
    udp_buffer_bytes bigint not null,   -- granted by the kernel
    kernel_dropped bigint not null      -- since started_at
);

grant select on azekura.ledger, azekura.ledger_total, azekura.kernel_drop, azekura.source, azekura.receiver_status
    to azekura_web;
-- the keeper forgets minutes, and for that sees which there are
grant select (minute, listener, source), delete on azekura.ledger to azekura_keeper;
grant select (minute), delete on azekura.kernel_drop to azekura_keeper;

-- Make sure that the day of `at` has a partition; the name of it.  Days are those of `zone`, the zone the
-- caller is configured for (null: the setting time.zone of the database, else UTC).  Bounds never
-- overlap, also after the zone was changed: a new day is cut to the room its neighbours leave.
create function azekura.ensure_partition(at timestamptz, zone text default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    lo timestamptz;
    hi timestamptz;
    part text;
    n int := 0;
begin
    select name into part from azekura.day_partition where lower <= at and upper > at;
    if found and to_regclass(format('azekura.%I', part)) is not null then
        return part;
    end if;
    perform pg_advisory_xact_lock(hashtext('azekura.ensure_partition'));
    select name into part from azekura.day_partition where lower <= at and upper > at;
    if found then
        if to_regclass(format('azekura.%I', part)) is not null then
            return part;
        end if;
        -- somebody dropped the table to make room: the day begins anew
        delete from azekura.day_partition where name = part;
    end if;
    zone := coalesce(zone, (select value from azekura.setting where name = 'time.zone'), 'UTC');
    lo := date_trunc('day', at at time zone zone) at time zone zone;
    hi := (date_trunc('day', at at time zone zone) + interval '1 day') at time zone zone;
    select greatest(lo, max(upper)) into lo from azekura.day_partition where upper <= at;
    select least(hi, min(lower)) into hi from azekura.day_partition where lower > at;
    part := 'log_block_' || to_char(at at time zone zone, 'YYYYMMDD');
    while exists (select from azekura.day_partition d where d.name = part) loop
        n := n + 1;
        part := 'log_block_' || to_char(at at time zone zone, 'YYYYMMDD') || '_' || n;
    end loop;
    execute format('create table azekura.%I partition of azekura.log_block for values from (%L) to (%L)',
                   part, lo, hi);
    insert into azekura.day_partition (name, lower, upper) values (part, lo, hi);
    return part;
end $$;

-- Begin storing unit `number` of `run`, whose block begins at `first_at` (null: no block), on a box in `zone`.  True: go on
-- in this transaction; false: it is stored already.  A second writer of the same run waits here.
create function azekura.claim_unit(run uuid, number bigint, first_at timestamptz, zone text default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into azekura.stored_unit (run) values (claim_unit.run) on conflict do nothing;
    update azekura.stored_unit u
       set numbers = numbers + int8multirange(int8range(number, number + 1)), last_at = now()
     where u.run = claim_unit.run and not numbers @> number;
    if not found then
        return false;
    end if;
    if first_at is not null then
        perform azekura.ensure_partition(first_at, zone);
    end if;
    return true;
end $$;

-- Add the counts of a unit: parallel arrays, one element a (minute, listener, source).  `refused` has
-- eight elements a row, in the order of the table's columns.
create function azekura.count_unit(
    minutes timestamptz[], listeners text[], sources inet[],
    arrived bigint[], stored bigint[], bytes bigint[], truncated bigint[], refused bigint[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
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
     group by s order by s
    on conflict (address) do update set
        -- what lies in the future was written under a wrong clock, and would hide that the sender fell silent
        last_heard = greatest(case when o.last_heard <= now() then o.last_heard end, excluded.last_heard),
        messages = o.messages + excluded.messages, bytes = o.bytes + excluded.bytes;
$$;

create function azekura.count_kernel_drop(minute timestamptz, listener text, dropped bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into azekura.kernel_drop as k values (minute, listener, dropped)
    on conflict (minute, listener) do update set dropped = k.dropped + excluded.dropped;
    insert into azekura.ledger_total as t (listener, kernel_dropped) values (listener, dropped)
    on conflict (listener) do update set kernel_dropped = t.kernel_dropped + excluded.kernel_dropped;
$$;

create function azekura.report_receiver(
    receiver text, run uuid, started_at timestamptz, arrived bigint, stored bigint, refused bigint,
    queued bigint, queue_bytes bigint, connections integer, udp_buffer_bytes bigint, kernel_dropped bigint)
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into azekura.receiver_status as r values (receiver, run, started_at, clock_timestamp(), arrived, stored,
        refused, queued, queue_bytes, connections, udp_buffer_bytes, kernel_dropped)
    on conflict (receiver) do update set (run, started_at, at, arrived, stored, refused, queued, queue_bytes,
        connections, udp_buffer_bytes, kernel_dropped) = (excluded.run, excluded.started_at, excluded.at,
        excluded.arrived, excluded.stored, excluded.refused, excluded.queued, excluded.queue_bytes,
        excluded.connections, excluded.udp_buffer_bytes, excluded.kernel_dropped);
$$;

revoke execute on all functions in schema azekura from public;
grant execute on function azekura.ensure_partition(timestamptz, text) to azekura_keeper;
grant execute on function azekura.claim_unit(uuid, bigint, timestamptz, text),
    azekura.count_unit(timestamptz[], text[], inet[], bigint[], bigint[], bigint[], bigint[], bigint[]),
    azekura.count_kernel_drop(timestamptz, text, bigint),
    azekura.report_receiver(text, uuid, timestamptz, bigint, bigint, bigint, bigint, bigint, integer, bigint, bigint)
    to azekura_receiver;
