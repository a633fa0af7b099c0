-- Whatever byte of whatever column is wrong: the server lives, and the other blocks are found.
\set file :tmp '/mixed.copy'
\set made `:make_blocks < blocks/mixed.txt > :tmp/mixed.copy && echo yes`
set client_min_messages = error;
select plan(5);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a partition');
copy azekura.log_block from :'file';
create temp table good as select * from azekura.log_block;
create temp table entries as select * from azekura.logs;
create temp table result (what text, verified boolean, others bigint, state text);

-- wrong bytes at many places, cut and swapped columns
create function pg_temp.damages(b bytea, other bytea) returns setof bytea language sql as $$
    select null::bytea
    union all select ''::bytea
    union all select other
    union all select substr(b, 1, length(b) - 1)
    union all select b || '\x00'::bytea
    union all select substr(b, 1, length(b) * k / 4) from generate_series(1, 3) k where length(b) > 8
    union all select set_byte(b, p, (get_byte(b, p) + d) % 256)
      from generate_series(0, length(b) - 1, greatest(1, length(b) / 40)) p, unnest(array[1, 64, 128, 255]) d
$$;

create function pg_temp.try_damage(col text, damaged bytea) returns void language plpgsql as $$
declare
    code text := '00000';
    n bigint;
    is_good boolean;
    one text;
begin
    begin
        execute format('update azekura.log_block set %I = $1 where first_seq = 51', col) using damaged;
        select azekura.verify_block(b) is null into is_good from azekura.log_block b where first_seq = 51;
        select count(*) into n from azekura.search('', "limit" := null) s where source <> '192.0.2.1';
        perform azekura.search('link OR 応答 OR hostname:fw* OR structured_data:abc OR severity:3');
        perform count(x.id || x.message) from (select * from azekura.logs offset 0) x;
        perform azekura.histogram('-x', null, null, 5);
        perform azekura.facets('hostname', '-x'), azekura.facets('source', '');
        for one in select id from entries where source = '192.0.2.1' and id like '%5' loop
            begin
                perform azekura.raw(one);
            exception when data_corrupted then
                null;
            end;
        end loop;
        raise exception using errcode = 'P0099'; -- undo
    exception when sqlstate 'P0099' then
        null;
    when others then
        code := sqlstate || ' ' || sqlerrm;
    end;
    insert into result values (col, is_good, n, code);
end $$;

do $$
declare
    col text;
    bytes bytea;
    other bytea;
    d bytea;
begin
    foreach col in array array['senders', 'tokens', 'times', 'reported', 'sources', 'listener', 'pri', 'formats', 'flags',
        'hostname', 'app_name', 'procid', 'msgid', 'structured_data', 'message', 'layouts', 'raw', 'seq'] loop
        execute format('select %I from good where first_seq = 51', col) into bytes;
        execute format('select %I from good where first_seq = 201', col) into other;
        for d in select * from pg_temp.damages(coalesce(bytes, '\x0102030405060708090a'), other) loop
            if col <> 'senders' or d is not null then
                perform pg_temp.try_damage(col, d);
            end if;
        end loop;
    end loop;
end $$;
select cmp_ok(count(*), '>', 1000::bigint, 'many damages were tried') from result;
select is(count(*), 0::bigint, 'none of them ended a query with an error') from result where state <> '00000';
select is(count(*), 0::bigint, 'and none hid a message of another block')
  from result where others < (select count(*) from entries where source <> '192.0.2.1') and state = '00000';
-- more bits in a token index are no fault; a column that was null may be so again
select cmp_ok(count(*) filter (where verified), '<', count(*) / 50, 'nearly none passed as good') from result where what <> 'tokens';
select diag(what || ': ' || state || ', ' || count(*) || ' times') from result where state <> '00000' group by what, state;
select * from finish();
