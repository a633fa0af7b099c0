-- Who may do what: each daemon's role has no more than it needs.
begin;
select plan(175);

select is(count(*), 4::bigint, 'the four roles exist')
  from pg_roles where rolname in ('azekura', 'azekura_receiver', 'azekura_keeper', 'azekura_web');
select is(count(*), 0::bigint, 'none of them is a superuser, makes roles or databases, or replicates')
  from pg_roles
 where rolname like 'azekura%' and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls);
select is(count(*), 0::bigint, 'none of them is a member of another role')
  from pg_auth_members m join pg_roles r on r.oid = m.member where r.rolname like 'azekura%';
select is(count(*), 0::bigint, 'nobody may execute a function of the schema by being anybody')
  from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
 where p.pronamespace = 'azekura'::regnamespace and a.grantee = 0;
select is(count(*), 0::bigint, 'nobody may touch a table of the schema by being anybody')
  from pg_class c, aclexplode(c.relacl) a
 where c.relnamespace = 'azekura'::regnamespace and a.grantee = 0;

select azekura.ensure_partition('2026-03-10 12:00Z');

create function pg_temp.state_as(who name, statement text) returns text language plpgsql as $$
declare
    state text := '00000';
begin
    execute format('set local role %I', who);
    begin
        execute statement;
    exception when others then
        get stacked diagnostics state = returned_sqlstate;
    end;
    reset role;
    return state;
end $$;
grant usage on schema azekura to public; -- within this transaction: schema rights do not hide table rights

