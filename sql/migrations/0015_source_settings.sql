-- What administrators say of their sources: rows by network, and which sources they have seen.

set local role azekura;

-- Changes with every change of a row or of its group.
create function azekura.source_settings_version() returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
    select left(md5(coalesce(string_agg(s::text || coalesce(m.source_group, 0), e'\n' order by s.network), '')), 16)
      from azekura.source_setting s left join azekura.source_group_member m on m.prefix = s.network
$$;

-- The rows.  sources: those ever heard for which the row is in force, which are those in its network without those in the rows
-- right below it.
create function azekura.source_settings()
returns table (network text, name text, zone text, charset text, framing text, source_group json, note text,
               changed_at timestamptz, changed_by text, sources bigint)
language sql stable set search_path = pg_catalog, pg_temp as $$
    with inside as materialized (
        select s.network, (select count(*) from azekura.source o
                            where o.address >= s.network and o.address <= set_masklen(broadcast(s.network),
                                  case family(s.network) when 4 then 32 else 128 end)) as n,
               (select p.network from azekura.source_setting p where p.network >> s.network
                 order by masklen(p.network) desc limit 1) as parent
          from azekura.source_setting s
    ), below as (
        select i.parent, sum(i.n)::bigint as n from inside i where i.parent is not null group by i.parent
    )
    select abbrev(s.network::inet), s.name, s.zone, s.charset, s.framing,
           case when g.id is not null then json_build_object('id', g.id, 'name', g.name) end, s.note,
           s.changed_at, s.changed_by, i.n - coalesce(b.n, 0)
      from azekura.source_setting s join inside i on i.network = s.network left join below b on b.parent = s.network
      left join azekura.source_group_member m on m.prefix = s.network
      left join azekura.source_group g on g.id = m.source_group
     order by s.network
$$;

