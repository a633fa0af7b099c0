-- Pieces of source groups: searched as one, split while they are written to, dropped with a receipt.
\set file :tmp '/groups.copy'
\set made `:make_blocks < blocks/groups.txt > :tmp/groups.copy && echo yes`
select plan(112);

-- ---- groups ----
insert into azekura.source_group (id, name) values (1, 'core'), (2, 'debug'), (31, 'last');
select throws_ok($$ insert into azekura.source_group (id, name) values (33, 'x') $$, '23514', null, 'there is no group 33');
select throws_ok($$ insert into azekura.source_group (id, name) values (4, 'core') $$, '23505', null, 'no two groups have one name');
select throws_ok(format('insert into azekura.source_group (id, name) values (4, %L)', n), '23514', null, what)
  from (values ('', 'a group has a name'), (repeat('x', 65), 'of at most 64 characters'), (E'a\tb', 'without control characters')) x(n, what);
select throws_ok($$ update azekura.source_group set retired_at = now() where id = 0 $$, '23514', null, 'the default group is never retired');
select throws_ok($$ update azekura.source_group set quota_percent = 101 where id = 1 $$, '23514', null, 'a quota is at most all of it');
insert into azekura.source_group_member values ('192.0.2.0/24', 1), ('192.0.2.7', 2);
select throws_ok($$ insert into azekura.source_group_member values ('192.0.2.0/24', 2) $$, '23505', null, 'a network belongs to one group');
select throws_ok($$ delete from azekura.source_group where id = 1 $$, '23503', null, 'a group with members stays');

-- three groups over two days: each piece has blocks of its group and time alone
create temp table made as select g, d, azekura.ensure_partition(d, 'UTC', g::smallint) as name
  from unnest(array[0, 1, 2]) g, unnest(array[timestamptz '2026-03-10 12:00Z', '2026-03-11 12:00Z']) d;
select results_eq($$ select name from made order by 1 $$, $$ values ('log_block_20260310'), ('log_block_20260311'), ('log_block_g1_20260310'),
    ('log_block_g1_20260311'), ('log_block_g2_20260310'), ('log_block_g2_20260311') $$, 'each group has its pieces');
copy azekura.log_block from :'file';
select results_eq($$ select tableoid::regclass::text, count(*) from azekura.log_block group by 1 order by 1 $$,
    $$ values ('azekura.log_block_20260310', 10::bigint), ('azekura.log_block_20260311', 10::bigint), ('azekura.log_block_g1_20260310', 14::bigint),
              ('azekura.log_block_g1_20260311', 13::bigint), ('azekura.log_block_g2_20260310', 1::bigint), ('azekura.log_block_g2_20260311', 1::bigint) $$,
    'blocks lie with their group');
select hasnt_column('azekura', 'logs', 'source_group', 'a message does not show its group');
-- what a plain sort of all messages gives
create temp table sorted as select *, row_number() over (order by received_at, id) as n from azekura.logs;
select is(count(*), 5800::bigint, 'all messages of all groups are there') from sorted;

create function pg_temp.same_as_sorted(what text) returns setof text language plpgsql as $$
declare
    f timestamptz;
    t timestamptz;
    bad int := 0;
    tried int := 0;
    one record;
begin
    return query select is(array_agg(s.id order by s.n), (select array_agg(id order by n) from sorted), what || ': oldest first is the sort')
      from (select id, row_number() over () n from azekura.search('', "limit" := null, "order" := 'asc')) s;
    return query select is(array_agg(s.id order by s.n), (select array_agg(id order by n desc) from sorted), what || ': newest first is the sort backward')
      from (select id, row_number() over () n from azekura.search('', "limit" := null)) s;
    for one in select a.received_at f, b.received_at t, o from sorted a, sorted b, unnest(array['asc', 'desc']) o
                where a.n % 331 = 7 and b.n % 293 = 5 and b.n > a.n loop
        tried := tried + 1;
        if (select array_agg(s.id order by s.n) from (select id, row_number() over () n from azekura.search('', one.f, one.t, null, one.o)) s)
           is distinct from (select array_agg(id order by case one.o when 'asc' then n else -n end) from sorted
                              where received_at >= one.f and received_at < one.t) then
            bad := bad + 1;
        end if;
    end loop;
    return query select is(bad, 0, format('%s: so it is in %s ranges', what, tried));
    -- page by page
    return query
        with recursive page as (
            select array_agg(s.id order by s.n) ids, 0 k from (select id, row_number() over () n from azekura.search('', "limit" := 97)) s
            union all
            select (select array_agg(s.id order by s.n) from (select id, row_number() over () n
                      from azekura.search('', "limit" := 97, cursor := p.ids[cardinality(p.ids)])) s), k + 1
              from page p where cardinality(p.ids) = 97)
        select is(array_agg(id order by k, o), (select array_agg(id order by n desc) from sorted), what || ': and page by page')
          from page, unnest(ids) with ordinality u(id, o);
    return query select is((select count(*) from sorted where azekura.raw(id) is null), 0::bigint, what || ': each is found by its id');
    return query select is(sum(count), (select count(*) from sorted)::numeric, what || ': a histogram counts each once') from azekura.histogram('', null, null, 60);
