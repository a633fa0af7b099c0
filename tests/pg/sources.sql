-- What people say of sources, which ones are new, and how well their messages are understood.
begin;
select plan(21);

-- ---- settings ----
insert into azekura.source_setting (network, name, zone, charset, framing) values
    ('192.0.2.0/24', 'branch', 'Asia/Tokyo', 'Shift_JIS', 'counted'), ('192.0.2.7', 'gate', null, null, null);
select throws_ok(format($$ insert into azekura.source_setting (network, %I) values ('10.0.0.0/8', %L) $$, field, text), '23514', null,
    format('%s takes no text like that', field)) from (values ('name', repeat('x', 65)), ('zone', ''), ('zone', repeat('x', 65)),
    ('charset', ''), ('charset', repeat('x', 33)), ('framing', 'lines'), ('note', repeat('x', 201))) v(field, text);
select throws_ok($$ insert into azekura.source_setting (network) values ('192.0.2.7/32') $$, '23505', null, 'a network has one row');
select throws_ok($$ insert into azekura.source_setting (network) values ('192.0.2.7/24') $$, '22P02', null, 'host bits are none');
select has_trigger('azekura', 'source_setting', 'setting_changed', 'a change is told at once');

-- ---- new ones ----
insert into azekura.source (address, first_heard, last_heard, messages, bytes) values ('192.0.2.9', now(), now(), 1, 1);
select is(acknowledged_at, null, 'a source that is heard first is new') from azekura.source where address = '192.0.2.9';

-- ---- health ----
create function pg_temp.report(addresses inet[], formats bigint[], n bigint, skew bigint, raw_at timestamptz, guess text) returns void
language sql as $$
    select azekura.report_source_health(addresses, cardinality(formats) / cardinality(addresses), formats, array_fill(n, s), array_fill(n, s),
        array_fill(n, s), array_fill(n, s), array_fill(n, s), array_fill(n, s), array_fill(n, s), array_fill(skew, s), array_fill(raw_at, s),
        array_fill(guess, s), array_fill(case when guess is not null then 90 end::smallint, s))
      from (select array[cardinality(addresses)] as s) x $$;
select lives_ok($$ select pg_temp.report('{192.0.2.9,2001:db8::9}', '{1,2,3,4,5,6}', 1, -5000000, '2026-03-10 12:00Z', 'EUC-JP') $$, 'a report is taken');
select results_eq($$ select address, formats, truncated, undecodable, skew_us, charset_guess, charset_percent from azekura.source_health order by address $$,
    $$ values ('192.0.2.9'::inet, '{1,2,3}'::bigint[], 1::bigint, 1::bigint, -5000000::bigint, 'EUC-JP', 90::smallint),
              ('2001:db8::9', '{4,5,6}', 1, 1, -5000000, 'EUC-JP', 90::smallint) $$, 'each source has its own counts');
select lives_ok($$ select pg_temp.report('{192.0.2.9}', '{1,1,1,7}', 2, null, '2026-03-10 11:00Z', null) $$, 'so is the next, with more formats');
select results_eq($$ select formats, truncated, invalid_utf8, no_pri, bad_time, skewed, decoded, undecodable, skew_us, last_raw_at, charset_guess
                       from azekura.source_health where address = '192.0.2.9' $$,
    $$ values ('{2,3,4,7}'::bigint[], 3::bigint, 3::bigint, 3::bigint, 3::bigint, 3::bigint, 3::bigint, 3::bigint, -5000000::bigint,
               timestamptz '2026-03-10 12:00Z', 'EUC-JP') $$, 'counts are added, and what was not measured stays');
select lives_ok($$ select pg_temp.report('{192.0.2.9}', '{1,1}', 0, 7, null, 'Shift_JIS') $$, 'and one with fewer formats');
select results_eq($$ select formats, skew_us, charset_guess from azekura.source_health where address = '192.0.2.9' $$,
    $$ values ('{3,4,4,7}'::bigint[], 7::bigint, 'Shift_JIS') $$, 'what was measured anew is in its place');
select throws_ok($$ select pg_temp.report('{192.0.2.9,192.0.2.10}', '{1,1,1}', 0, null, null, null) $$, '22023', null, 'the lists must fit');
insert into azekura.source_health select inet '10.0.0.0' + i, now(), '2026-01-01', '{1}', 0, 0, 0, 0, 0, 0, 0 from generate_series(1, 65600) i;
select pg_temp.report('{198.51.100.1}', '{1}', 0, null, null, null);
select is(count(*), 65536::bigint, 'the sources reported last are kept') from azekura.source_health;
select is(count(*), 3::bigint, 'the new ones among them') from azekura.source_health where address in ('192.0.2.9', '2001:db8::9', '198.51.100.1');
select azekura.forget_source_health('192.0.2.0/24');
select results_eq($$ select address from azekura.source_health where at > '2026-02-01' order by address $$,
    $$ values ('198.51.100.1'::inet), ('2001:db8::9') $$, 'those of a network can be forgotten');
select * from finish();
rollback;
