-- The roles.  `azekura` owns everything and logs in only for the command line; each daemon has a role
-- of its own with no more than it needs.  None is a superuser, creates roles or databases.
-- Roles belong to the cluster, so they may exist already.

do $$
declare
    r text;
begin
    foreach r in array array['azekura', 'azekura_receiver', 'azekura_keeper', 'azekura_web'] loop
        if not exists (select from pg_roles where rolname = r) then
            execute format('create role %I login nosuperuser nocreatedb nocreaterole noreplication', r);
        end if;
    end loop;
end $$;

create schema azekura authorization azekura;
grant usage on schema azekura to azekura_receiver, azekura_keeper, azekura_web;
revoke all on schema public from public;

do $$
begin
    execute format('revoke all on database %I from public', current_database());
    execute format('grant connect on database %I to azekura, azekura_receiver, azekura_keeper, azekura_web',
                   current_database());
    execute format('alter database %I set timezone = ''UTC''', current_database());
    execute format('alter database %I set jit = off', current_database());
end $$;
