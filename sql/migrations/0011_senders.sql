-- Senders: who may send, how fast, who was turned away, and what is missing of what they sent.

set local role azekura;

-- ---- who may send, and how fast ----

-- A listener that no row is about takes from everybody; one that any row is about, from its networks only.  The benchmark's
-- senders are always let in.
create table azekura.listener_allow (
    network cidr not null,
    listener text check (listener in ('udp', 'tcp', 'tls')), -- null: all
    note text not null default '' check (length(note) <= 200),
    unique nulls not distinct (network, listener)
);
create trigger setting_changed after insert or update or delete on azekura.listener_allow
    for each statement execute function azekura.setting_changed();

-- Limits of each sender in a network, instead of receiver.rate_limit and receiver.rate_burst; the longest prefix counts.
create table azekura.sender_limit (
    network cidr primary key,
    rate integer not null check (rate between 0 and 10000000),    -- messages/s; 0: none
    burst integer not null check (burst between 1 and 100000000) -- messages beyond it at once
);
create trigger setting_changed after insert or update or delete on azekura.sender_limit
    for each statement execute function azekura.setting_changed();

-- A network as people write it: a bare address is one, host bits are cleared, IPv4 mapped into IPv6 is IPv4, and the
-- interface of a link-local one (fe80::%eth0/10) is left out: it is let in on all.  Null: it is none.
create function azekura.parse_network(text text) returns cidr
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    n inet;
    bits integer;
begin
    if text ~* '^\s*fe[89ab][0-9a-f]:[0-9a-f:.]*%[A-Za-z0-9_.:-]{1,15}(/[0-9]{1,3})?\s*$' then
        text := regexp_replace(text, '%[^/\s]*', '');
    end if;
    if position(':' in text) = 0 and text !~ '^\s*([0-9]+\.){3}[0-9]+(/[0-9]+)?\s*$' then
        return null; -- PostgreSQL takes 10/8, too
    end if;
    n := btrim(text)::inet;
    if family(n) = 6 and n <<= inet '::ffff:0:0/96' then
        bits := masklen(n) - 96;
        -- the address as a number: its last 32 bits
        n := set_masklen(inet '0.0.0.0' + (set_masklen(n, 128) - inet '::ffff:0:0'), bits);
    end if;
    return network(n);
exception when invalid_text_representation or invalid_parameter_value or numeric_value_out_of_range then
    return null;
end $$;

-- Rows of a list of networks, checked: with message, what is wrong of which field; the first fault of a row.
create function azekura.check_networks(entries jsonb, fields text[])
returns table (row_number integer, entry jsonb, network cidr, field text, message text)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    e record;
    surplus text;
    field_name text;
    span record;
begin
    if entries is null or jsonb_typeof(entries) <> 'array' then
        return query select null::integer, null::jsonb, null::cidr, null::text, 'a list of networks is wanted';
        return;
    end if;
    if jsonb_array_length(entries) > 1000 then
        return query select null::integer, null::jsonb, null::cidr, null::text,
            format('the list has %s rows: at most 1000', jsonb_array_length(entries));
        return;
    end if;
    for e in select i::integer - 1 as i, v from jsonb_array_elements(entries) with ordinality x(v, i) loop
        row_number := e.i;
        entry := e.v;
        network := null;
        field := null;
        message := null;
        if jsonb_typeof(e.v) <> 'object' then
            message := 'a row is an object';
            return next;
            continue;
        end if;
        select k into surplus from jsonb_object_keys(e.v) k where k <> all (fields || 'network'::text) limit 1;
        if surplus is not null then
            field := left(surplus, 64);
            message := format('%s is not a field of a row: network, %s', left(surplus, 64), array_to_string(fields, ', '));
            return next;
            continue;
        end if;
        network := case when jsonb_typeof(e.v -> 'network') = 'string' then azekura.parse_network(e.v ->> 'network') end;
        if network is null then
            field := 'network';
            message := format('"%s" is not a network or address, such as 192.0.2.0/24, 2001:db8::/32 or 192.0.2.1',
                              left(coalesce(e.v ->> 'network', ''), 64));
            return next;
            continue;
        end if;
        foreach field_name in array fields loop
            continue when message is not null;
            if field_name = 'listener' and jsonb_typeof(coalesce(e.v -> field_name, 'null')) <> 'null'
               and not coalesce(e.v -> field_name <@ '["udp", "tcp", "tls"]' and jsonb_typeof(e.v -> field_name) = 'string', false) then
                field := field_name;
                message := format('listener "%s" is not udp, tcp, tls or null for all', left(e.v ->> field_name, 32));
            elsif field_name = 'note' and e.v ->> field_name ~ '[[:cntrl:]]' then
                field := field_name;
                message := format('the note of %s has a control character', network);
            elsif field_name = 'note' and not (jsonb_typeof(coalesce(e.v -> field_name, '""')) in ('string', 'null')
                                         and length(coalesce(e.v ->> field_name, '')) <= 200) then
                field := field_name;
                message := format('the note of %s is a text of at most 200 characters', network);
            end if;
            for span in select * from (values ('rate', 0, 10000000), ('burst', 1, 100000000)) s(name, least, most)
                         where s.name = field_name loop
                if not (case when jsonb_typeof(e.v -> field_name) = 'number'
                             then (e.v ->> field_name)::numeric between span.least and span.most and (e.v ->> field_name)::numeric % 1 = 0
                             else false end) then
                    field := field_name;
                    message := format('%s "%s" of %s is not a whole number of %s..%s', field_name, left(coalesce(e.v ->> field_name, ''), 32),
                                      network, span.least, span.most);
                end if;
            end loop;
        end loop;
        return next;
    end loop;
