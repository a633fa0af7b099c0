-- The bytes as received come back exactly, whatever they are.
\set file :tmp '/mixed.copy'
\set made `:make_blocks < blocks/mixed.txt > :tmp/mixed.copy && echo yes`
select plan(14);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a partition');
copy azekura.log_block from :'file';

select is(count(*), 280::bigint, 'every message has its bytes') from azekura.logs where azekura.raw(id) is not null;
select is((select convert_from(azekura.raw(id), 'utf8') from azekura.search('"root from" procid:7')),
          '<34>Mar 10 11:59:59 fw01 sshd[7]: Failed password for root from 10.0.0.7 port 22 ssh2', 'BSD syslog');
select is((select convert_from(azekura.raw(id), 'utf8') from azekura.search('"event 69"')),
          '<165>1 2026-03-10T12:00:00Z app.example.jp myproc 8710 ID47 [ex@32473 iut="3" user="abc"] An application event 69', 'RFC 5424');
select is((select convert_from(azekura.raw(id), 'utf8') from azekura.search('応答なし')),
          '<13>Mar 10 12:00:01 unicode test: 無応答です 応答なし ÄÖÜ straße', 'Japanese');
create temp table newest as select row_number() over () as n, * from azekura.search('', "limit" := 3);
select is((select azekura.raw(id) from newest where n = 1), ''::bytea, 'nothing at all');
select is((select message from newest where n = 1), '', 'shows as nothing');
select is((select azekura.raw(id) from newest where n = 2), '\x3c31343e0001fffe'::bytea, 'NUL and invalid UTF-8');
select ok((select message like '%' || chr(9216) || chr(1) || chr(65533) || chr(65533) from newest where n = 2), 'show as U+2400 and U+FFFD');
select is(azekura.raw('00064caa4250ae58-0000000000000bad'), null, 'an id that no message has');
select throws_ok($$ select azekura.raw('12') $$, '22023', 'invalid id "12"', 'what is no id');
select is(azekura.raw(null), null, 'no id, no bytes');
-- ids of several blocks in no order
select is((select count(*) from (select azekura.raw(id) as raw, message from azekura.logs order by md5(id)) x
            where position(convert_to(message, 'utf8') in raw) = 0), 1::bigint,
          'in any order each id gives its own bytes (one message was cleaned)');
-- the one before says where the next may be, and may be wrong
select is((select count(*) from (select azekura.raw(id) as raw, message from
            (select * from azekura.logs, generate_series(1, 2) order by received_at desc, id desc) twice) x
            where position(convert_to(message, 'utf8') in raw) = 0), 2::bigint,
          'backwards and twice each id gives its own bytes');
select * from finish();
