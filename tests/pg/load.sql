-- The rings of load samples: every step has the mean and the maximum of its samples, space is bounded whatever the clock does.
begin;
select plan(28);

-- twenty minutes of samples: value 1 is the sample's number, value 2 is known every other time, value 3 never
select count(azekura.add_load('2026-03-10 12:00Z'::timestamptz + make_interval(secs => 5 * i),
    array[i, case when i % 2 = 0 then 1000 + i end, null]::real[])) as added from generate_series(0, 239) i;
select is(count(*), 240::bigint, 'a row each five seconds') from azekura.load_sample where step = 5;
select is(count(*), 20::bigint, 'a row each minute') from azekura.load_sample where step = 60;
select is(count(*), 2::bigint, 'a row each quarter of an hour') from azekura.load_sample where step = 900;
select is(count(*), 1::bigint, 'a row each six hours') from azekura.load_sample where step = 21600;
select results_eq($$ select n, mean, max, missing from azekura.load_rows(5, '2026-03-10 12:00:10Z', '2026-03-10 12:00:15Z') $$,
    $$ values (1, '{2,1002,NULL}'::real[], null::real[], '{0,0,1}'::smallint[]) $$, 'a sample is kept as it is');
select results_eq($$ select at, n, mean, max, missing from azekura.load_rows(60, '2026-03-10 12:01Z', '2026-03-10 12:02Z') $$,
    $$ values ('2026-03-10 12:01Z'::timestamptz, 12, '{17.5,1017,NULL}'::real[], '{23,1022,NULL}'::real[], '{0,6,12}'::smallint[]) $$,
    'a minute: mean and maximum of what is known');
select results_eq($$ select at, n, mean, max from azekura.load_rows(900, '2026-03-10 12:15Z', '2026-03-10 12:30Z') $$,
    $$ values ('2026-03-10 12:15Z'::timestamptz, 60, '{209.5,1209,NULL}'::real[], '{239,1238,NULL}'::real[]) $$, 'a quarter of an hour, of its minutes');
select results_eq($$ select n, mean, max, missing from azekura.load_rows(21600, '2026-03-10 12:00Z', '2026-03-10 18:00Z') $$,
    $$ values (240, '{119.5,1119,NULL}'::real[], '{239,1238,NULL}'::real[], '{0,120,240}'::smallint[]) $$, 'six hours: weighted by what each part has');

-- a second sample of the same five seconds joins the first
select azekura.add_load('2026-03-10 12:00:12Z', '{6,NULL,9}');
select results_eq($$ select n, mean, max, missing from azekura.load_rows(5, '2026-03-10 12:00:10Z', '2026-03-10 12:00:15Z') $$,
    $$ values (2, '{4,1002,9}'::real[], '{6,1002,9}'::real[], '{0,1,1}'::smallint[]) $$, 'two samples of the same five seconds are one row');
select results_eq($$ select n, mean, max from azekura.load_rows(60, '2026-03-10 12:00Z', '2026-03-10 12:01Z') $$,
    $$ values (13, array[(66.0 + 6) / 13, 1005, 9]::real[], '{11,1010,9}'::real[]) $$, 'and the minute has both');

-- rows of an older program are shorter
select azekura.add_load('2026-03-10 12:20:00Z', '{1}');
select azekura.add_load('2026-03-10 12:20:05Z', '{3,5,7,9}');
select results_eq($$ select n, mean, max, missing from azekura.load_rows(60, '2026-03-10 12:20Z', '2026-03-10 12:21Z') $$,
    $$ values (2, '{2,5,7,9}'::real[], '{3,5,7,9}'::real[], '{0,1,1,1}'::smallint[]) $$, 'samples of different length are one row of the longer');

-- a slot belongs to one time only
select azekura.add_load('2026-03-10 12:00:00Z'::timestamptz + make_interval(secs => 5 * 34560), '{77}');
select results_eq($$ select at, mean from azekura.load_sample where step = 5 and slot = extract(epoch from '2026-03-10 12:00Z'::timestamptz)::bigint / 5 % 34560 $$,
    $$ values ('2026-03-12 12:00Z'::timestamptz, '{77}'::real[]) $$, 'after 48 hours the slot of five seconds is another''s');
select is(count(*), 0::bigint, 'and is not taken for the old one') from azekura.load_rows(5, '2026-03-10 12:00Z', '2026-03-10 12:00:05Z');
select is(n, 13, 'while the minute of two days ago stands') from azekura.load_rows(60, '2026-03-10 12:00Z', '2026-03-10 12:01Z');

-- a year and more, injected: a sample an hour for 800 days
select count(azekura.add_load('2027-01-01 00:00Z'::timestamptz + make_interval(hours => i), array[i % 24]::real[])) as added
  from generate_series(0, 800 * 24 - 1) i;
select ok(max(n) <= 34560, 'the ring of five seconds is not longer than it may be: ' || max(n)) from (select count(*) n from azekura.load_sample where step = 5) r;
select ok(max(n) <= 86400, 'nor the minutes: ' || max(n)) from (select count(*) n from azekura.load_sample where step = 60) r;
select ok(max(n) <= 70272, 'nor the quarters: ' || max(n)) from (select count(*) n from azekura.load_sample where step = 900) r;
select is(count(*), 2928::bigint, 'the six hours have gone round once and are full') from azekura.load_sample where step = 21600;
select is(count(*), 0::bigint, 'no row is of another slot than its time says') from azekura.load_sample s join azekura.load_rings() r using (step)
 where s.slot <> extract(epoch from s.at)::bigint / s.step % r.slots or s.slot not between 0 and r.slots - 1;
select is(count(*), 2920::bigint, 'two years can be read at six hours') from azekura.load_rows(21600, '2027-03-12Z', '2029-03-11Z');
select is(count(*), 0::bigint, 'each of them with the mean and maximum of its six samples')
  from azekura.load_rows(21600, '2027-03-12Z', '2029-03-11Z') where n <> 6 or mean[1] <> max[1] - 2.5 or max[1] not in (5, 11, 17, 23);
select is(count(*), 1::bigint, 'a range across the end of the ring is read: ' || min(slot)) from azekura.load_rows(900, '2028-05-01Z', '2028-05-01 00:15Z') s;
select is(count(*), 48::bigint, 'and two days of minutes have their samples') from (
    select generate_series('2029-03-09Z'::timestamptz, '2029-03-10 23:00Z', '1 hour') at) g
  join azekura.load_rows(60, '2029-03-09Z', '2029-03-11Z') s using (at);
select is(count(*), 2928::bigint, 'a range longer than the ring is all that there is') from azekura.load_rows(21600, '1970-01-01Z', '9999-01-01Z');

-- what is none
select throws_ok($$ select azekura.add_load('infinity', '{1}') $$, '22023', null, 'a time that is none is refused');
select throws_ok($$ select azekura.add_load('1969-12-31', '{1}') $$, '22023', null, 'and one before 1970');
select throws_ok($$ select azekura.add_load(now(), '{}') $$, '22023', null, 'and a sample of nothing');
select is(count(*), 0::bigint, 'an empty range has nothing') from azekura.load_rows(60, '2027-03-12Z', '2027-03-12Z');

select * from finish();
rollback;