end $$;

-- The allow-list.  hits: senders heard within the last 24 hours that the row lets in.  Not <<= but its range of addresses, so that
-- a row costs its part of the index and not all senders.
create function azekura.allow_list()
returns table (network text, listener text, note text, hits bigint)
language sql stable set search_path = pg_catalog, pg_temp as $$
    select a.network::text, a.listener, a.note,
           (select count(*) from azekura.source s
             where s.last_heard > now() - interval '24 h' and s.address >= a.network
               and s.address <= set_masklen(broadcast(a.network), case family(a.network) when 4 then 32 else 128 end))
      from azekura.listener_allow a
     order by a.network, a.listener nulls first
$$;

-- Which senders, an address and its listener each, a list of networks (listener null: all) does not let in.  An address is looked
-- for under each length of prefix that is in the list, so that the cost is not senders times rows; the planner, who takes arrays
-- for short, is not let make it that.
create function azekura.senders_outside(networks cidr[], listeners text[], sources inet[], heard_by text[])
returns table (source inet, listener text)
language sql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
    with wanted as materialized (
        select w.n as network, x as listener
          from unnest(networks, listeners) w(n, l), unnest(case when w.l is null then '{udp,tcp,tls}' else array[w.l] end) x
    ), prefix as materialized (
        select distinct w.listener, family(w.network) as family, masklen(w.network) as bits from wanted w
    ), sender as materialized (
        select u.a as source, u.l as listener from unnest(sources, heard_by) u(a, l)
    ), candidate as materialized (
        select s.source, s.listener, network(set_masklen(s.source, p.bits)) as network
          from sender s join prefix p on p.listener = s.listener and p.family = family(s.source)
    )
    select s.source, s.listener from sender s where s.listener in (select w.listener from wanted w)
    except
    select c.source, c.listener from candidate c join wanted w on w.listener = c.listener and w.network = c.network
$$;