-- What is wrong with the members of a row; no row: nothing.  Whether a zone can be loaded is its caller's to say.
create function azekura.check_source_setting(wish jsonb)
returns table (field text, message text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    limits constant jsonb := '{"name": 64, "zone": 64, "charset": 32, "framing": 16, "note": 200}';
    k text;
    v jsonb;
begin
    if jsonb_typeof(wish) is distinct from 'object' then
        return query select null::text, 'a row is an object';
        return;
    end if;
    for k, v in select * from jsonb_each(wish) loop
        field := left(k, 64);
        message := null;
        if k = 'source_group' then
            if not (v = 'null' or (jsonb_typeof(v) = 'number' and v::text ~ '^[0-9]{1,4}$')) then
                message := 'it is not the id of a source group';
            elsif v <> 'null' and not exists (select from azekura.source_group g
                                               where g.id = v::text::integer and g.retired_at is null) then
                message := format('there is no source group %s', v);
            elsif v = '32' then
                message := 'the built-in group benchmark has its own senders';
            end if;
        elsif not limits ? k then
            message := format('it is not a member of a row: %s', 'name, zone, charset, framing, source_group, note');
        elsif v = 'null' then
            continue;
        elsif jsonb_typeof(v) <> 'string' then
            message := 'it is not text';
        elsif length(v #>> '{}') > (limits ->> k)::integer then
            message := format('it has %s characters, more than %s', length(v #>> '{}'), limits ->> k);
        elsif v #>> '{}' ~ '[[:cntrl:]]' then
            message := 'it has a control character';
        elsif k = 'framing' and v #>> '{}' not in ('auto', 'counted', 'delimited') then
            message := format('"%s" is not auto, counted or delimited', v #>> '{}');
        elsif k = 'charset' and azekura.charset_name(v #>> '{}') is null then
            message := format('"%s" is no charset that is known here', v #>> '{}');
        end if;
        if message is not null then
            message := field || ': ' || message;
            return next;
        end if;
    end loop;
end $$;

-- Refuse a change made on the ground of rows that are not those of now; the sentence says who changed them.
create function azekura.source_settings_conflict(version text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
    select coalesce((select format('the rows were changed meanwhile, by %s at %s', a.actor, azekura.json_time(a.at))
                       from azekura.audit a where a.action in ('source.set', 'source.unset') order by a.id desc limit 1),
                    'the rows were changed meanwhile')
     where version is not null and version <> azekura.source_settings_version()
$$;

-- The network of a row as it is written down, or what is wrong with it.
create function azekura.check_source_network(network text, out cidr cidr, out code text, out message text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
    cidr := azekura.parse_network(network);
    if cidr is null then
        code := 'bad_value';
        message := format('"%s" is not a network or address, such as 192.0.2.0/24, 2001:db8::/32 or 192.0.2.1', left(network, 64));
    elsif cidr <<= '127.66.0.0/16' then
        code := 'built_in';
        message := format('%s lies in 127.66.0.0/16, which belongs to the built-in group benchmark', cidr);
    end if;
end $$;

-- Put a row in the place of what is there.  Members: name, zone, charset, framing, note (null or missing: nothing), source_group
-- (null: none of its own; missing: as it is).  What is wrong; no row: it is done.
create function azekura.set_source_setting(network text, wish jsonb, version text, actor text)
returns table (code text, field text, message text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    n record;
    old jsonb;
    old_group smallint;
    new_group smallint;
begin
    n := azekura.check_source_network(set_source_setting.network);
    if n.code is not null then
        return query select n.code::text, 'network'::text, n.message::text;
        return;
    end if;
    return query select 'bad_value'::text, c.field, c.message from azekura.check_source_setting(wish) c;
    if found then
        return;
    end if;
    lock table azekura.source_setting, azekura.source_group_member in share row exclusive mode;
    return query select 'changed'::text, null::text, x from azekura.source_settings_conflict(version) x where x is not null;
    if found then
        return;
    end if;
    select to_jsonb(s) - 'changed_at' - 'changed_by' into old from azekura.source_setting s where s.network = n.cidr;
    select m.source_group into old_group from azekura.source_group_member m where m.prefix = n.cidr;
    new_group := case when wish ? 'source_group' then nullif((wish ->> 'source_group')::smallint, 0) else old_group end;
    if old is null and (select count(*) from azekura.source_setting) >= 1000 then
        return query select 'too_many'::text, null::text, 'there are 1000 rows already, as many as there can be'::text;
        return;
    elsif old_group is null and new_group is not null
          and (select count(*) from azekura.source_group_member m where m.source_group <> 32) >= 4096 then
        return query select 'too_many'::text, 'source_group'::text,
                            'source_group: there are 4096 networks in groups already, as many as there can be'::text;
        return;
    end if;
    insert into azekura.source_setting as s (network, name, zone, charset, framing, note, changed_at, changed_by)
    values (n.cidr, coalesce(wish ->> 'name', ''), nullif(wish ->> 'zone', ''), azekura.charset_name(nullif(wish ->> 'charset', '')),
            nullif(wish ->> 'framing', ''), coalesce(wish ->> 'note', ''), clock_timestamp(), actor)
    on conflict (network) do update set name = excluded.name, zone = excluded.zone, charset = excluded.charset,
        framing = excluded.framing, note = excluded.note, changed_at = excluded.changed_at, changed_by = excluded.changed_by;
    if exists (select from azekura.source_setting s where s.network = n.cidr and (s.zone, s.charset, s.framing) is distinct from
               (old ->> 'zone', old ->> 'charset', old ->> 'framing')) then
        perform azekura.forget_source_health(n.cidr);
    end if;
    if new_group is distinct from old_group then
        delete from azekura.source_group_member m where m.prefix = n.cidr;
        insert into azekura.source_group_member (prefix, source_group) select n.cidr, new_group where new_group is not null;
    end if;
    insert into azekura.audit (actor, action, detail)
    select set_source_setting.actor, 'source.set',
           jsonb_build_object('former', old || jsonb_build_object('source_group', old_group),
                              'now', to_jsonb(s) - 'changed_at' - 'changed_by' || jsonb_build_object('source_group', new_group))
      from azekura.source_setting s where s.network = n.cidr;
end $$;

-- Take a row away, and the network out of its group.
create function azekura.unset_source_setting(network text, version text, actor text)
returns table (code text, field text, message text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
    n record;
    old jsonb;
    old_group smallint;
begin
    n := azekura.check_source_network(unset_source_setting.network);
    if n.code is not null then
        return query select n.code::text, 'network'::text, n.message::text;
        return;
    end if;
    lock table azekura.source_setting, azekura.source_group_member in share row exclusive mode;
    delete from azekura.source_setting s where s.network = n.cidr
           and azekura.source_settings_conflict(version) is null
        returning to_jsonb(s) - 'changed_at' - 'changed_by' into old;
    if old is null then
        return query select 'changed'::text, null::text, x from azekura.source_settings_conflict(version) x where x is not null;
        if not found then
            return query select 'not_found'::text, 'network'::text, format('there is no row of %s', n.cidr);
        end if;
        return;
    end if;
    delete from azekura.source_group_member m where m.prefix = n.cidr returning m.source_group into old_group;
    if coalesce(old ->> 'zone', old ->> 'charset', old ->> 'framing') is not null then
        perform azekura.forget_source_health(n.cidr);
    end if;
    insert into azekura.audit (actor, action, detail)
    values (actor, 'source.unset', jsonb_build_object('former', old || jsonb_build_object('source_group', old_group)));
end $$;

-- Sources that are new have been seen; addresses null: all.  How many were new.
create function azekura.acknowledge_sources(addresses inet[], actor text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    n bigint;
begin
    update azekura.source s set acknowledged_at = clock_timestamp()
     where s.acknowledged_at is null and (addresses is null or s.address = any (addresses));
    get diagnostics n = row_count;
    if n > 0 then
        insert into azekura.audit (actor, action, detail)
        values (acknowledge_sources.actor, 'source.acknowledge', jsonb_build_object('sources', n,
                'addresses', case when addresses is not null then to_jsonb(addresses[1:100]) end));
    end if;
    return n;
end $$;

revoke execute on function azekura.source_settings_version(), azekura.source_settings(),
    azekura.check_source_setting(jsonb), azekura.source_settings_conflict(text), azekura.check_source_network(text),
    azekura.set_source_setting(text, jsonb, text, text), azekura.unset_source_setting(text, text, text),
    azekura.acknowledge_sources(inet[], text) from public;
grant execute on function azekura.source_settings_version(), azekura.source_settings(),
    azekura.set_source_setting(text, jsonb, text, text), azekura.unset_source_setting(text, text, text),
    azekura.acknowledge_sources(inet[], text), azekura.parse_network(text) to azekura_web;
