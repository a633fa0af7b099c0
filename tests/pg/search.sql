-- What a search finds: the same as matching each row alone, whatever blocks and indexes do.
\set file :tmp '/mixed.copy'
\set made `:make_blocks < blocks/mixed.txt > :tmp/mixed.copy && echo yes`
select plan(47);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a partition');
copy azekura.log_block from :'file';

-- all rows, each matched alone by azekura.matches()
create temp table row_by_row as
    select l.id, l as entry from azekura.logs l;
select is(count(*), 280::bigint, 'all messages are there') from row_by_row;

prepare found(text) as
    select s.id from azekura.search($1, "limit" := null) s order by 1;
create temp table query (q text);
insert into query values (''), ('failed'), ('FAILED password'), ('"failed password"'), ('fail'), ('fail*'), ('-failed'),
    ('link down'), ('link OR failed'), ('(link OR failed) -down'), ('severity:<=err'), ('severity:err'),
    ('facility:local4'), ('source:192.0.2.0/24'), ('source:2001:db8::9'), ('-source:192.0.2.2'), ('hostname:fw*'),
    ('hostname:fw01 -app_name:sshd'), ('app_name:SSHD'), ('procid:1?'), ('msgid:ID47'), ('msgid:*'), ('-msgid:*'),
    ('structured_data:abc'), ('message:event'), ('format:raw'), ('listener:tls'), ('応答'), ('無応答'), ('"100%"'),
    ('straße'), ('äöü'), ('fail_over'), ('10.0.0.7'), ('0.0.7'), ('changed "state to"'), ('nosuchword'), ('ssh* port');
select results_eq(
    format('execute found(%L)', q),
    format('select id from row_by_row where azekura.matches(entry, %L) order by 1', q),
    format('%s finds what matching row by row finds', q))
  from query;

select is(count(*), 2::bigint, 'a row matches only as a whole: "link" and "down" stand in two of them')
  from azekura.search('hostname:fw01 (link OR down)', "limit" := null);
select is(count(*), 0::bigint, 'and no row has both')
  from azekura.search('hostname:fw01 link down', "limit" := null);

select throws_ok($$ select * from azekura.search('a (b') $$, 'AZ001', null, 'a query that cannot be read has its own SQLSTATE');
do $$
declare
    what text;
begin
    perform azekura.search('無応答 )');
exception when sqlstate 'AZ001' then
    get stacked diagnostics what = pg_exception_detail;
    perform set_config('test.detail', what, false);
end $$;
select is(current_setting('test.detail'), 'at character 5', 'it says where, counted in characters');
select throws_ok($$ select * from azekura.search('', cursor := 'x') $$, '22023', 'invalid cursor "x"', 'a bad cursor is named');
select throws_ok($$ select * from azekura.search('', "order" := 'up') $$, '22023', 'invalid order "up"', 'a bad order is named');
select throws_ok($$ select * from azekura.search('', "limit" := -1) $$, '22023', 'limit -1 is negative', 'a bad limit is named');

select * from finish();
