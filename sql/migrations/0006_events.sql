-- Events: what happened to the box.  A row says which kind of thing it was and its particulars; the
-- sentences, in each language, are in firmware/store/event.def.

set local role azekura;

create table azekura.event (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    severity smallint not null check (severity between 0 and 7),
    kind text not null check (length(kind) between 1 and 64),
    params text[] not null default '{}' check (cardinality(params) <= 32 and cardinality(params) % 2 = 0)
);
create index event_at on azekura.event (at);

grant select on azekura.event to azekura_web;

-- Keep an event; its id.  Names and values in turn.  What is too long is cut: a peer's text may be
-- among the values, and an event that cannot be kept would be worse than one that is cut.
create function azekura.add_event(kind text, severity smallint, params text[]) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into azekura.event (kind, severity, params)
    select add_event.kind, add_event.severity,
           -- chr(31) separates the values where they are read; names become those of a JSON object
           coalesce(array_agg(case when i % 2 = 1 then left(regexp_replace(p, '[^a-z0-9_]', '_', 'g'), 32)
                                   else left(translate(coalesce(p, ''), chr(31), ' '), 1024) end order by i), '{}')
      from unnest(add_event.params) with ordinality u(p, i)
    returning id;
$$;

-- Forget events before `older`, but none by age while the clock is doubted, and of the rest all but
-- about the newest `most`.  How many went.
create function azekura.forget_events(older timestamptz, most bigint) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    gone bigint;
begin
    if exists (select from azekura.retention_clock where doubted_since is not null) then
        older := '-infinity';
    end if;
    delete from azekura.event where at < older or id <= (select max(id) from azekura.event) - most;
    get diagnostics gone = row_count;
    return gone;
end $$;

-- The daemons: who runs under which process id.  A process id alone says little: `boot` and `started`
-- (ticks since that boot) tell whether it is still the same process.
create table azekura.daemon (
    daemon text primary key check (daemon in ('receiver', 'keeper', 'web')),
    pid integer not null,
    boot text not null,
    started bigint not null,
    started_at timestamptz not null default now(),
    stopped_at timestamptz -- null: it runs, or it ended without saying so
);
grant select on azekura.daemon to azekura_keeper, azekura_web;

-- A daemon says that it runs.  What its row said before: 'new' (there was none), 'same' (this very
-- process), 'stopped' or 'failed' (another one, which had not said that it stopped), and when that
-- one was started.
create function azekura.report_daemon(daemon text, pid integer, boot text, started bigint,
    out outcome text, out previous timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    old azekura.daemon;
begin
    insert into azekura.daemon (daemon, pid, boot, started)
    values (report_daemon.daemon, report_daemon.pid, left(report_daemon.boot, 64), report_daemon.started)
    on conflict do nothing;
    if found then
        outcome := 'new';
        return;
    end if;
    select * into strict old from azekura.daemon d where d.daemon = report_daemon.daemon for update;
    previous := old.started_at;
    if old.pid = report_daemon.pid and old.boot = left(report_daemon.boot, 64)
        and old.started = report_daemon.started and old.stopped_at is null then
        outcome := 'same';
        return;
    end if;
    outcome := case when old.stopped_at is null then 'failed' else 'stopped' end;
    update azekura.daemon d
       set pid = report_daemon.pid, boot = left(report_daemon.boot, 64), started = report_daemon.started,
           started_at = now(), stopped_at = null
     where d.daemon = report_daemon.daemon;
end $$;

-- A daemon says that it stops.  False when the row is another process's, or says so already.
create function azekura.report_daemon_stopped(daemon text, pid integer, boot text, started bigint) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
    with told as (
        update azekura.daemon d set stopped_at = now()
         where d.daemon = report_daemon_stopped.daemon and d.pid = report_daemon_stopped.pid
           and d.boot = left(report_daemon_stopped.boot, 64) and d.started = report_daemon_stopped.started
           and d.stopped_at is null
        returning 1)
    select exists (select from told);
$$;

revoke execute on function azekura.add_event(text, smallint, text[]), azekura.forget_events(timestamptz, bigint),
    azekura.report_daemon(text, integer, text, bigint),
    azekura.report_daemon_stopped(text, integer, text, bigint) from public;
grant execute on function azekura.add_event(text, smallint, text[])
    to azekura_receiver, azekura_keeper, azekura_web;
grant execute on function azekura.report_daemon(text, integer, text, bigint),
    azekura.report_daemon_stopped(text, integer, text, bigint)
    to azekura_receiver, azekura_keeper, azekura_web;
grant execute on function azekura.forget_events(timestamptz, bigint) to azekura_keeper;