-- Put a whole list, [{"network", "listener": null | "udp" | …, "note"}], in place of the one that is there.  What is wrong, a
-- row each (row_number from 0; null: of the list as a whole); no row: it is done.  A list that would shut out every sender
-- of the last hour, or some whom the present one lets in, is refused with code shuts_out unless forced: the message says whom.
create function azekura.set_allow_list(entries jsonb, force boolean, actor text)
returns table (row_number integer, field text, code text, message text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    wanted cidr[];
    wanted_by text[];
    notes text[];
    sources inet[];
    heard_by text[];
    heard bigint;
    out_n bigint;
    new_n bigint;
    who text;
    who_new text;
begin
    return query select c.row_number, c.field, 'invalid', c.message
                   from azekura.check_networks(entries, '{listener,note}') c where c.message is not null;
    if found then
        return;
    end if;
    select array_agg(c.network), array_agg(c.entry ->> 'listener'), array_agg(coalesce(c.entry ->> 'note', ''))
      into wanted, wanted_by, notes from azekura.check_networks(entries, '{listener,note}') c;
    return query
        select x.n, 'network', 'invalid', format('%s is there twice for %s', x.network, coalesce(x.listener, 'all listeners'))
          from (select u.i::integer - 1 as n, u.network, u.listener,
                       row_number() over (partition by u.network, u.listener order by u.i) as nth
                  from unnest(wanted, wanted_by) with ordinality u(network, listener, i)) x
         where x.nth = 2;
    if found then
        return;
    end if;
    -- two who save at once: one after the other
    lock table azekura.listener_allow in share row exclusive mode;
    if not coalesce(force, false) then
        select array_agg(x.source), array_agg(x.listener), count(*) into sources, heard_by, heard from (
            select l.source, l.listener from azekura.ledger l
             where l.minute > now() - interval '61 min' and not l.source <<= inet '127.66.0.0/16'
               and not exists (select from azekura.benchmark_sender b where b.address = l.source and b.until > now())
             group by 1, 2 having sum(l.arrived) > sum(l.not_allowed)) x; -- whoever was let in
        select count(*), count(*) filter (where x.is_new),
               string_agg(format('%s by %s', host(x.source), x.listener), ', ') filter (where x.nth <= 10),
               string_agg(format('%s by %s', host(x.source), x.listener), ', ') filter (where x.is_new and x.nth_new <= 10)
          into out_n, new_n, who, who_new
          from (select o.source, o.listener, n.source is null as is_new, row_number() over (order by o.source, o.listener) as nth,
                       row_number() over (partition by n.source is null order by o.source, o.listener) as nth_new
                  from azekura.senders_outside(wanted, wanted_by, sources, heard_by) o
                  left join azekura.senders_outside((select array_agg(a.network order by a.network, a.listener) from azekura.listener_allow a),
                                                    (select array_agg(a.listener order by a.network, a.listener) from azekura.listener_allow a),
                                                    sources, heard_by) n using (source, listener)
                 order by nth) x;
    end if;
    if out_n > 0 and out_n = heard then
        return query select null::integer, 'force', 'shuts_out', format('this list would shut out every sender of the last hour, %s in all: %s%s',
            heard, who, case when heard > 10 then ', …' else '' end);
        return;
    elsif new_n > 0 then
        return query select null::integer, 'force', 'shuts_out', format('this list would shut out %s of the %s senders of the last hour: %s%s',
            new_n, heard, who_new, case when new_n > 10 then ', …' else '' end);
        return;
    end if;
    insert into azekura.audit (actor, action, detail)
    select set_allow_list.actor, 'listeners.allow',
           jsonb_build_object('former', coalesce((select jsonb_agg(to_jsonb(a) order by a.network, a.listener) from azekura.listener_allow a), '[]'),
                              'now', entries, 'force', coalesce(force, false));
    delete from azekura.listener_allow;
    insert into azekura.listener_allow (network, listener, note) select * from unnest(wanted, wanted_by, notes);
end $$;

create function azekura.limit_list()
returns table (network text, rate integer, burst integer)
language sql stable set search_path = pg_catalog, pg_temp as $$
    select l.network::text, l.rate, l.burst from azekura.sender_limit l order by l.network
$$;

-- The same for [{"network", "rate", "burst"}].
create function azekura.set_limit_list(entries jsonb, actor text)
returns table (row_number integer, field text, code text, message text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
    return query select c.row_number, c.field, 'invalid', c.message
                   from azekura.check_networks(entries, '{rate,burst}') c where c.message is not null;
    if found then
        return;
    end if;
    return query
        select x.row_number, 'network', 'invalid', format('%s is there twice', x.network)
          from (select c.row_number, c.network, row_number() over (partition by c.network order by c.row_number) as nth
                  from azekura.check_networks(entries, '{rate,burst}') c) x
         where x.nth = 2;
    if found then
        return;
    end if;
    lock table azekura.sender_limit in share row exclusive mode;
    insert into azekura.audit (actor, action, detail)
    select set_limit_list.actor, 'listeners.limits',
           jsonb_build_object('former', coalesce((select jsonb_agg(to_jsonb(l) order by l.network) from azekura.sender_limit l), '[]'),
                              'now', entries);
    delete from azekura.sender_limit;
    insert into azekura.sender_limit (network, rate, burst)
    select c.network, (c.entry ->> 'rate')::integer, (c.entry ->> 'burst')::integer
      from azekura.check_networks(entries, '{rate,burst}') c;
end $$;

-- ---- who was turned away ----

create table azekura.refused_sender (
    address inet not null,
    listener text not null check (listener in ('udp', 'tcp', 'tls')),
    count bigint not null,              -- messages, and connections that were not taken
    first_at timestamptz not null,
    last_at timestamptz not null,
    first_payload bytea not null check (length(first_payload) <= 1024), -- of its first message; empty: none was seen
    primary key (address, listener)
);
create index refused_sender_last_at on azekura.refused_sender (last_at);

-- What a receiver refused since it reported last: parallel arrays.  The 10,000 that were heard last are kept.
create function azekura.report_refused_senders(addresses inet[], listeners text[], counts bigint[],
    first_ats timestamptz[], last_ats timestamptz[], payloads bytea[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into azekura.refused_sender as r (address, listener, count, first_at, last_at, first_payload)
    select a, l, c, f, t, p from unnest(addresses, listeners, counts, first_ats, last_ats, payloads) u(a, l, c, f, t, p)
     order by a, l
    on conflict (address, listener) do update set
        count = r.count + excluded.count, first_at = least(r.first_at, excluded.first_at),
        last_at = greatest(r.last_at, excluded.last_at),
        first_payload = case when r.first_payload = '' then excluded.first_payload else r.first_payload end;
    delete from azekura.refused_sender
     where last_at < (select last_at from azekura.refused_sender order by last_at desc offset 9999 limit 1);
$$;

-- Those heard last, at most `most`.  first_text: the payload with every byte that is not printable ASCII escaped.
create function azekura.refused_senders(most integer)
returns table (address text, listener text, count bigint, first_at timestamptz, last_at timestamptz, first_payload bytea, first_text text)
language sql stable set search_path = pg_catalog, pg_temp as $$
    select host(r.address), r.listener, r.count, r.first_at, r.last_at, r.first_payload,
           regexp_replace(encode(r.first_payload, 'escape'), '[\x01-\x1f\x7f]', ' ', 'g')
      from azekura.refused_sender r order by r.last_at desc, r.address limit least(most, 10000)
$$;

-- ---- what is missing ----

-- From the sequence numbers that senders give their messages (firmware/syslog/sequence.h), of those that have any gap; the
-- minute is that of the message which showed it.  Written in the transaction of the unit.
create table azekura.sequence_gap (
    minute timestamptz not null,
    listener text not null check (listener in ('udp', 'tcp', 'tls')),
    source inet not null,
    missing bigint not null default 0,  -- numbers that never came
    repeated bigint not null default 0, -- messages whose number had come before
    primary key (minute, listener, source)
);
-- The same of hours and UTC days, so that a long range costs few rows.
create table azekura.sequence_gap_sum (
    step integer not null check (step in (3600, 86400)),
    minute timestamptz not null,        -- its beginning
    listener text not null,
    source inet not null,
    missing bigint not null default 0,
    repeated bigint not null default 0,
    primary key (step, minute, listener, source)
);

-- Add the gaps of a unit: parallel arrays.
create function azekura.count_gaps(minutes timestamptz[], listeners text[], sources inet[], missing bigint[], repeated bigint[])
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into azekura.sequence_gap as g (minute, listener, source, missing, repeated)
    select m, l, s, a, b from unnest(minutes, listeners, sources, missing, repeated) u(m, l, s, a, b) order by m, l, s
    on conflict (minute, listener, source) do update set
        missing = g.missing + excluded.missing, repeated = g.repeated + excluded.repeated;
    insert into azekura.sequence_gap_sum as g (step, minute, listener, source, missing, repeated)
    select x.step, date_trunc(x.unit, m, 'UTC'), l, s, sum(a), sum(b)
      from (values (3600, 'hour'), (86400, 'day')) x(step, unit), unnest(minutes, listeners, sources, missing, repeated) u(m, l, s, a, b)
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (step, minute, listener, source) do update set
        missing = g.missing + excluded.missing, repeated = g.repeated + excluded.repeated;
$$;

-- Gaps between lo and hi (whole minutes), a row for each bucket of `step` seconds from lo on, listener and source that has
-- any.  source null: all.  A step of whole hours or days reads the hours' or days' sums where lo and hi lie on them.
create function azekura.gaps(lo timestamptz, hi timestamptz, step integer, of_source inet)
returns table (at timestamptz, listener text, source text, missing bigint, repeated bigint)
language plpgsql stable rows 1000 set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    level integer := case when step % 86400 = 0 and lo = date_trunc('day', lo, 'UTC') and hi = date_trunc('day', hi, 'UTC') then 86400
                          when step % 3600 = 0 and lo = date_trunc('hour', lo, 'UTC') and hi = date_trunc('hour', hi, 'UTC') then 3600
                          else 60 end;
begin
    if step is null or step < 60 or step % 60 <> 0 then
        raise exception using errcode = '22023', message = format('a step of %s s is not whole minutes', step);
    end if;
    if level > 60 then
        return query
            select date_bin(make_interval(secs => step), g.minute, lo), g.listener, host(g.source), sum(g.missing)::bigint, sum(g.repeated)::bigint
              from azekura.sequence_gap_sum g
             where g.step = level and g.minute >= lo and g.minute < hi and (of_source is null or g.source = of_source)
             group by 1, 2, g.source order by 1, g.source, 2;
    else
        return query
            select date_bin(make_interval(secs => step), g.minute, lo), g.listener, host(g.source), sum(g.missing)::bigint, sum(g.repeated)::bigint
              from azekura.sequence_gap g
             where g.minute >= lo and g.minute < hi and (of_source is null or g.source = of_source)
             group by 1, 2, g.source order by 1, g.source, 2;
    end if;
end $$;

-- Sums of any range, a listener and source: whole days and hours inside it, and minutes for the rest.
create function azekura.gap_totals(lo timestamptz, hi timestamptz)
returns table (listener text, source inet, missing bigint, repeated bigint)
language sql stable rows 1000 set search_path = pg_catalog, pg_temp as $$
    with bound as (
        select date_trunc('hour', lo + interval '59 min 59.999999 s', 'UTC') as hour_lo, date_trunc('hour', hi, 'UTC') as hour_hi,
               date_trunc('day', lo + interval '23 h 59 min 59.999999 s', 'UTC') as day_lo, date_trunc('day', hi, 'UTC') as day_hi
    ), part as (
        select 60 as step, lo as since, case when hour_lo < hour_hi then hour_lo else hi end as upto from bound
        union all select 60, hour_hi, hi from bound where hour_lo < hour_hi
        union all select 3600, hour_lo, case when day_lo < day_hi then day_lo else hour_hi end from bound where hour_lo < hour_hi
        union all select 3600, day_hi, hour_hi from bound where hour_lo < hour_hi and day_lo < day_hi
        union all select 86400, day_lo, day_hi from bound where day_lo < day_hi
    )
    select x.listener, x.source, sum(x.missing)::bigint, sum(x.repeated)::bigint
      from (select g.listener, g.source, g.missing, g.repeated
              from part p join azekura.sequence_gap g on p.step = 60 and g.minute >= p.since and g.minute < p.upto
            union all
            select g.listener, g.source, g.missing, g.repeated
              from part p join azekura.sequence_gap_sum g on g.step = p.step and g.minute >= p.since and g.minute < p.upto) x
     group by 1, 2
$$;

-- Forget gaps before `older` and senders that have not been turned away since, a bounded number a call; how many rows went.
create function azekura.forget_gaps(older timestamptz) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    gone bigint;
    total bigint := 0;
begin
    delete from azekura.sequence_gap where (minute, listener, source) in
        (select minute, listener, source from azekura.sequence_gap where minute < older order by minute limit 50000);
    get diagnostics gone = row_count;
    total := total + gone;
    delete from azekura.sequence_gap_sum where step in (3600, 86400) and (step, minute, listener, source) in
        (select g.step, g.minute, g.listener, g.source from (values (3600), (86400)) x(step)
           cross join lateral (select * from azekura.sequence_gap_sum s where s.step = x.step and s.minute < older order by s.minute limit 25000) g);
    get diagnostics gone = row_count;
    total := total + gone;
    delete from azekura.refused_sender where last_at < older;
    get diagnostics gone = row_count;
    return total + gone;
end $$;

revoke execute on function azekura.parse_network(text), azekura.check_networks(jsonb, text[]), azekura.allow_list(),
    azekura.senders_outside(cidr[], text[], inet[], text[]),
    azekura.set_allow_list(jsonb, boolean, text), azekura.limit_list(), azekura.set_limit_list(jsonb, text),
    azekura.report_refused_senders(inet[], text[], bigint[], timestamptz[], timestamptz[], bytea[]), azekura.refused_senders(integer),
    azekura.count_gaps(timestamptz[], text[], inet[], bigint[], bigint[]), azekura.gaps(timestamptz, timestamptz, integer, inet),
    azekura.gap_totals(timestamptz, timestamptz), azekura.forget_gaps(timestamptz) from public;
grant select (network, listener) on azekura.listener_allow to azekura_receiver;
grant select on azekura.sender_limit to azekura_receiver;
grant execute on function azekura.report_refused_senders(inet[], text[], bigint[], timestamptz[], timestamptz[], bytea[]),
    azekura.count_gaps(timestamptz[], text[], inet[], bigint[], bigint[]) to azekura_receiver;
grant execute on function azekura.forget_gaps(timestamptz) to azekura_keeper;
grant select on azekura.listener_allow, azekura.sender_limit, azekura.refused_sender, azekura.sequence_gap, azekura.sequence_gap_sum
    to azekura_web;
grant execute on function azekura.allow_list(), azekura.set_allow_list(jsonb, boolean, text), azekura.limit_list(),
    azekura.set_limit_list(jsonb, text), azekura.refused_senders(integer), azekura.gaps(timestamptz, timestamptz, integer, inet),
    azekura.gap_totals(timestamptz, timestamptz) to azekura_web;
