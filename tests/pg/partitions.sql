-- Day partitions: midnights of the box's zone, never overlapping, whatever the zone was when.
begin;
select plan(41);
create function pg_temp.bounds(at timestamptz) returns text language plpgsql as $$
declare
    part text := azekura.ensure_partition(at);
begin
    return (select concat_ws(' ', name, to_char(lower at time zone 'UTC', 'YYYY-MM-DD HH24:MI'),
                             to_char(upper at time zone 'UTC', 'YYYY-MM-DD HH24:MI'))
              from azekura.day_partition where name = part);
end $$;
create function pg_temp.zone(name text) returns void language sql as $$
    insert into azekura.setting (name, value, changed_by) values ('time.zone', name, 'test')
    on conflict (name) do update set value = excluded.value
$$;

select is(pg_temp.bounds('2026-01-31 12:00Z'), 'log_block_20260131 2026-01-31 00:00 2026-02-01 00:00', 'the last of a month');
select is(pg_temp.bounds('2026-02-28 12:00Z'), 'log_block_20260228 2026-02-28 00:00 2026-03-01 00:00', 'the end of February');
select is(pg_temp.bounds('2028-02-29 12:00Z'), 'log_block_20280229 2028-02-29 00:00 2028-03-01 00:00', 'a leap day');
select is(pg_temp.bounds('2026-12-31 23:59:59.999999Z'), 'log_block_20261231 2026-12-31 00:00 2027-01-01 00:00', 'the last microsecond of a year');
select is(pg_temp.bounds('2027-01-01 00:00Z'), 'log_block_20270101 2027-01-01 00:00 2027-01-02 00:00', 'the first microsecond of the next');
select is(azekura.ensure_partition('2026-01-31 00:00Z'), 'log_block_20260131', 'the first microsecond of a day that is there');
select is(azekura.ensure_partition('2026-01-31 23:59:59.999999Z'), 'log_block_20260131', 'its last microsecond');
select is(count(*), 5::bigint, 'asking again makes nothing') from azekura.day_partition;
drop table azekura.log_block_20270101;
select is(pg_temp.bounds('2027-01-01 12:00Z'), 'log_block_20270101 2027-01-01 00:00 2027-01-02 00:00', 'a day whose table somebody dropped begins anew');
select is(count(*), 1::bigint, 'with a table') from pg_inherits where inhrelid = to_regclass('azekura.log_block_20270101') and inhparent = 'azekura.log_block'::regclass;

select pg_temp.zone('Asia/Tokyo');
select is(pg_temp.bounds('2026-06-01 00:00Z'), 'log_block_20260601 2026-05-31 15:00 2026-06-01 15:00', 'a day of Tokyo');
select pg_temp.zone('Europe/Berlin');
select is(pg_temp.bounds('2026-03-29 12:00Z'), 'log_block_20260329 2026-03-28 23:00 2026-03-29 22:00', 'a day of 23 hours');
select is(pg_temp.bounds('2026-10-25 12:00Z'), 'log_block_20261025 2026-10-24 22:00 2026-10-25 23:00', 'a day of 25 hours');

-- the zone is changed while partitions of the old one are there
select pg_temp.zone('Asia/Tokyo');
select is(azekura.ensure_partition('2026-08-10 12:00Z'), 'log_block_20260810', 'a day of Tokyo');
select pg_temp.zone('America/New_York');
select is(pg_temp.bounds('2026-08-10 16:00Z'), 'log_block_20260810_1 2026-08-10 15:00 2026-08-11 04:00', 'the day of New York begins where that of Tokyo ends');
select is(azekura.ensure_partition('2026-08-10 14:59:59.999999Z'), 'log_block_20260810', 'the old one keeps its bounds');
select is(pg_temp.bounds('2026-08-09 14:59Z'), 'log_block_20260809 2026-08-09 04:00 2026-08-09 15:00', 'the day before ends where that of Tokyo begins');
select pg_temp.zone('Pacific/Apia');
select is(pg_temp.bounds('2026-08-11 05:00Z'), 'log_block_20260811 2026-08-11 04:00 2026-08-11 11:00', 'and again');
select is(count(*), 0::bigint, 'no two partitions overlap')
  from azekura.day_partition a join azekura.day_partition b on a.name < b.name and a.source_group = b.source_group and a.lower < b.upper and b.lower < a.upper;
