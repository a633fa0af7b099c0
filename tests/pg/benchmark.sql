-- Messages of the benchmark lie apart, are counted apart, and are nobody's logs.
\set file :tmp '/benchmark.copy'
\set made `:make_blocks < blocks/benchmark.txt > :tmp/benchmark.copy && echo yes`
begin;
select plan(50);

-- ---- the group ----
select results_eq($$ select id, name, quota_percent, keep_days, retired_at from azekura.source_group where id > 0 $$,
    $$ values (32::smallint, 'benchmark', null::real, 7, null::timestamptz) $$, 'the group is there, for seven days');
select results_eq($$ select prefix, source_group from azekura.source_group_member $$, $$ values (cidr '127.66.0.0/16', 32::smallint) $$,
    'with its network');
select throws_ok(statement, '23514', null, what) from (values
    ('update azekura.source_group set name = ''x'' where id = 32', 'it cannot be renamed'),
    ('update azekura.source_group set retired_at = now() where id = 32', 'nor retired'),
    ('update azekura.source_group set quota_percent = 5 where id = 32', 'nor given a quota'),
    ('insert into azekura.source_group_member values (''192.0.2.0/24'', 32)', 'nor members'),
    ('update azekura.source_group_member set source_group = 0 where prefix = ''127.66.0.0/16''', 'nor lose its network'),
    ('insert into azekura.source_group_member values (''127.66.1.0/24'', 0)', 'and no part of it is another group''s'),
    ('insert into azekura.source_group (id, name) values (33, ''x'')', 'there is no group 33'),
    ('insert into azekura.source_group (id, name) values (-1, ''x'')', 'nor -1')) x(statement, what);
select lives_ok($$ insert into azekura.source_group_member values ('127.0.0.0/8', 0) $$, 'a wider network is for others');
select throws_ok($$ insert into azekura.source_group (id, name) values (3, 'benchmark') $$, '23505', null, 'nobody else has its name');

-- ---- senders ----
select throws_ok(format('insert into azekura.benchmark_sender (address, until, actor) values (%L, now() + interval ''1 h'', ''x'')', a), '23514', null, what)
  from (values ('192.0.2.0/24', 'a network is no sender'), ('0.0.0.0/0', 'nor everybody'), ('2001:db8::/64', 'nor one of IPv6')) x(a, what);
insert into azekura.benchmark_sender (address, since, until, actor) values
    ('192.0.2.7', now() - interval '1 hour', now() + interval '1 hour', 'x'),
    ('192.0.2.8', now() - interval '3 hours', now() - interval '1 hour', 'x'),
    ('192.0.2.9', now() - interval '3 days', now() - interval '2 days', 'x'),
    ('2001:db8::7', now() - interval '1 hour', now() + interval '1 hour', 'x');
select is(azekura.is_benchmark(address, now() + offs), expected, what) from (values
    (inet '127.66.0.1', interval '0', true, 'the network is the benchmark''s'),
    ('127.66.255.255', '-300 days', true, 'all of it, always'),
    ('127.65.255.255', '0', false, 'the address before is not'),
    ('127.67.0.0', '0', false, 'nor the one after'),
    ('::ffff:127.66.0.1', '0', false, 'nor what only looks like one of it'),
    ('192.0.2.7', '0', true, 'a registered address is'),
    ('192.0.2.7', '-2 hours', false, 'not before'),
    ('192.0.2.7', '2 hours', false, 'not afterwards'),
    ('192.0.2.8', '0', false, 'one that is over is not'),
    ('192.0.2.8', '-2 hours', true, 'but was'),
    ('192.0.2.6', '0', false, 'a neighbour is not'),
    ('2001:db8::7', '0', true, 'IPv6 is the same')) x(address, offs, expected, what);
select is(azekura.end_benchmark_senders(), '{192.0.2.8,192.0.2.9}'::inet[], 'those whose time is up end');
select is(azekura.end_benchmark_senders(), '{}'::inet[], 'once');
select set_eq($$ select host(address), is_over from azekura.benchmark_sender $$, $$ values ('192.0.2.7', false), ('192.0.2.8', true), ('2001:db8::7', false) $$,
    'and are forgotten after a day');