end $$;
select pg_temp.same_as_sorted('three groups');
select is((select count(*) from azekura.search('source:192.0.2.11', "limit" := null)),
          (select count(*) from sorted where source = '192.0.2.11'), 'a condition finds across groups');


-- ---- EXPLAIN ----
create function pg_temp.plan_of(statement text) returns text language plpgsql as $$
declare
    line text;
    lines text := '';
begin
    for line in execute 'explain (costs off, timing off, summary off, analyze) ' || statement loop
        lines := lines || trim(line) || E'\n';
    end loop;
    return lines;
end $$;
select matches(pg_temp.plan_of('select * from azekura.logs where received_at >= ''2026-03-11'''), 'Blocks: 24 of 49\n', 'a range of time skips blocks of all groups');
select matches(pg_temp.plan_of('select * from azekura.logs where source = ''192.0.2.12'''), 'Blocks: 2 of 49\n', 'so does a sender');
select doesnt_match(pg_temp.plan_of('select * from azekura.logs order by received_at desc limit 10'), 'Sort', 'the newest ten need no sort');
select matches(pg_temp.plan_of('select * from azekura.logs order by received_at desc limit 10'), 'Blocks Read: [1-4]\n', 'nor more than the newest blocks of the groups');
select matches(pg_temp.plan_of('select count(*) from azekura.logs'), 'Blocks Read: 0\n', 'counting all opens none');
begin;
select azekura.search('');
select is(count(*), 0::bigint, 'a search locks log_block alone: a server has too few locks for every piece')
  from pg_locks l join pg_inherits i on i.inhrelid = l.relation where l.pid = pg_backend_pid();
rollback;

-- ---- split ----
update azekura.day_partition set (messages, raw_bytes) =
    (select coalesce(sum(b.messages), 0), coalesce(sum(b.raw_bytes), 0) from azekura.log_block b where b.tableoid = format('azekura.%I', name)::regclass);
create function pg_temp.last_block(piece text) returns timestamptz language plpgsql as $$
declare
    t timestamptz;
begin
    execute format('select max(first_at) from azekura.%I', piece) into t;
    return t;
end $$;
create function pg_temp.bounds(piece text) returns text language sql as $$
    select concat_ws(' ', source_group, day, to_char(lower at time zone 'UTC', 'DD HH24:MI:SS'), to_char(upper at time zone 'UTC', 'DD HH24:MI:SS'), messages)
      from azekura.day_partition where name = piece
$$;
select throws_ok($$ select azekura.split_piece('log_block_19700101', now()) $$, 'AZ003', 'there is no piece "log_block_19700101"', 'a piece that is not there is not split');
select throws_ok($$ select azekura.split_piece('log_block_g1_20260310', '2026-03-11') $$, '22023', null, 'nor at its end');
select throws_ok($$ select azekura.split_piece('log_block_g1_20260310', '2026-03-10') $$, '22023', null, 'nor at its beginning');
select throws_ok($$ select azekura.split_piece('log_block_g1_20260310', null) $$, '22023', null, 'nor nowhere');
select throws_like($$ select azekura.split_piece('log_block_g1_20260310', pg_temp.last_block('log_block_g1_20260310')) $$,
                   'piece log_block_g1_20260310 cannot be split at % a block in it begins at %', 'nor where a block begins');
select throws_like($$ select azekura.split_piece('log_block_g1_20260310', null, pg_temp.last_block('log_block_g1_20260310')) $$,
                   'piece log_block_g1_20260310 cannot be split before % its newest block begins at %', 'nor after a block that is too late');