create temp table attempt (who name, statement text, state text, what text);
insert into attempt values
    ('azekura_receiver', 'select * from azekura.logs', '42501', 'the receiver cannot read messages'),
    ('azekura_receiver', 'select * from azekura.log_block', '42501', 'the receiver cannot read blocks'),
    ('azekura_receiver', 'select * from azekura.search('''')', '42501', 'the receiver cannot search'),
    ('azekura_receiver', 'delete from azekura.log_block', '42501', 'the receiver cannot delete blocks'),
    ('azekura_receiver', 'select * from azekura.account', '42501', 'the receiver cannot read accounts'),
    ('azekura_receiver', 'insert into azekura.ledger values (now(), ''udp'', ''192.0.2.1'')', '42501',
        'the receiver cannot write the ledger but through its functions'),
    ('azekura_receiver', 'insert into azekura.log_block (first_at, last_at, first_seq, messages, raw_bytes,
        severities, facilities, listeners, senders) values (''2026-03-10 12:00Z'', ''2026-03-10 12:00Z'', 1, 1,
        1, 1, 1, 1, '''')', '00000', 'the receiver inserts blocks'),
    ('azekura_receiver', 'select * from azekura.stored_unit', '42501', 'the receiver cannot read what is stored of other runs'),
    ('azekura_receiver', 'select azekura.claim_unit(gen_random_uuid(), 1, ''UTC'', ''{0}'', ''{2026-03-10 12:00Z}'', ''{1}'', ''{1}'', ''{1}'')', '00000',
        'the receiver claims units'),
    ('azekura_receiver', 'select azekura.count_unit(array[now()], array[''udp''], array[''192.0.2.1''::inet], array[1], array[0],
        array[10], array[0], array[0, 0, 0, 0, 0, 0, 0, 1])', '00000', 'the receiver counts what was rejected'),
    ('azekura_receiver', 'select * from azekura.compact(''log_block_20260310'', now())', '42501',
        'the receiver cannot compact'),
    ('azekura_web', 'insert into azekura.log_block (first_at, last_at, first_seq, messages, raw_bytes,
        severities, facilities, listeners, senders) values (''2026-03-10 12:00Z'', ''2026-03-10 12:00Z'', 1, 1,
        1, 1, 1, 1, '''')', '42501', 'the web cannot insert blocks'),
    ('azekura_web', 'delete from azekura.log_block', '42501', 'the web cannot delete blocks'),
    ('azekura_web', 'insert into azekura.source_setting (network) values (''192.0.2.0/24'')', '42501', 'the web sets rows of sources through a function alone'),
    ('azekura_web', 'select * from azekura.set_source_setting(''192.0.2.0/24'', ''{}'', null, ''test'')', '00000', 'the web sets a row of sources'),
    ('azekura_web', 'select * from azekura.unset_source_setting(''192.0.2.0/24'', null, ''test'')', '00000', 'the web removes a row of sources'),
    ('azekura_web', 'select azekura.acknowledge_sources(null, ''test'')', '00000', 'the web acknowledges sources'),
    ('azekura_web', 'update azekura.source set acknowledged_at = now()', '42501', 'the web changes nothing else of a source'),
    ('azekura_web', 'select azekura.source_preview(''192.0.2.0/24'', null, null, ''UTC'', ''UTF-8'')', '00000', 'the web previews'),
    ('azekura_web', 'select azekura.ask_reparse(''192.0.2.0/24'', null, null, ''UTC'', ''UTF-8'', ''test'')', '00000', 'the web asks for messages to be parsed again'),
    ('azekura_web', 'select azekura.reparse_step()', '42501', 'the web does not parse them again'),
    ('azekura_web', 'select azekura.reparse_block(''log_block_20260310'', now(), 1, ''192.0.2.0/24'', null, null, null, null, null)', '42501', 'the web does not rewrite blocks'),
    ('azekura_web', 'delete from azekura.reparse_request', '42501', 'the web does not forget requests'),
    ('azekura_keeper', 'select azekura.reparse_step()', '00000', 'the keeper parses messages again'),
    ('azekura_keeper', 'select azekura.reparse_block(''log_block_20260310'', now(), 1, ''192.0.2.0/24'', null, null, null, null, null)', '42501', 'the keeper rewrites blocks for a request alone'),
    ('azekura_keeper', 'insert into azekura.reparse_request (actor, network, but_not, zone) values (''k'', ''192.0.2.0/24'', ''{}'', ''UTC'')', '42501', 'the keeper asks for nothing itself'),
    ('azekura_receiver', 'select azekura.ask_reparse(''192.0.2.0/24'', null, null, ''UTC'', ''UTF-8'', ''test'')', '42501', 'the receiver asks for nothing'),
    ('azekura_web', 'update azekura.log_block set messages = 1', '42501', 'the web cannot change blocks'),
    ('azekura_web', 'delete from azekura.audit', '42501', 'the web cannot remove what the audit log says'),
    ('azekura_web', 'update azekura.ledger set stored = 0', '42501', 'the web cannot change the ledger'),
    ('azekura_web', 'select rejected, refused from azekura.ledger', '00000', 'the web reads the ledger'),
    ('azekura_web', 'select rejected, kernel_dropped from azekura.ledger_total', '00000', 'the web reads the ledger''s totals'),
    ('azekura_web', 'select azekura.claim_unit(gen_random_uuid(), 1, null, ''{}'', ''{}'', ''{}'', ''{}'', ''{}'')', '42501', 'the web cannot claim units'),
    ('azekura_web', 'select azekura.ensure_partition(now())', '42501', 'the web cannot make partitions'),
    ('azekura_web', 'select azekura.verify_block(b) from azekura.log_block b', '42501', 'the web cannot verify'),
    ('azekura_web', 'select * from azekura.compact(''log_block_20260310'', now())', '42501',
        'the web cannot compact'),
    ('azekura_web', 'select * from azekura.logs where received_at < ''2000-01-01''', '00000', 'the web reads messages'),
    ('azekura_web', 'select * from azekura.search('''', ''2000-01-01'', ''2000-01-02'')', '00000', 'the web searches'),
    ('azekura_web', 'select azekura.raw(''0000000000000000-0000000000000000'')', '00000', 'the web reads raw bytes'),
    ('azekura_web', 'select * from azekura.last_scan()', '00000', 'the web asks about its last scan'),
    ('azekura_web', 'drop table azekura.log_block', '42501', 'the web drops nothing'),
    ('azekura_web', 'create table azekura.x (i int)', '42501', 'the web creates nothing'),
    ('azekura_keeper', 'select * from azekura.account', '42501', 'the keeper cannot read accounts'),
    ('azekura_keeper', 'update azekura.log_block set messages = 1', '42501', 'the keeper cannot change blocks'),
    ('azekura_keeper', 'select * from azekura.logs where received_at < ''2000-01-01''', '42501', 'the keeper cannot read messages'),
    ('azekura_keeper', 'select * from azekura.search('''', ''2000-01-01'', ''2000-01-02'')', '42501', 'the keeper cannot search'),
    ('azekura_keeper', 'select rejected, refused from azekura.ledger', '42501', 'the keeper cannot read counts'),
    ('azekura_keeper', 'select * from azekura.ledger_total', '42501', 'the keeper cannot read the totals'),
    ('azekura_keeper', 'update azekura.ledger set rejected = 0', '42501', 'the keeper cannot change the ledger'),
    ('azekura_keeper', 'select secret_hash from azekura.session', '42501', 'the keeper cannot read secrets of sessions'),
    ('azekura_keeper', 'select subject from azekura.login_failure', '42501', 'the keeper cannot read who failed to log in'),
    ('azekura_keeper', 'select * from azekura.stored_unit', '42501', 'the keeper cannot read stored units'),
    ('azekura_keeper', 'select value from azekura.setting', '00000', 'the keeper reads settings'),
    ('azekura_keeper', 'select azekura.ensure_partition(''2026-03-10 12:00Z'')', '00000', 'the keeper makes partitions'),
    ('azekura_keeper', 'delete from azekura.ledger where (minute, listener, source) in (select minute, listener, source
        from azekura.ledger where minute < ''2000-01-01'' order by minute limit 1)', '00000', 'the keeper forgets minutes of the ledger'),
    ('azekura_keeper', 'delete from azekura.kernel_drop where minute < ''2000-01-01''', '00000', 'the keeper forgets kernel drops'),
    ('azekura_keeper', 'delete from azekura.session where expires_at < ''2000-01-01''', '00000', 'the keeper forgets sessions'),
    ('azekura_keeper', 'delete from azekura.login_failure where last_at < ''2000-01-01''', '00000', 'the keeper forgets failed log-ins'),
    ('azekura_keeper', 'select azekura.verify_block(b) from azekura.log_block b', '42501', 'the keeper cannot verify'),
    ('azekura_keeper', 'select * from azekura.compact(''log_block_20260310'', ''2000-01-01'')', '00000',
        'the keeper compacts'),
    ('azekura_keeper', 'select azekura.split_piece(''log_block_20260310'', ''2026-03-10 13:00Z'')', '00000', 'the keeper splits pieces'),
    ('azekura_keeper', 'select * from azekura.measure_pieces()', '00000', 'and measures them'),
    ('azekura_keeper', 'select azekura.drop_pieces(''{log_block_20260310}'', ''{1}'', ''test'', ''keeper'')', '00000', 'and drops them, with a receipt'),
    ('azekura_keeper', 'drop table azekura.log_block_20260310_1', '42501', 'but no table by itself'),
    ('azekura_keeper', 'update azekura.day_partition set messages = 0', '42501', 'the keeper cannot change what a piece holds'),
    ('azekura_keeper', 'insert into azekura.hold (lower, upper, reason, actor) values (now(), now() + interval ''1 day'', ''x'', ''x'')', '42501', 'the keeper makes no hold'),
    ('azekura_keeper', 'delete from azekura.hold', '42501', 'and takes none away'),
    ('azekura_keeper', 'insert into azekura.audit (actor, action) values (''x'', ''x'')', '42501', 'the keeper writes no other line of the audit log'),
    ('azekura_keeper', 'select total_bytes, free_bytes, device from azekura.file_system()', '00000', 'the keeper asks for the file system'),
    ('azekura_keeper', 'select azekura.server_pid()', '00000', 'and for the server'),
    ('azekura_web', 'select azekura.drop_pieces(''{log_block_20260310}'', null, ''test'', ''web'')', '42501', 'the web drops no piece'),
    ('azekura_web', 'select azekura.split_piece(''log_block_20260310_1'', ''2026-03-10 14:00Z'')', '42501', 'and splits none'),
    ('azekura_web', 'select * from azekura.measure_pieces()', '42501', 'and measures none'),
    ('azekura_web', 'update azekura.hold set upper = now()', '42501', 'the web cannot change a hold'),
    ('azekura_web', 'select total_bytes from azekura.file_system()', '00000', 'the web asks for the file system'),
    ('azekura_receiver', 'select * from azekura.source_group, azekura.source_group_member', '00000', 'the receiver reads the groups'),
    ('azekura_receiver', 'delete from azekura.source_group_member', '42501', 'the receiver cannot change them'),
    ('azekura_receiver', 'select * from azekura.day_partition', '42501', 'the receiver cannot read what there is'),
    ('azekura_receiver', 'select azekura.add_event(''daemon.started'', 6::smallint, ''{daemon,receiver}'')', '00000', 'the receiver keeps events'),
    ('azekura_receiver', 'select * from azekura.event', '42501', 'but reads none'),
    ('azekura_receiver', 'select * from azekura.report_daemon(''receiver'', 1, ''b'', 1)', '00000', 'the receiver says that it runs'),
    ('azekura_keeper', 'insert into azekura.event (severity, kind) values (6, ''x'')', '42501', 'the keeper keeps events through the function only'),
    ('azekura_keeper', 'select azekura.forget_events(''2000-01-01'', 1000)', '00000', 'the keeper forgets events'),
    ('azekura_keeper', 'select pid, boot, started from azekura.daemon', '00000', 'the keeper reads who runs'),
    ('azekura_keeper', 'update azekura.daemon set pid = 1', '42501', 'and cannot change it'),
    ('azekura_keeper', 'select azekura.add_load(now(), ''{1}'')', '00000', 'the keeper adds samples of the load'),
    ('azekura_keeper', 'delete from azekura.load_sample', '42501', 'and removes none'),
    ('azekura_web', 'select * from azekura.load_rows(60, now() - interval ''1 hour'', now())', '00000', 'the web reads the load'),
    ('azekura_web', 'select azekura.add_load(now(), ''{1}'')', '42501', 'and adds no sample'),
    ('azekura_web', 'select * from azekura.event', '00000', 'the web reads events'),
    ('azekura_web', 'select azekura.forget_events(now(), 0)', '42501', 'and forgets none'),
    ('azekura_web', 'delete from azekura.event', '42501', 'and removes none'),
    ('azekura_receiver', 'select azekura.count_rates(now(), 0, ''{1}'', ''{=x}'', ''{0}'', ''{1}'', ''{1}'')', '00000', 'the receiver counts rates'),
    ('azekura_receiver', 'select * from azekura.rate_unit', '42501', 'but reads none'),
    ('azekura_receiver', 'select azekura.fold_rates(''UTC'')', '42501', 'and folds none'),
    ('azekura_keeper', 'select azekura.fold_rates(''UTC'')', '00000', 'the keeper folds rates'),
    ('azekura_keeper', 'select azekura.merge_ledger()', '00000', 'and merges the ledger''s minutes'),
    ('azekura_keeper', 'select azekura.sum_ledger(), azekura.forget_ledger_sums(''2000-01-01'')', '00000', 'and adds them up'),
    ('azekura_keeper', 'select * from azekura.ledger_sum', '42501', 'but reads no sums'),
    ('azekura_web', 'select * from azekura.ledger_rows(now() - interval ''1 day'', now())', '00000', 'the web reads them'),
    ('azekura_web', 'select azekura.sum_ledger()', '42501', 'and makes none'),
    ('azekura_keeper', 'select * from azekura.rate_name', '42501', 'but reads no rates'),
    ('azekura_web', 'select * from azekura.rates_by(1::smallint, ''UTC''), azekura.rate_points(5::smallint, now(), now() + interval ''1 hour'', 60, 60)', '00000', 'the web reads rates'),
    ('azekura_web', 'select azekura.count_rates(now(), 0, ''{1}'', ''{=x}'', ''{0}'', ''{1}'', ''{1}'')', '42501', 'the web counts none'),
    ('azekura_web', 'delete from azekura.rate_sample', '42501', 'and removes none'),
    ('azekura_keeper', 'insert into azekura.shed values (0, 7, now())', '00000', 'the keeper says what is refused'),
    ('azekura_keeper', 'select * from azekura.storage_used(), azekura.wal_bytes(), azekura.wal_limits(), azekura.lock_holders(), azekura.cancel_blockers()', '00000', 'the keeper sees what is used and who is in the way'),
    ('azekura_keeper', 'insert into azekura.deletion_request (actor, from_day, to_day, messages) values (''x'', now(), now(), 0)', '42501', 'the keeper asks for no deletion'),
    ('azekura_keeper', 'update azekura.deletion_request set messages = 0', '42501', 'and changes none'),
    ('azekura_keeper', 'update azekura.deletion_request set state = ''done''', '00000', 'but answers it'),
    ('azekura_keeper', 'select azekura.confirm_clock(''keeper'')', '42501', 'the keeper does not confirm the clock itself'),
    ('azekura_receiver', 'select severity from azekura.shed', '00000', 'the receiver reads what it has to refuse'),
    ('azekura_receiver', 'delete from azekura.shed', '42501', 'and cannot change it'),
    ('azekura_web', 'insert into azekura.deletion_request (actor, from_day, to_day, messages) values (''x'', now(), now(), 0)', '00000', 'the web asks for a deletion'),
    ('azekura_web', 'insert into azekura.deletion_request (actor, from_day, to_day, messages, state) values (''x'', now(), now(), 0, ''done'')', '42501', 'and cannot answer it'),
    ('azekura_web', 'select azekura.confirm_clock(''web'')', '00000', 'the web confirms the clock'),
    ('azekura_web', 'insert into azekura.shed values (0, 7, now())', '42501', 'the web refuses nothing'),
    ('azekura_web', 'select azekura.cancel_blockers()', '42501', 'the web cancels nobody'),
    ('azekura_receiver', 'select address, since, until from azekura.benchmark_sender', '00000', 'the receiver reads who sends for a benchmark'),
    ('azekura_receiver', 'select actor from azekura.benchmark_sender', '42501', 'and not who said so'),
    ('azekura_receiver', 'select azekura.report_listeners(''x'', ''{udp}'', ''{127.0.0.1}'', ''{5514}'', ''{1}'')', '00000', 'the receiver says where it listens'),
    ('azekura_receiver', 'select * from azekura.benchmark_count', '42501', 'and reads no counts of the benchmark'),
    ('azekura_keeper', 'select azekura.end_benchmark_senders()', '00000', 'the keeper ends them'),
    ('azekura_keeper', 'delete from azekura.benchmark_sender', '42501', 'through the function only'),
    ('azekura_web', 'select azekura.server_pid(), m from azekura.benchmark_messages() m, azekura.benchmark_count, azekura.receiver_listener', '00000', 'the web reads what a benchmark wants to know'),
    ('azekura_web', 'insert into azekura.benchmark_sender (address, until, actor) values (''192.0.2.1'', now() + interval ''1 h'', ''x'')', '00000', 'and registers who sends for it'),
    ('azekura_web', 'update azekura.benchmark_count set stored = 0', '42501', 'but changes no count'),
    ('azekura_web', 'delete from azekura.receiver_listener', '42501', 'and no listener'),
    ('azekura_web', 'select azekura.report_listeners(''x'', ''{}'', ''{}'', ''{}'', ''{}'')', '42501', 'which is the receiver''s'),
    ('azekura_receiver', 'select network, listener from azekura.listener_allow', '00000', 'the receiver reads who may send'),
    ('azekura_receiver', 'select note from azekura.listener_allow', '42501', 'and not what people noted'),
    ('azekura_receiver', 'select rate, burst from azekura.sender_limit', '00000', 'and how fast'),
    ('azekura_receiver', 'select azekura.set_allow_list(''[]'', true, ''x'')', '42501', 'and changes none of it'),
    ('azekura_receiver', 'select azekura.count_gaps(array[now()], ''{udp}'', ''{192.0.2.1}'', ''{1}'', ''{0}'')', '00000', 'the receiver counts gaps'),
    ('azekura_receiver', 'select azekura.report_refused_senders(''{192.0.2.1}'', ''{udp}'', ''{1}'', array[now()], array[now()], ''{""}'')', '00000', 'and says whom it refused'),
    ('azekura_receiver', 'select * from azekura.refused_sender', '42501', 'and reads none of those'),
    ('azekura_keeper', 'select azekura.forget_gaps(''2000-01-01'')', '00000', 'the keeper forgets gaps'),
    ('azekura_keeper', 'select * from azekura.sequence_gap', '42501', 'and reads none'),
    ('azekura_web', 'select * from azekura.set_allow_list(''[]'', true, ''web''), azekura.set_limit_list(''[]'', ''web'')', '00000', 'the web puts lists'),
    ('azekura_web', 'select * from azekura.allow_list(), azekura.limit_list(), azekura.refused_senders(1), azekura.gap_totals(now(), now()),
        azekura.gaps(now(), now(), 60, null)', '00000', 'and reads them, the refused, and gaps'),
    ('azekura_web', 'delete from azekura.listener_allow', '42501', 'but changes no row by itself'),
    ('azekura_web', 'select azekura.forget_gaps(now())', '42501', 'and forgets nothing'),
    ('azekura_receiver', 'select azekura.report_receiver_detail(''x'', ''{}'')', '00000', 'the receiver says what it does'),
    ('azekura_receiver', 'select kind, value from azekura.tls_allowed', '00000', 'and reads which certificates may send'),
    ('azekura_receiver', 'select note from azekura.tls_allowed', '42501', 'and not what is noted of them'),
    ('azekura_receiver', 'select * from azekura.next_tls_request()', '00000', 'the receiver takes what is asked of it'),
    ('azekura_receiver', 'select * from azekura.tls_secret', '42501', 'and a key with its request alone'),
    ('azekura_receiver', 'select * from azekura.tls_request', '42501', 'and no other request'),
    ('azekura_web', 'select azekura.ask_tls(''a'', ''csr'', ''{}'', null, null, null)', '00000', 'the web asks for certificates'),
    ('azekura_web', 'select * from azekura.tls_shut_out(''{name}'', ''{x}'')', '00000', 'and asks whom a list would shut out'),
    ('azekura_receiver', 'select * from azekura.tls_shut_out(''{name}'', ''{x}'')', '42501', 'the receiver need not'),
    ('azekura_web', 'select * from azekura.tls_request, azekura.tls_certificate, azekura.tls_csr, azekura.tls_client_ca, azekura.tls_sender, azekura.receiver_detail', '00000', 'and reads what became of it'),
    ('azekura_web', 'select * from azekura.tls_secret', '42501', 'but reads no key'),
    ('azekura_web', 'select * from azekura.next_tls_request()', '42501', 'nor takes a request'),
    ('azekura_web', 'select azekura.answer_tls(1, null, null)', '42501', 'nor answers one'),
    ('azekura_web', 'delete from azekura.tls_allowed', '42501', 'and changes lists through functions only'),
    ('azekura_keeper', 'select azekura.tidy_tls()', '00000', 'the keeper closes old requests'),
    ('azekura_keeper', 'select * from azekura.tls_secret', '42501', 'and reads no key'),
    ('azekura_keeper', 'select azekura.ask_tls(''a'', ''csr'', ''{}'', null, null, null)', '42501', 'and asks for nothing'),
    ('azekura_receiver', 'select network, zone, charset, framing from azekura.source_setting', '00000', 'the receiver reads what is set of sources'),
    ('azekura_receiver', 'select note from azekura.source_setting', '42501', 'and not what is noted of them'),
    ('azekura_receiver', 'select azekura.report_source_health(''{}'', 1, ''{}'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'', ''{}'')', '00000', 'and says how well they are understood'),
    ('azekura_receiver', 'select * from azekura.source_health', '42501', 'and reads nothing of that'),
    ('azekura_receiver', 'select azekura.forget_source_health(''0.0.0.0/0'')', '42501', 'nor forgets any'),
    ('azekura_web', 'select * from azekura.source_setting, azekura.source_health', '00000', 'the web reads both'),
    ('azekura_web', 'delete from azekura.source_setting', '42501', 'and changes no setting by itself'),
    ('azekura_web', 'delete from azekura.source_health', '42501', 'nor counts'),
    ('azekura_keeper', 'create function azekura.f() returns int language sql as ''select 1''', '42501',
        'the keeper creates nothing');

select is(pg_temp.state_as(who, statement), state, what) from attempt;

-- and nothing beyond: every grant, by name
create temp view granted as
    select r.rolname, g.object, g.privilege
      from (select c.relname::text, a.grantee, a.privilege_type from pg_class c, aclexplode(c.relacl) a
             where c.relnamespace = 'azekura'::regnamespace
            union all
            select format('%s(%s)', c.relname, t.attname), a.grantee, a.privilege_type
              from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
             where c.relnamespace = 'azekura'::regnamespace
            union all
            select p.proname, a.grantee, a.privilege_type from pg_proc p, aclexplode(p.proacl) a
             where p.pronamespace = 'azekura'::regnamespace) g (object, grantee, privilege)
      join pg_roles r on r.oid = g.grantee;
select set_eq($$ select object, privilege from granted where rolname = 'azekura_keeper' $$, $$ values
    ('log_block', 'SELECT'), ('log_block', 'INSERT'), ('log_block', 'DELETE'), ('day_partition', 'SELECT'),
    ('day_partition(changed_at)', 'UPDATE'), ('piece_size', 'SELECT'),
    ('source_group', 'SELECT'), ('source_group_member', 'SELECT'), ('hold', 'SELECT'), ('split_piece', 'EXECUTE'),
    ('drop_pieces', 'EXECUTE'), ('drop_empty_pieces', 'EXECUTE'), ('rewrite_piece', 'EXECUTE'), ('next_to_compact', 'EXECUTE'), ('measure_pieces', 'EXECUTE'), ('piece_reach', 'EXECUTE'),
    ('piece_is_held', 'EXECUTE'), ('file_system', 'EXECUTE'), ('server_pid', 'EXECUTE'),
    ('ledger(minute)', 'SELECT'), ('ledger(listener)', 'SELECT'), ('ledger(source)', 'SELECT'), ('ledger', 'DELETE'),
    ('kernel_drop(minute)', 'SELECT'), ('kernel_drop', 'DELETE'),
    ('session(expires_at)', 'SELECT'), ('session', 'DELETE'), ('login_failure(last_at)', 'SELECT'), ('login_failure', 'DELETE'),
    ('setting', 'SELECT'), ('ensure_partition', 'EXECUTE'), ('compact', 'EXECUTE'),
    ('daemon', 'SELECT'), ('add_event', 'EXECUTE'), ('forget_events', 'EXECUTE'), ('report_daemon', 'EXECUTE'),
    ('report_daemon_stopped', 'EXECUTE'), ('add_load', 'EXECUTE'), ('fold_rates', 'EXECUTE'), ('merge_ledger', 'EXECUTE'), ('sum_ledger', 'EXECUTE'), ('forget_ledger_sums', 'EXECUTE'),
    ('shed', 'SELECT'), ('shed', 'INSERT'), ('shed', 'UPDATE'), ('shed', 'DELETE'),
    ('misdated', 'SELECT'), ('misdated', 'INSERT'), ('misdated', 'DELETE'),
    ('retention_clock', 'SELECT'), ('retention_clock', 'INSERT'), ('retention_clock', 'UPDATE'),
    ('retention_status', 'SELECT'), ('retention_status', 'INSERT'), ('retention_status', 'UPDATE'),
    ('deletion_request', 'SELECT'), ('deletion_request', 'DELETE'), ('deletion_request(state)', 'UPDATE'),
    ('deletion_request(message)', 'UPDATE'), ('deletion_request(audit_id)', 'UPDATE'), ('deletion_request(done_messages)', 'UPDATE'),
    ('storage_used', 'EXECUTE'), ('wal_bytes', 'EXECUTE'), ('wal_limits', 'EXECUTE'), ('lock_holders', 'EXECUTE'), ('cancel_blockers', 'EXECUTE'),
    ('end_benchmark_senders', 'EXECUTE'), ('tidy_tls', 'EXECUTE'), ('reparse_step', 'EXECUTE'), ('reparse_tidy', 'EXECUTE'), ('reparse_at_work', 'EXECUTE'), ('end_reparse', 'EXECUTE'), ('forget_gaps', 'EXECUTE'),
    ('retention_wal', 'SELECT'), ('retention_wal', 'INSERT'), ('retention_wal', 'UPDATE'), ('retention_wal', 'DELETE') $$, 'the keeper has what its chores need and no more');
select set_eq($$ select object, privilege from granted where rolname = 'azekura_receiver' $$, $$ values
    ('log_block', 'INSERT'), ('setting', 'SELECT'), ('source_group', 'SELECT'), ('source_group_member', 'SELECT'), ('claim_unit', 'EXECUTE'), ('count_unit', 'EXECUTE'),
    ('count_kernel_drop', 'EXECUTE'), ('report_receiver', 'EXECUTE'), ('add_event', 'EXECUTE'), ('report_daemon', 'EXECUTE'),
    ('report_daemon_stopped', 'EXECUTE'), ('count_rates', 'EXECUTE'), ('shed', 'SELECT'), ('report_listeners', 'EXECUTE'),
    ('listener_allow(network)', 'SELECT'), ('listener_allow(listener)', 'SELECT'), ('sender_limit', 'SELECT'),
    ('count_gaps', 'EXECUTE'), ('report_refused_senders', 'EXECUTE'),
    ('benchmark_sender(address)', 'SELECT'), ('benchmark_sender(since)', 'SELECT'), ('benchmark_sender(until)', 'SELECT'),
    ('report_receiver_detail', 'EXECUTE'), ('report_tls_certificate', 'EXECUTE'), ('report_tls_csr', 'EXECUTE'), ('report_tls_client_cas', 'EXECUTE'),
    ('report_tls_senders', 'EXECUTE'), ('next_tls_request', 'EXECUTE'), ('answer_tls', 'EXECUTE'),
    ('source_setting(network)', 'SELECT'), ('source_setting(zone)', 'SELECT'), ('source_setting(charset)', 'SELECT'),
    ('source_setting(framing)', 'SELECT'), ('report_source_health', 'EXECUTE'),
    ('tls_allowed(kind)', 'SELECT'), ('tls_allowed(value)', 'SELECT') $$, 'the receiver has what it needs and no more');

select * from finish();
rollback;