-- ---- counts ----
select lives_ok(format($$ select azekura.count_unit(array[%1$L, %1$L, %1$L, %2$L]::timestamptz[], '{udp,udp,tcp,udp}', '{192.0.2.1,127.66.3.4,192.0.2.7,127.66.3.4}',
    '{10,200,3000,50}', '{9,190,3000,50}', '{1000,20000,300000,5000}', '{0,0,0,0}',
    '{0,0,0,0,1,0,0,0, 0,0,2,0,0,8,0,0, 0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0}') $$, date_trunc('minute', now()), date_trunc('minute', now()) - interval '1 minute'), 'a unit is counted');
select results_eq($$ select minute, arrived, stored, bytes, bad_frame, oversize, queue_full, over_budget from azekura.benchmark_count order by 1 $$,
    format($$ values (%2$L::timestamptz, 50::bigint, 50::bigint, 5000::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint),
                     (%1$L, 3200, 3190, 320000, 0, 2, 8, 0) $$, date_trunc('minute', now()), date_trunc('minute', now()) - interval '1 minute'),
    'what is the benchmark''s of it by itself, a minute');
select is(stored, 3240::bigint, 'and all together') from azekura.benchmark_total;
select is(sum(arrived), 3260::numeric, 'the ledger has all of it') from azekura.ledger;
select is(sum(arrived) - sum(stored) - sum(refused), 0::numeric, 'and adds up') from azekura.ledger;
select results_eq($$ select listener, arrived from azekura.ledger_total order by 1 $$, $$ values ('tcp', 3000::bigint), ('udp', 260) $$, 'so do the totals');
select set_eq($$ select host(address) from azekura.source $$, $$ values ('192.0.2.1') $$, 'only the device is a source');
insert into azekura.benchmark_count values (now() - interval '9 days', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
select is(azekura.end_benchmark_senders(), '{}'::inet[], 'old minutes …');
select is(count(*), 2::bigint, '… are forgotten') from azekura.benchmark_count;

-- ---- pieces ----
select results_eq($$ select messages, bytes, oldest, newest from azekura.benchmark_messages() $$,
    $$ values (0::bigint, 0::bigint, null::timestamptz, null::timestamptz) $$, 'nothing is kept');
select is(azekura.ensure_partition('2026-03-10 12:00Z', 'UTC', 32::smallint), 'log_block_g32_20260310', 'the group has its pieces');
select is(azekura.ensure_partition('2026-03-11 12:00Z', 'UTC', 32::smallint), 'log_block_g32_20260311', 'a day each');
select azekura.ensure_partition('2026-03-10 12:00Z', 'UTC', 0::smallint);
copy azekura.log_block from :'file';
update azekura.day_partition d set messages = (select coalesce(sum(b.messages), 0) from azekura.log_block b where b.tableoid = format('azekura.%I', d.name)::regclass);
select results_eq($$ select tableoid::regclass::text, sum(messages) from azekura.log_block group by 1 order by 1 $$,
    $$ values ('azekura.log_block_20260310', 30::bigint), ('azekura.log_block_g32_20260310', 40), ('azekura.log_block_g32_20260311', 50) $$, 'blocks lie with their group');
select is(count(*), 120::bigint, 'a search finds them like all others') from azekura.search('', "limit" := null);
select results_eq($$ select m.messages, m.bytes > 40000, m.oldest, m.newest from azekura.benchmark_messages() m $$,
    $$ select 90::bigint, true, min(first_at), max(last_at) from azekura.log_block where source_group = 32 $$, 'what is kept of them, as large as it is now');
select azekura.measure_pieces();
insert into azekura.hold (lower, upper, reason, actor) values ('2026-03-01', '2026-04-01', 'all logs', 'x');
select is(azekura.piece_is_held(0::smallint, '2026-03-10', '2026-03-11'), true, 'a hold keeps all logs');
select is(azekura.piece_is_held(32::smallint, '2026-03-10', '2026-03-11'), false, 'and no message of the benchmark');
select isnt(azekura.drop_pieces('{log_block_g32_20260310,log_block_g32_20260311}', '{40,50}', 'request', 'somebody'), null, 'they are dropped in spite of it');
select results_eq($$ select detail ->> 'group', (detail ->> 'messages')::int from azekura.audit where action = 'retention.delete' $$,
    $$ values ('benchmark', 90) $$, 'with a receipt');
select is(count(*), 30::bigint, 'the logs are there') from azekura.logs;

select * from finish();
rollback;
