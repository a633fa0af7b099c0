-- Who may send, how fast, who was turned away, and what is missing.
begin;
select plan(64);

-- ---- networks as people write them ----
select is(azekura.parse_network(text)::text, wanted, format('%s is %s', text, coalesce(wanted, 'no network'))) from (values
    ('192.0.2.0/24', '192.0.2.0/24'), ('192.0.2.77/24', '192.0.2.0/24'), ('192.0.2.1', '192.0.2.1/32'),
    ('2001:db8::/32', '2001:db8::/32'), ('::1', '::1/128'), ('0.0.0.0/0', '0.0.0.0/0'), ('::/0', '::/0'),
    ('fe80::/10', 'fe80::/10'), ('fe80::%eth0/10', 'fe80::/10'), ('fe80::1%br-lan.7', 'fe80::1/128'),
    ('2001:db8::%eth0/32', null), ('::ffff:192.0.2.9', '192.0.2.9/32'), ('::ffff:192.0.2.9/120', '192.0.2.0/24'),
    ('::ffff:255.255.255.255', '255.255.255.255/32'), ('::ffff:0.0.0.0/96', '0.0.0.0/0'),
    (' 192.0.2.1 ', '192.0.2.1/32'), ('192.0.2.0/33', null), ('10/8', null), ('192.0.2', null), ('host.example', null), ('', null),
    ('192.0.2.1; drop table x', null)) v(text, wanted);

-- ---- the allow-list ----
create function pg_temp.allow(entries text, force boolean default false)
returns table (row_number integer, field text, code text, message text) language sql as $$
    select * from azekura.set_allow_list(entries::jsonb, force, 'hanako') $$;
