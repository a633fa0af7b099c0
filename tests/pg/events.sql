-- Events: kept as they are told, bounded in number and length; daemons that end without a word are found out.
begin;
select plan(21);

create temp table kept as
    select azekura.add_event('settings.changed', 5::smallint, array['actor', 'account:admin', 'names', 'box.name']) as id;
select results_eq($$ select e.severity, e.kind, e.params from azekura.event e join kept using (id) $$,
    $$ values (5::smallint, 'settings.changed', array['actor', 'account:admin', 'names', 'box.name']) $$, 'an event is kept as it was told');
select ok(at = now(), 'now') from azekura.event;
select azekura.add_event('x', 7::smallint, '{}');
select is(params, '{}', 'one without particulars') from azekura.event where kind = 'x';
select azekura.add_event('y', 7::smallint, array['Bad "name', 'a' || chr(31) || 'b', 'long', repeat('長', 5000), 'nothing', null]);
select is(params[1], '_ad__name', 'a name that would break an object of JSON is changed') from azekura.event where kind = 'y';
select is(params[2], 'a b', 'the separator of values is taken out of them') from azekura.event where kind = 'y';
select is(length(params[4]), 1024, 'a long value is cut, by characters') from azekura.event where kind = 'y';
select is(params[6], '', 'null is empty') from azekura.event where kind = 'y';
select throws_ok($$ select azekura.add_event('z', 6::smallint, array['odd']) $$, '23514', null, 'a name without a value is refused');
select throws_ok($$ select azekura.add_event('z', 8::smallint, '{}') $$, '23514', null, 'so is a severity that there is not');
select throws_ok($$ select azekura.add_event('z', 6::smallint, array_fill('a'::text, array[34])) $$, '23514', null, 'and more than 16 particulars');

-- forgetting
insert into azekura.event (at, severity, kind) select now() - make_interval(days => d), 6, 'old' from generate_series(1, 100) d;
insert into azekura.retention_clock (wall, boot_id, mono_us, doubted_since, doubted_from, doubted_to) values (now(), '', 0, now(), now(), now());
select is(azekura.forget_events(now() - interval '90 days 1 hour', 1000000), 0::bigint, 'while the clock is doubted nothing goes by age');
delete from azekura.retention_clock;
select is(azekura.forget_events(now() - interval '90 days 1 hour', 1000000), 10::bigint, 'what is older than the limit goes');
select is(count(*), 90::bigint, 'and nothing else') from azekura.event where kind = 'old';
select ok(azekura.forget_events('-infinity', 20) > 0, 'of the rest the oldest go');
select is(count(*), 20::bigint, 'down to the newest twenty') from azekura.event;

-- daemons
create temp table told (n int, outcome text, had boolean);
insert into told select 1, outcome, previous is not null from azekura.report_daemon('web', 100, 'boot', 5);
insert into told select 2, outcome, previous is not null from azekura.report_daemon('web', 100, 'boot', 5);
insert into told select 3, outcome, previous is not null from azekura.report_daemon('web', 100, 'boot', 6); -- the same id, reused
insert into told select 4, case when azekura.report_daemon_stopped('web', 100, 'boot', 5) then 'told' else 'not ours' end, false;
insert into told select 5, case when azekura.report_daemon_stopped('web', 100, 'boot', 6) then 'told' else 'not ours' end, false;
insert into told select 6, case when azekura.report_daemon_stopped('web', 100, 'boot', 6) then 'told' else 'not ours' end, false;
insert into told select 7, outcome, previous is not null from azekura.report_daemon('web', 101, 'other boot', 5);
insert into told select 8, outcome, previous is not null from azekura.report_daemon('web', 102, 'third boot', 5);
select results_eq($$ select outcome, had from told order by n $$, $$ values ('new', false), ('same', true), ('failed', true), ('not ours', false),
    ('told', false), ('not ours', false), ('stopped', true), ('failed', true) $$, 'a run that did not say that it stopped is found out, and only that');
select results_eq($$ select daemon, pid, boot, started, stopped_at from azekura.daemon $$,
    $$ values ('web', 102, 'third boot', 5::bigint, null::timestamptz) $$, 'one row a daemon: the run that is');
select throws_ok($$ select azekura.report_daemon('nobody', 1, '', 1) $$, '23514', null, 'only daemons there are');
select is(outcome, 'new', 'another daemon is another row') from azekura.report_daemon('keeper', 100, 'boot', 6);
select ok(azekura.report_daemon_stopped('keeper', 100, 'boot', 6), 'a stop is told');
select is(outcome, 'stopped', 'and the same process may start again after it') from azekura.report_daemon('keeper', 100, 'boot', 6);

select * from finish();
rollback;
