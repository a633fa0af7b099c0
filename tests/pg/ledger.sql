-- The ledger's functions: a unit is stored once, and counts add up.
begin;
select plan(25);
select ok(azekura.claim_unit('00000000-0000-0000-0000-000000000001', 1, '2026-03-10 12:00Z'), 'a unit is claimed');
select is(count(*), 1::bigint, 'its day has a partition') from azekura.day_partition where name = 'log_block_20260310';
select ok(not azekura.claim_unit('00000000-0000-0000-0000-000000000001', 1, '2026-03-10 12:00Z'), 'the same unit a second time is refused');
select ok(azekura.claim_unit('00000000-0000-0000-0000-000000000001', 3, null), 'another number of the run is not');
select ok(azekura.claim_unit('00000000-0000-0000-0000-000000000001', 2, null), 'nor is one that comes late');
select ok(azekura.claim_unit('00000000-0000-0000-0000-000000000002', 1, null), 'nor the same number of another run');
select is(numbers, '{[1,4)}'::int8multirange, 'a run''s numbers close up to one range') from azekura.stored_unit
 where run = '00000000-0000-0000-0000-000000000001';
savepoint s;
select ok(azekura.claim_unit('00000000-0000-0000-0000-000000000001', 4, null), 'a claim that is rolled back');
rollback to s;
select ok(azekura.claim_unit('00000000-0000-0000-0000-000000000001', 4, null), 'may be made again');

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
select azekura.claim_unit('00000000-0000-0000-0000-000000000003', 1, '2027-03-10 12:00Z') as claimed \gset
reset role;
select ok(:'claimed', 'the receiver claims');
select is(tableowner, 'azekura'::name, 'the partition that this made is azekura''s') from pg_tables where tablename = 'log_block_20270310';
select is(count(*), 2::bigint, 'with both indexes') from pg_indexes where tablename = 'log_block_20270310';

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
