-- Receive rates: what units bring is in the rings exactly once, whenever it comes; and the ledger's old minutes become hours.
begin;
select plan(43);

create function pg_temp.m(n int) returns timestamptz language sql as $$ select date_trunc('minute', now()) - make_interval(mins => n) $$;
-- One unit of one minute: dimension, name, severity, messages, bytes.
create function pg_temp.unit(minute timestamptz, disk bigint, variadic rows text[]) returns void language sql as $$
    select azekura.count_rates(minute, disk, array_agg(split_part(r, '|', 1)::smallint), array_agg(split_part(r, '|', 2)),
           array_agg(split_part(r, '|', 3)::smallint), array_agg(split_part(r, '|', 4)::bigint), array_agg(split_part(r, '|', 5)::bigint))
      from unnest(rows) r
$$;
create function pg_temp.sums(dim int, lo timestamptz, hi timestamptz, zone text default 'UTC') returns table (name text, messages bigint, bytes bigint)
language sql as $$
    select coalesce(n.name, '*'), sum(r.messages)::bigint, sum(r.bytes)::bigint
      from azekura.rate_rows(dim::smallint, lo, hi, zone) r left join azekura.rate_name n on n.id = r.key group by 1 order by 1
$$;

-- ---- one unit ----
select pg_temp.unit(pg_temp.m(10) + interval '12.5 s', 1000, '1|=192.0.2.1|0|10|1000', '1|=192.0.2.2|0|5|500',
    '7|=fw01|3|8|900', '7|=fw01|6|4|400', '7|-|6|2|100', '7|*|7|1|100', '8|=a "b" \c|6|15|1500', '5|=udp|0|17|1700', '6|=oversize|0|2|0', '6|=kernel|0|9|0');
select is(count(*), 5::bigint, 'a unit is a row a dimension') from azekura.rate_unit;
select is(max(at), pg_temp.m(10) + interval '12.5 s', 'with the time of its last message') from azekura.rate_unit;
select is(azekura.fold_rates('UTC'), 5::bigint, 'its minute is over: it goes into the rings');
select is(count(*), 0::bigint, 'and is there no more') from azekura.rate_unit;
select is(azekura.fold_rates('UTC'), 0::bigint, 'a second time there is nothing');
select results_eq($$ select * from pg_temp.sums(1, pg_temp.m(10), pg_temp.m(9)) $$,
    $$ values ('=192.0.2.1', 10::bigint, 1000::bigint), ('=192.0.2.2', 5, 500) $$, 'by source');
select results_eq($$ select * from pg_temp.sums(2, pg_temp.m(10), pg_temp.m(9)) $$,
    $$ values ('*', 1::bigint, 100::bigint), ('-', 2, 100), ('=fw01', 12, 1300) $$, 'by hostname, over its severities; none and others by themselves');
select results_eq($$ select * from pg_temp.sums(3, pg_temp.m(10), pg_temp.m(9)) $$,
    $$ values ('=a "b" \c', 15::bigint, 1500::bigint) $$, 'by app_name, whatever is in it');
select results_eq($$ select * from pg_temp.sums(4, pg_temp.m(10), pg_temp.m(9)) $$,
    $$ values ('=debug', 1::bigint, 100::bigint), ('=err', 8, 900), ('=info', 6, 500) $$, 'by severity');
select results_eq($$ select * from pg_temp.sums(5, pg_temp.m(10), pg_temp.m(9)) $$, $$ values ('=udp', 17::bigint, 1700::bigint) $$, 'by listener');
select results_eq($$ select name, messages from pg_temp.sums(6, pg_temp.m(10), pg_temp.m(9)) $$,
    $$ values ('=kernel', 9::bigint), ('=oversize', 2::bigint) $$, 'and what was refused');
select results_eq($$ select substr(n.name, 2), r.key % 8, r.messages from azekura.rate_rows(7::smallint, pg_temp.m(10), pg_temp.m(9), 'UTC') r
    left join azekura.rate_name n on n.id = r.key / 8 order by 1, 2 $$,
    $$ values ('', 6, 2::bigint), ('fw01', 3, 8), ('fw01', 6, 4), (null, 7, 1) $$, 'hostname and severity together');