select is(count(*), 0::bigint, 'the table''s own bounds are those noted')
  from azekura.day_partition d join pg_class c on c.relname = d.name and c.relnamespace = 'azekura'::regnamespace
 where pg_get_expr(c.relpartbound, c.oid) <> format('FOR VALUES FROM (%L, %L) TO (%L, %L)', d.source_group::text, d.lower::text, d.source_group::text, d.upper::text);
select is((select count(*) from pg_inherits where inhparent = 'azekura.log_block'::regclass), (select count(*) from azekura.day_partition), 'each noted partition is there');

-- a caller that knows its zone has its own days
select is(azekura.ensure_partition('2026-09-10 16:00Z', 'Asia/Tokyo'), 'log_block_20260911', 'the zone that is named counts');
select is(to_char(lower at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), '2026-09-10 15:00', 'its day begins at its midnight')
  from azekura.day_partition where name = 'log_block_20260911';

-- the month of a piece is that of its local day
select is(azekura.ensure_partition('2027-02-28 15:30Z', 'Asia/Tokyo'), 'log_block_20270301', 'the first of March in Tokyo begins on the last of February in UTC');
select is(day, '2027-03-01'::date, 'and is of March') from azekura.day_partition where name = 'log_block_20270301';
select is(azekura.ensure_partition('2032-03-01 04:30Z', 'America/New_York'), 'log_block_20320229', 'a leap day of New York ends on the first of March in UTC');
select is(day, '2032-02-29'::date, 'and is of February') from azekura.day_partition where name = 'log_block_20320229';

-- groups have pieces of their own, each with its own history of zones
insert into azekura.source_group (id, name) values (1, 'one'), (31, 'last');
select is(azekura.ensure_partition('2026-08-10 12:00Z', 'UTC', 31::smallint), 'log_block_g31_20260810', 'a group''s day is its own, whatever there is of others');
select is(azekura.ensure_partition('2026-08-10 12:00Z', 'Asia/Tokyo', 31::smallint), 'log_block_g31_20260810', 'it is there, whatever the zone is now');
select is(azekura.ensure_partition('2026-08-11 01:00Z', 'Asia/Tokyo', 31::smallint), 'log_block_g31_20260811', 'the next day after the zone was changed');
select is(to_char(lower at time zone 'UTC', 'DD HH24:MI ') || to_char(upper at time zone 'UTC', 'DD HH24:MI'), '11 00:00 11 15:00', 'begins where the last one ends')
  from azekura.day_partition where name = 'log_block_g31_20260811';
select is(azekura.ensure_partition('2026-10-25 00:30Z', 'Europe/Berlin', 1::smallint), 'log_block_g1_20261025', 'in the hour that comes twice, the first');
select is(azekura.ensure_partition('2026-10-25 01:30Z', 'Europe/Berlin', 1::smallint), 'log_block_g1_20261025', 'and the second');
select is(upper - lower, interval '25 hours', 'the day has 25 hours') from azekura.day_partition where name = 'log_block_g1_20261025';
select is(azekura.split_piece('log_block_g1_20261025', '2026-10-25 00:59:59.5Z'), 'log_block_g1_20261025_1', 'it is split within the hour that comes twice');
select is(azekura.ensure_partition('2026-10-25 01:30Z', 'Europe/Berlin', 1::smallint), 'log_block_g1_20261025_1', 'the second is after it');
select throws_ok($$ select azekura.ensure_partition('2026-08-10 12:00Z', 'UTC', 33::smallint) $$, '23514', null, 'there is no group 33');
select is(piece_reach, '2026-03-10 12:30Z'::timestamptz, 'a block that begins before a split ends with its quarter of an hour') from azekura.piece_reach('2026-03-10 12:15:00.000001Z');

-- every day of four years, in three zones
select pg_temp.zone('Australia/Lord_Howe');
select lives_ok($$ select azekura.ensure_partition(d) from generate_series(timestamptz '2030-01-01 11:00Z', '2030-12-31 11:00Z', '1 day') d $$, 'a year of a zone with half an hour of daylight saving');
select is(count(*), 0::bigint, 'its days have no gap and no overlap')
  from (select lower, lag(upper) over (order by lower) as before from azekura.day_partition where lower > '2029-12-31 20:00Z' and lower < '2031-01-01') x
 where before > '2029-12-31 20:00Z' and before <> lower;
select is(max(upper - lower), interval '1 day 00:30', 'and the longest has 24 and a half hours') from azekura.day_partition where lower > '2029-12-31 20:00Z';
select * from finish();
rollback;