select is(pg_temp.bounds('log_block_g1_20260310'), '1 2026-03-10 10 00:00:00 11 00:00:00 1400', 'it is as it was');
begin;
select is(azekura.split_piece('log_block_g1_20260310', null, '2026-03-10 23:00Z'), 'log_block_g1_20260310_1', 'it is split after what is in it');
select is((select upper - pg_temp.last_block(name) from azekura.day_partition where name = 'log_block_g1_20260310'), interval '1 us', 'right after its newest block begins');
rollback;
-- in the middle of the last block: the block stays where it begins
select is(azekura.split_piece('log_block_g1_20260310', pg_temp.last_block('log_block_g1_20260310') + interval '10 ms'), 'log_block_g1_20260310_1', 'within the last block it is split');
select is(pg_temp.bounds('log_block_g1_20260310'), '1 2026-03-10 10 00:00:00 10 12:00:26 1400', 'the piece ends there');
select is(pg_temp.bounds('log_block_g1_20260310_1'), '1 2026-03-10 10 12:00:26 11 00:00:00 0', 'the rest of the day is a new one');
select is(azekura.ensure_partition('2026-03-10 12:30Z', 'UTC', 1::smallint), 'log_block_g1_20260310_1', 'what comes goes there');
select is(azekura.ensure_partition('2026-03-10 12:00Z', 'UTC', 1::smallint), 'log_block_g1_20260310', 'what comes late goes to the old one');
select cmp_ok((select max(last_at) from azekura.log_block_g1_20260310), '>', (select upper from azekura.day_partition where name = 'log_block_g1_20260310'), 'a block reaches over the end');
select is(count(*), (select count(*) from azekura.day_partition), 'the tables'' bounds are those noted')
  from azekura.day_partition d join pg_class c on c.oid = format('azekura.%I', d.name)::regclass
 where pg_get_expr(c.relpartbound, c.oid) = format('FOR VALUES FROM (%L, %L) TO (%L, %L)', d.source_group::text, d.lower::text, d.source_group::text, d.upper::text);
select is(count(*), 4::bigint, 'with the indexes') from pg_indexes where tablename in ('log_block_g1_20260310', 'log_block_g1_20260310_1');
-- blocks that come after the split but begin before the end of the last one, in all groups
\set more `(echo @group 1; echo @seq 90001; echo @source 192.0.2.11; echo @at 2026-03-10T12:00:26.020Z; echo @step 2000; echo '@repeat 100 <13>late %d') | :make_blocks > :tmp/more.copy && echo yes`
\set more_file :tmp '/more.copy'
copy azekura.log_block from :'more_file';
select is(first_at, '2026-03-10 12:00:26.02Z'::timestamptz, 'a message of the new piece may lie before the last one of the old') from azekura.log_block_g1_20260310_1;
update azekura.day_partition set messages = 100, raw_bytes = (select sum(raw_bytes) from azekura.log_block_g1_20260310_1) where name = 'log_block_g1_20260310_1';
create function pg_temp.sort_again() returns bigint language plpgsql as $$
begin
    truncate sorted;
    insert into sorted select *, row_number() over (order by received_at, id) as n from azekura.logs;
    return (select count(*) from sorted);
end $$;
select is(pg_temp.sort_again(), 5900::bigint, 'all are there');
select pg_temp.same_as_sorted('a split piece');
select is(count(*), 65::bigint, 'a range that begins after the split finds what reaches over it')
  from azekura.search('core', '2026-03-10 12:00:26.175Z', '2026-03-10 13:00Z', null);

-- ---- compaction keeps to its piece ----
create temp table merged as select d.name, c.* from azekura.day_partition d, azekura.compact(d.name, now()) c;
select results_eq($$ select name, blocks_before, blocks_after from merged order by name $$, $$ values
    ('log_block_20260310', 10::bigint, 1::bigint), ('log_block_20260311', 10, 1), ('log_block_g1_20260310', 14, 1), ('log_block_g1_20260310_1', 1, 1),
    ('log_block_g1_20260311', 13, 1), ('log_block_g2_20260310', 1, 1), ('log_block_g2_20260311', 1, 1) $$, 'each piece is merged by itself');
select is(count(*), 3::bigint, 'blocks keep their group') from azekura.log_block where source_group = 1;
select is(count(*), 0::bigint, 'and verify') from azekura.log_block b where azekura.verify_block(b) is not null;
select pg_temp.same_as_sorted('merged pieces');
select is(azekura.next_to_compact(null, 2, now(), '-infinity'), null, 'there is nothing more to merge');
select is(count(*) filter (where merged_at = changed_at), count(*), 'which is noted') from azekura.day_partition;

