-- Compaction keeps every message: its fields, its id, its bytes.
\set many :tmp '/many.copy'
\set mixed :tmp '/mixed.copy'
\set paging :tmp '/paging.copy'
\set made `:make_blocks < blocks/many.txt > :tmp/many.copy && echo yes`
\set made `(echo @seq 200001; cat blocks/mixed.txt) | :make_blocks > :tmp/mixed.copy && echo yes`
\set made `sed 's/^@seq /@seq 90/' blocks/paging.txt | :make_blocks > :tmp/paging.copy && echo yes`
select plan(25);
select ok(azekura.ensure_partition('2026-03-10') is not null and azekura.ensure_partition('2026-03-11') is not null, 'the days have partitions');
copy azekura.log_block from :'many';
copy azekura.log_block from :'mixed';
copy azekura.log_block from :'paging';
create temp table before as select *, azekura.raw(id) as raw from azekura.logs;
select is(count(distinct id), 101280::bigint, 'distinct ids before') from before;
create temp table blocks_before as select count(*) as n from azekura.log_block where first_at < '2026-03-11';

select throws_ok($$ select * from azekura.compact('log_block_19700101', now()) $$, '42P01', null, 'a partition that is not there');
select throws_ok($$ select * from azekura.compact('log_block_20260310', now(), 1) $$, '22023', 'max_blocks 1 is out of 2..100000', 'a bad max_blocks');
select results_eq($$ select * from azekura.compact('log_block_20260310', '2026-03-10 11:00Z') $$, $$ values (0::bigint, 0::bigint) $$, 'nothing is old enough');

-- in the calling transaction
begin;
select is(blocks_before, (select n from blocks_before), 'all small blocks are taken') from azekura.compact('log_block_20260310', now());
select cmp_ok(count(*), '<', 4::bigint, 'and become few') from azekura.log_block where first_at < '2026-03-11';
rollback;
select is(count(*), (select n from blocks_before), 'a rollback brings them back') from azekura.log_block where first_at < '2026-03-11';

-- blocks of 31 MB each, as far as their metadata say
begin;
update azekura.log_block set raw_bytes = 31000000 where first_at < '2026-03-11';
select is(blocks_before, 8::bigint, 'a call takes no more than 256 MiB, which its memory has to hold') from azekura.compact('log_block_20260310', now());
rollback;

select is(blocks_before, 10::bigint, 'max_blocks limits the work') from azekura.compact('log_block_20260310', now(), 10);
select is(blocks_after, 2::bigint, 'the rest becomes full blocks') from azekura.compact('log_block_20260310', now());
select is(count(*), 0::bigint, 'the new blocks verify') from azekura.log_block b where azekura.verify_block(b) is not null;
select is(max(messages), 65536, 'the first is full') from azekura.log_block;
select results_eq($$ select * from azekura.compact('log_block_20260310', now()) $$, $$ values (0::bigint, 0::bigint) $$, 'again: nothing is to be won');
select is(count(*), 10::bigint, 'the other day is as it was') from azekura.log_block where first_at >= '2026-03-11';

select is(count(*), 101280::bigint, 'as many messages') from azekura.logs;
select is(count(*), 0::bigint, 'each with the same fields, id and bytes') from
    (select * from before except select *, azekura.raw(id) from azekura.logs) x;
select is(sum(raw_bytes), (select sum(length(raw)) from before)::numeric, 'raw_bytes adds up') from azekura.log_block;
create temp table after_search as select row_number() over () as n, id from azekura.search('', "limit" := null);
select is(count(distinct id), 101280::bigint, 'a search gives each once') from after_search;
select ok(bool_and(ok), 'in order') from (select id < lag(id) over (order by n) or lag(id) over (order by n) is null as ok from after_search) x;
select is(count(*), 120::bigint, 'searches find what they found') from azekura.search('password', "limit" := null);

set role azekura_keeper;
select blocks_before from azekura.compact('log_block_20260311', now()) \gset
reset role;
select is(:blocks_before, 10, 'the keeper compacts');
select is(count(*), 100::bigint, 'a day of ten blocks of ten') from azekura.logs where received_at >= '2026-03-11';
select is(count(*), 1::bigint, 'is one block') from azekura.log_block where first_at >= '2026-03-11';
select results_eq($$ select messages, first_seq from azekura.log_block where first_at >= '2026-03-11' $$,
                  $$ select 100, min(('x' || split_part(id, '-', 2))::bit(64)::bigint) from before where received_at >= '2026-03-11' $$, 'with the sequence numbers it had');
select * from finish();
