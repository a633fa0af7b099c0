-- The pairs in messages, and marks: a search finds what reading each message alone finds, whatever blocks and the token
-- index do; facets and pairs() tell the same.
\set file :tmp '/pairs.copy'
\set made `:make_blocks < blocks/pairs.txt > :tmp/pairs.copy && echo yes`
select plan(74);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a partition');
copy azekura.log_block from :'file';

create temp table row_by_row as select l.id, l as entry from azekura.logs l;
select is(count(*), 71::bigint, 'all messages are there') from row_by_row;

create temp table query (q text, n integer);
insert into query values
    ('kv.action:deny', 2), ('kv.ACTION:DENY', 2), ('kv.action:*', 4), ('kv.action:d*', 3), ('-kv.action:* kv.src*:*', 3),
    ('kv.srcip:10.0.0.7', 1), ('kv.src:10.0.0.7', 3), ('kv.src*:10.0.0.?', 5), ('kv.*:10.0.0.7', 4),
    ('kv.sentbyte:>1000', 1), ('kv.sentbyte:<=10', 1), ('kv.sentbyte:10..3000', 2), ('kv.port:>=58', 2), ('kv.port:7', 1),
    ('kv.port:(7 OR 8) kv.state:up', 2), ('kv.msg:"say \"hi\" to all"', 1), ('kv.msg:""', 1), ('kv.msg:*hi*', 1),
    ('kv.cef.vendor:"Vendor|X"', 1), ('kv.vendor:Vendor*', 2), ('kv.cs1:"allow all"', 1), ('kv.rule:"allow all"', 1),
    ('kv.usrname:bob', 1), ('kv.cat:"port scan"', 1), ('kv.user.name:bob', 1), ('kv.user.ids:8', 1), ('kv.user.ids.1:8', 1),
    ('kv.text:応答*', 1), ('kv.text:*a<b', 1), ('kv.text:"応答 a<b"', 1), ('kv.ok:true', 1), ('kv.iut:3', 1),
    ('kv.exampleSDID@32473.iut:3', 1), ('kv.eventsource:"App \"x\""', 1), ('kv.product:VPN*', 1), ('kv.ID:54321', 1),
    ('kv.id:"54321 DF"', 1), ('kv.OUT:""', 1), ('kv.service:msrpc', 1), ('kv.service:"msrpc Endpoint Mapper(tcp)"', 1),
    ('kv.nosuchname:*', 0), ('kv.action:nosuchvalue', 0), ('mark:no_pri', 1), ('-mark:*', 70), ('mark:no_pri kv.user:root', 1);
select is((select count(*) from azekura.search(q, "limit" := null)), n::bigint, format('%s finds %s', q, n)) from query;
select is(
    (select array_agg(id order by id) from azekura.search(q, "limit" := null)),
    (select array_agg(id order by id) from row_by_row where azekura.matches(entry, q)),
    format('%s finds what matching row by row finds', q))
  from query where n > 1;

select results_eq(
    $$ select p.name, p.value from azekura.search('kv.cef.name:*') s, azekura.pairs(s.id) p $$,
    $$ values ('cef.version', '0'), ('cef.vendor', 'Vendor|X'), ('cef.product', 'Product'), ('cef.device_version', '1.0'),
        ('cef.signature_id', '100'), ('cef.name', 'port scan'), ('cef.severity', '7'), ('src', '10.0.0.7'),
        ('dst', '192.0.2.9'), ('cs1Label', 'Rule'), ('cs1', 'allow all'), ('msg', E'a=b\nc'), ('Rule', 'allow all') $$,
    'pairs() gives the pairs of a message in their order');
select results_eq(
    $$ select * from azekura.pairs_of('a=1 b="two words"', '[x@1 y="z"]') $$,
    $$ values ('x@1.y', 'z'), ('a', '1'), ('b', 'two words') $$, 'pairs_of() reads any text, structured data first');
select is_empty($$ select * from azekura.pairs('0000000000000000-0000000000000000') $$, 'no message, no pairs');
select results_eq(
    $$ select * from azekura.facets('kv.action', '') $$,
    $$ values ('Deny', 1::bigint), ('Drop', 1), ('accept', 1), ('deny', 1) $$, 'facets of a pair count its values');
select results_eq($$ select * from azekura.facets('mark', '') $$, $$ values ('no_pri', 1::bigint) $$, 'marks have facets');
select is(azekura.marks(id), array['no_pri'], 'marks() names them') from azekura.search('mark:no_pri');
select throws_ok($$ select * from azekura.search('kv.:x') $$, 'AZ001', null, 'kv. needs a name');
select throws_ok($$ select azekura.marks('x') $$, '22023', 'invalid id "x"', 'a bad id is named');

-- a name or word that no message has opens no block
select count(*) from azekura.search('kv.nosuchname:*');
select is(blocks_read, 0::bigint, 'the token index knows the names') from azekura.last_scan();
select count(*) from azekura.search('kv.action:nosuchvalue');
select is(blocks_read, 0::bigint, 'and the values') from azekura.last_scan();
create function pg_temp.plan_of(statement text) returns text language plpgsql as $$
declare
    line text;
    lines text := '';
begin
    for line in execute 'explain (analyze, costs off, timing off, summary off) ' || statement loop
        lines := lines || trim(line) || E'\n';
    end loop;
    return lines;
end $$;
select matches(
    pg_temp.plan_of('select id from azekura.logs where azekura.matches(logs, ''kv.Action:(DENY OR nosuchvalue) mark:no_pri'')'),
    'Query: \(kv."action":"deny" OR kv."action":"nosuchvalue"\) mark:no_pri\n', 'EXPLAIN says how a query was understood');
select matches(
    pg_temp.plan_of('select id from azekura.logs where azekura.matches(logs, ''kv.action:nosuchvalue'')'),
    'Blocks Skipped by Token Index: 4\n', 'and what the token index has ruled out');
select is((select count(*) from (select l as row from azekura.logs l offset 0) x where azekura.matches(row, 'mark:no_pri kv.user:root')),
    1::bigint, 'marks are known where the condition is not pushed down');
select ok(bool_and(azekura.verify_block(b) is null), 'the blocks are good') from azekura.log_block b;

select * from finish();
