-- The ledger's functions: a unit is stored once, and counts add up.
begin;
select plan(36);
-- a unit with one block of 10 messages, or with none
create function pg_temp.claim(run int, number bigint, at timestamptz) returns boolean language sql as $$
    select azekura.claim_unit(('00000000-0000-0000-0000-00000000000' || run)::uuid, number, null,
        case when at is null then '{}' else array[0::smallint] end, case when at is null then '{}' else array[at] end,
        case when at is null then '{}' else array[10] end, case when at is null then '{}' else array[100::bigint] end,
        case when at is null then '{}' else array[50::bigint] end)
$$;
select ok(pg_temp.claim(1, 1, '2026-03-10 12:00Z'), 'a unit is claimed');
select is(count(*), 1::bigint, 'its day has a partition') from azekura.day_partition where name = 'log_block_20260310';
select ok(not pg_temp.claim(1, 1, '2026-03-10 12:00Z'), 'the same unit a second time is refused');
select ok(pg_temp.claim(1, 3, null), 'another number of the run is not');
select ok(pg_temp.claim(1, 2, null), 'nor is one that comes late');
select ok(pg_temp.claim(2, 1, null), 'nor the same number of another run');
select is(numbers, '{[1,4)}'::int8multirange, 'a run''s numbers close up to one range') from azekura.stored_unit
 where run = '00000000-0000-0000-0000-000000000001';
savepoint s;
select ok(pg_temp.claim(1, 4, null), 'a claim that is rolled back');
rollback to s;
select ok(pg_temp.claim(1, 4, null), 'may be made again');

select lives_ok($$ select azekura.count_unit(
    array['2026-03-10 12:00Z', '2026-03-10 12:00Z']::timestamptz[], array['udp', 'tcp'], array['192.0.2.1', '192.0.2.1']::inet[],
    array[10, 5]::bigint[], array[7, 5]::bigint[], array[1000, 500]::bigint[], array[1, 0]::bigint[],
    array[1, 1, 1, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0]::bigint[]) $$, 'counts are added');
select lives_ok($$ select azekura.count_unit(
    array['2026-03-10 12:00Z']::timestamptz[], array['udp'], array['192.0.2.1']::inet[],
    array[20]::bigint[], array[3]::bigint[], array[900]::bigint[], array[0]::bigint[],
    array[1, 1, 1, 1, 1, 1, 1, 10]::bigint[]) $$, 'and added again');
select results_eq($$ select arrived, stored, bytes, truncated, not_allowed, rate_limit, oversize, bad_frame, over_budget, queue_full, crash, rejected
                       from azekura.ledger where listener = 'udp' $$,
                  $$ values (30::bigint, 10::bigint, 1900::bigint, 1::bigint, 2::bigint, 2::bigint, 2::bigint, 1::bigint, 1::bigint, 1::bigint, 1::bigint, 10::bigint) $$,
                  'sums a minute, listener and source, each refusal in its column');
select results_eq($$ select arrived, stored, not_allowed, rate_limit, oversize, bad_frame, over_budget, queue_full, crash, rejected
                       from azekura.ledger_total where listener = 'udp' $$,
                  $$ values (30::bigint, 10::bigint, 2::bigint, 2::bigint, 2::bigint, 1::bigint, 1::bigint, 1::bigint, 1::bigint, 10::bigint) $$,
                  'and the same since the store was made');
select results_eq($$ select listener, refused from azekura.ledger order by 1 $$, $$ values ('tcp', 0::bigint), ('udp', 20::bigint) $$,
                  'refused is all reasons together');
select is(count(*), 0::bigint, 'arrived = stored + refused, in every row') from azekura.ledger where arrived <> stored + refused;
select throws_ok($$ update azekura.ledger set refused = 0 $$, '428C9', null, 'refused follows from the reasons, whoever asks');
select results_eq($$ select messages, bytes from azekura.source $$, $$ values (15::bigint, 2400::bigint) $$, 'one row a source, over its listeners');

select azekura.count_kernel_drop('2026-03-10 12:00Z', 'udp', 5);
select azekura.count_kernel_drop('2026-03-10 12:00Z', 'udp', 7);
select is(dropped, 12::bigint, 'what the kernel dropped adds up') from azekura.kernel_drop;
select throws_ok($$ select azekura.count_kernel_drop('2026-03-10 12:00Z', 'fax', 1) $$, '23514', null, 'an unknown listener is refused');

select azekura.report_receiver('/state', gen_random_uuid(), now(), 10, 7, 2, 1, 100, 3, 200000, 0);
select azekura.report_receiver('/state', gen_random_uuid(), now(), 20, 15, 3, 2, 100, 3, 200000, 4);
select results_eq($$ select arrived, stored, refused, queued, kernel_dropped from azekura.receiver_status $$,
                  $$ values (20::bigint, 15::bigint, 3::bigint, 2::bigint, 4::bigint) $$, 'a receiver''s status is its last report');

