-- The sums of the ledger's hours and days: whatever range is asked for, they tell what the ledger's own rows tell, and few are read.
begin;
select plan(19);
select setseed(0.5);
create function pg_temp.count(minute timestamptz, n bigint) returns void language sql as $$
    select azekura.count_unit(array[minute, minute], '{udp,tcp}', '{192.0.2.1,192.0.2.2}', array[n, n], array[n - 1, n], array[n * 100, n],
                              '{1,0}', array[0,0,0,0,1,0,0,0, 0,0,0,0,0,0,0,0]::bigint[])
$$;
create function pg_temp.sum_all() returns int language plpgsql as $$
declare
    n int := 0;
begin
    while azekura.sum_ledger() > 0 loop
        n := n + 1;
    end loop;
    return n;
end $$;
create temp table range as
    select date_trunc('minute', now() - random() * interval '45 days') as lo, date_trunc('minute', now() + interval '1 hour' - random() * interval '45 days') as hi
      from generate_series(1, 200)
    union all select date_trunc('hour', now() - h * interval '1 hour', 'UTC'), date_trunc('hour', now() - h / 2 * interval '1 hour', 'UTC') from generate_series(1, 100, 7) h
    union all select date_trunc('day', now() - d * interval '1 day', 'UTC'), date_trunc('day', now() - d / 2 * interval '1 day', 'UTC') from generate_series(1, 45) d
    union all values ('-infinity', 'infinity'), ('-infinity', now() - interval '3 days'), (now() - interval '20 days', 'infinity');
-- ranges in which sums and rows differ, by any count
create function pg_temp.wrong() returns bigint language sql as $$
    select count(*) from range r
     where (select array[sum(arrived), sum(stored), sum(bytes), sum(truncated), sum(over_budget), sum(refused)]::text || jsonb_object_agg(source, a)::text
              from (select *, sum(arrived) over (partition by source) as a from azekura.ledger where minute >= r.lo and minute < r.hi) x)
           is distinct from
           (select array[sum(arrived), sum(stored), sum(bytes), sum(truncated), sum(over_budget), sum(refused)]::text || jsonb_object_agg(source, a)::text
              from (select *, sum(arrived) over (partition by source) as a from azekura.ledger_rows(r.lo, r.hi)) x)
$$;

select is(azekura.sum_ledger(), 1, 'an empty ledger is added up at once');
select is(azekura.sum_ledger(), 0, 'and then nothing is due');
update azekura.ledger_summed set hours_from = '-infinity', hours_upto = '-infinity', days_upto = '-infinity';

select pg_temp.count(date_trunc('minute', now() - i * interval '37 minutes'), 10 + i % 5) from generate_series(0, 1700) i;
select is(pg_temp.wrong(), 0::bigint, 'before anything is added up all comes from the ledger');
select isnt(azekura.sum_ledger(), 0, 'an hour is added up');
select is(pg_temp.wrong(), 0::bigint, 'with one hour added up nothing counts twice');
select cmp_ok(pg_temp.sum_all(), '>', 900, 'one hour after another');
select is(pg_temp.wrong(), 0::bigint, 'the sums are those of the rows');
select cmp_ok((select count(*) from azekura.ledger_rows(now() - interval '40 days', now())), '<=', 2 * (40::bigint + 24 + 24 + 4 + 50),
              'forty days are few rows');
select is(count(*), 0::bigint, 'hours are forgotten when the ledger keeps no minutes of them') from azekura.ledger_sum
 where step = 3600 and minute < now() - interval '15 days';

-- late: in the last hour, in hours and days that are added up, in days whose hours are forgotten; and ahead
select pg_temp.count(date_trunc('minute', now() + m * interval '1 minute'), 7)
  from unnest(array[0, 1, -30, -61, -90, -1441, -5000, -30000, -50000, 50]) m;
select is(pg_temp.wrong(), 0::bigint, 'what is counted late is in the sums too');
select is(pg_temp.sum_all(), 0, 'and nothing is added up for it again');

-- as the keeper forgets
delete from azekura.ledger where minute < now() - interval '25 days 7 hours 13 minutes';
select cmp_ok(azekura.forget_ledger_sums(now() - interval '25 days 7 hours 13 minutes'), '>', 0::bigint, 'sums are forgotten');
select is(azekura.forget_ledger_sums(now() - interval '25 days 7 hours 13 minutes'), 0::bigint, 'once');
select is(pg_temp.wrong(), 0::bigint, 'the rest of a day that has been forgotten in part comes from the ledger');
select pg_temp.count(date_trunc('minute', now() - interval '30 days'), 3);
select is(pg_temp.wrong(), 0::bigint, 'what comes for a forgotten day stays in the ledger');
delete from azekura.ledger where minute < now() - interval '3 days 5 minutes';
select azekura.forget_ledger_sums(now() - interval '3 days 5 minutes');
select is(pg_temp.wrong(), 0::bigint, 'hours can be forgotten as well');

-- the clock was ten years ahead while the keeper added up
insert into azekura.ledger_sum (step, minute, listener, source, arrived, stored, bytes, truncated, over_budget)
select 86400, date_trunc('day', minute, 'UTC'), listener, source, sum(arrived), sum(stored), sum(bytes), sum(truncated), sum(over_budget)
  from azekura.ledger, azekura.ledger_summed where minute >= days_upto group by 2, 3, 4;
update azekura.ledger_summed set hours_from = now() + interval '3650 days', hours_upto = now() + interval '3664 days', days_upto = now() + interval '3664 days';
delete from azekura.ledger_sum where step = 3600;
select pg_temp.count(date_trunc('minute', now() - interval '10 minutes'), 3);
select is(pg_temp.wrong(), 0::bigint, 'after a clock that was ahead the sums are right');
select cmp_ok(pg_temp.sum_all(), '>', 0, 'it is added up anew');
select is(pg_temp.wrong(), 0::bigint, 'and right again');
select * from finish();
rollback;