select is(round(sum(disk))::bigint, 1000::bigint, 'the bytes on disk are shared out') from azekura.rate_rows(1::smallint, pg_temp.m(10), pg_temp.m(9), 'UTC');
select is(count(*), 0::bigint, 'the minute before has nothing') from azekura.rate_rows(1::smallint, pg_temp.m(11), pg_temp.m(10), 'UTC');

-- ---- what is fresh stays ----
select pg_temp.unit(pg_temp.m(0), 10, '1|=192.0.2.1|0|1|10');
select is(azekura.fold_rates('UTC'), 0::bigint, 'what has just arrived waits');
select ok(max(at) <= clock_timestamp(), 'a time that is only a minute is not taken for later than now') from azekura.rate_unit;
savepoint before_fold;
select pg_temp.unit(pg_temp.m(20), 10, '1|=192.0.2.9|0|1|10');
select is(azekura.fold_rates('UTC', 1), 1::bigint, 'no more than asked for at once');
rollback to before_fold;
select is(count(*), 0::bigint, 'a fold that is undone leaves nothing') from pg_temp.sums(1, pg_temp.m(20), pg_temp.m(19));
select azekura.fold_rates('UTC', 100, true);
select is(messages, 1::bigint, 'all of it on request') from pg_temp.sums(1, pg_temp.m(0), pg_temp.m(-1));

-- ---- names ----
select results_eq($$ select first_heard, last_heard, messages from azekura.rate_name where name = '=192.0.2.1' $$,
    $$ values (pg_temp.m(10), pg_temp.m(0), 11::bigint) $$, 'first and last heard, and how many');
delete from azekura.rate_sample; delete from azekura.rate_due; delete from azekura.rate_name;
select azekura.count_rates(pg_temp.m(300 - b), 0, array_agg(1::smallint), array_agg('=made up ' || b || '-' || i), array_agg(0::smallint), array_agg(i::bigint), array_agg(1::bigint))
  from generate_series(1, 10) b, generate_series(1, 2000) i group by b;
select azekura.fold_rates('UTC');
select cmp_ok(count(*), '<=', 16384::bigint, 'there are never more names than may be') from azekura.rate_name;
select is(sum(messages), 10 * 2001000::numeric, 'and nothing is lost by it') from pg_temp.sums(1, pg_temp.m(400), pg_temp.m(0));
select cmp_ok(messages, '>', 0::bigint, 'what has no name is with the others') from pg_temp.sums(1, pg_temp.m(400), pg_temp.m(0)) where name = '*';
select azekura.fold_rates('UTC') from generate_series(1, 8);
select is(count(*), 15360::bigint, 'some room is made') from azekura.rate_name;
select cmp_ok(min(messages), '>', 50::bigint, 'of those who brought least') from azekura.rate_name;
select pg_temp.unit(pg_temp.m(5), 0, '1|=new|0|1|1');
select azekura.fold_rates('UTC');
select is(messages, 1::bigint, 'so that a new one is counted by name') from pg_temp.sums(1, pg_temp.m(5), pg_temp.m(4)) where name = '=new';

-- names that flood in are not looked up one by one in the list of all
create function pg_temp.looks() returns bigint language sql as $$
    select pg_stat_get_xact_tuples_returned('azekura.rate_name'::regclass) + pg_stat_get_xact_tuples_fetched('azekura.rate_name'::regclass)
$$;
create temp table looked as select pg_temp.looks() as before;
select azekura.count_rates(pg_temp.m(5), 0, array_agg(1::smallint), array_agg('=flood' || i), array_agg(0::smallint), array_agg(1::bigint), array_agg(1::bigint))
  from generate_series(1, 2000) i;