-- ---- sizes ----
set role azekura_keeper;
select bytes as all_bytes from azekura.measure_pieces() \gset
reset role;
select is(:all_bytes::bigint, (select sum(pg_total_relation_size(format('azekura.%I', name)::regclass)) from azekura.day_partition)::bigint, 'pieces are measured');
select is(count(*), 7::bigint, 'one by one') from azekura.piece_size s join azekura.day_partition d using (name) where s.bytes > 0 and s.changed_at = d.changed_at;
update azekura.piece_size set bytes = 1;
select is(bytes, 7::bigint, 'those that have not changed are not measured again') from azekura.measure_pieces();
update azekura.day_partition set changed_at = clock_timestamp() where name = 'log_block_20260310';
select cmp_ok(bytes, '>', 1000::bigint, 'those that have are') from azekura.measure_pieces();

-- ---- drop ----
insert into azekura.ledger_total (listener, stored) select 'udp', count(*) from azekura.logs;
create function pg_temp.adds_up() returns boolean language sql as $$
    select (select sum(stored) from azekura.ledger_total)
         = (select count(*) from azekura.logs)
         + (select coalesce(sum((detail ->> 'messages')::bigint), 0) from azekura.audit where action = 'retention.delete')
$$;
select ok(pg_temp.adds_up(), 'stored is what is there');
select throws_ok($$ select azekura.drop_pieces(null, null, 'x', 'y') $$, '22023', null, 'names are needed');
select throws_ok($$ select azekura.drop_pieces('{}', null, 'x', 'y') $$, '22023', null, 'at least one');
select throws_ok($$ select azekura.drop_pieces('{a,a}', null, 'x', 'y') $$, '22023', null, 'each once');
select throws_ok($$ select azekura.drop_pieces('{a,b}', '{1}', 'x', 'y') $$, '22023', null, 'with as many numbers');
select throws_ok($$ select azekura.drop_pieces('{a}', null, '', 'y') $$, '22023', null, 'and a reason');
select throws_ok($$ select azekura.drop_pieces('{a}', null, 'x', null) $$, '22023', null, 'and who does it');
select throws_ok($$ select azekura.drop_pieces(array(select 'p' || i from generate_series(1, 513) i), null, 'x', 'y') $$, '22023', null, 'and no more than a server can lock');
select throws_ok($$ select azekura.drop_pieces('{log_block_20260310,log_block_g2_20260310}', '{1000,499}', 'request', 'admin') $$,
    'AZ002', 'piece log_block_g2_20260310 holds 500 messages now, not 499', 'nothing goes when one holds something else than was said');
select throws_ok($$ select azekura.drop_pieces('{log_block_20260310,log_block_g2_20260310}', '{1000,NULL}', 'request', 'admin') $$,
    'AZ002', null, 'nor when it was not said what one holds');
select throws_ok($$ select azekura.drop_pieces('{log_block_20260310,log_block_20200101}', null, 'request', 'admin') $$,
    'AZ003', 'piece "log_block_20200101" is gone', 'nor when one is gone');
insert into azekura.hold (lower, upper, source_group, reason, actor) values ('2026-03-10 12:00:26.3Z', '2026-03-10 12:00:26.4Z', 1, 'case 7', 'admin');
select throws_ok($$ select azekura.drop_pieces('{log_block_20260310,log_block_g1_20260310}', null, 'trim', 'keeper') $$,
    'AZ003', 'piece log_block_g1_20260310 is held', 'nor when the last block of one reaches into a hold');
select is(pg_temp.sort_again(), 5900::bigint, 'all is there');
select is(count(*), 0::bigint, 'and there is no receipt') from azekura.audit;
select is(string_agg(name, ' ' order by name), 'log_block_g1_20260310 log_block_g1_20260310_1', 'the hold pins pieces of its group alone')
  from azekura.day_partition where azekura.piece_is_held(source_group, lower, upper);

set role azekura_keeper;
select azekura.drop_pieces('{log_block_20260310,log_block_g2_20260310}', '{1000,500}', 'request', 'admin') as receipt \gset
reset role;
select is(to_regclass('azekura.log_block_20260310'), null, 'the table is gone');
select is(count(*), 0::bigint, 'and what was noted of it') from
    (select name from azekura.day_partition union all select name from azekura.piece_size) x where name in ('log_block_20260310', 'log_block_g2_20260310');
