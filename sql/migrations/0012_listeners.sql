-- What the receiver says of its listeners and stages, its certificates, and who may send by TLS.

set local role azekura;

-- A time as the API writes it.
create function azekura.json_time(at timestamptz) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
$$;

-- ---- listeners and stages ----

-- One document of numbers a receiver, written anew each second; firmware/receiver/detail.h has its members.  Unlogged: after a
-- crash of the server it is a second until it is there again, and it would be 300 MB of WAL a day.
create unlogged table azekura.receiver_detail (
    receiver text primary key,          -- its state folder, as in receiver_status
    at timestamptz not null,
    detail jsonb not null
);
alter table azekura.receiver_detail alter detail set compression lz4;

create function azekura.report_receiver_detail(receiver text, detail jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if jsonb_typeof(detail) is distinct from 'object' or pg_column_size(detail) > 65536 then
        raise exception using errcode = '22023', message = 'the detail of a receiver must be a JSON object of 64 KiB at most';
    end if;
    insert into azekura.receiver_detail as r values (report_receiver_detail.receiver, clock_timestamp(), report_receiver_detail.detail)
    on conflict on constraint receiver_detail_pkey do update set at = excluded.at, detail = excluded.detail;
end $$;

-- A listener may have several addresses.
alter table azekura.receiver_listener
    drop constraint receiver_listener_pkey,
    add primary key (receiver, name, address, port);

create or replace function azekura.report_listeners(receiver text, names text[], addresses inet[], ports integer[], buffers bigint[])
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
    delete from azekura.receiver_listener l
     where l.receiver = report_listeners.receiver
       and not exists (select from unnest(names, addresses, ports) u(n, a, p) where (u.n, u.a, u.p) = (l.name, l.address, l.port));
    insert into azekura.receiver_listener as l (receiver, name, address, port, receive_buffer_bytes)
    select distinct on (n, a, p) report_listeners.receiver, n, a, p, b from unnest(names, addresses, ports, buffers) u(n, a, p, b)
     order by n, a, p, b desc
    on conflict on constraint receiver_listener_pkey do update set receive_buffer_bytes = excluded.receive_buffer_bytes;
$$;

-- ---- TLS: what the receiver has ----

-- Times are the certificate's; a fingerprint is the SHA-256 of the certificate, 64 hexadecimal digits in lower case.
create table azekura.tls_certificate (
    receiver text primary key,
    at timestamptz not null,            -- of the report
    subject text not null,
    names text[] not null,              -- subjectAltName: DNS names and addresses
    issuer text not null,
    not_before timestamptz not null,
    not_after timestamptz not null,
    fingerprint text not null,
    key text not null,                  -- 'ec-p256', 'rsa-3072', …
    is_self_signed boolean not null,
    pem text not null                   -- the whole chain, without the key
);

-- A request for a certificate that waits for its answer; its key lies with the receiver.
create table azekura.tls_csr (
    receiver text primary key,
    made_at timestamptz not null,
    subject text not null,
    names text[] not null,
    key text not null,
    pem text not null
);

-- Authorities whose certificates senders may show.
create table azekura.tls_client_ca (
    receiver text not null,
    fingerprint text not null,
    subject text not null,
    not_before timestamptz not null,
    not_after timestamptz not null,
    pem text not null,
    primary key (receiver, fingerprint)
);

-- Who has shown a certificate that was accepted.
create table azekura.tls_sender (
    source inet not null,
    fingerprint text not null,
    name text not null,                 -- the first of its subjectAltName, else its common name
    not_after timestamptz not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    connections bigint not null,
    primary key (source, fingerprint)
);
create index tls_sender_last on azekura.tls_sender (last_at);

-- The receiver's certificate; without subject: it has none.
create function azekura.report_tls_certificate(receiver text, subject text, names text[], issuer text, not_before timestamptz,
    not_after timestamptz, fingerprint text, key text, is_self_signed boolean, pem text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    delete from azekura.tls_certificate c where c.receiver = report_tls_certificate.receiver and report_tls_certificate.subject is null;
    insert into azekura.tls_certificate as c
    select r.* from (values (report_tls_certificate.receiver, clock_timestamp(), report_tls_certificate.subject,
                             coalesce(report_tls_certificate.names, '{}'), report_tls_certificate.issuer, report_tls_certificate.not_before,
                             report_tls_certificate.not_after, report_tls_certificate.fingerprint, report_tls_certificate.key,
                             report_tls_certificate.is_self_signed, report_tls_certificate.pem)) r
     where report_tls_certificate.subject is not null
    on conflict on constraint tls_certificate_pkey do update set (at, subject, names, issuer, not_before, not_after, fingerprint, key, is_self_signed, pem)
        = (excluded.at, excluded.subject, excluded.names, excluded.issuer, excluded.not_before, excluded.not_after,
           excluded.fingerprint, excluded.key, excluded.is_self_signed, excluded.pem);
$$;

-- Its pending request; without pem: there is none.
create function azekura.report_tls_csr(receiver text, subject text, names text[], key text, made_at timestamptz, pem text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    delete from azekura.tls_csr c where c.receiver = report_tls_csr.receiver and report_tls_csr.pem is null;
    insert into azekura.tls_csr as c (receiver, made_at, subject, names, key, pem)
    select report_tls_csr.receiver, report_tls_csr.made_at, report_tls_csr.subject, coalesce(report_tls_csr.names, '{}'),
           report_tls_csr.key, report_tls_csr.pem
     where report_tls_csr.pem is not null
    on conflict on constraint tls_csr_pkey do update set (made_at, subject, names, key, pem)
        = (excluded.made_at, excluded.subject, excluded.names, excluded.key, excluded.pem);
$$;

-- All its authorities: parallel arrays, an element each.
create function azekura.report_tls_client_cas(receiver text, fingerprints text[], subjects text[], not_befores timestamptz[],
    not_afters timestamptz[], pems text[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    delete from azekura.tls_client_ca c where c.receiver = report_tls_client_cas.receiver and c.fingerprint <> all (fingerprints);
    insert into azekura.tls_client_ca as c (receiver, fingerprint, subject, not_before, not_after, pem)
    select distinct on (f) report_tls_client_cas.receiver, f, s, b, a, p
      from unnest(fingerprints, subjects, not_befores, not_afters, pems) u(f, s, b, a, p) order by f
    on conflict on constraint tls_client_ca_pkey do update set (subject, not_before, not_after, pem)
        = (excluded.subject, excluded.not_before, excluded.not_after, excluded.pem);
$$;

-- Certificates that senders have shown since the last report: parallel arrays, an element a source and certificate.
create function azekura.report_tls_senders(sources inet[], fingerprints text[], names text[], not_afters timestamptz[],
    first_ats timestamptz[], last_ats timestamptz[], connections bigint[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into azekura.tls_sender as t (source, fingerprint, name, not_after, first_at, last_at, connections)
    select s, f, left(min(n), 255), min(a), min(b), max(l), sum(c)
      from unnest(sources, fingerprints, names, not_afters, first_ats, last_ats, connections) u(s, f, n, a, b, l, c)
     group by s, f order by s, f
    on conflict (source, fingerprint) do update set name = excluded.name, not_after = excluded.not_after,
        last_at = greatest(t.last_at, excluded.last_at), connections = t.connections + excluded.connections;
$$;

-- ---- TLS: what is asked of the receiver ----

-- What an administrator wants the receiver to do with its certificates: the receiver listens on channel azekura_tls.
create table azekura.tls_request (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    actor text not null,
    kind text not null,                 -- 'csr', 'self_signed', 'install', 'client_ca_add', 'client_ca_remove'
    document jsonb not null,            -- nothing secret: names, certificates
    has_secret boolean not null,        -- a row of tls_secret belongs to it, until it is handled
    state text not null default 'asked', -- 'asked', 'done', 'refused'
    answered_at timestamptz,
    answer text,                        -- done: what came of it, a fingerprint or the request for a certificate
    error text                          -- refused: a sentence that says why
);
create index tls_request_asked on azekura.tls_request (id) where state = 'asked';

-- Private keys and passwords on their way to the receiver.  Unlogged, so that none comes into the WAL, an archive or a standby; emptied by
-- TRUNCATE, so that none stays in a dead row; without checks, since the server writes the row that fails one into its log.
create unlogged table azekura.tls_secret (
    request bigint primary key,
    key_pem text,
    pkcs12_base64 text,
    password text
);

-- One at a time: whoever writes a secret and then wants the table for itself would wait for another one who does the same.  Not by
-- a lock of the table, which would wait for autovacuum.
create function azekura.lock_tls_requests() returns void
language sql set search_path = pg_catalog, pg_temp as $$
    select pg_advisory_xact_lock(hashtext('azekura.tls_request'));
$$;

-- Take the secrets of handled requests out of the file, too; when somebody reads the table at this moment (a dump), the next time.
create function azekura.shred_tls_secrets() returns void
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
begin
    if pg_relation_size('azekura.tls_secret') = 0 then
        return;
    end if;
    lock table azekura.tls_secret in access exclusive mode;
    if not exists (select from azekura.tls_secret) then
        truncate azekura.tls_secret;
    end if;
exception when lock_not_available then
    null;
end $$;

-- Ask the receiver.  The members of `document`: csr and self_signed {"common_name","names":[],"organization","country","key"}, install
-- {"pem"} or {} with a PKCS#12 file, client_ca_add {"pem"}, client_ca_remove {"fingerprint"}.  The request's number; null when 16 wait already.
create function azekura.ask_tls(actor text, kind text, document jsonb, key_pem text, pkcs12_base64 text, password text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    with_secret boolean := coalesce(key_pem, pkcs12_base64, password) is not null;
    ret bigint;
begin
    if kind is null or kind not in ('csr', 'self_signed', 'install', 'client_ca_add', 'client_ca_remove') then
        raise exception using errcode = '22023', message = 'there is no such request for certificates';
    end if;
    if jsonb_typeof(document) is distinct from 'object' or octet_length(document::text) > 65536
       or octet_length(coalesce(key_pem, '')) + octet_length(coalesce(pkcs12_base64, '')) + octet_length(coalesce(password, '')) > 65536 then
        raise exception using errcode = '22023', message = 'a request for certificates must be an object of 64 KiB at most';
    end if;
    perform azekura.lock_tls_requests();
    perform azekura.tidy_tls();
    if (select count(*) from azekura.tls_request r where r.state = 'asked') >= 16 then
        return null;
    end if;
    insert into azekura.tls_request (actor, kind, document, has_secret)
    values (ask_tls.actor, ask_tls.kind, ask_tls.document, with_secret) returning id into ret;
    if with_secret then
        insert into azekura.tls_secret values (ret, ask_tls.key_pem, ask_tls.pkcs12_base64, ask_tls.password);
    end if;
    insert into azekura.audit (actor, action, detail)
    values (ask_tls.actor, 'tls.' || ask_tls.kind, ask_tls.document - 'pem'
            || jsonb_build_object('request', ret, 'state', 'asked', 'with_key', with_secret));
    perform pg_notify('azekura_tls', '');
    return ret;
end $$;

-- Handled, or not to be handled any more: its secret goes, and the audit log says how it ended.
create function azekura.close_tls(id bigint, answer text, error text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    r azekura.tls_request;
begin
    delete from azekura.tls_secret s where s.request = close_tls.id;
    update azekura.tls_request q
       set state = case when close_tls.error is null then 'done' else 'refused' end, answered_at = now(),
           answer = case when close_tls.error is null then left(close_tls.answer, 65536) end, error = left(close_tls.error, 1024)
     where q.id = close_tls.id and q.state = 'asked' returning * into r;
    if not found then
        return false;
    end if;
    insert into azekura.audit (actor, action, detail)
    values (r.actor, 'tls.' || r.kind, jsonb_build_object('request', r.id, 'state', r.state)
            || case when r.error is null then '{}'::jsonb else jsonb_build_object('error', r.error) end);
    return true;
end $$;

-- The oldest request that waits, for the receiver; no row: none.  Names come one a line.
create function azekura.next_tls_request()
returns table (id bigint, kind text, common_name text, names text, organization text, country text, key text, pem text,
               fingerprint text, key_pem text, pkcs12_base64 text, password text)
language plpgsql security definer rows 1 set search_path = pg_catalog, pg_temp as $$
declare
    q azekura.tls_request;
    s azekura.tls_secret;
begin
    perform azekura.lock_tls_requests();
    perform azekura.tidy_tls();
    loop
        select * into q from azekura.tls_request r where r.state = 'asked' order by r.id limit 1 for update skip locked;
        if not found then
            return;
        end if;
        select * into s from azekura.tls_secret t where t.request = q.id;
        exit when found or not q.has_secret;
        perform azekura.close_tls(q.id, null, 'the database was restarted before the receiver had the private key: upload it again');
    end loop;
    return query select q.id, q.kind, q.document ->> 'common_name',
        (select string_agg(n, chr(10) order by i) from jsonb_array_elements_text(case jsonb_typeof(q.document -> 'names')
            when 'array' then q.document -> 'names' else '[]' end) with ordinality u(n, i)),
        q.document ->> 'organization', q.document ->> 'country', q.document ->> 'key', q.document ->> 'pem',
        q.document ->> 'fingerprint', s.key_pem, s.pkcs12_base64, s.password;
end $$;

-- The receiver has handled a request: `error` null, or a sentence that says why not.  False: it is closed already.
create function azekura.answer_tls(id bigint, answer text, error text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    ret boolean;
begin
    perform azekura.lock_tls_requests();
    ret := azekura.close_tls(id, answer, error);
    perform azekura.shred_tls_secrets();
    return ret;
end $$;

-- Close what no receiver took within five minutes, and forget what is old: requests after 90 days, senders but the 10,000 heard last.
-- How many went.
create function azekura.tidy_tls() returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    old bigint;
    gone bigint := 0;
    n bigint;
begin
    perform azekura.lock_tls_requests();
    -- also from the future: the clock was wrong, and a key must not wait for it
    for old in select r.id from azekura.tls_request r
                where r.state = 'asked' and (r.at < now() - interval '5 minutes' or r.at > now() + interval '5 minutes')
                order by r.id for update skip locked loop
        perform azekura.close_tls(old, null, 'the receiver did not take it within 5 minutes: see that it runs, then try again');
        gone := gone + 1;
    end loop;
    delete from azekura.tls_secret s
     where not exists (select from azekura.tls_request r where r.id = s.request and r.state = 'asked');
    perform azekura.shred_tls_secrets();
    delete from azekura.tls_request r where r.state <> 'asked' and r.answered_at < now() - interval '90 days';
    get diagnostics n = row_count;
    gone := gone + n;
    delete from azekura.tls_sender t
     where t.last_at < (select x.last_at from azekura.tls_sender x order by x.last_at desc offset 9999 limit 1);
    get diagnostics n = row_count;
    return gone + n;
end $$;

-- ---- TLS: who may send ----

-- Certificates that may send, by name or fingerprint; none: whoever an authority vouches for.
create table azekura.tls_allowed (
    kind text not null check (kind in ('name', 'fingerprint')),
    value text not null,
    note text not null default '',
    primary key (kind, value)
);

-- Which of those who connected by TLS within the last hour a list does not let in (none of an empty one).  Of a sender one name is
-- known.  As net/tls has it, "*.example.net" in the list lets in a name right below, and one in the certificate is any such name.
create function azekura.tls_senders_outside(kinds text[], list text[])
returns table (source inet, fingerprint text, name text, last_at timestamptz)
language sql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
    with wanted as materialized (
        select k as kind, lower(v) as value from unnest(kinds, list) u(k, v)
    ), key as materialized (
        select w.kind, w.value from wanted w
        union all
        select 'parent', substring(w.value from '[.].*') from wanted w where w.kind = 'name' and w.value like '%.%'
    ), sender as materialized (
        select s.source, s.fingerprint, s.name, s.last_at, lower(s.name) as lower_name from azekura.tls_sender s
         where s.last_at > now() - interval '1 hour' and exists (select from key)
    ), sender_key as materialized (
        select s.source, s.fingerprint, x.kind, x.value
          from sender s, lateral (values ('fingerprint', s.fingerprint), ('name', s.lower_name), ('name', '*' || substring(s.lower_name from '[.].*')),
                                         ('parent', case when s.lower_name like '*.%' then substr(s.lower_name, 2) end)) x(kind, value)
    ), inside as materialized (
        select distinct s.source, s.fingerprint from sender_key s join key k on k.kind = s.kind and k.value = s.value
    )
    select s.source, s.fingerprint, s.name, s.last_at
      from sender s left join inside i on i.source = s.source and i.fingerprint = s.fingerprint where i.source is null
$$;

-- Whom a new list would shut out: of `heard` senders of the last hour those whom the present one lets in, or all where it is all.
create function azekura.tls_shut_out(kinds text[], list text[])
returns table (heard bigint, outside bigint, who text)
language sql stable rows 1 security definer set search_path = pg_catalog, pg_temp as $$
    with heard as (
        select count(*) as n from azekura.tls_sender s where s.last_at > now() - interval '1 hour'
    ), present as materialized (
        select * from azekura.tls_senders_outside((select array_agg(a.kind order by a.kind, a.value) from azekura.tls_allowed a),
                                                  (select array_agg(a.value order by a.kind, a.value) from azekura.tls_allowed a))
    ), outside as materialized (
        select o.*, not exists (select from present p where (p.source, p.fingerprint) = (o.source, o.fingerprint)) as is_new
          from azekura.tls_senders_outside(kinds, list) o
    ), told as (
        select o.*, row_number() over (order by o.last_at desc, o.source) as nth from outside o, heard h
         where o.is_new or h.n = (select count(*) from outside)
    )
    select h.n, count(t.nth), string_agg(left(t.name, 64) || ' (' || host(t.source) || ')', ', ' order by t.nth) filter (where t.nth <= 3)
           || case when count(t.nth) > 3 then ', …' else '' end
      from heard h left join told t on true group by h.n
$$;

-- The whole list anew, with its entry in the audit log: parallel arrays, an element each.
create function azekura.set_tls_allowed(actor text, kinds text[], list text[], notes text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    old jsonb;
begin
    lock table azekura.tls_allowed in exclusive mode;
    select coalesce(jsonb_agg(to_jsonb(t) order by t.kind, t.value), '[]') into old from azekura.tls_allowed t;
    delete from azekura.tls_allowed;
    insert into azekura.tls_allowed select k, v, n from unnest(kinds, list, notes) u(k, v, n);
    insert into azekura.audit (actor, action, detail)
    select set_tls_allowed.actor, 'tls.allowed', jsonb_build_object('old', old, 'new',
           coalesce((select jsonb_agg(to_jsonb(t) order by t.kind, t.value) from azekura.tls_allowed t), '[]'));
    perform pg_notify('azekura_tls', '');
end $$;

-- ---- who may ----

revoke execute on function azekura.json_time(timestamptz), azekura.report_receiver_detail(text, jsonb),
    azekura.report_tls_certificate(text, text, text[], text, timestamptz, timestamptz, text, text, boolean, text),
    azekura.report_tls_csr(text, text, text[], text, timestamptz, text),
    azekura.report_tls_client_cas(text, text[], text[], timestamptz[], timestamptz[], text[]),
    azekura.report_tls_senders(inet[], text[], text[], timestamptz[], timestamptz[], timestamptz[], bigint[]),
    azekura.lock_tls_requests(), azekura.shred_tls_secrets(), azekura.ask_tls(text, text, jsonb, text, text, text), azekura.close_tls(bigint, text, text),
    azekura.next_tls_request(), azekura.answer_tls(bigint, text, text), azekura.tidy_tls(),
    azekura.set_tls_allowed(text, text[], text[], text[]), azekura.tls_senders_outside(text[], text[]),
    azekura.tls_shut_out(text[], text[]) from public;
grant execute on function azekura.report_receiver_detail(text, jsonb),
    azekura.report_tls_certificate(text, text, text[], text, timestamptz, timestamptz, text, text, boolean, text),
    azekura.report_tls_csr(text, text, text[], text, timestamptz, text),
    azekura.report_tls_client_cas(text, text[], text[], timestamptz[], timestamptz[], text[]),
    azekura.report_tls_senders(inet[], text[], text[], timestamptz[], timestamptz[], timestamptz[], bigint[]),
    azekura.next_tls_request(), azekura.answer_tls(bigint, text, text) to azekura_receiver;
grant select (kind, value) on azekura.tls_allowed to azekura_receiver;
grant execute on function azekura.tidy_tls() to azekura_keeper;
grant execute on function azekura.json_time(timestamptz), azekura.ask_tls(text, text, jsonb, text, text, text),
    azekura.set_tls_allowed(text, text[], text[], text[]), azekura.tls_shut_out(text[], text[]) to azekura_web;
grant select on azekura.receiver_detail, azekura.tls_certificate, azekura.tls_csr, azekura.tls_client_ca, azekura.tls_sender,
    azekura.tls_request, azekura.tls_allowed to azekura_web;

-- A statement that is logged because it took long is logged with its parameters, and those may be a private key.
reset role;
alter role azekura set log_parameter_max_length = 0;
alter role azekura set log_parameter_max_length_on_error = 0;
alter role azekura_web set log_parameter_max_length = 0;
alter role azekura_web set log_parameter_max_length_on_error = 0;