select is_empty($$ select * from pg_temp.allow('[{"network": "192.0.2.77/24"}, {"network": "2001:db8::/32", "listener": "tls", "note": "branch"},
    {"network": "192.0.2.0/24", "listener": "udp"}]') $$, 'a list is put');
select results_eq($$ select network, listener, note, hits from azekura.allow_list() $$, $$ values
    ('192.0.2.0/24', null, '', 0::bigint), ('192.0.2.0/24', 'udp', '', 0), ('2001:db8::/32', 'tls', 'branch', 0) $$, 'and read, networks in order');
select is(count(*), 1::bigint, 'the audit log tells who put which') from azekura.audit
 where action = 'listeners.allow' and actor = 'hanako' and jsonb_array_length(detail -> 'now') = 3 and detail -> 'former' = '[]';
select results_eq(format('select row_number, field, message from pg_temp.allow(%L)', '[{"network": "10.0.0.0/8"}, {"network": "10.0.0/8"}, 7,
    {"network": "10.0.0.0/8", "listener": "fax"}, {"network": "10.0.0.0/8", "color": 1}, {"network": "10.0.0.0/8", "note": 3}, {}, {"network": "10.0.0.0/8", "note": "a\u001b[2Jb"}, {"network": "10.0.0.0/8", "note": "本社 – é"}]'), $$ values
    (1, 'network', '"10.0.0/8" is not a network or address, such as 192.0.2.0/24, 2001:db8::/32 or 192.0.2.1'),
    (2, null, 'a row is an object'),
    (3, 'listener', 'listener "fax" is not udp, tcp, tls or null for all'),
    (4, 'color', 'color is not a field of a row: network, listener, note'),
    (5, 'note', 'the note of 10.0.0.0/8 is a text of at most 200 characters'),
    (6, 'network', '"" is not a network or address, such as 192.0.2.0/24, 2001:db8::/32 or 192.0.2.1'),
    (7, 'note', 'the note of 10.0.0.0/8 has a control character') $$, 'what is wrong has an error of its own');
select is(message, '10.0.0.0/8 is there twice for udp', 'nor may a row be there twice')
  from pg_temp.allow('[{"network": "10.1.2.3/8", "listener": "udp"}, {"network": "10.0.0.0/8"}, {"network": "10.9.9.9/8", "listener": "udp"}]');
select is(message, 'a list of networks is wanted', format('%s is no list', coalesce(entries, 'null'))) from (values ('{}'), (null), ('3')) v(entries), pg_temp.allow(entries);
select is(message, 'the list has 1001 rows: at most 1000', 'nor is one too long')
  from azekura.set_allow_list((select jsonb_agg(jsonb_build_object('network', format('10.0.%s.%s', i / 256, i % 256))) from generate_series(0, 1000) i), true, 'x');
select is(count(*), 3::bigint, 'and nothing of a wrong list is put') from azekura.listener_allow;

-- whom a list shuts out
insert into azekura.ledger (minute, listener, source, arrived, not_allowed) values (date_trunc('minute', now()), 'udp', '10.5.5.5', 3, 3);
insert into azekura.ledger (minute, listener, source, arrived) values
    (date_trunc('minute', now()), 'udp', '198.51.100.1', 1), (date_trunc('minute', now()), 'tcp', '198.51.100.2', 1),
    (date_trunc('minute', now()), 'udp', '127.66.0.9', 1), (now() - interval '3 h', 'udp', '203.0.113.9', 1);
select results_eq($$ select row_number, field, code, message from pg_temp.allow('[{"network": "10.0.0.0/8"}]') $$, $$ values
    (null::integer, 'force', 'shuts_out', 'this list would shut out every sender of the last hour, 2 in all: 198.51.100.1 by udp, 198.51.100.2 by tcp') $$,
    'a list that shuts out everybody is refused, with whom');
select is_empty($$ select * from pg_temp.allow('[{"network": "10.0.0.0/8", "listener": "udp"}]') $$, 'one that is not about a listener shuts out nobody there');
select is_empty($$ select * from pg_temp.allow('[]') $$, 'an empty list lets in everybody');
select results_eq($$ select row_number, field, code, message from pg_temp.allow('[{"network": "198.51.100.2"}]') $$, $$ values
    (null::integer, 'force', 'shuts_out', 'this list would shut out 1 of the 2 senders of the last hour: 198.51.100.1 by udp') $$,
    'so is one that shuts out some');
select is_empty($$ select * from pg_temp.allow('[{"network": "198.51.100.2"}]', true) $$, 'which may be forced');
select is_empty($$ select * from pg_temp.allow('[{"network": "198.51.100.2", "note": "the gate"}, {"network": "10.0.0.0/8"}]') $$,
    'who is shut out already is not asked about again');
select is_empty($$ select * from pg_temp.allow('[{"network": "198.51.100.0/24"}, {"network": "198.51.100.0/25"}, {"network": "2001:db8::/33"}]') $$,
    'whatever the length of the prefix');
insert into azekura.benchmark_sender (address, until, actor) values ('198.51.100.1', now() + interval '1 h', 'x');
select is_empty($$ select * from pg_temp.allow('[]') $$, 'everybody is let in again');
select is_empty($$ select * from pg_temp.allow('[{"network": "198.51.100.2"}]') $$, 'a sender of the benchmark is let in by any list');
delete from azekura.benchmark_sender where address = '198.51.100.1';
select is_empty($$ select * from pg_temp.allow('[{"network": "10.0.0.0/8"}]', true) $$, 'and it may be forced');
select is_empty($$ select * from pg_temp.allow('[]') $$, 'the list is taken away');
select is(count(*), 0::bigint, 'and is empty') from azekura.listener_allow;
insert into azekura.source values ('10.1.1.1', now(), now(), 1, 1), ('10.1.1.2', now(), now() - interval '25 h', 1, 1), ('2001:db8::5', now(), now(), 1, 1);
select azekura.set_allow_list('[{"network": "10.0.0.0/8"}, {"network": "10.1.1.2"}, {"network": "2001:db8::/32"}]', true, 'x');
select results_eq($$ select network, hits from azekura.allow_list() $$, $$ values ('10.0.0.0/8', 1::bigint), ('10.1.1.2/32', 0), ('2001:db8::/32', 1) $$,
    'hits are the senders of a day that a row lets in');

-- ---- limits ----
select is_empty($$ select * from azekura.set_limit_list('[{"network": "10.1.2.3/8", "rate": 100, "burst": 1000}, {"network": "2001:db8::1", "rate": 0, "burst": 1}]', 'hanako') $$, 'limits are put');
select results_eq($$ select * from azekura.limit_list() $$, $$ values ('10.0.0.0/8', 100, 1000), ('2001:db8::1/128', 0, 1) $$, 'and read');
select results_eq($$ select row_number, field, message from azekura.set_limit_list('[{"network": "10.0.0.0/8", "rate": -1, "burst": 1},
    {"network": "10.0.0.0/9", "rate": 1.5, "burst": 1}, {"network": "10.0.0.0/10", "rate": 1}, {"network": "10.0.0.0/11", "rate": "7", "burst": 1},
    {"network": "10.0.0.0/12", "rate": 1, "burst": 100000001}, {"network": "10.0.0.0/13", "rate": 1e30, "burst": 1}]', 'x') $$, $$ values
    (0, 'rate', 'rate "-1" of 10.0.0.0/8 is not a whole number of 0..10000000'), (1, 'rate', 'rate "1.5" of 10.0.0.0/9 is not a whole number of 0..10000000'),
    (2, 'burst', 'burst "" of 10.0.0.0/10 is not a whole number of 1..100000000'), (3, 'rate', 'rate "7" of 10.0.0.0/11 is not a whole number of 0..10000000'),
    (4, 'burst', 'burst "100000001" of 10.0.0.0/12 is not a whole number of 1..100000000'),
    (5, 'rate', 'rate "1000000000000000000000000000000" of 10.0.0.0/13 is not a whole number of 0..10000000') $$, 'limits have limits');
select is(message, '10.0.0.0/8 is there twice', 'a network has one limit')
  from azekura.set_limit_list('[{"network": "10.0.0.0/8", "rate": 1, "burst": 1}, {"network": "10.1.0.0/8", "rate": 2, "burst": 1}]', 'x');
select is(count(*), 2::bigint, 'and the old ones stay where the new are wrong') from azekura.sender_limit;

-- ---- the refused ----
select azekura.report_refused_senders('{10.0.0.1,2001:db8::9}', '{udp,tcp}', '{3,1}', '{2026-03-10 12:00Z,2026-03-10 12:01Z}',
    '{2026-03-10 12:02Z,2026-03-10 12:01Z}', array['\x3c31333e6f6bff00'::bytea, '\x']);
select azekura.report_refused_senders('{10.0.0.1,2001:db8::9}', '{udp,tcp}', '{5,1}', '{2026-03-10 12:03Z,2026-03-10 12:05Z}',
    '{2026-03-10 12:04Z,2026-03-10 12:05Z}', array['second'::bytea, 'first'::bytea]);
select results_eq($$ select address, listener, count, first_at, last_at, first_text from azekura.refused_senders(10) $$, $$ values
    ('2001:db8::9', 'tcp', 2::bigint, '2026-03-10 12:01Z'::timestamptz, '2026-03-10 12:05Z'::timestamptz, 'first'),
    ('10.0.0.1', 'udp', 8, '2026-03-10 12:00Z', '2026-03-10 12:04Z', '<13>ok\377\000') $$, 'who was refused adds up, the last first, with the first payload');
select is(count(*), 1::bigint, 'as many as were asked for') from azekura.refused_senders(1);
select azekura.report_refused_senders(array_agg(inet '10.0.0.0' + i), array_agg('udp'::text), array_agg(1::bigint), array_agg(now()), array_agg(now() + i * interval '1 s'),
    array_agg('\x'::bytea)) from generate_series(1, 10050) i;
select is(count(*), 10000::bigint, 'ten thousand are kept') from azekura.refused_sender;
select is(min(last_at), now() + interval '51 s', 'those heard last') from azekura.refused_sender;

-- ---- gaps ----
select lives_ok($$ select azekura.count_gaps(
    '{2026-03-10 12:00Z,2026-03-10 12:01Z,2026-03-10 13:59Z,2026-03-11 00:00Z,2026-03-11 00:00Z}', '{udp,udp,udp,udp,tcp}',
    '{192.0.2.1,192.0.2.1,192.0.2.1,192.0.2.1,192.0.2.2}', '{5,1,2,7,0}', '{0,3,0,0,4}') $$, 'gaps are counted');
select azekura.count_gaps('{2026-03-10 12:00Z}', '{udp}', '{192.0.2.1}', '{10}', '{1}');
select results_eq($$ select * from azekura.gaps('2026-03-10 12:00Z', '2026-03-11 01:00Z', 60, null) $$, $$ values
    ('2026-03-10 12:00Z'::timestamptz, 'udp', '192.0.2.1', 15::bigint, 1::bigint), ('2026-03-10 12:01Z', 'udp', '192.0.2.1', 1, 3),
    ('2026-03-10 13:59Z', 'udp', '192.0.2.1', 2, 0), ('2026-03-11 00:00Z', 'udp', '192.0.2.1', 7, 0), ('2026-03-11 00:00Z', 'tcp', '192.0.2.2', 0, 4) $$,
    'and read by minute');
select results_eq($$ select at, missing from azekura.gaps('2026-03-10 12:00Z', '2026-03-11 00:00Z', 3600, '192.0.2.1') $$, $$ values
    ('2026-03-10 12:00Z'::timestamptz, 16::bigint), ('2026-03-10 13:00Z', 2) $$, 'by hour');
select results_eq($$ select at, missing from azekura.gaps('2026-03-10 12:01Z', '2026-03-10 14:01Z', 3600, null) $$, $$ values
    ('2026-03-10 12:01Z'::timestamptz, 1::bigint), ('2026-03-10 13:01Z', 2) $$, 'also from an odd minute on');
select results_eq($$ select at, source, missing from azekura.gaps('2026-03-10', '2026-03-12', 86400, null) where missing > 0 $$, $$ values
    ('2026-03-10 00:00Z'::timestamptz, '192.0.2.1', 18::bigint), ('2026-03-11 00:00Z', '192.0.2.1', 7) $$, 'and by day');
select throws_ok($$ select * from azekura.gaps(now(), now(), 30, null) $$, '22023', 'a step of 30 s is not whole minutes', 'not by less than a minute');
-- any range is the sum of its minutes
select is(count(*), 0::bigint, 'totals of any range are those of its minutes') from (
    select lo, hi, (select coalesce(sum(missing), 0) from azekura.gap_totals(lo, hi)) as total,
           (select coalesce(sum(missing), 0) from azekura.sequence_gap g where g.minute >= lo and g.minute < hi) as plain
      from generate_series(timestamptz '2026-03-09 22:30Z', '2026-03-11 02:00Z', interval '47 min') lo,
           generate_series(timestamptz '2026-03-09 22:45Z', '2026-03-12 02:00Z', interval '73 min') hi where lo < hi) x
 where total <> plain;
select throws_ok($$ select azekura.count_gaps('{2026-03-10 12:00Z}', '{fax}', '{192.0.2.1}', '{1}', '{0}') $$, '23514', null, 'an unknown listener is refused');
select is(azekura.forget_gaps('2026-03-11 00:00Z'), 6::bigint, 'old gaps are forgotten: three minutes, two hours and a day');
select results_eq($$ select * from azekura.gaps('2026-03-10', '2026-03-12', 60, null) $$, $$ values
    ('2026-03-11 00:00Z'::timestamptz, 'udp', '192.0.2.1', 7::bigint, 0::bigint), ('2026-03-11 00:00Z', 'tcp', '192.0.2.2', 0, 4) $$, 'the rest stays');

select * from finish();
rollback;
