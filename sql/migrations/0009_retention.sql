-- The 20 % rule: what the keeper remembers of it, what the receiver refuses, what people ask to delete.
-- Decided in firmware/store/rule.c, done by the keeper through drop_pieces() and split_piece().

set local role azekura;

-- While a row is there, messages of the group with this severity and less severe ones are refused (over_budget).
create table azekura.shed (
    source_group smallint primary key references azekura.source_group on delete cascade,
    severity smallint not null check (severity between 1 and 7),
    since timestamptz not null
);
create trigger setting_changed after insert or update or delete on azekura.shed
    for each statement execute function azekura.setting_changed();

-- Is the clock right?  What it showed at the keeper's last look, or, while it is doubted, what it should have shown.
create table azekura.retention_clock (
    only_one boolean primary key default true check (only_one),
    wall timestamptz not null,
    boot_id text not null,              -- the monotonic clock begins anew with each
    mono_us bigint not null,            -- time since boot, sleep included
    doubted_since timestamptz,          -- null: trusted
    doubted_from timestamptz,           -- it jumped from …
    doubted_to timestamptz,             -- … to
    doubted_low timestamptz,            -- what it has shown since, at least …
    doubted_high timestamptz,           -- … and at most
    doubted_boot timestamptz,           -- by the old clock: when the box was started, if it jumped within one run
    check ((doubted_since is null) = (doubted_from is null) and (doubted_since is null) = (doubted_to is null))
);

-- Times that were stamped under a wrong clock, and the day they were stamped in truth: retention.keep_days counts
-- from there, so that what has just come in is not deleted for its date.  The keeper keeps the newest hundred.
create table azekura.misdated (
    id bigint generated always as identity primary key,
    lower timestamptz not null,
    upper timestamptz not null check (upper >= lower),
    day date not null
);

-- What the rule said at the keeper's last look: a change of it is an event.
create table azekura.retention_status (
    only_one boolean primary key default true check (only_one),
    at timestamptz not null,
    month integer not null,             -- 202611
    state text not null check (state in ('ok', 'watch', 'over_forecast', 'over')),
    growth_bytes_s bigint not null,     -- of late
    guarded_at timestamptz,             -- the guard of the disk deleted something last
    full_since timestamptz,             -- the file system is short of room; null: it is not
    is_held boolean not null default false -- holds keep the rule from what it should do
);

-- The limits of the write-ahead log that the keeper has set (ALTER SYSTEM) for a small capacity, and those that stood in
-- their place: null where that was the server's configuration file.
create table azekura.retention_wal (
    only_one boolean primary key default true check (only_one),
    max_mb bigint not null,
    min_mb bigint not null,
    former_max_mb bigint,
    former_min_mb bigint
);

-- Web and command line never delete: they ask, and the keeper does it or says why not.
create table azekura.deletion_request (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    actor text not null,
    from_day date not null,
    to_day date not null check (to_day >= from_day),
    source_group smallint,              -- null: all; no foreign key: a retired group is gone with its last piece
    messages bigint not null check (messages >= 0), -- as the preview said; another number is refused
    done_messages bigint not null default 0, -- deleted already: a large request is done in steps
    state text not null default 'waiting' check (state in ('waiting', 'done', 'refused')),
    message text not null default '',   -- why refused, one sentence
    audit_id bigint                     -- of the last receipt
);
create index deletion_request_waiting on azekura.deletion_request (id) where state = 'waiting';

create function azekura.deletion_requested() returns trigger language plpgsql as $$
begin
    perform pg_notify('azekura_keeper', 'request');
    return null;
end $$;
create trigger deletion_requested after insert on azekura.deletion_request
    for each statement execute function azekura.deletion_requested();

