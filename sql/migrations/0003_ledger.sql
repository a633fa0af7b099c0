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

-- Sums of the ledger's hours and UTC days, so that a range of time costs few rows, however long it is.  The keeper adds an
-- hour up when it is over; what is counted later for an hour that has been added up is added here too.
create table azekura.ledger_sum (
    step integer not null check (step in (3600, 86400)),
    minute timestamptz not null,        -- its beginning
    listener text not null,
    source inet not null,
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
    refused bigint not null generated always as (
        not_allowed + rate_limit + oversize + bad_frame + over_budget + queue_full + crash + rejected) stored,
    primary key (step, minute, listener, source)
);

-- Which of them are complete: a sum that is not there is 0.  Before `_from` they have been forgotten.
create table azekura.ledger_summed (
    only_one boolean primary key default true check (only_one),
    hours_from timestamptz not null default '-infinity',
    hours_upto timestamptz not null default '-infinity',
    days_from timestamptz not null default '-infinity',
    days_upto timestamptz not null default '-infinity'
);
insert into azekura.ledger_summed default values;

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

grant select on azekura.ledger, azekura.ledger_sum, azekura.ledger_summed, azekura.ledger_total, azekura.kernel_drop, azekura.source, azekura.receiver_status
    to azekura_web;
-- the keeper forgets minutes, and for that sees which there are
grant select (minute, listener, source), delete on azekura.ledger to azekura_keeper;
grant select (minute), delete on azekura.kernel_drop to azekura_keeper;

-- Begin storing unit `number` of `run`, on a box in `zone`.  The arrays have an element a block (none: the unit has
-- counts only): its group, when it begins, how many messages and bytes as received, and how large it is as stored.
-- True: go on in this transaction; each block has a piece, which stays until it ends, and is counted there.
-- False: it is stored already.  A second writer of the same run waits here.
create function azekura.claim_unit(run uuid, number bigint, zone text, source_groups smallint[],
    first_ats timestamptz[], messages integer[], raw_bytes bigint[], stored_bytes bigint[]) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    b record;
    part text;
    total bigint := 0;
begin
    insert into azekura.stored_unit (run) values (claim_unit.run) on conflict do nothing;
    update azekura.stored_unit u
       set numbers = numbers + int8multirange(int8range(number, number + 1)), last_at = now()
     where u.run = claim_unit.run and not numbers @> number;
    if not found then
        return false;
    end if;
    if coalesce(cardinality(source_groups), 0) = 0 then
        return true;
    end if;
    if (cardinality(first_ats), cardinality(messages), cardinality(raw_bytes), cardinality(stored_bytes))
       is distinct from (cardinality(source_groups), cardinality(source_groups), cardinality(source_groups), cardinality(source_groups)) then
        raise exception using errcode = '22023', message = 'the arrays of claim_unit() differ in length';
    end if;
    -- no split and no drop from here to the end of the transaction
    lock table only azekura.log_block in row exclusive mode;
    -- in one order for all, so that two units never wait for each other
    for b in select u.g, u.at, u.m, u.r, u.s from unnest(source_groups, first_ats, messages, raw_bytes, stored_bytes)
             u(g, at, m, r, s) order by u.g, u.at loop
        part := azekura.ensure_partition(b.at, zone, b.g);
        update azekura.day_partition d
           set messages = d.messages + b.m, raw_bytes = d.raw_bytes + b.r, changed_at = clock_timestamp()
         where d.name = part;
        total := total + b.s;
    end loop;
    -- the 20 % rule looks after so many bytes, not only after so much time
    if total >= 1048576 then
        perform pg_notify('azekura_written', total::text);
    end if;
    return true;
end $$;