select azekura.fold_rates('UTC');
select cmp_ok(pg_temp.looks() - before, '<=', 20 * 16384::bigint,
    '2,000 unknown names cost a few looks at the list of names, not thousands') from looked;

select pg_temp.unit(pg_temp.m(200), 0, '1|=gone|0|5|5', '7|=gone|3|5|5');
select azekura.fold_rates('UTC');
delete from azekura.rate_name where name = '=gone';
delete from azekura.rate_sample where step = 86400; -- early in the day, folding has made yesterday's with all names
select azekura.rate_make(86400, d::smallint, azekura.rate_day(pg_temp.m(200), 'UTC'), 'UTC') from unnest(array[1, 7]) d;
select is(count(*), 0::bigint, 'a day has no key of a name that is forgotten')
  from azekura.rate_sample s, unnest(keys) k where s.step = 86400 and s.dimension in (1, 7)
   and k / case when s.dimension = 7 then 8 else 1 end not in (select 0 union all select id from azekura.rate_name);

-- ---- whenever it comes: against a plain table, units in any order, folds between them ----
create temp table plain (at timestamptz, dim int, name text, messages bigint, bytes bigint);
create function pg_temp.differences(zone text, units int, days int) returns bigint language plpgsql as $$
declare
    found bigint := 0;
    at timestamptz;
    d timestamptz;
    k int;
    lo timestamptz;
    hi timestamptz;
begin
    delete from azekura.rate_sample; delete from azekura.rate_due; delete from azekura.rate_name; delete from azekura.rate_unit; delete from plain;
    for i in 1 .. units loop
        at := pg_temp.m((random() ^ 2 * 1440 * days)::int);
        k := (random() * 4)::int;
        perform pg_temp.unit(at, 100, format('1|=s%s|0|%s|%s', k, i, i * 7), format('7|=h%s|%s|%s|%s', k % 2, k, i, i * 7));
        insert into plain values (at, 1, '=s' || k, i, i * 7), (at, 2, '=h' || k % 2, i, i * 7);
        if i % 7 = 0 then
            perform azekura.fold_rates(zone, 5 + i % 11);
        end if;
    end loop;
    while azekura.fold_rates(zone, 100, true) > 0 loop end loop;
    perform azekura.fold_rates(zone);
    -- ranges of whole local days, wherever; and of any minutes where there are minutes
    for i in 0 .. 30 loop
        d := azekura.rate_day(now() - make_interval(days => (random() * days)::int), zone);
        lo := case when i % 2 = 0 then d else pg_temp.m((random() * 1440 * 13)::int) end;
        hi := case when i % 3 = 0 then azekura.rate_day(d + interval '36 hours', zone) else pg_temp.m(-1) end;
        select found + count(*) into found from (
            (select p.dim, p.name, sum(p.messages), sum(p.bytes) from plain p where p.at >= lo and p.at < hi group by 1, 2)
            except
            (select x, s.name, s.messages, s.bytes from generate_series(1, 2) x, pg_temp.sums(x, lo, hi, zone) s)) y;
        select found + count(*) into found from (
            (select x, s.name, s.messages, s.bytes from generate_series(1, 2) x, pg_temp.sums(x, lo, hi, zone) s)
            except
            (select p.dim, p.name, sum(p.messages), sum(p.bytes) from plain p where p.at >= lo and p.at < hi group by 1, 2)) y;
    end loop;
    -- the days of hostname and severity have no minutes beyond three days to be checked by
    for d in select distinct azekura.rate_day(p.at, zone) from plain p loop
        select found + count(*) into found
          from (select coalesce(sum(r.messages), 0) n from azekura.rate_rows(7::smallint, d, azekura.rate_day(d + interval '36 hours', zone), zone) r) r,
               (select sum(messages) n from plain p where p.dim = 2 and p.at >= d and p.at < azekura.rate_day(d + interval '36 hours', zone)) p
         where r.n <> p.n;
    end loop;
    return found;
