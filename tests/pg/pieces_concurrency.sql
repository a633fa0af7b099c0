-- Storing, searching, splitting, dropping and rewriting beside each other.
\set many :tmp '/many.copy'
\set made `:make_blocks < blocks/many.txt > :tmp/many.copy && echo yes`
\set one :tmp '/one.copy'
\set made `(echo @seq 900001; echo @at 2026-03-10T13:00:00Z; echo '@repeat 10 <13>one %d') | :make_blocks > :tmp/one.copy && echo yes`
create extension dblink;
select plan(52);
select is(azekura.ensure_partition('2026-03-10 12:00Z', 'UTC'), 'log_block_20260310', 'the day has a piece');
copy azekura.log_block from :'many';
update azekura.day_partition set messages = 100000 where name = 'log_block_20260310';
select dblink_connect(name, format('host=%s dbname=%s user=postgres', :'HOST', :'DBNAME')) from unnest(array['a', 'b', 'c']) name;
-- wait until so many sessions wait for a lock
create procedure pg_temp.wait_for_lock(n int default 1) language plpgsql as $$
begin
    for i in 1..3000 loop
        if (select count(*) from pg_stat_activity where wait_event_type = 'Lock') >= n then
            return;
        end if;
        perform pg_sleep(0.01);
        perform pg_stat_clear_snapshot();
    end loop;
    raise exception 'nobody waits';
end $$;
create function pg_temp.claim(number int) returns text language sql as $$
    select format('select azekura.claim_unit(''00000000-0000-0000-0000-000000000001'', %s, ''UTC'', ''{0}'', ''{2026-03-10 13:00Z}'', ''{10}'', ''{90}'', ''{500}'')', number)
$$;
-- what a sent query answers, and its end
create function pg_temp.answer(connection text) returns text language plpgsql as $$
declare
    t text;
begin
    select x into t from dblink_get_result(connection) r(x text);
    perform * from dblink_get_result(connection) r(x text);
    return t;
end $$;

-- ---- a claim keeps its piece until it ends ----
select dblink_exec('a', 'begin');
select is((select ok from dblink('a', pg_temp.claim(1)) t(ok boolean)), true, 'a unit is claimed');
select is(dblink_send_query('b', $$ select azekura.split_piece('log_block_20260310', '2026-03-10 14:00Z') $$), 1, 'a split beside it');
call pg_temp.wait_for_lock();
select is(dblink_is_busy('b'), 1, 'waits');
select dblink_exec('a', format('copy azekura.log_block from %L', :'one'));
select dblink_exec('a', 'commit');
select is(pg_temp.answer('b'), 'log_block_20260310_1', 'and comes after it');
select is(messages, 100010::bigint, 'the unit is counted where it lies') from azekura.day_partition where name = 'log_block_20260310';

-- a split that lies before what came meanwhile
select dblink_exec('a', 'begin');
select is((select ok from dblink('a', pg_temp.claim(2)) t(ok boolean)), true, 'another unit is claimed');
select is(dblink_send_query('b', $$ select azekura.split_piece('log_block_20260310', '2026-03-10 12:30Z') $$), 1, 'a split that is too late');
call pg_temp.wait_for_lock();
select dblink_exec('a', 'commit');
select throws_ok($$ select pg_temp.answer('b') $$, 'AZ002', null, 'is refused');
select count(*) from dblink_get_result('b', false) t(x text);

-- ---- drop ----
update azekura.day_partition set messages = 100010 where name = 'log_block_20260310';
select dblink_exec('a', 'begin');
select is((select ok from dblink('a', pg_temp.claim(3)) t(ok boolean)), true, 'a unit is claimed');
select is(dblink_send_query('b', $$ select azekura.drop_pieces('{log_block_20260310}', '{100010}', 'trim', 'keeper') $$), 1, 'a deletion of what a preview has shown');
call pg_temp.wait_for_lock();
select is(dblink_is_busy('b'), 1, 'waits');
select dblink_exec('a', format('copy azekura.log_block from %L', :'one'));
select dblink_exec('a', 'commit');
select throws_ok($$ select pg_temp.answer('b') $$, 'AZ002', null, 'and is refused: there is more now than was shown');
select count(*) from dblink_get_result('b', false) t(x text);

