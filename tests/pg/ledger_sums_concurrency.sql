-- Adding the ledger's hours up beside units that are being stored, and beside another one that adds up.
create extension dblink;
select plan(10);
select dblink_connect(name, format('host=%s dbname=%s user=postgres', :'HOST', :'DBNAME')) from unnest(array['a', 'b']) name;

-- wait until a session waits for a lock
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
create function pg_temp.both() returns bigint[] language sql as $$
    select array[(select sum(arrived) from azekura.ledger), (select sum(arrived) from azekura.ledger_rows('-infinity', 'infinity'))]
$$;
\set count 'select 1 from (select azekura.count_unit(array[date_trunc(''hour'', now()) - interval ''3 hours''], ''{udp}'', ''{192.0.2.1}'', ''{5}'', ''{5}'', ''{500}'', ''{0}'', ''{0,0,0,0,0,0,0,0}'')) x'
\set sum 'select azekura.sum_ledger()'

select dblink_exec('a', 'begin');
select * from dblink('a', :'count') t(n int);
select is(dblink_send_query('b', :'sum'), 1, 'an hour is added up while a unit of it is being stored');
call pg_temp.wait_for_lock();
select is(dblink_is_busy('b'), 1, 'which is waited for');
select dblink_exec('a', 'commit');
select results_eq($$ select * from dblink_get_result('b') t(n int) $$, $$ values (1) $$, 'and then the hour is added up');
select count(*) from dblink_get_result('b') t(n int);
select is(pg_temp.both(), '{5,5}', 'with the unit in it');

update azekura.ledger_summed set hours_upto = '-infinity', days_upto = '-infinity';
truncate azekura.ledger_sum;
select dblink_exec('a', 'begin');
select * from dblink('a', :'sum') t(n int);
select is(dblink_send_query('b', :'count'), 1, 'a unit is stored while its hour is being added up');
call pg_temp.wait_for_lock();
select dblink_exec('a', 'commit');
select results_eq($$ select * from dblink_get_result('b') t(n int) $$, $$ values (1) $$, 'it waits');
select count(*) from dblink_get_result('b') t(n int);
select is(pg_temp.both(), '{10,10}', 'and is in the sum');

update azekura.ledger_summed set hours_upto = '-infinity', days_upto = '-infinity';
truncate azekura.ledger_sum;
select dblink_exec('a', 'begin');
select * from dblink('a', :'sum') t(n int);
select is(dblink_send_query('b', :'sum'), 1, 'two add up at once');
call pg_temp.wait_for_lock();
select dblink_exec('a', 'commit');
select lives_ok($$ select * from dblink_get_result('b') t(n int) $$, 'the second one goes on after the first');
select count(*) from dblink_get_result('b') t(n int);
select is(pg_temp.both(), '{10,10}', 'and nothing counts twice');
select * from finish();
