-- Receive rates: how much came by source, hostname, app_name, severity and listener, and what was refused.
--
--   count_rates()  in the transaction that stores a unit     → rate_unit, a row a dimension and minute
--   fold_rates()   once a minute, the keeper                 → rate_sample: minutes (14 days), hours and days (2 years)
--   rate_rows()    what is in the rings between two times, from the fewest rows
--
-- Counted exactly once: a row of rate_unit is stored with its unit and removed with the sample it went
-- into.  A sample that exists is complete: what comes late is added to every sample of its minute, hour
-- and day.  Hours and days are made when they are over, from the next smaller ones, so that a sample is
-- written once and not every minute.

set local role azekura;

-- smallint and not a name, since it stands in every row: 1 source, 2 hostname, 3 app_name, 4 severity, 5 listener (arrived, what was
-- refused included), 6 refused (by reason, and what the kernel dropped), 7 hostname and severity, 8 app_name and severity.

-- The values that are counted by themselves.  The first character of a name: = a value, - the messages
-- that have none, * all other values together (never in this table).
create table azekura.rate_name (
    id integer generated always as identity (minvalue 1 maxvalue 268435455 cycle) primary key, -- × 8 fits
    dimension smallint not null check (dimension between 1 and 6),
    name text not null,
    first_heard timestamptz not null,   -- minutes
    last_heard timestamptz not null,
    messages bigint not null,           -- ever: who has few gives way when there are too many names
    unique (dimension, name)
) with (fillfactor = 70);               -- rows are updated where they lie

-- What units have brought and is not in the rings yet: minutes' worth.
create table azekura.rate_unit (
    minute timestamptz not null,
    at timestamptz not null,            -- of the last message
    dimension smallint not null check (dimension between 1 and 8),
    disk bigint not null,               -- bytes of the unit's blocks, shared out by `bytes` …
    total bigint not null,              -- … and their sum
    names text[] not null,              -- with their first character as above
    severities smallint[] not null,     -- 0 where the dimension has none
    messages bigint[] not null,
    bytes bigint[] not null             -- as received
) with (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0,
        toast.autovacuum_vacuum_threshold = 1000, toast.autovacuum_vacuum_scale_factor = 0);
create index rate_unit_minute on azekura.rate_unit (minute);
create index rate_unit_at on azekura.rate_unit (dimension, at);

-- Rings.  A slot is a time modulo the ring's length: bounded by construction, and a wrong clock spoils no
-- more than the slots it touches.
create table azekura.rate_sample (
    step integer not null check (step in (60, 3600, 86400)),    -- 86400: a local day, whatever its length
    dimension smallint not null,
    slot integer not null,
    at timestamptz not null,            -- its beginning
    disk bigint not null,               -- bytes of the blocks, shared out by `bytes` …
    total bigint not null,              -- … and their sum
    keys integer[] not null,            -- rate_name.id, 0 others; × 8 + severity where the dimension has one
    messages bigint[] not null,
    bytes bigint[] not null,
    primary key (step, dimension, slot)
);
create index rate_sample_at on azekura.rate_sample (step, dimension, at);
do $$
declare
    c text;
begin
    foreach c in array array['keys', 'messages', 'bytes'] loop
        execute format('alter table azekura.rate_sample alter column %I set compression lz4', c);
    end loop;
end $$;

-- Hours and days that have smaller samples and are to be made of them when they are over.
create table azekura.rate_due (
    step integer not null check (step in (3600, 86400)),
    at timestamptz not null,
    primary key (step, at)
);

grant select on azekura.rate_name, azekura.rate_unit, azekura.rate_sample to azekura_web;