end $$;
select setseed(0.25);
select is(pg_temp.differences('UTC', 400, 40), 0::bigint, 'the rings hold what came, in days of UTC');
select is(pg_temp.differences('Asia/Kolkata', 400, 30), 0::bigint, 'in days that begin in the middle of an hour');
select is(pg_temp.differences('America/New_York', 400, 60), 0::bigint, 'in days of 23 and 25 hours');
select is(pg_temp.differences('Asia/Tokyo', 300, 2), 0::bigint, 'and within the last two');

-- ---- clocks ----
select pg_temp.unit(now() + interval '10 years', 5, '1|=future|0|3|30');
select pg_temp.unit('1970-01-01 00:00:30Z', 5, '1|=past|0|3|30');
select pg_temp.unit(pg_temp.m(4), 5, '1|=present|0|3|30');
select lives_ok($$ select azekura.fold_rates('UTC') $$, 'times of a wrong clock do not stop the others');
select is(messages, 3::bigint, 'which are counted') from pg_temp.sums(1, pg_temp.m(4), pg_temp.m(3)) where name = '=present';
select pg_temp.unit(pg_temp.m(3), 5, '1|=future|0|1|10');
select pg_temp.unit('1971-01-01 00:00:30Z', 5, '1|=present|0|3|30');
select azekura.fold_rates('UTC');
select is(last_heard, pg_temp.m(3), 'a name heard in the future is heard now when the clock is right again') from azekura.rate_name where name = '=future';
select is(first_heard, pg_temp.m(4), 'and one known was not first heard in 1971') from azekura.rate_name where name = '=present';
select is(count(*), 0::bigint, 'nothing far ahead is waited for') from azekura.rate_due where at > now() + interval '3 days';

-- ---- the ledger ----
delete from azekura.ledger;
insert into azekura.ledger (minute, listener, source, arrived, stored, bytes, crash)
select pg_temp.m(1440 * d + i * 7), 'udp', '192.0.2.1', 10, 9, 1000, 1 from generate_series(10, 40, 5) d, generate_series(0, 100) i;
insert into azekura.kernel_drop select pg_temp.m(1440 * 20 + i), 'udp', 2 from generate_series(0, 100) i;
create temp table before as select count(*) n, sum(arrived) a, sum(stored) s, sum(crash) c, sum(refused) r, sum(bytes) b from azekura.ledger;
create function pg_temp.merge_all() returns int language plpgsql as $$
declare
    n int;
begin
    for i in 0 .. 1000 loop
        n := azekura.merge_ledger();
        exit when n = 0;
    end loop;
    return n;
end $$;
select is(pg_temp.merge_all(), 0, 'minutes older than 14 days are merged, some hours at once');
select results_eq($$ select sum(arrived), sum(stored), sum(crash), sum(refused), sum(bytes) from azekura.ledger $$, $$ select a, s, c, r, b from before $$,
    'and the sums stay');
select is(count(*), 0::bigint, 'only hours are left of them') from azekura.ledger
 where minute < now() - interval '15 days' and minute <> date_trunc('hour', minute);
select is(sum(dropped), 202::numeric, 'of what the kernel dropped too') from azekura.kernel_drop;
-- what arrives late, for a minute and for the beginning of an hour that has been merged
select azekura.count_unit(array[date_trunc('hour', pg_temp.m(1440 * 20)) + interval '7 minutes', date_trunc('hour', pg_temp.m(1440 * 20))], '{udp,udp}', '{192.0.2.1,192.0.2.1}', '{5,7}', '{4,6}',
    '{50,70}', '{0,0}', '{0,0,0,0,0,0,1,0,0,0,0,0,0,0,1,0}');
update azekura.ledger_merged set upto = '-infinity';
select is(pg_temp.merge_all(), 0, 'merged once more, from the beginning, as after a clock that went back');
select results_eq($$ select sum(arrived), sum(stored), sum(crash), sum(refused), sum(bytes) from azekura.ledger $$,
    $$ select a + 12, s + 10, c + 2, r + 2, b + 120 from before $$, 'what came late for a merged hour is counted once');
select * from finish();
rollback;
