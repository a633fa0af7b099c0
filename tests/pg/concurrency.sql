-- Compaction beside other transactions.
\set file :tmp '/many.copy'
\set made `:make_blocks < blocks/many.txt > :tmp/many.copy && echo yes`
create extension dblink;
select plan(13);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a partition');
copy azekura.log_block from :'file';
select dblink_connect(name, format('host=%s dbname=%s user=postgres', :'HOST', :'DBNAME')) from unnest(array['a', 'b', 'c']) name;

-- wait until so many sessions wait for a lock
create procedure pg_temp.wait_for_lock() language plpgsql as $$
begin
    for i in 1..3000 loop
        if exists (select from pg_stat_activity where wait_event_type = 'Lock') then
            return;
        end if;
        perform pg_sleep(0.01);
        perform pg_stat_clear_snapshot();
    end loop;
    raise exception 'nobody waits';
end $$;
\set compact 'select * from azekura.compact(''log_block_20260310'', now())'

select dblink_exec('a', 'begin');
select is((select n from dblink('a', 'select blocks_before from azekura.compact(''log_block_20260310'', now(), 10)') t(n bigint)), 10::bigint, 'one compaction');
select is((select n from dblink('c', 'select count(*) from azekura.logs') t(n bigint)), 100000::bigint, 'a reader meanwhile sees every message once');
select is(dblink_send_query('b', :'compact'), 1, 'a second compaction');
call pg_temp.wait_for_lock();
select is(dblink_is_busy('b'), 1, 'waits for the first');
select dblink_exec('a', 'commit');
select results_eq($$ select * from dblink_get_result('b') t(x bigint, y bigint) $$, $$ values (31::bigint, 2::bigint) $$, 'and then takes what is left');
select count(*) from dblink_get_result('b') t(x bigint, y bigint);
select is(count(*), 100000::bigint, 'no message is lost or doubled') from azekura.search('', "limit" := null);

-- retention deletes a block that compaction has read
truncate azekura.log_block;
copy azekura.log_block from :'file';
select dblink_exec('a', 'begin');
select dblink_exec('a', 'delete from azekura.log_block where first_seq = 2501');
select is(dblink_send_query('b', :'compact'), 1, 'a compaction beside a deletion');
call pg_temp.wait_for_lock();
select is(dblink_is_busy('b'), 1, 'waits for it');
select dblink_exec('a', 'commit');
select throws_ok($$ select * from dblink_get_result('b') t(x bigint, y bigint) $$, '40001', null, 'and fails as a whole');
select count(*) from dblink_get_result('b', false) t(x bigint, y bigint);
select is(count(*), 97500::bigint, 'what was deleted stays deleted, the rest is there') from azekura.logs;
select is(count(*), 39::bigint, 'in the blocks it was in') from azekura.log_block;
select results_eq(:'compact', $$ values (39::bigint, 2::bigint) $$, 'the next try succeeds');
select * from finish();