-- Somebody says that the clock is right as it is.
create function azekura.confirm_clock(actor text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    -- what came since the box was started has the dates of the clock that was wrong
    insert into azekura.misdated (lower, upper, day)
    select doubted_boot, doubted_from, current_date + 1 from azekura.retention_clock
     where doubted_since is not null and doubted_boot < doubted_from;
    update azekura.retention_clock set wall = clock_timestamp(), boot_id = '', doubted_since = null, doubted_from = null,
           doubted_to = null, doubted_low = null, doubted_high = null, doubted_boot = null
     where doubted_since is not null;
    if found then
        insert into azekura.audit (actor, action, detail) values (actor, 'clock.confirm', jsonb_build_object('clock', clock_timestamp()));
        perform pg_notify('azekura_keeper', 'clock');
    end if;
end $$;

revoke execute on function azekura.deletion_requested(), azekura.confirm_clock(text) from public;
grant select on azekura.shed to azekura_receiver;
grant select on azekura.misdated to azekura_web;
grant select, insert, delete on azekura.misdated to azekura_keeper;
grant select on azekura.shed, azekura.retention_clock, azekura.retention_status, azekura.deletion_request to azekura_web;
grant insert (actor, from_day, to_day, source_group, messages) on azekura.deletion_request to azekura_web;
grant execute on function azekura.confirm_clock(text) to azekura_web;
grant select, insert, update, delete on azekura.shed to azekura_keeper;
grant select, insert, update on azekura.retention_clock, azekura.retention_status to azekura_keeper;
grant select, insert, update, delete on azekura.retention_wal to azekura_keeper;
grant select, delete on azekura.deletion_request to azekura_keeper;
grant update (state, message, audit_id, done_messages) on azekura.deletion_request to azekura_keeper;

-- What follows looks at the whole server, so it belongs to the superuser who migrates.
reset role;

-- Bytes on disk: of this database, of the write-ahead log, and what that may take before a checkpoint is made.
create function azekura.storage_used(out database_bytes bigint, out wal_bytes bigint, out wal_limit_bytes bigint)
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select pg_database_size(current_database()), coalesce((select sum(size) from pg_ls_waldir()), 0)::bigint,
           pg_size_bytes(current_setting('max_wal_size'));
$$;
-- What bounds the write-ahead log, in MB; is_altered: by ALTER SYSTEM; without that it would be configured_mb.
create function azekura.wal_limits(out max_mb bigint, out min_mb bigint, out segment_mb bigint, out is_altered boolean,
    out configured_mb bigint)
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select max(setting::bigint) filter (where name = 'max_wal_size'), max(setting::bigint) filter (where name = 'min_wal_size'),
           max(setting::bigint) filter (where name = 'wal_segment_size') / 1048576,
           coalesce(bool_or(sourcefile like '%/postgresql.auto.conf') filter (where name = 'max_wal_size'), false),
           coalesce((select case when f.setting ~ '^[0-9]+$' then f.setting::bigint else pg_size_bytes(f.setting) / 1048576 end
                       from pg_file_settings f
                      where f.name = 'max_wal_size' and f.error is null and f.sourcefile not like '%/postgresql.auto.conf'
                      order by f.seqno desc limit 1),
                    max(boot_val::bigint) filter (where name = 'max_wal_size'))
      from pg_settings where name in ('max_wal_size', 'min_wal_size', 'wal_segment_size');
$$;
create function azekura.wal_bytes() returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select coalesce(sum(size), 0)::bigint from pg_ls_waldir();
$$;

-- Who holds a lock on the messages and so keeps the keeper from splitting or dropping a piece, since when, and whose
-- session it is: `ours` is work of our own roles that can be done again (a search, an export, a compaction).
create function azekura.lock_holders() returns table (pid integer, role text, application text, whose text, is_idle boolean,
    since timestamptz, idle_since timestamptz)
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select s.pid, coalesce(s.usename, '')::text, coalesce(nullif(s.application_name, ''), s.backend_type),
           case when s.backend_type = 'autovacuum worker' or s.usename in ('azekura', 'azekura_web', 'azekura_keeper') then 'ours'
                when s.usename = 'azekura_receiver' then 'receiver' else 'foreign' end,
           coalesce(s.state like 'idle in transaction%', false), s.xact_start, s.state_change
      from pg_stat_activity s
     where s.pid <> pg_backend_pid()
       and s.pid in (select l.pid from pg_locks l
                      where l.granted and l.locktype = 'relation'
                        and l.database = (select oid from pg_database where datname = current_database())
                        and (l.relation = 'azekura.log_block'::regclass
                             or l.relation in (select inhrelid from pg_inherits where inhparent = 'azekura.log_block'::regclass)))
$$;

-- Ours are cancelled; one that does nothing in its transaction is ended.  The receiver is left alone, it is done at once,
-- and so are other people's sessions: they are only named.  `harshly`, when the disk gets full: ours are ended, other
-- people's cancelled or ended, the receiver's when it has done nothing for so long that it hangs (it tries again).
create function azekura.cancel_blockers(harshly boolean default false)
returns table (pid integer, role text, application text, what text, remains boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    a record;
begin
    for a in select * from azekura.lock_holders() loop
        pid := a.pid;
        role := a.role;
        application := a.application;
        what := 'waited for';
        if a.whose = 'ours' or (harshly and (a.whose = 'foreign'
                                or (a.is_idle and a.idle_since < clock_timestamp() - interval '10 s'))) then
            if a.is_idle or (harshly and a.whose = 'ours' and a.role <> '') then
                perform pg_terminate_backend(a.pid);
                what := 'ended';
            else
                perform pg_cancel_backend(a.pid);
                what := 'cancelled';
            end if;
        end if;
        remains := what = 'waited for' and a.whose = 'foreign';
        return next;
    end loop;
end $$;

revoke execute on function azekura.storage_used(), azekura.wal_bytes(), azekura.wal_limits(), azekura.lock_holders(),
    azekura.cancel_blockers(boolean) from public;
grant execute on function azekura.storage_used() to azekura, azekura_keeper, azekura_web;
grant execute on function azekura.wal_bytes(), azekura.wal_limits(), azekura.lock_holders(), azekura.cancel_blockers(boolean)
    to azekura_keeper;

-- The write-ahead log is kept small where the capacity is.
grant alter system on parameter max_wal_size, min_wal_size to azekura_keeper;
grant execute on function pg_reload_conf() to azekura_keeper;
