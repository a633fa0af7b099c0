-- What the receiver says of listeners and certificates, and what is asked of it; keys go when they are handled.
begin;
select plan(54);

-- detail
select lives_ok($$ select azekura.report_receiver_detail('/state', '{"listeners":[]}') $$, 'a receiver says what it does');
select lives_ok($$ select azekura.report_receiver_detail('/state', '{"listeners":[{"name":"udp"}]}') $$, 'and again');
select results_eq($$ select detail #>> '{listeners,0,name}' from azekura.receiver_detail $$, $$ values ('udp') $$, 'the last report stands');
select throws_ok($$ select azekura.report_receiver_detail('/state', '[]') $$, '22023', null, 'a list is none');
select throws_ok($$ select azekura.report_receiver_detail('/state', null) $$, '22023', null, 'nor is nothing');
select throws_ok($$ select azekura.report_receiver_detail('/state', jsonb_build_object('x', (select jsonb_agg(md5(i::text)) from generate_series(1, 3000) i))) $$,
    '22023', null, 'nor what is larger than 64 KiB');
select is(relpersistence, 'u'::"char", 'it costs no WAL') from pg_class where oid = 'azekura.receiver_detail'::regclass;

-- listeners with several addresses
select azekura.report_listeners('/state', '{udp,udp,tcp}', '{127.0.0.1,::1,::1}', '{5514,5514,5514}', '{100,200,null}');
select results_eq($$ select name, host(address), port, receive_buffer_bytes from azekura.receiver_listener order by name, 2 $$,
    $$ values ('tcp', '::1', 5514, null::bigint), ('udp', '127.0.0.1', 5514, 100), ('udp', '::1', 5514, 200) $$, 'a listener may have several addresses');
select azekura.report_listeners('/state', '{udp,udp}', '{127.0.0.1,127.0.0.1}', '{5514,5514}', '{300,300}');
select results_eq($$ select name, host(address), port, receive_buffer_bytes from azekura.receiver_listener $$,
    $$ values ('udp', '127.0.0.1', 5514, 300::bigint) $$, 'what is not reported any more goes, what is reported twice is one');
select azekura.report_listeners('/other', '{tcp}', '{127.0.0.1}', '{1}', '{null}');
select azekura.report_listeners('/state', '{}', '{}', '{}', '{}');
select results_eq($$ select receiver from azekura.receiver_listener $$, $$ values ('/other') $$, 'each receiver has its own');

-- certificates
select azekura.report_tls_certificate('/state', 'CN=a', '{a,192.0.2.1}', 'CN=ca', '2026-01-01', '2027-01-01', repeat('ab', 32), 'ec-p256', false, 'PEM');
select azekura.report_tls_certificate('/state', 'CN=b', null, 'CN=b', '2026-01-01', '2028-01-01', repeat('cd', 32), 'rsa-3072', true, 'PEM');
select results_eq($$ select subject, names, is_self_signed from azekura.tls_certificate $$, $$ values ('CN=b', '{}'::text[], true) $$, 'the last certificate stands');
select azekura.report_tls_certificate('/state', null, null, null, null, null, null, null, null, null);
select is(count(*), 0::bigint, 'and goes when the receiver has none') from azekura.tls_certificate;
select azekura.report_tls_csr('/state', 'CN=a', '{a}', 'ec-p256', now(), 'CSR');
select azekura.report_tls_csr('/state', 'CN=c', '{c}', 'ec-p256', now(), 'CSR2');
select results_eq($$ select subject, pem from azekura.tls_csr $$, $$ values ('CN=c', 'CSR2') $$, 'one request is pending');
select azekura.report_tls_csr('/state', null, null, null, null, null);
select is(count(*), 0::bigint, 'and goes when it is answered') from azekura.tls_csr;
select azekura.report_tls_client_cas('/state', '{aa,bb}', '{CN=1,CN=2}', '{2026-01-01,2026-01-01}', '{2027-01-01,2027-01-01}', '{P1,P2}');
select azekura.report_tls_client_cas('/state', '{bb,cc}', '{CN=2,CN=3}', '{2026-01-01,2026-01-01}', '{2029-01-01,2027-01-01}', '{P2,P3}');
select results_eq($$ select fingerprint, not_after from azekura.tls_client_ca order by 1 $$, $$ values ('bb', '2029-01-01'::timestamptz), ('cc', '2027-01-01') $$,
    'authorities are those of the last report');
select azekura.report_tls_senders('{192.0.2.1,192.0.2.1,2001:db8::1}', '{aa,aa,aa}', '{fw,fw,gw}', '{2027-01-01,2027-01-01,2027-01-01}',
    '{2026-11-01,2026-11-02,2026-11-01}', '{2026-11-01,2026-11-03,2026-11-01}', '{1,2,4}');
select azekura.report_tls_senders('{192.0.2.1}', '{aa}', '{fw2}', '{2027-01-01}', '{2026-11-04}', '{2026-11-04}', '{5}');
select results_eq($$ select host(source), name, first_at, last_at, connections from azekura.tls_sender order by 1 $$,
    $$ values ('192.0.2.1', 'fw2', '2026-11-01'::timestamptz, '2026-11-04'::timestamptz, 8::bigint), ('2001:db8::1', 'gw', '2026-11-01', '2026-11-01', 4) $$,
    'senders add up, a source and certificate');

-- asking
select azekura.ask_tls('account:a', 'csr', '{"common_name":"a","names":["b","c"],"organization":"o","country":"JP","key":"ec-p256"}', null, null, null) as csr \gset
select azekura.ask_tls('account:a', 'install', '{"pem":"CERT"}', 'THE KEY', null, 'THE PASSWORD') as install \gset
select throws_ok($$ select azekura.ask_tls('a', 'format', '{}', null, null, null) $$, '22023', null, 'nothing else can be asked');
select throws_ok($$ select azekura.ask_tls('a', null, '{}', null, null, null) $$, '22023', null, 'nor nothing');
select throws_ok($$ select azekura.ask_tls('a', 'csr', '[]', null, null, null) $$, '22023', null, 'nor without an object');
select throws_ok($$ select azekura.ask_tls('a', 'install', '{}', repeat('x', 70000), null, null) $$, '22023', null, 'nor with more than 64 KiB');
select results_eq($$ select id, kind, common_name, names, organization, country, key, key_pem from azekura.next_tls_request() $$,
    format($$ values (%s::bigint, 'csr', 'a', E'b\nc', 'o', 'JP', 'ec-p256', null::text) $$, :csr), 'the oldest comes first, its members apart');
select results_eq($$ select id from azekura.next_tls_request() $$, format('values (%s::bigint)', :csr), 'until it is answered');
select ok(azekura.answer_tls(:csr, 'THE CSR', null), 'it is answered');
select ok(not azekura.answer_tls(:csr, 'another', null), 'once');
select results_eq(format('select state, answer, error from azekura.tls_request where id = %s', :csr), $$ values ('done', 'THE CSR', null::text) $$, 'done');
select results_eq($$ select kind, pem, key_pem, pkcs12_base64, password from azekura.next_tls_request() $$,
    $$ values ('install', 'CERT', 'THE KEY', null::text, 'THE PASSWORD') $$, 'a key comes with its request');
select ok(azekura.answer_tls(:install, null, 'the key is of another certificate'), 'refused');
select results_eq(format('select state, answer, error from azekura.tls_request where id = %s', :install),
    $$ values ('refused', null::text, 'the key is of another certificate') $$, 'with a sentence');
select is(pg_relation_size('azekura.tls_secret'), 0::bigint, 'the key is not even in a dead row of the table');
select is(count(*), 0::bigint, 'no request waits') from azekura.next_tls_request();
select is(relpersistence, 'u'::"char", 'and never was in the WAL') from pg_class where oid = 'azekura.tls_secret'::regclass;
select ok(not exists (select from azekura.audit a where a.detail::text ~ 'THE|CERT'), 'the audit log has neither key nor password nor certificate');
select results_eq($$ select action, detail ->> 'state', detail ->> 'with_key', detail ->> 'error' from azekura.audit where action like 'tls.%' order by id $$,
    $$ values ('tls.csr', 'asked', 'false', null), ('tls.install', 'asked', 'true', null), ('tls.csr', 'done', null, null),
              ('tls.install', 'refused', null, 'the key is of another certificate') $$, 'but who asked for what and how it ended');

-- nobody takes it
select azekura.ask_tls('a', 'install', '{}', null, 'UEtDUw==', null) as late \gset
update azekura.tls_request set at = now() - interval '301 s' where id = :late;
select is(azekura.tidy_tls(), 1::bigint, 'after five minutes it is closed');
select results_eq(format('select state, error is not null from azekura.tls_request where id = %s', :late), $$ values ('refused', true) $$, 'refused, with a sentence');
select is(pg_relation_size('azekura.tls_secret'), 0::bigint, 'and its key is gone');
select azekura.ask_tls('a', 'install', '{}', 'K', null, null) as lost \gset
truncate azekura.tls_secret;
select is(count(*), 0::bigint, 'a key that the database lost in a crash is not waited for') from azekura.next_tls_request();
select matches(error, 'again', 'whoever asked is told') from azekura.tls_request where id = :lost;
select is((select count(azekura.ask_tls('a', 'self_signed', '{}', null, null, null)) from generate_series(1, 20)), 16::bigint, 'sixteen may wait');
delete from azekura.tls_request;

-- what is old
insert into azekura.tls_request (actor, kind, document, has_secret, state, answered_at) values ('a', 'csr', '{}', false, 'done', now() - interval '91 days'),
    ('a', 'csr', '{}', false, 'done', now() - interval '89 days');
insert into azekura.tls_sender select '10.0.0.0'::inet + i, 'ff', 'x', now(), now(), now() - i * interval '1 s', 1 from generate_series(1, 10100) i;
select is(azekura.tidy_tls(), 103::bigint, 'requests of 90 days and senders beyond 10,000 are forgotten');
select is(count(*), 10000::bigint, 'the last heard stay') from azekura.tls_sender;

-- who may send
select lives_ok($$ select azekura.set_tls_allowed('a', '{name,fingerprint}', '{fw,aa}', '{"note",""}') $$, 'a list');
select lives_ok($$ select azekura.set_tls_allowed('a', '{name}', '{gw}', '{""}') $$, 'takes the place of the one before');
select results_eq('select kind, value from azekura.tls_allowed', $$ values ('name', 'gw') $$, 'whole');
select throws_ok($$ select azekura.set_tls_allowed('a', '{name,name}', '{x,x}', '{"",""}') $$, '23505', null, 'nothing stands there twice');
select results_eq($$ select jsonb_array_length(detail -> 'old'), jsonb_array_length(detail -> 'new') from azekura.audit where action = 'tls.allowed' order by id $$,
    $$ values (0, 2), (2, 1) $$, 'the audit log has both');

-- whom a list would shut out
delete from azekura.tls_sender;
insert into azekura.tls_sender select a, f, n, now(), now(), now() - ago, 1 from (values
    (inet '192.0.2.1', 'aa', 'FW.a.example', interval '1 min'), ('192.0.2.2', 'bb', 'gw', '2 min'), ('192.0.2.3', 'cc', '*.b.example', '3 min'),
    ('192.0.2.4', 'dd', 'old', '2 h')) v(a, f, n, ago);
create function pg_temp.shut_out(present text[], list text[]) returns text language plpgsql as $$
begin
    perform azekura.set_tls_allowed('a', array(select split_part(p, ' ', 1) from unnest(present) p), array(select split_part(p, ' ', 2) from unnest(present) p),
                                    array(select '' from unnest(present)));
    return (select format('%s of %s: %s', outside, heard, who)
              from azekura.tls_shut_out(array(select split_part(p, ' ', 1) from unnest(list) p), array(select split_part(p, ' ', 2) from unnest(list) p)));
end $$;
select is(pg_temp.shut_out(present, list), wanted, format('in place of %s the list %s shuts out %s', present, list, wanted)) from (values
    ('{}'::text[], '{}'::text[], '0 of 3: '), ('{}', '{name fw.A.example}', '2 of 3: gw (192.0.2.2), *.b.example (192.0.2.3)'),
    ('{}', '{name *.a.example,fingerprint bb,name x.b.example}', '0 of 3: '),
    ('{}', '{name *.example,name gw}', '2 of 3: FW.a.example (192.0.2.1), *.b.example (192.0.2.3)'),
    ('{}', '{name old}', '3 of 3: FW.a.example (192.0.2.1), gw (192.0.2.2), *.b.example (192.0.2.3)'), ('{name gw}', '{name gw,name x}', '0 of 3: '),
    ('{name gw}', '{name fw.a.example}', '1 of 3: gw (192.0.2.2)'),
    ('{name old}', '{name x}', '3 of 3: FW.a.example (192.0.2.1), gw (192.0.2.2), *.b.example (192.0.2.3)')) v(present, list, wanted);

select * from finish();
rollback;