select dblink_exec('a', 'begin');
select is((select id is not null from dblink('a', $$ select azekura.drop_pieces('{log_block_20260310}', '{100020}', 'trim', 'keeper') $$) t(id text)), true, 'a deletion');
select is(dblink_send_query('b', pg_temp.claim(4)), 1, 'a claim beside it');
call pg_temp.wait_for_lock();
select is(dblink_send_query('c', $$ select count(*) from azekura.search('', "limit" := null) $$), 1, 'and a search');
call pg_temp.wait_for_lock(2);
select dblink_exec('a', 'commit');
select is(pg_temp.answer('b'), 't', 'the claim goes on when it is done');
select is(pg_temp.answer('c'), '0', 'so does the search');
select is(string_agg(name || ' ' || messages, ', ' order by lower), 'log_block_20260310 10, log_block_20260310_1 0', 'into a piece of its own') from azekura.day_partition;
copy azekura.log_block from :'one';

-- a hold that is made while pieces are dropped
select dblink_exec('a', 'begin');
select dblink_exec('a', $$ insert into azekura.hold (lower, upper, reason, actor) values ('2026-03-10', '2026-03-11', 'case', 'admin') $$);
select is(dblink_send_query('b', $$ select azekura.drop_pieces('{log_block_20260310}', null, 'trim', 'keeper') $$), 1, 'a deletion beside a hold that is being made');
call pg_temp.wait_for_lock();
select is(dblink_is_busy('b'), 1, 'waits for it');
select dblink_exec('a', 'commit');
select throws_ok($$ select pg_temp.answer('b') $$, 'AZ003', null, 'and is refused');
select count(*) from dblink_get_result('b', false) t(x text);
delete from azekura.hold;

-- ---- making a piece waits for nobody who reads or stores ----
select dblink_exec('a', 'begin');
select is((select n from dblink('a', $$ select count(*) from azekura.search('', "limit" := null) $$) t(n bigint)), 10::bigint, 'somebody reads in a long transaction');
select dblink_exec('c', 'begin');
select is((select ok from dblink('c', pg_temp.claim(5)) t(ok boolean)), true, 'another stores');
set lock_timeout = '10s';
select is(azekura.ensure_partition('2026-05-10 12:00Z', 'UTC', 3::smallint), 'log_block_g3_20260510', 'a piece is made meanwhile');
reset lock_timeout;
select dblink_exec('a', 'rollback');
select dblink_exec('c', 'rollback');

-- two that need the same piece at once
select dblink_exec('a', 'begin');
select is((select x from dblink('a', $$ select azekura.ensure_partition('2026-06-10 12:00Z', 'UTC') $$) t(x text)), 'log_block_20260610', 'one makes a piece');
select is(dblink_send_query('b', $$ select azekura.ensure_partition('2026-06-10 13:00Z', 'UTC') $$), 1, 'another needs it');
call pg_temp.wait_for_lock();
select dblink_exec('a', 'commit');
select is(pg_temp.answer('b'), 'log_block_20260610', 'and gets the same');

-- two that store, need new pieces, and a split that waits for both: nobody is a victim
select dblink_exec('a', 'begin');
select dblink_exec('b', 'begin');
select is((select ok from dblink('a', pg_temp.claim(6)) t(ok boolean)), true, 'a stores');
select is(dblink_send_query('c', $$ select azekura.split_piece('log_block_20260610', '2026-06-10 14:00Z') $$), 1, 'a split waits for it');
call pg_temp.wait_for_lock();
select is((select x from dblink('a', $$ select azekura.ensure_partition('2026-07-10 12:00Z', 'UTC') $$) t(x text)), 'log_block_20260710', 'a needs a further piece, and gets it before the split');
select dblink_exec('a', 'commit');
select is(pg_temp.answer('c'), 'log_block_20260610_1', 'then the split is done');
select dblink_exec('b', 'rollback');

