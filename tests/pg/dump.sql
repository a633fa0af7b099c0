-- pg_dump and restore: everything is ordinary PostgreSQL data.
\set ON_ERROR_STOP on
\set file :tmp '/mixed.copy'
\set made `:make_blocks < blocks/mixed.txt > :tmp/mixed.copy && echo yes`
select azekura.ensure_partition('2026-03-10') as part \gset
copy azekura.log_block from :'file';
select md5(string_agg(l::text || encode(azekura.raw(id), 'hex'), '' order by id)) as digest, count(*) as n from azekura.logs l \gset
\set restored `pg_dump -h :HOST -U postgres -d :DBNAME > :tmp/dump.sql && createdb -h :HOST -U postgres restored && psql -X -q -v ON_ERROR_STOP=1 -h :HOST -U postgres -d restored -f :tmp/dump.sql > :tmp/restore.log 2>&1 && echo yes`
\c restored
select plan(6);
select is(:'restored'::text, 'yes', 'the dump is restored without an error');
select is(count(*), :n::bigint, 'all messages are there') from azekura.logs;
select is((select md5(string_agg(l::text || encode(azekura.raw(id), 'hex'), '' order by id)) from azekura.logs l), :'digest', 'with the same fields, ids and bytes');
select is(count(*), 0::bigint, 'the blocks verify') from azekura.log_block b where azekura.verify_block(b) is not null;
select throws_ok($$ select azekura.verify_block(row(1, 'x')) $$, '42804', null, 'a row of something else is refused');
set role azekura_web;
select count(*) as seen from azekura.search('failed', "limit" := null) \gset
reset role;
select is(:seen, 121, 'the web''s role may search as before');
select * from finish();
