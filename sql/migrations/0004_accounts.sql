-- Settings, and who may do what in the console and the API.

set local role azekura;

-- Settings that differ from the configuration file; names and checks are in firmware/config/settings.def.
create table azekura.setting (
    name text primary key,
    value text not null,
    changed_at timestamptz not null default now(),
    changed_by text not null
);

-- Daemons listen on channel azekura_setting and read the table again.
create function azekura.setting_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('azekura_setting', '');
    return null;
end $$;
create trigger setting_changed after insert or update or delete on azekura.setting
    for each statement execute function azekura.setting_changed();
create trigger setting_changed after insert or update or delete on azekura.source_group
    for each statement execute function azekura.setting_changed();
create trigger setting_changed after insert or update or delete on azekura.source_group_member
    for each statement execute function azekura.setting_changed();

create table azekura.account (
    name text primary key check (name ~ '^[A-Za-z0-9._@-]{1,64}$'),
    role text not null check (role in ('admin', 'operator', 'viewer')),
    password_hash text not null,        -- argon2id, PHC string
    created_at timestamptz not null default now(),
    last_login timestamptz
);

-- Secrets of sessions and tokens are 256 random bits; what is stored is their SHA-256.
create table azekura.session (
    secret_hash bytea primary key check (length(secret_hash) = 32),
    account text not null references azekura.account on delete cascade,
    csrf text not null,                 -- must come back in X-CSRF-Token with every change
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
);
create index session_account on azekura.session (account);

create table azekura.token (
    name text primary key check (length(name) between 1 and 64),
    role text not null check (role in ('admin', 'operator', 'viewer')),
    secret_hash bytea not null unique check (length(secret_hash) = 32),
    created_at timestamptz not null default now(),
    last_used timestamptz
);

-- The one-time setup code, while there is no account.  Its hash alone is kept.
create table azekura.setup (
    only_one boolean primary key default true check (only_one),
    code_hash bytea not null check (length(code_hash) = 32),
    created_at timestamptz not null default now()
);

-- Failed log-ins, by account name and by client address: each further try waits longer.
create table azekura.login_failure (
    subject text primary key,           -- 'account:NAME' or 'address:IP'
    failures integer not null,
    last_at timestamptz not null
);

-- Who changed what.
create table azekura.audit (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    actor text not null,
    action text not null,
    detail jsonb not null default '{}'
);
create index audit_at on azekura.audit (at);
create index audit_action on azekura.audit (action, id); -- receipts of deletions, newest first

grant select on azekura.setting to azekura_receiver, azekura_keeper;
grant select, insert, update, delete on azekura.setting, azekura.account, azekura.session, azekura.token,
    azekura.setup, azekura.login_failure to azekura_web;
grant select, insert on azekura.audit to azekura_web;
-- the keeper forgets what has ended, and sees no more of it than when
grant select (expires_at), delete on azekura.session to azekura_keeper;
grant select (last_at), delete on azekura.login_failure to azekura_keeper;
revoke execute on function azekura.setting_changed() from public;