-- Count what a unit brought that arrived in one minute: parallel arrays, one element a dimension (1, 5, 6,
-- 7 or 8), name and severity.  `minute`: any time in it, best that of the last message.
create function azekura.count_rates(minute timestamptz, disk_bytes bigint, dimensions smallint[], names text[],
                                    severities smallint[], messages bigint[], bytes bigint[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into azekura.rate_unit (minute, at, dimension, disk, total, names, severities, messages, bytes)
    select date_trunc('minute', minute),
           -- a time that is a whole minute tells no more than the minute
           case when minute > date_trunc('minute', minute) then minute
                else least(greatest(clock_timestamp(), minute), minute + interval '59.999999 s') end,
           d, case when d = 6 then 0 else disk_bytes end, sum(b), array_agg(n), array_agg(s), array_agg(m), array_agg(b)
      from unnest(dimensions, names, severities, messages, bytes) u(d, n, s, m, b)
     group by d
$$;

-- ---- the rings ----

create function azekura.rate_slots(step integer, dimension smallint) returns integer
language sql immutable parallel safe as $$
    -- by two things at once only days are asked for: the smaller ones are there to make them of
    select case step when 60 then case when dimension <= 6 then 20160 else 4320 end -- 14 and 3 days
                     when 3600 then case when dimension <= 6 then 17568 else 336 end -- 732 and 14 days
                     else 800 end
$$;

create function azekura.rate_day(at timestamptz, zone text) returns timestamptz
language sql stable as $$ select date_trunc('day', at at time zone zone) at time zone zone $$;

create function azekura.rate_slot(step integer, dimension smallint, at timestamptz, zone text) returns integer
language sql stable as $$
    select ((n % slots + slots) % slots)::integer
      from (select case when step = 86400 then ((at at time zone zone)::date - date '1970-01-01')::bigint
                        else floor(extract(epoch from at) / step)::bigint end as n,
                   azekura.rate_slots(step, dimension) as slots) x
$$;

-- Add to the sample that begins at `at`; a sample of another time in its slot gives way.
create function azekura.rate_add(step integer, dimension smallint, at timestamptz, zone text, disk bigint,
                                 keys integer[], messages bigint[], bytes bigint[]) returns void
language sql as $$
    insert into azekura.rate_sample as s (step, dimension, slot, at, disk, total, keys, messages, bytes)
    values (step, dimension, azekura.rate_slot(step, dimension, at, zone), at, disk, (select sum(b) from unnest(bytes) b),
            keys, messages, bytes)
    on conflict on constraint rate_sample_pkey do update set
        at = excluded.at,
        disk = excluded.disk + case when s.at = excluded.at then s.disk else 0 end,
        total = excluded.total + case when s.at = excluded.at then s.total else 0 end,
        (keys, messages, bytes) = (
            select array_agg(k order by k), array_agg(m order by k), array_agg(b order by k)
              from (select k, sum(m)::bigint as m, sum(b)::bigint as b
                      from (select * from unnest(excluded.keys, excluded.messages, excluded.bytes)
                            union all
                            select * from unnest(s.keys, s.messages, s.bytes) where s.at = excluded.at) u(k, m, b)
                     group by k) g)
$$;

-- Which samples hold what came between lo and hi: whole days, hours and minutes as far as there are such, none
-- longer than `longest`, as ranges of their beginnings.  A sample that begins within and ends beyond is left out.
create function azekura.rate_parts(dim smallint, lo timestamptz, hi timestamptz, zone text, longest integer default 86400)
returns table (step integer, since timestamptz, upto timestamptz) language plpgsql stable rows 10 as $$
declare
    gaps tstzmultirange;
    days tstzmultirange;
    hours tstzmultirange;
begin
    if lo >= hi then
        return;
    end if;
    gaps := tstzmultirange(tstzrange(lo, hi));
    if longest >= 86400 then
        -- a sample of another zone's day does not begin at midnight: its hours are taken instead
        select range_agg(tstzrange(s.at, azekura.rate_day(s.at + interval '36 hours', zone))) into days
          from azekura.rate_sample s
         where s.step = 86400 and s.dimension = dim and s.at >= lo and s.at < hi
           and s.at = azekura.rate_day(s.at, zone) and azekura.rate_day(s.at + interval '36 hours', zone) <= hi;
    end if;
    if days is not null then
        return query select 86400, lower(g), upper(g) from unnest(days) g;
        gaps := gaps - days;
    end if;
    if longest >= 3600 then
        select range_agg(tstzrange(s.at, s.at + interval '1 hour')) into hours
          from unnest(gaps) g join azekura.rate_sample s
            on s.step = 3600 and s.dimension = dim and s.at >= lower(g) and s.at <= upper(g) - interval '1 hour';
    end if;
    if hours is not null then
        return query select 3600, lower(g), upper(g) from unnest(hours) g;
        gaps := gaps - hours;
    end if;
    return query select 60, lower(g), upper(g) - interval '59.999999 s' from unnest(gaps) g;
end $$;

-- The samples themselves.
create function azekura.rate_samples(dim smallint, lo timestamptz, hi timestamptz, zone text, longest integer default 86400)
returns setof azekura.rate_sample language sql stable rows 100 as $$
    select s.*
      from azekura.rate_parts(dim, lo, hi, zone, longest) p
      join azekura.rate_sample s
        on s.step = p.step and s.dimension = dim and s.at >= p.since and s.at < p.upto
       and case when p.step = 86400 then s.at = azekura.rate_day(s.at, zone) else true end
$$;

-- Their sums by key.  `disk` costs as much again as the rest, and is asked for where it is needed.
create function azekura.rate_rows(dim smallint, lo timestamptz, hi timestamptz, zone text, has_disk boolean default true)
returns table (key integer, messages bigint, bytes bigint, disk double precision) language sql stable rows 1000 as $$
    select u.k, sum(u.m)::bigint, sum(u.b)::bigint,
           sum(case when has_disk then u.b * (s.disk::double precision / nullif(s.total, 0)) end)
      from azekura.rate_samples(dim, lo, hi, zone) s, lateral unnest(s.keys, s.messages, s.bytes) u(k, m, b)
     group by u.k
$$;

-- Make a dimension's hour or day of its smaller samples, where there is none yet.  Names that are known no
-- more become others, so that a sample never has more keys than there can be names.
create function azekura.rate_make(step_ integer, dim smallint, at_ timestamptz, zone text) returns void
language plpgsql as $$
declare
    upto timestamptz := case when step_ = 3600 then at_ + interval '1 hour'
                             else azekura.rate_day(at_ + interval '36 hours', zone) end;
    factor integer := case when dim > 6 then 8 else 1 end;
begin
    if exists (select from azekura.rate_sample s where s.step = step_ and s.dimension = dim and s.at = at_) then
        return;
    end if;
    insert into azekura.rate_sample as old (step, dimension, slot, at, disk, total, keys, messages, bytes)
    select step_, dim, azekura.rate_slot(step_, dim, at_, zone), at_, coalesce(sum(disk)::bigint, 0), sum(b),
           array_agg(k order by k), array_agg(m order by k), array_agg(b order by k)
      from (select case when n.id is null then r.key % factor else r.key end as k,
                   sum(r.messages)::bigint as m, sum(r.bytes)::bigint as b, sum(r.disk) as disk
              from azekura.rate_rows(dim, at_, upto, zone) r left join azekura.rate_name n on n.id = r.key / factor
             group by 1) g
    having count(*) > 0
    on conflict on constraint rate_sample_pkey do update set
        at = excluded.at, disk = excluded.disk, total = excluded.total, keys = excluded.keys, messages = excluded.messages, bytes = excluded.bytes;
end $$;

-- Put what came in one minute where it belongs.  Largest sample first: what is made here of smaller ones
-- must not hold yet what is added afterwards.  What only a doubted clock makes look old is not left out.
create function azekura.rate_put(dim smallint, minute timestamptz, zone text, disk bigint,
                                 keys integer[], messages bigint[], bytes bigint[], clock_is_doubted boolean) returns void
language plpgsql as $$
declare
    hour timestamptz := date_trunc('hour', minute, 'UTC');
    day timestamptz := azekura.rate_day(minute, zone);
    is_kept boolean := clock_is_doubted or minute > now() - make_interval(mins => azekura.rate_slots(60, dim));
    is_hour_kept boolean := clock_is_doubted or hour > now() - make_interval(hours => azekura.rate_slots(3600, dim));
    has_day boolean;
    has_hour boolean;
begin
    if not clock_is_doubted and day < now() - make_interval(days => 800 - 2) then
        return;     -- of a clock that was wrong, or older than anything kept
    end if;
    has_day := exists (select from azekura.rate_sample s where s.step = 86400 and s.dimension = dim and s.at = day);
    has_hour := exists (select from azekura.rate_sample s where s.step = 3600 and s.dimension = dim and s.at = hour);
    if has_day or not is_kept then
        perform azekura.rate_make(86400, dim, day, zone);
        perform azekura.rate_add(86400, dim, day, zone, disk, keys, messages, bytes);
    else
        insert into azekura.rate_due values (86400, day) on conflict do nothing;
    end if;
    if has_hour or not is_kept then
        if is_hour_kept then
            perform azekura.rate_make(3600, dim, hour, zone);
            perform azekura.rate_add(3600, dim, hour, zone, disk, keys, messages, bytes);
        end if;
    else
        insert into azekura.rate_due values (3600, hour) on conflict do nothing;
    end if;
    if is_kept then
        perform azekura.rate_add(60, dim, minute, zone, disk, keys, messages, bytes);
    end if;
end $$;

-- ---- folding ----

-- Take the oldest rows of rate_unit into the rings, `most` at most; returns how many.  What arrived in the last 75 s stays, since
-- "now" and "last minute" are counted from it; `everything`: all of it goes.
-- Names are a stranger's, and their number cannot be estimated before: each is looked up by hashing, never by going through a list.
create function azekura.rate_fold_units(zone text, most integer, everything boolean, clock_is_doubted boolean) returns bigint
language plpgsql set enable_nestloop = off as $$
declare
    r record;
    folded bigint := 0;
begin
    for r in
        with taken as (
            delete from azekura.rate_unit where ctid = any (array(
                select ctid from azekura.rate_unit
                 where minute < now() - interval '135 s' or minute > now() + interval '2 minutes' or everything
                 order by minute limit most))
            returning *
        ), flat as (
            select minute, dimension, u.n as name, u.s as severity, sum(u.m)::bigint as messages, sum(u.b)::bigint as bytes
              from taken, unnest(names, severities, messages, bytes) u(n, s, m, b)
             group by 1, 2, 3, 4
        ), wide as (
            select minute, dimension, name, 0::smallint as severity, messages, bytes from flat where dimension in (1, 5, 6)
            union all select minute, dimension, name, severity, messages, bytes from flat where dimension in (7, 8)
            union all select minute, (dimension - 5)::smallint, name, 0, sum(messages)::bigint, sum(bytes)::bigint
                        from flat where dimension in (7, 8) group by 1, 2, 3
            union all select minute, 4, '=' || (array['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'])[severity + 1],
                             0, sum(messages)::bigint, sum(bytes)::bigint
                        from flat where dimension = 7 group by minute, severity
        ), heard as (
            select dimension, name, min(minute) as first, max(minute) as last, sum(messages)::bigint as messages
              from wide where dimension <= 6 and name <> '*' group by 1, 2
        ), known as (
            update azekura.rate_name n
               -- what lies in the future, or before everything kept, was written under a wrong clock
               set first_heard = least(n.first_heard, case when h.first > now() - interval '800 days' then h.first end),
                   last_heard = greatest(case when n.last_heard <= now() + interval '2 minutes' then n.last_heard end, h.last),
                   messages = n.messages + h.messages
              from heard h where n.dimension = h.dimension and n.name = h.name
            returning n.id, n.dimension, n.name
        ), used as (
            select dimension, count(*) as names from azekura.rate_name group by dimension
        ), fresh as (
            insert into azekura.rate_name (dimension, name, first_heard, last_heard, messages)
            select x.dimension, name, first, last, messages
              from (select h.*, row_number() over (partition by h.dimension order by h.messages desc) as rank
                      from heard h
                     where not exists (select from azekura.rate_name n where n.dimension = h.dimension and n.name = h.name)) x
              left join used u on u.dimension = x.dimension
             where rank <= 16384 - coalesce(u.names, 0)
            on conflict do nothing
            returning id, dimension, name
        ), ids as (
            select * from known union all select * from fresh
        ), keyed as (
            select w.minute, w.dimension,
                   coalesce(i.id, 0) * case when w.dimension > 6 then 8 else 1 end + w.severity as key,
                   sum(w.messages)::bigint as messages, sum(w.bytes)::bigint as bytes
              from wide w left join ids i
                on i.name = w.name and i.dimension = case when w.dimension > 6 then w.dimension - 5 else w.dimension end
             group by 1, 2, 3
        ), disks as (
            select minute, dimension, sum(disk)::bigint as disk from taken group by 1, 2
        )
        select k.minute, k.dimension::smallint, array_agg(key order by key) as keys, array_agg(messages order by key) as messages,
               array_agg(bytes order by key) as bytes,
               coalesce((select d.disk from disks d where d.minute = k.minute
                            and d.dimension = case k.dimension when 2 then 7 when 3 then 8 when 4 then 7 else k.dimension end), 0) as disk,
               (select count(*) from taken) as units
          from keyed k group by k.minute, k.dimension order by k.minute
    loop
        perform azekura.rate_put(r.dimension, r.minute, zone, r.disk, r.keys, r.messages, r.bytes, clock_is_doubted);
        folded := r.units;
    end loop;
    return folded;
end $$;

-- Make the hours and days that are over.
create function azekura.rate_make_due(zone text) returns void language plpgsql as $$
declare
    due record;
begin
    -- hours first, days are made of them; what lies far ahead was written under a wrong clock and is not waited for
    for due in
        select step, at from azekura.rate_due
         where case when step = 3600 then at + interval '62 minutes'
                    else azekura.rate_day(at + interval '36 hours', zone) + interval '5 minutes' end <= now()
            or at > now() + interval '50 hours'
         order by step, at limit 100
    loop
        perform azekura.rate_make(due.step, d::smallint, due.at, zone) from generate_series(1, 8) d;
        delete from azekura.rate_due r where r.step = due.step and r.at = due.at;
    end loop;
end $$;

-- Forget names: what was not heard while the rings went round; and when there are nearly too many, those that brought least and were
-- not heard of late, so that a flood of made-up names does not keep real ones out.  What they brought stays, with the others.
create function azekura.rate_forget_names() returns void language sql as $$
    delete from azekura.rate_name where id in (
        select id from azekura.rate_name where last_heard < now() - interval '800 days' limit 256);
    delete from azekura.rate_name where id in (
        select n.id
          from (select dimension, count(*) - 15360 as surplus from azekura.rate_name group by dimension) d,
               lateral (select id from azekura.rate_name n
                         where n.dimension = d.dimension and n.last_heard < now() - interval '1 hour'
                         order by n.messages, n.last_heard limit least(greatest(d.surplus, 0), 256)) n)
$$;

-- The keeper, once a minute: returns rows of rate_unit that went into the rings; `most`: there are more.  Nothing is forgotten by
-- a clock that is doubted.
create function azekura.fold_rates(zone text, most integer default 2000, everything boolean default false,
                                   clock_is_doubted boolean default false) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    folded bigint;
begin
    perform pg_advisory_xact_lock(hashtext('azekura.fold_rates'));
    folded := azekura.rate_fold_units(zone, most, everything, clock_is_doubted);
    perform azekura.rate_make_due(zone);
    if not clock_is_doubted then
        perform azekura.rate_forget_names();
    end if;
    return folded;
end $$;

-- ---- reading ----

-- What is in rate_unit of a dimension, by name as rate_name has it.
create function azekura.rate_fresh(dim smallint)
returns table (minute timestamptz, at timestamptz, name text, severity smallint, messages bigint, bytes bigint, disk double precision)
language sql stable as $$
    select r.minute, r.at,
           case dim when 4 then '=' || (array['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'])[u.s + 1] else u.n end,
           u.s, u.m, u.b, u.b * (r.disk::double precision / nullif(r.total, 0))
      from azekura.rate_unit r, lateral unnest(r.names, r.severities, r.messages, r.bytes) u(n, s, m, b)
     where r.dimension = case dim when 2 then 7 when 3 then 8 when 4 then 7 else dim end
$$;

-- The table of receive rates: a row a name that was ever heard and is still known, and one of the others.  now10: in the last 10 s;
-- minute1: 60 s; hour1, day1: up to now, from a whole minute on; month1: this local month; week_before: the same 24 hours a week ago.
create function azekura.rates_by(dim smallint, zone text)
returns table (name text, now10 bigint, minute1 bigint, hour1 bigint, day1 bigint, month1 bigint, bytes_day bigint, bytes_month bigint,
               disk_month double precision, week_before bigint, first_heard timestamptz, last_heard timestamptz)
language sql stable as $$
    with t as (
        select date_trunc('minute', now()) + interval '1 minute' as upto,
               date_trunc('month', now() at time zone zone) at time zone zone as month
    ), ring as (
        select key, 0 as h, 0 as d, messages as mo, 0 as bd, bytes as bm, disk, 0 as w from t, azekura.rate_rows(dim, t.month, t.upto, zone)
        union all
        select key, 0, messages, 0, bytes, 0, 0, 0 from t, azekura.rate_rows(dim, t.upto - interval '24 hours', t.upto, zone, false)
        union all
        select key, messages, 0, 0, 0, 0, 0, 0 from t, azekura.rate_rows(dim, t.upto - interval '1 hour', t.upto, zone, false)
        union all
        select key, 0, 0, 0, 0, 0, 0, messages from t, azekura.rate_rows(dim, t.upto - interval '192 hours', t.upto - interval '168 hours', zone, false)
    ), named as (
        select coalesce(n.name, '*') as name, 0 as n10, 0 as m1, r.h, r.d, r.mo, r.bd, r.bm, r.disk, r.w,
               null::timestamptz as first, null::timestamptz as last
          from (select key, sum(h) h, sum(d) d, sum(mo) mo, sum(bd) bd, sum(bm) bm, sum(disk) disk, sum(w) w from ring group by key) r
          left join azekura.rate_name n on n.id = r.key
        union all
        select f.name, sum(f.messages) filter (where f.at > now() - interval '10 s'), sum(f.messages) filter (where f.at > now() - interval '60 s'),
               sum(f.messages) filter (where f.minute >= t.upto - interval '1 hour'),
               sum(f.messages) filter (where f.minute >= t.upto - interval '24 hours'),
               sum(f.messages) filter (where f.minute >= t.month),
               sum(f.bytes) filter (where f.minute >= t.upto - interval '24 hours'),
               sum(f.bytes) filter (where f.minute >= t.month), sum(f.disk) filter (where f.minute >= t.month),
               sum(f.messages) filter (where f.minute >= t.upto - interval '192 hours' and f.minute < t.upto - interval '168 hours'),
               min(f.minute), max(f.at)
          from t, azekura.rate_fresh(dim) f group by f.name
        union all
        select n.name, 0, 0, 0, 0, 0, 0, 0, 0, 0, n.first_heard, n.last_heard from azekura.rate_name n where n.dimension = dim
    )
    select name, sum(n10)::bigint, coalesce(sum(m1), 0)::bigint, coalesce(sum(h), 0)::bigint, coalesce(sum(d), 0)::bigint,
           coalesce(sum(mo), 0)::bigint, coalesce(sum(bd), 0)::bigint, coalesce(sum(bm), 0)::bigint, coalesce(sum(disk), 0),
           coalesce(sum(w), 0)::bigint, min(first), max(last)
      from named group by name
$$;

-- How much each hostname (7) or app_name (8) brought this local month, by severity.
create function azekura.rates_by_severity(dim smallint, zone text)
returns table (name text, severity smallint, messages bigint, bytes bigint, disk double precision)
language sql stable as $$
    with t as (
        select date_trunc('minute', now()) + interval '1 minute' as upto,
               date_trunc('month', now() at time zone zone) at time zone zone as month
    )
    select name, severity, sum(messages)::bigint, sum(bytes)::bigint, coalesce(sum(disk), 0)
      from (select coalesce(n.name, '*') as name, (r.key % 8)::smallint as severity, r.messages, r.bytes, r.disk
              from t, azekura.rate_rows(dim, t.month, t.upto, zone) r left join azekura.rate_name n on n.id = r.key / 8
            union all
            select f.name, f.severity, f.messages, f.bytes, f.disk from t, azekura.rate_fresh(dim) f where f.minute >= t.month) x
     group by 1, 2
$$;

-- What arrived (5) or was refused (6) in each step of `seconds` from lo to hi, from samples no longer than `longest`.
create function azekura.rate_points(dim smallint, lo timestamptz, hi timestamptz, seconds bigint, longest integer)
returns table (point integer, name text, messages bigint) language sql stable as $$
    select point, coalesce(n.name, '*'), sum(m)::bigint
      from (select ((extract(epoch from s.at)::bigint - extract(epoch from lo)::bigint) / seconds)::integer as point, u.k, sum(u.m) as m
              from azekura.rate_samples(dim, lo, hi, 'UTC', longest) s, lateral unnest(s.keys, s.messages) u(k, m)
             group by 1, 2) g left join azekura.rate_name n on n.id = g.k
     group by 1, 2
    union all
    select ((extract(epoch from f.minute)::bigint - extract(epoch from lo)::bigint) / seconds)::integer, f.name, sum(f.messages)::bigint
      from azekura.rate_fresh(dim) f where f.minute >= lo and f.minute < hi group by 1, 2
$$;

-- ---- the ledger ----

-- Up to where the ledger has hours instead of minutes.
create table azekura.ledger_merged (
    only_one boolean primary key default true check (only_one),
    upto timestamptz not null
);

-- Merge the ledger's minutes older than 14 days into hours, four of them at most at once; returns hours looked at.  What is written later for
-- an hour that has been merged stays beside it.
create function azekura.merge_ledger() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    lo timestamptz;
    hi timestamptz;
    bound timestamptz := date_trunc('hour', now() - interval '14 days', 'UTC');
begin
    select upto into lo from azekura.ledger_merged for update;
    if not found then
        select coalesce(date_trunc('hour', least((select min(minute) from azekura.ledger),
                                                 (select min(minute) from azekura.kernel_drop)), 'UTC'), bound) into lo;
        insert into azekura.ledger_merged (upto) values (least(lo, bound));
        lo := least(lo, bound);
    end if;
    -- hours without a row are passed over
    lo := least(bound, greatest(lo, coalesce(date_trunc('hour', least(
        (select min(minute) from azekura.ledger where minute >= lo),
        (select min(minute) from azekura.kernel_drop where minute >= lo)), 'UTC'), bound)));
    hi := least(lo + interval '4 hours', bound);
    if lo < hi then
        with gone as (
            delete from azekura.ledger where minute >= lo and minute < hi returning *
        )
        insert into azekura.ledger (minute, listener, source, arrived, stored, bytes, truncated, not_allowed, rate_limit,
                                    oversize, bad_frame, over_budget, queue_full, crash, rejected)
        select date_trunc('hour', minute, 'UTC'), listener, source, sum(arrived), sum(stored), sum(bytes), sum(truncated),
               sum(not_allowed), sum(rate_limit), sum(oversize), sum(bad_frame), sum(over_budget), sum(queue_full), sum(crash),
               sum(rejected)
          from gone group by 1, 2, 3;
        with gone as (
            delete from azekura.kernel_drop where minute >= lo and minute < hi returning *
        )
        insert into azekura.kernel_drop (minute, listener, dropped)
        select date_trunc('hour', minute, 'UTC'), listener, sum(dropped) from gone group by 1, 2;
    end if;
    update azekura.ledger_merged set upto = hi where upto <> hi;
    return extract(epoch from hi - lo) / 3600;
end $$;

revoke execute on function
    azekura.count_rates(timestamptz, bigint, smallint[], text[], smallint[], bigint[], bigint[]),
    azekura.rate_slots(integer, smallint), azekura.rate_day(timestamptz, text),
    azekura.rate_slot(integer, smallint, timestamptz, text),
    azekura.rate_add(integer, smallint, timestamptz, text, bigint, integer[], bigint[], bigint[]),
    azekura.rate_parts(smallint, timestamptz, timestamptz, text, integer), azekura.rate_samples(smallint, timestamptz, timestamptz, text, integer),
    azekura.rate_rows(smallint, timestamptz, timestamptz, text, boolean),
    azekura.rate_fresh(smallint), azekura.rates_by(smallint, text), azekura.rates_by_severity(smallint, text),
    azekura.rate_points(smallint, timestamptz, timestamptz, bigint, integer),
    azekura.rate_make(integer, smallint, timestamptz, text),
    azekura.rate_put(smallint, timestamptz, text, bigint, integer[], bigint[], bigint[], boolean),
    azekura.rate_fold_units(text, integer, boolean, boolean), azekura.rate_make_due(text), azekura.rate_forget_names(),
    azekura.fold_rates(text, integer, boolean, boolean), azekura.merge_ledger()
    from public;
grant execute on function azekura.count_rates(timestamptz, bigint, smallint[], text[], smallint[], bigint[], bigint[])
    to azekura_receiver;
grant execute on function azekura.fold_rates(text, integer, boolean, boolean), azekura.merge_ledger() to azekura_keeper;
grant execute on function azekura.rate_day(timestamptz, text), azekura.rate_parts(smallint, timestamptz, timestamptz, text, integer),
    azekura.rate_samples(smallint, timestamptz, timestamptz, text, integer),
    azekura.rate_rows(smallint, timestamptz, timestamptz, text, boolean), azekura.rate_fresh(smallint), azekura.rates_by(smallint, text),
    azekura.rates_by_severity(smallint, text), azekura.rate_points(smallint, timestamptz, timestamptz, bigint, integer)
    to azekura_web;
