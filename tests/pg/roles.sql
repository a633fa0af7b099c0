-- Who may do what: each daemon's role has no more than it needs.
begin;
select plan(33);

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
    ('azekura_receiver', 'select * from azekura.compact(''log_block_20260310'', now())', '42501',
        'the receiver cannot compact'),
    ('azekura_web', 'insert into azekura.log_block (first_at, last_at, first_seq, messages, raw_bytes,
        severities, facilities, listeners, senders) values (''2026-03-10 12:00Z'', ''2026-03-10 12:00Z'', 1, 1,
        1, 1, 1, 1, '''')', '42501', 'the web cannot insert blocks'),
    ('azekura_web', 'delete from azekura.log_block', '42501', 'the web cannot delete blocks'),
    ('azekura_web', 'update azekura.log_block set messages = 1', '42501', 'the web cannot change blocks'),
    ('azekura_web', 'delete from azekura.audit', '42501', 'the web cannot remove what the audit log says'),
    ('azekura_web', 'update azekura.ledger set stored = 0', '42501', 'the web cannot change the ledger'),
    ('azekura_web', 'select azekura.claim_unit(gen_random_uuid(), 1, null)', '42501', 'the web cannot claim units'),
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
    ('azekura_keeper', 'select azekura.verify_block(b) from azekura.log_block b', '00000', 'the keeper verifies'),
    ('azekura_keeper', 'select * from azekura.compact(''log_block_20260310'', ''2000-01-01'')', '00000',
        'the keeper compacts'),
    ('azekura_keeper', 'create function azekura.f() returns int language sql as ''select 1''', '42501',
        'the keeper creates nothing');

select is(pg_temp.state_as(who, statement), state, what) from attempt;

select * from finish();
rollback;