-- the functions work for the receiver, which has no right to the tables
set local role azekura_receiver;
select azekura.claim_unit('00000000-0000-0000-0000-000000000003', 1, 'UTC', '{0}', '{2027-03-10 12:00Z}', '{1}', '{10}', '{20}') as claimed \gset
reset role;
select ok(:'claimed', 'the receiver claims');
select is(tableowner, 'azekura'::name, 'the partition that this made is azekura''s') from pg_tables where tablename = 'log_block_20270310';
select is(count(*), 2::bigint, 'with both indexes') from pg_indexes where tablename = 'log_block_20270310';

-- a unit of several groups, one of them in two pieces
insert into azekura.source_group (id, name) values (3, 'debug');
select azekura.ensure_partition('2026-04-02 12:00Z', 'UTC', 3::smallint);
select ok(azekura.claim_unit('00000000-0000-0000-0000-000000000004', 1, 'Asia/Tokyo', '{3,0,3,3}',
    '{2026-04-01 12:00Z,2026-04-01 12:00Z,2026-04-01 16:00Z,2026-04-01 12:10Z}', '{1,2,4,8}', '{10,20,40,80}', '{5,5,5,5}'), 'a unit of four blocks is claimed');
select results_eq($$ select name, source_group, day::text, messages, raw_bytes from azekura.day_partition where day between '2026-04-01' and '2026-04-02' and messages > 0 order by name $$,
    $$ values ('log_block_20260401', 0::smallint, '2026-04-01', 2::bigint, 20::bigint),
              ('log_block_g3_20260401', 3::smallint, '2026-04-01', 9::bigint, 90::bigint),
              ('log_block_g3_20260402_1', 3::smallint, '2026-04-02', 4::bigint, 40::bigint) $$, 'each piece counts its messages and bytes');
savepoint s;
select azekura.claim_unit('00000000-0000-0000-0000-000000000004', 2, null, '{0}', '{2026-04-01 12:00Z}', '{100}', '{1000}', '{5}');
rollback to s;
select is(messages, 2::bigint, 'a claim rolled back counts nothing') from azekura.day_partition where name = 'log_block_20260401';
select ok(not azekura.claim_unit('00000000-0000-0000-0000-000000000004', 1, null, '{0}', '{2026-04-01 12:00Z}', '{100}', '{1000}', '{5}'), 'a unit that is stored already');
select is(messages, 2::bigint, 'counts nothing either') from azekura.day_partition where name = 'log_block_20260401';
select throws_ok($$ select azekura.claim_unit('00000000-0000-0000-0000-000000000004', 3, null, '{0,0}', '{2026-04-01 12:00Z}', '{100}', '{1000}', '{5}') $$,
    '22023', 'the arrays of claim_unit() differ in length', 'arrays of different lengths are refused');
select throws_ok($$ select azekura.claim_unit('00000000-0000-0000-0000-000000000004', 3, null, '{0}', '{NULL}', '{100}', '{1000}', '{5}') $$,
    '22004', null, 'so is a block without a beginning');
select throws_ok($$ select azekura.claim_unit('00000000-0000-0000-0000-000000000004', 3, null, '{33}', '{2026-04-01 12:00Z}', '{100}', '{1000}', '{5}') $$,
    '23514', null, 'and a group that cannot be');
select lives_ok($$ select azekura.claim_unit('00000000-0000-0000-0000-000000000004', 3, null, '{7}', '{2026-04-01 12:00Z}', '{100}', '{1000}', '{5}') $$,
    'blocks of a group that was removed meanwhile are stored');
select results_eq($$ select name, retired_at is not null from azekura.source_group where id = 7 $$, $$ values ('group 7', true) $$, 'the group is there again, retired');
select is((select sum(messages) from azekura.day_partition), 126::numeric, 'all in all as many as were claimed');

-- the clock was wrong for a while
create function pg_temp.heard(at timestamptz) returns timestamptz language plpgsql as $$
begin
    perform azekura.count_unit(array[date_trunc('minute', at)], array['udp'], array['192.0.2.99']::inet[], array[1]::bigint[],
                               array[1]::bigint[], array[10]::bigint[], array[0]::bigint[], array[0, 0, 0, 0, 0, 0, 0, 0]::bigint[]);
    return (select last_heard from azekura.source where address = '192.0.2.99');
end $$;
select cmp_ok(pg_temp.heard('2099-12-31 23:59Z'), '>=', timestamptz '2099-12-31 23:59Z', 'a sender is heard in a future that the clock said');
select cmp_ok(pg_temp.heard(now()), '<=', now(), 'and in the present when the clock is right again');
select * from finish();
rollback;
