-- Conditions skip blocks, EXPLAIN shows it, and what comes out is right.
\set file :tmp '/many.copy'
\set file2 :tmp '/mixed.copy'
\set made `:make_blocks < blocks/many.txt > :tmp/many.copy && echo yes`
\set made `sed 's/03-10T11/03-12T11/' blocks/mixed.txt | :make_blocks > :tmp/mixed.copy && echo yes`
select plan(63);
select ok(azekura.ensure_partition('2026-03-10') is not null and azekura.ensure_partition('2026-03-12') is not null,
          'the days have partitions');
copy azekura.log_block from :'file';
copy azekura.log_block from :'file2';
select is(count(*), 46::bigint, '46 blocks') from azekura.log_block;

create function pg_temp.plan_of(statement text, analyze_too boolean default false) returns text language plpgsql as $$
declare
    line text;
    lines text := '';
begin
    for line in execute format('explain (costs off, timing off, summary off%s) %s',
                               case when analyze_too then ', analyze' else '' end, statement) loop
        lines := lines || trim(line) || E'\n';
    end loop;
    return lines;
end $$;

create temp table wanted (condition text, shown text);
insert into wanted values
    ('true', 'Blocks: 46 of 46'),
    ('received_at >= ''2026-03-11''', 'Blocks: 6 of 46'),
    ('received_at < ''2026-03-11''', 'Blocks: 40 of 46'),
    ('received_at <= timestamptz ''2026-03-10 12:00:00Z''', 'Blocks: 1 of 46'),
    ('received_at = timestamptz ''2026-03-10 12:00:00.02Z''', 'Blocks: 2 of 46'),
    ('received_at between ''2026-03-10 12:00:00.05Z'' and ''2026-03-10 12:00:00.06Z''', 'Blocks: 4 of 46'),
    ('''2026-03-11'' < received_at', 'Blocks: 6 of 46'),
    ('received_at > date ''2026-03-11''', 'Blocks: 6 of 46'),
    ('received_at > timestamp ''2026-03-11 00:00''', 'Blocks: 6 of 46'),
    ('received_at > now() + interval ''100 years''', 'Blocks: 0 of 46'),
    ('severity <= 2', 'Blocks: 3 of 46'),
    ('severity in (2, 3)', 'Blocks: 4 of 46'),
    ('facility = 20 and severity > 4', 'Blocks: 2 of 46'),
    ('listener = ''tls''', 'Blocks: 2 of 46'),
    ('listener in (''tls'', ''tcp'')', 'Blocks: 4 of 46'),
    ('source = ''192.0.2.1''', 'Blocks: 3 of 46'),
    ('source <<= ''192.0.2.0/29''', 'Blocks: 4 of 46'),
    ('source << ''2001:db8::/32''', 'Blocks: 2 of 46');
select matches(pg_temp.plan_of('select * from azekura.logs where ' || condition), shown || E'\n', condition || ': ' || shown)
  from wanted;
select matches(pg_temp.plan_of('select id from azekura.logs where severity <= 2'), 'Pushed Conditions: \(severity <= 2\)', 'the condition is shown');
select doesnt_match(pg_temp.plan_of('select id from azekura.logs where severity <= 2'), 'Filter', 'and not checked twice');
select matches(pg_temp.plan_of('select id from azekura.logs where hostname = ''fw01'''), 'Filter: \(hostname', 'an inexact one is');
select matches(pg_temp.plan_of('select id from azekura.logs where azekura.matches(logs, ''failed'')'), 'Pushed Conditions: azekura.matches', 'a query of the search language is pushed');
select matches(pg_temp.plan_of('select * from azekura.logs where hostname = ''h7''', true), 'Blocks Skipped by Token Index: [34]\d', 'a hostname skips by the token index');
select matches(pg_temp.plan_of('select * from azekura.logs where message like ''% changed state %''', true), 'Blocks Skipped by Token Index: 4\d', 'LIKE skips by the token index');
select matches(pg_temp.plan_of('select * from azekura.logs where message ilike ''% STATE %''', true), 'Blocks Skipped by Token Index: 4\d', 'ILIKE too');
select matches(pg_temp.plan_of('select count(*) from azekura.logs', true), 'Blocks Read: 0\n', 'counting all opens no block');
select matches(pg_temp.plan_of('select count(*) from azekura.logs where received_at > ''2026-03-10 12:00:00.5Z''', true), 'Blocks Read: [1-6]\n', 'counting a range opens those at its border');
select doesnt_match(pg_temp.plan_of('select * from azekura.logs order by received_at desc limit 10'), 'Sort', 'the newest ten need no sort');
select matches(pg_temp.plan_of('select * from azekura.logs order by received_at desc limit 10', true), 'Blocks Read: [12]\n', 'nor more than the newest block');

