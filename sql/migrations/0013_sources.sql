-- Sources: what people say of them (name, zone, charset, framing), which ones are new, and how well their messages are understood.

set local role azekura;

-- ---- settings ----

-- What holds for the senders in a network; the longest prefix that contains an address decides, its whole row.  Null: as without a
-- row (time.zone, receiver.charset, the framing of the listener).
create table azekura.source_setting (
    network cidr primary key,
    name text not null default '' check (length(name) <= 64),
    zone text check (length(zone) between 1 and 64),        -- IANA name, of times without zone
    charset text check (length(charset) between 1 and 32),  -- of texts that are not UTF-8; firmware/syslog/charset.h has the names
    framing text check (framing in ('auto', 'counted', 'delimited')),
    note text not null default '' check (length(note) <= 200),
    changed_at timestamptz not null default now(),
    changed_by text not null default ''
);
create trigger setting_changed after insert or update or delete on azekura.source_setting
    for each statement execute function azekura.setting_changed();

-- ---- new ones ----

-- Null: nobody has looked at it yet.  One that a row of source_setting contains counts as known, too.
alter table azekura.source add acknowledged_at timestamptz;
update azekura.source set acknowledged_at = now();

-- ---- health ----

-- How the messages of a source were understood, counted as they came since `since`: a share, not the ledger.  Unlogged: each source
-- that sends has its row written anew every few seconds, which would be gigabytes of WAL a day; after a crash of the server it
-- counts anew.  No index but the key, so that such an update moves nothing else.
create unlogged table azekura.source_health (
    address inet primary key,
    since timestamptz not null,
    at timestamptz not null,            -- of the last report
    formats bigint[] not null,          -- messages by number of the format (base/record.h), that of raw first
    truncated bigint not null,          -- messages with that mark, and so the next five
    invalid_utf8 bigint not null,
    no_pri bigint not null,
    bad_time bigint not null,
    skewed bigint not null,
    decoded bigint not null,
    undecodable bigint not null,        -- messages with bytes that the source's charset does not have
    skew_us bigint,                     -- its clock: reported_at - received_at, the median of the last report that had any
    last_raw_at timestamptz,            -- when it last sent one that was only raw
    charset_guess text,                 -- what its invalid UTF-8 probably is …
    charset_percent smallint            -- … and how sure that is, 1…100
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.5);

-- What a lane of the receiver has counted since it reported last: parallel arrays, an element a source; `formats` has
-- `formats_n` elements for each.  The 65,536 sources reported last are kept.
create function azekura.report_source_health(addresses inet[], formats_n integer, formats bigint[], truncated bigint[], invalid_utf8 bigint[],
    no_pri bigint[], bad_time bigint[], skewed bigint[], decoded bigint[], undecodable bigint[], skews_us bigint[], last_raw_ats timestamptz[],
    charset_guesses text[], charset_percents smallint[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    has_new boolean;
begin
    if formats_n not between 1 and 256 or cardinality(formats) is distinct from formats_n * cardinality(addresses) then
        raise exception using errcode = '22023', message = 'a report of sources must have the same number of formats for each';
    end if;
    with reported as (
        insert into azekura.source_health as h
        select distinct on (a) a, clock_timestamp(), clock_timestamp(), formats[(i - 1) * formats_n + 1:i * formats_n], t, u, p, b, s, d, n, k, r, c, q
          from unnest(addresses, truncated, invalid_utf8, no_pri, bad_time, skewed, decoded, undecodable, skews_us, last_raw_ats,
                      charset_guesses, charset_percents) with ordinality x(a, t, u, p, b, s, d, n, k, r, c, q, i)
         order by a
        on conflict (address) do update set at = excluded.at,
            formats = array(select coalesce(o, 0) + coalesce(w, 0) from unnest(h.formats, excluded.formats) with ordinality y(o, w, i) order by y.i),
            truncated = h.truncated + excluded.truncated, invalid_utf8 = h.invalid_utf8 + excluded.invalid_utf8,
            no_pri = h.no_pri + excluded.no_pri, bad_time = h.bad_time + excluded.bad_time, skewed = h.skewed + excluded.skewed,
            decoded = h.decoded + excluded.decoded, undecodable = h.undecodable + excluded.undecodable,
            skew_us = coalesce(excluded.skew_us, h.skew_us), last_raw_at = greatest(h.last_raw_at, excluded.last_raw_at),
            charset_guess = coalesce(excluded.charset_guess, h.charset_guess),
            charset_percent = coalesce(excluded.charset_percent, h.charset_percent)
        returning xmax = 0 as is_new
    )
    select bool_or(is_new) into has_new from reported;
    if has_new and (select count(*) from azekura.source_health) > 65536 then
        delete from azekura.source_health
         where address in (select h.address from azekura.source_health h order by h.at desc, h.address offset 65536);
    end if;
end $$;

-- What is known of the charset and the counts of a network begins anew: to be called when its settings change.
create function azekura.forget_source_health(network cidr) returns void
language sql set search_path = pg_catalog, pg_temp as $$
    delete from azekura.source_health h
     where h.address >= network
       and h.address <= set_masklen(broadcast(network), case family(network) when 4 then 32 else 128 end);
$$;

-- ---- who may ----

revoke execute on function azekura.report_source_health(inet[], integer, bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[],
    bigint[], bigint[], timestamptz[], text[], smallint[]), azekura.forget_source_health(cidr) from public;
grant execute on function azekura.report_source_health(inet[], integer, bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[],
    bigint[], bigint[], timestamptz[], text[], smallint[]) to azekura_receiver;
grant select (network, zone, charset, framing) on azekura.source_setting to azekura_receiver;
grant select on azekura.source_setting, azekura.source_health to azekura_web;
