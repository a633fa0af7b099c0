-- The load of the box, sampled by the keeper every 5 seconds and kept in rings: a step has a fixed
-- number of slots, and a sample goes to slot (time / step) mod number.  So the space is bounded by
-- construction, nothing has to be deleted, and a wrong clock overwrites only the slots it touches.

set local role azekura;

create table azekura.load_sample (
    step integer not null,              -- seconds one row stands for
    slot integer not null,
    at timestamptz not null,            -- when its time begins
    n integer not null,                 -- samples in it
    mean real[] not null,               -- by the order of firmware/store/load_metric.def; null: never known
    max real[],                         -- null: as mean (one sample)
    missing smallint[],                 -- how many of the n samples did not know it; null: none
    primary key (step, slot)
) with (fillfactor = 90);               -- a row is replaced in its page: no index is written
grant select on azekura.load_sample to azekura_web;

-- 48 hours, 60 days, 2 years, and 2 years again for graphs of years.  A step divides the next one.
create function azekura.load_rings(out step integer, out slots integer) returns setof record
language sql immutable set search_path = pg_catalog, pg_temp as $$
    values (5, 34560), (60, 86400), (900, 70272), (21600, 2928)
$$;

-- The rows of a ring in [since, until), found by their slots.
create function azekura.load_rows(step integer, since timestamptz, until timestamptz) returns setof azekura.load_sample
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    ring_slots bigint := (select r.slots from azekura.load_rings() r where r.step = load_rows.step);
    first bigint := ceil(extract(epoch from since) / load_rows.step);
    last bigint := ceil(extract(epoch from until) / load_rows.step) - 1;
    low bigint;
    high bigint;
begin
    if last < first then
        return;
    end if;
    -- a range as long as the ring is all of it
    low := case when last - first >= ring_slots - 1 then 0 else first % ring_slots end;
    high := case when last - first >= ring_slots - 1 then ring_slots - 1 else last % ring_slots end;
    if low <= high then
        return query select s.* from azekura.load_sample s
            where s.step = load_rows.step and s.slot between low and high and s.at >= since and s.at < until;
    else
        return query select s.* from azekura.load_sample s
            where s.step = load_rows.step and s.slot >= low and s.at >= since and s.at < until
            union all select s.* from azekura.load_sample s
            where s.step = load_rows.step and s.slot <= high and s.at >= since and s.at < until;
    end if;
end $$;

-- Put a sample into all rings.  `at` is when the five seconds it is of began; a second sample of the
-- same five seconds joins the first.  The rows of longer steps are made anew of those of the step
-- below, so that rounding does not add up.
create function azekura.add_load(at timestamptz, sample real[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    ring record;
    below integer;
    begins bigint;
begin
    if not extract(epoch from add_load.at) between 0 and 253402300799 or cardinality(sample) not between 1 and 256 then
        raise exception 'a sample of % with % values: not of the years 1970 to 9999, or not 1 to 256 values',
            add_load.at, cardinality(sample) using errcode = '22023';
    end if;
    for ring in select r.step, r.slots from azekura.load_rings() r order by 1 loop
        begins := floor(extract(epoch from add_load.at) / ring.step)::bigint * ring.step;
        with part as (
            select 1 as n, sample as mean, null::real[] as max, null::smallint[] as missing where below is null
            union all
            select s.n, s.mean, s.max, s.missing
              from azekura.load_rows(coalesce(below, ring.step), to_timestamp(begins), to_timestamp(begins + ring.step)) s
        ), whole as (
            select sum(n)::int as n from part
        ), element as (
            select u.i, u.mean, coalesce(u.max, u.mean) as max,
                   case when u.mean is null then 0 else part.n - coalesce(u.missing, 0) end as known
              from part, unnest(part.mean, part.max, part.missing) with ordinality u(mean, max, missing, i)
        ), metric as (
            select i, (sum(mean::float8 * known) / nullif(sum(known), 0))::real as mean, max(max) as max,
                   sum(known)::int as known
              from element group by i
        )
        insert into azekura.load_sample (step, slot, at, n, mean, max, missing)
        select ring.step, begins / ring.step % ring.slots, to_timestamp(begins), whole.n,
               array_agg(m.mean order by i),
               case when whole.n > 1 then array_agg(m.max order by i) end,
               case when min(known) < whole.n then array_agg((whole.n - known)::smallint order by i) end
          from metric m, whole group by whole.n
        on conflict (step, slot) do update
            set at = excluded.at, n = excluded.n, mean = excluded.mean, max = excluded.max, missing = excluded.missing;
        below := ring.step;
    end loop;
end $$;

revoke execute on function azekura.load_rings(), azekura.load_rows(integer, timestamptz, timestamptz),
    azekura.add_load(timestamptz, real[]) from public;
grant execute on function azekura.load_rings(), azekura.load_rows(integer, timestamptz, timestamptz) to azekura_web;
grant execute on function azekura.add_load(timestamptz, real[]) to azekura_keeper;