-- ---- looking for what to merge or rewrite while the piece is dropped ----
select azekura.ensure_partition('2026-02-10 12:00Z', 'UTC');
update azekura.day_partition set messages = 1 where name = 'log_block_20260210';
select dblink_exec('a', 'begin');
select is((select id is not null from dblink('a', $$ select azekura.drop_pieces('{log_block_20260210}', null, 'trim', 'keeper') $$) t(id text)), true, 'a piece is being dropped');
select is(dblink_send_query('b', $$ select coalesce(azekura.next_to_compact(null, 2, now(), '2026-01-01'), 'none') $$), 1, 'somebody looks into it');
call pg_temp.wait_for_lock();
select dblink_exec('a', 'commit');
select is(pg_temp.answer('b'), 'none', 'and goes past it');
select azekura.ensure_partition('2026-02-10 12:00Z', 'UTC');
select dblink_exec('a', 'begin');
select is((select id is not null from dblink('a', $$ select azekura.drop_pieces('{log_block_20260210}', null, 'trim', 'keeper') $$) t(id text)), true, 'once more');
select is(dblink_send_query('b', $$ select coalesce(azekura.rewrite_piece('log_block_20260210')::text, 'not now') $$), 1, 'it is rewritten beside that');
call pg_temp.wait_for_lock();
select dblink_exec('a', 'commit');
select is(pg_temp.answer('b'), 'not now', 'which is given up');

-- ---- rewriting ----
select dblink_exec('a', 'begin isolation level repeatable read');
select is((select x from dblink('a', 'select count(*)::text from azekura.setting') t(x text)), '0', 'somebody has a snapshot of before');
truncate azekura.log_block;
copy azekura.log_block from :'many';
select dblink_exec('a', 'rollback');
select is(blocks_after, 2::bigint, 'a piece with holes') from azekura.compact('log_block_20260310', now());
select dblink_exec('a', 'begin isolation level repeatable read');
select is((select x from dblink('a', 'select count(*)::text from azekura.setting') t(x text)), '0', 'somebody has a snapshot of before it is rewritten');
select cmp_ok(azekura.rewrite_piece('log_block_20260310'), '>', 100000::bigint, 'it is rewritten');
select is((select n from dblink('a', $$ select count(*) from azekura.search('', "limit" := null) $$) t(n bigint)), 100000::bigint, 'and under the old snapshot every message is found');
update azekura.day_partition set tidied_at = null;
select is(azekura.rewrite_piece('log_block_20260310'), 0::bigint, 'what has no holes is left alone');
select dblink_exec('a', 'commit');

-- somebody stores into it, or reads for long
truncate azekura.log_block;
copy azekura.log_block from :'many';
select is(blocks_after, 2::bigint, 'holes again') from azekura.compact('log_block_20260310', now());
select dblink_exec('a', 'begin');
select is((select n from dblink('a', $$ select count(*) from azekura.search('', "limit" := null) $$) t(n bigint)), 100000::bigint, 'somebody reads for long');
select is(azekura.rewrite_piece('log_block_20260310'), null, 'it is put off');
select dblink_exec('a', 'commit');
select dblink_exec('a', 'begin');
select is((select ok from dblink('a', pg_temp.claim(7)) t(ok boolean)), true, 'somebody stores');
select is(dblink_send_query('b', $$ select coalesce(azekura.rewrite_piece('log_block_20260310')::text, 'not now') $$), 1, 'it is rewritten beside that');
call pg_temp.wait_for_lock();
select dblink_exec('a', format('copy azekura.log_block from %L', :'one'));
select dblink_exec('a', 'commit');
select is(pg_temp.answer('b'), 'not now', 'and put off, too');
select is(count(*), 100010::bigint, 'nothing is lost') from azekura.logs;
select is(count(*), 0::bigint, 'no table is left over') from pg_class where relname like '%fresh' and relkind = 'r';
select * from finish();