select is(count(*), 4400::bigint, 'the others'' messages are there') from azekura.search('', "limit" := null);
select is(count(*), 0::bigint, 'and none but those are gone') from sorted s where not exists (select from azekura.logs l where l.id = s.id)
   and not (s.received_at < '2026-03-11' and s.source in ('192.0.2.10', '192.0.2.12'));
select ok(pg_temp.adds_up(), 'stored is what is there and what the receipt says');
select results_eq(format($$ select actor, action, detail - 'bytes' - 'raw_bytes' - 'pieces' from azekura.audit where id = %s $$, :receipt),
    $$ values ('admin', 'retention.delete', '{"reason": "request", "from": "2026-03-10T00:00:00+00:00", "to": "2026-03-11T00:00:00+00:00", "group": null, "messages": 1500}'::jsonb) $$,
    'the receipt says who, why, what and how many');
select is(jsonb_path_query_array(detail, '$.pieces[*].group'), '["default", "debug"]', 'of which groups') from azekura.audit where id = :receipt;
select cmp_ok(least((detail ->> 'raw_bytes')::bigint, (detail ->> 'bytes')::bigint), '>', 40000::bigint, 'and how much') from azekura.audit where id = :receipt;

begin;
select azekura.drop_pieces('{log_block_20260311}', null, 'request', 'admin');
select ok(pg_temp.adds_up(), 'it adds up in the transaction of a deletion');
rollback;
select ok(pg_temp.adds_up(), 'and when that is undone');
select is(count(*), 4400::bigint, 'then all is there') from azekura.logs;
select is(azekura.ensure_partition('2026-03-10 12:00Z', 'UTC'), 'log_block_20260310', 'what comes late for a dropped day begins it anew');

-- ---- groups that are retired, pieces that never had a message ----
update azekura.source_group set retired_at = now() where id = 2;
select isnt(azekura.drop_pieces('{log_block_g2_20260311}', '{600}', 'keep_days', 'keeper'), null, 'the last piece of a retired group goes');
select ok(exists (select from azekura.source_group where id = 2), 'the group stays while a sender is in it');
delete from azekura.source_group_member where source_group = 2;
set role azekura_keeper;
select azekura.drop_empty_pieces() as dropped \gset
reset role;
select is(:dropped, 1, 'a finished piece that never had a message goes');
select is(count(*), 0::bigint, 'and then the group') from azekura.source_group where id = 2;
select ok(pg_temp.adds_up(), 'and still it adds up');

-- ---- rewriting ----
\set made `:make_blocks < blocks/many.txt > :tmp/many.copy && echo yes`
\set many :tmp '/many.copy'
select is(azekura.ensure_partition('2026-03-10 12:00Z', 'UTC'), 'log_block_20260310', 'a day of many small blocks');
copy azekura.log_block from :'many';
select is(blocks_after, 2::bigint, 'is merged') from azekura.compact('log_block_20260310', now());
create temp table before as select *, azekura.raw(id) as raw from azekura.logs;
select is(azekura.rewrite_piece('log_block_20200101'), null, 'a piece that is gone is not rewritten');
select is(azekura.rewrite_piece('log_block_20260311', 0.99), 0::bigint, 'nor one without that many holes');
select is(tidied_at, changed_at, 'which is noted') from azekura.day_partition where name = 'log_block_20260311';
set role azekura_keeper;
select azekura.rewrite_piece('log_block_20260310') as given_back \gset
reset role;
select cmp_ok(:given_back, '>', 100000, 'what merging left as holes is given back');
select azekura.measure_pieces();
select is(bytes, pg_total_relation_size('azekura.log_block_20260310'), 'it is measured again') from azekura.piece_size where name = 'log_block_20260310';
select is(count(*), 2::bigint, 'it has its indexes') from pg_indexes where tablename = 'log_block_20260310';
select is(count(*), 0::bigint, 'every message is the same') from
    ((select * from before except select *, azekura.raw(id) from azekura.logs) union all (select *, azekura.raw(id) from azekura.logs except select * from before)) x;
select is(array_agg(id), (select array_agg(id order by received_at, id) from before), 'in the same order')
  from azekura.search('', null, null, null, 'asc');
select is(count(*), 0::bigint, 'its blocks verify') from azekura.log_block b where azekura.verify_block(b) is not null;
select is(count(*), 0::bigint, 'no table is left over') from pg_class where relname like '%fresh' and relkind = 'r';
select throws_ok($$ select azekura.copy_blocks('azekura.log_block_20260311', 'azekura.log_block_g1_20260311') $$, '55000', null, 'rows visible to all go into a fresh table alone');
select * from finish();