-- parameters, joins, re-scans
prepare since(timestamptz, int) as select count(*) from azekura.logs where received_at >= $1 and severity <= $2;
set plan_cache_mode = force_generic_plan;
select results_eq($$ execute since('2026-03-11', 2) $$, $$ values (120::bigint) $$, 'parameters of a generic plan');
select results_eq(
    $$ select s, (select count(*) from azekura.logs l where l.severity = s) from generate_series(0, 7) s $$,
    $$ select s, count(l.id) from generate_series(0, 7) s left join (select id, severity from azekura.logs offset 0) l
           on l.severity = s group by s order by s $$, 'a scan for each outer row');

-- the same rows as without any push-down
create temp table all_rows as select * from azekura.logs;
create temp table condition (c text);
insert into condition values ('hostname = ''fw01'''), ('hostname = ''FW01'''), ('hostname in (''fw01'', ''h3'', '''')'),
    ('message ilike ''%kelvin%'''), ('message ilike ''%ISTANBUL%'''), ('message like ''%100\%%'''), ('message like ''%応答%'''), ('hostname is null');
select results_eq(format('select count(*), min(id), max(id) from azekura.logs where %s', c),
                  format('select count(*), min(id), max(id) from all_rows where %s', c), c)
  from condition;

-- count(*) without the executor
select doesnt_match(pg_temp.plan_of('select count(*) from azekura.logs where severity <= 3'), 'Aggregate', 'a count of exact conditions is the scan''s own');
select matches(pg_temp.plan_of('select count(*) from azekura.logs where severity <= 3'), 'Pushed Conditions: \(severity <= 3\)', 'and shows them');
select matches(pg_temp.plan_of('select count(*) from azekura.logs where hostname = ''h7'''), 'Aggregate', 'one of an inexact condition is not');
select matches(pg_temp.plan_of(q), 'Aggregate', q)
  from unnest(array['select count(*) from azekura.logs group by severity', 'select count(message) from azekura.logs',
                    'select count(*) filter (where severity = 3) from azekura.logs', 'select count(*), max(id) from azekura.logs',
                    'select count(*) from azekura.logs having count(*) > 5', 'select count(*) from azekura.logs a, azekura.logs b']) q;
create temp table counted (c text);
insert into counted values ('true'), ('false'), ('severity <= 3'), ('received_at >= ''2026-03-11'''), ('received_at < ''2026-03-10 12:00:00.05Z'''),
    ('azekura.matches(logs, ''link OR failed'')'), ('severity in (2, 3) and listener = ''udp'''), ('severity = (select 2)'), ('hostname = ''h7'''),
    ('severity = (select null::int)'), ('format = ''raw'' or severity = 2');
select results_eq(format('select count(*), count(*) from azekura.logs where %s', c),
                  format('select count(id), count(id) from (select * from azekura.logs offset 0) logs where %s', replace(c, 'matches(logs,', 'matches(logs::azekura.logs,')), 'count(*) where ' || c)
  from counted where c not like '%matches%'
union all
select is((select count(*) from azekura.logs where azekura.matches(logs, 'link OR failed')),
          (select count(*) from (select l as row from azekura.logs l offset 0) x where azekura.matches(row, 'link OR failed')), 'count(*) where matches()');
select is((select sum(n) from (select (select count(*) from azekura.logs where severity = s) as n from generate_series(0, 7) s) x),
          (select count(*) from azekura.logs)::numeric, 'a count for each outer row');
create foreign table pg_temp.other (received_at timestamptz, x int) server azekura_store;
select throws_ok('select * from pg_temp.other', '42804', null, 'another foreign table of the server is refused');
select * from finish();
