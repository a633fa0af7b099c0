-- Counts over time and by value are those of the rows.
\set file :tmp '/mixed.copy'
\set made `:make_blocks < blocks/mixed.txt > :tmp/mixed.copy && echo yes`
select plan(29);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a partition');

select is(count(*), 0::bigint, 'an open range over an empty store has no buckets') from azekura.histogram('');
select is(count(*), 3::bigint, 'a given range has all its buckets') from azekura.histogram('', '2026-03-10', '2026-03-11', 3);
copy azekura.log_block from :'file';

-- the buckets by plain SQL
create function pg_temp.plain(q text, lo timestamptz, hi timestamptz, n int)
returns table (at timestamptz, count bigint, by_severity bigint[]) language sql as $$
    select b.at, count(l.id), array[count(*) filter (where severity = 0), count(*) filter (where severity = 1),
           count(*) filter (where severity = 2), count(*) filter (where severity = 3),
           count(*) filter (where severity = 4), count(*) filter (where severity = 5),
           count(*) filter (where severity = 6), count(*) filter (where severity = 7)]
      from (select lo + (i * ((extract(epoch from hi - lo) * 1000000)::bigint) / n) * interval '1 microsecond' as at,
                   lo + ((i + 1) * ((extract(epoch from hi - lo) * 1000000)::bigint) / n) * interval '1 microsecond' as until
              from generate_series(0::bigint, n - 1) i) b
      left join (select * from azekura.logs l where azekura.matches(l, q)) l
             on l.received_at >= b.at and l.received_at < b.until
     group by b.at order by b.at
$$;

create temp table wanted (q text, lo timestamptz, hi timestamptz, n int);
insert into wanted values
    ('', '2026-03-10 11:59:59Z', '2026-03-10 12:00:01Z', 10),
    ('', '2026-03-10 11:59:59Z', '2026-03-10 12:00:01Z', 1),
    ('', '2026-03-10 11:59:59.51Z', '2026-03-10 11:59:59.71Z', 7),
    ('', '2026-03-10 00:00:00Z', '2026-03-11 00:00:00Z', 24),
    ('failed', '2026-03-10 11:59:59Z', '2026-03-10 12:00:01Z', 13),
    ('severity:<=err', '2026-03-10 11:59:59Z', '2026-03-10 12:00:01Z', 13),
    ('-failed', '2026-03-10 11:59:59.5Z', '2026-03-10 11:59:59.500003Z', 2),
    ('nosuchword', '2026-03-10 11:59:59Z', '2026-03-10 12:00:01Z', 3);
select results_eq(
    format('select * from azekura.histogram(%L, %L, %L, %s)', q, lo, hi, n),
    format('select * from pg_temp.plain(%L, %L, %L, %s)', q, lo, hi, n),
    format('%s in %s buckets from %s', q, n, lo))
  from wanted;
select is(sum(count), 280::numeric, 'open ends reach to the first and the last message') from azekura.histogram('');

select is((select sum(count) from azekura.histogram('', '2026-03-10', '2026-03-11', 1)), 280::numeric, 'a day in one bucket');
select ok(blocks_read < blocks_in_range, 'blocks of one severity inside one bucket are not opened') from azekura.last_scan();

select is((select sum(count) from azekura.histogram('', '4713-01-01 BC', '294276-01-01', 2000)), 280::numeric, 'all of time in 2000 buckets');
select throws_ok($$ select * from azekura.histogram('', '2026-03-11', '2026-03-10') $$, '22023', null, 'a range that ends before it begins');
select throws_ok($$ select * from azekura.histogram('', null, null, 0) $$, '22023', '0 buckets are out of 1..2000', 'no buckets');
select throws_ok($$ select * from azekura.histogram('', null, null, 2001) $$, '22023', '2001 buckets are out of 1..2000', 'too many buckets');

create temp table fields (f text, shown text);
insert into fields values ('source', 'host(source)'), ('listener', 'listener'), ('hostname', 'hostname'), ('app_name', 'app_name'),
    ('procid', 'procid'), ('msgid', 'msgid'), ('format', 'format');
select results_eq(
    format('select * from azekura.facets(%L, %L, null, null, 5)', f, ''),
    format('select * from (select %s as v, count(*) from azekura.logs where %s is not null group by 1) x'
           ' order by 2 desc, v collate "C" limit 5', shown, f),
    f || ': its most frequent values')
  from fields;
select is((select string_agg(value, ' ' order by value) from azekura.facets('severity', 'listener:udp')), 'crit', 'severities have their names');
select is((select string_agg(value, ' ' order by value) from azekura.facets('facility', 'listener:tcp')), 'local7', 'facilities have their names');
select throws_ok($$ select * from azekura.facets('message', '') $$, '22023', 'there are no facets of "message"', 'a field without facets');
select throws_ok($$ select * from azekura.facets('hostname', '', null, null, -1) $$, '22023', 'limit -1 is negative', 'a bad limit');
select * from finish();