-- Add the counts of a unit: parallel arrays, one element a (minute, listener, source).  `refused` has
-- eight elements a row, in the order of the table's columns.
create function azekura.count_unit(
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
     group by s order by s
    on conflict (address) do update set
        -- what lies in the future was written under a wrong clock, and would hide that the sender fell silent
        last_heard = greatest(case when o.last_heard <= now() then o.last_heard end, excluded.last_heard),
        messages = o.messages + excluded.messages, bytes = o.bytes + excluded.bytes;
$$;

-- Add up the ledger's next hour that is over, and the days that are; how many hours, 0: there is none yet.  Hours are kept as long
-- as the ledger keeps minutes, and until their day has been added up.
create function azekura.sum_ledger() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    z azekura.ledger_summed;
    bound timestamptz := date_trunc('hour', now() - interval '2 minutes', 'UTC'); -- most of what comes late is there by then
    lo timestamptz;
    hi timestamptz;
    day timestamptz;
    old timestamptz;
begin
    select * into z from azekura.ledger_summed;
    if z.hours_upto >= bound and z.hours_upto <= bound + interval '1 day' then
        return 0;
    end if;
    -- units that are being stored end first, and those that come wait: a moment, once an hour
    perform pg_advisory_xact_lock(hashtext('azekura.ledger_sum'));
    select * into z from azekura.ledger_summed; -- another one may have done it meanwhile
    if z.hours_upto > bound then
        -- the clock was ahead: from this day on anew
        day := date_trunc('day', bound, 'UTC');
        delete from azekura.ledger_sum where step = 3600 or minute >= day;
        update azekura.ledger_summed set hours_from = day, hours_upto = day, days_from = least(days_from, day), days_upto = day;
        return 1;
    end if;
    if z.hours_upto = bound then
        return 0;
    end if;
    -- hours without a row are passed over
    lo := least(bound, greatest(z.hours_upto, coalesce(date_trunc('hour',
              (select min(minute) from azekura.ledger where minute >= z.hours_upto), 'UTC'), bound)));
    hi := least(bound, lo + interval '1 hour');
    insert into azekura.ledger_sum (step, minute, listener, source, arrived, stored, bytes, truncated, not_allowed, rate_limit,
                                    oversize, bad_frame, over_budget, queue_full, crash, rejected)
    select 3600, lo, listener, source, sum(arrived), sum(stored), sum(bytes), sum(truncated), sum(not_allowed), sum(rate_limit),
           sum(oversize), sum(bad_frame), sum(over_budget), sum(queue_full), sum(crash), sum(rejected)
      from azekura.ledger where minute >= lo and minute < hi group by listener, source;
    day := greatest(z.days_upto, date_trunc('day', hi, 'UTC'));
    insert into azekura.ledger_sum (step, minute, listener, source, arrived, stored, bytes, truncated, not_allowed, rate_limit,
                                    oversize, bad_frame, over_budget, queue_full, crash, rejected)
    select 86400, date_trunc('day', minute, 'UTC'), listener, source, sum(arrived), sum(stored), sum(bytes), sum(truncated),
           sum(not_allowed), sum(rate_limit), sum(oversize), sum(bad_frame), sum(over_budget), sum(queue_full), sum(crash), sum(rejected)
      from azekura.ledger_sum where step = 3600 and minute >= z.days_upto and minute < day group by 2, 3, 4;
    old := greatest(z.hours_from, least(day, date_trunc('day', now() - interval '14 days', 'UTC')));
    if old > z.hours_from then
        delete from azekura.ledger_sum where step = 3600 and minute < old;
    end if;
    update azekura.ledger_summed set hours_from = old, hours_upto = hi, days_upto = day;
    return 1;
end $$;

-- Forget the sums before `older`, as the ledger's own rows are forgotten.
create function azekura.forget_ledger_sums(older timestamptz) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    gone bigint;
begin
    if not exists (select from azekura.ledger_sum where step in (3600, 86400) and minute < older) then
        return 0;
    end if;
    perform pg_advisory_xact_lock(hashtext('azekura.ledger_sum'));
    delete from azekura.ledger_sum where step in (3600, 86400) and minute < older;
    get diagnostics gone = row_count;
    update azekura.ledger_summed
       set hours_from = greatest(hours_from, date_trunc('hour', older + interval '59 min 59.999999 s', 'UTC')),
           days_from = greatest(days_from, date_trunc('day', older + interval '23 h 59 min 59.999999 s', 'UTC'));
    return gone;
end $$;

-- Which rows hold what arrived between lo and hi (whole minutes): days, hours, and the ledger itself for the rest.
create function azekura.ledger_parts(lo timestamptz, hi timestamptz)
returns table (step integer, since timestamptz, upto timestamptz)
language plpgsql stable rows 5 set search_path = pg_catalog, pg_temp as $$
declare
    z azekura.ledger_summed;
    gaps tstzmultirange;
    days tstzmultirange;
    hours tstzmultirange;
    first timestamptz;
    last timestamptz;
begin
    if lo >= hi then
        return;
    end if;
    select * into z from azekura.ledger_summed;
    gaps := tstzmultirange(tstzrange(lo, hi));
    first := date_trunc('day', greatest(lo, z.days_from) + interval '23 h 59 min 59.999999 s', 'UTC');
    last := date_trunc('day', least(hi, z.days_upto), 'UTC');
    days := case when first < last then tstzmultirange(tstzrange(first, last)) else '{}' end;
    return query select 86400, lower(g), upper(g) from unnest(days) g;
    gaps := gaps - days;
    first := date_trunc('hour', greatest(lo, z.hours_from) + interval '59 min 59.999999 s', 'UTC');
    last := date_trunc('hour', least(hi, z.hours_upto), 'UTC');
    hours := case when first < last then gaps * tstzmultirange(tstzrange(first, last)) else '{}' end;
    return query select 3600, lower(g), upper(g) from unnest(hours) g;
    return query select 60, lower(g), upper(g) from unnest(gaps - hours) g;
end $$;

-- Those rows.
create function azekura.ledger_rows(lo timestamptz, hi timestamptz)
returns table (listener text, source inet, arrived bigint, stored bigint, bytes bigint, truncated bigint, not_allowed bigint,
               rate_limit bigint, oversize bigint, bad_frame bigint, over_budget bigint, queue_full bigint, crash bigint, rejected bigint, refused bigint)
language sql stable rows 10000 as $$
    select l.listener, l.source, l.arrived, l.stored, l.bytes, l.truncated, l.not_allowed, l.rate_limit, l.oversize, l.bad_frame,
           l.over_budget, l.queue_full, l.crash, l.rejected, l.refused
      from azekura.ledger_parts(lo, hi) p join azekura.ledger l on p.step = 60 and l.minute >= p.since and l.minute < p.upto
    union all
    select l.listener, l.source, l.arrived, l.stored, l.bytes, l.truncated, l.not_allowed, l.rate_limit, l.oversize, l.bad_frame,
           l.over_budget, l.queue_full, l.crash, l.rejected, l.refused
      from azekura.ledger_parts(lo, hi) p join azekura.ledger_sum l on l.step = p.step and l.minute >= p.since and l.minute < p.upto
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
grant execute on function azekura.claim_unit(uuid, bigint, text, smallint[], timestamptz[], integer[], bigint[], bigint[]),
    azekura.count_unit(timestamptz[], text[], inet[], bigint[], bigint[], bigint[], bigint[], bigint[]),
    azekura.count_kernel_drop(timestamptz, text, bigint),
    azekura.report_receiver(text, uuid, timestamptz, bigint, bigint, bigint, bigint, bigint, integer, bigint, bigint)
    to azekura_receiver;
grant execute on function azekura.sum_ledger(), azekura.forget_ledger_sums(timestamptz) to azekura_keeper;
grant execute on function azekura.ledger_parts(timestamptz, timestamptz), azekura.ledger_rows(timestamptz, timestamptz) to azekura_web;
