-- Pages: blocks that overlap in time and rows of the same microsecond; every row exactly once.
\set file :tmp '/paging.copy'
\set made `:make_blocks < blocks/paging.txt > :tmp/paging.copy && echo yes`
select plan(11);
select ok(azekura.ensure_partition('2026-03-10') is not null and azekura.ensure_partition('2026-03-11') is not null,
          'the days have partitions');
copy azekura.log_block from :'file';

select is(count(*), 1000::bigint, 'a thousand rows') from azekura.logs;

-- all pages of `size`, one after another; the rows in the order they came
create function pg_temp.pages(way text, size int, lo timestamptz default null, hi timestamptz default null)
returns table (page int, n bigint, id text, received_at timestamptz) language plpgsql as $$
declare
    seen text;
    got int;
    sum bigint := 0;
begin
    page := 0;
    loop
        got := 0;
        for id, received_at in select s.id, s.received_at from azekura.search('', lo, hi, size, way, seen) s loop
            got := got + 1;
            sum := sum + 1;
            n := sum;
            return next;
            seen := id;
        end loop;
        exit when got = 0;
        page := page + 1;
    end loop;
end $$;

create temp table down as select * from pg_temp.pages('desc', 7);
create temp table up as select * from pg_temp.pages('asc', 7);
select is(count(*), 1000::bigint, 'pages of 7, newest first, have as many rows as there are') from down;
select is(count(distinct id), 1000::bigint, 'and each once') from down;
select is(count(*), 1000::bigint, 'pages of 7, oldest first, have as many rows as there are') from up;
select is(count(distinct id), 1000::bigint, 'and each once') from up;
select ok(bool_and(ok), 'newest first they come in falling order of id')
  from (select id < lag(id) over (order by n) or lag(id) over (order by n) is null as ok from down) x;
select ok(bool_and(ok), 'oldest first they come in rising order of id')
  from (select id > lag(id) over (order by n) or lag(id) over (order by n) is null as ok from up) x;
select is(count(*), 200::bigint, 'a microsecond that 200 rows share is paged through too')
  from pg_temp.pages('desc', 7, '2026-03-10 12:30:00Z', '2026-03-10 12:30:00.000001Z');
select results_eq(
    $$ select id from pg_temp.pages('asc', 13, '2026-03-10 12:00:00.0005Z', '2026-03-10 12:30:00Z') order by 1 $$,
    $$ select id from azekura.logs where received_at >= '2026-03-10 12:00:00.0005Z'
                                     and received_at < '2026-03-10 12:30:00Z' order by 1 $$,
    'from is inclusive, to exclusive');
select results_eq(
    $$ select id from azekura.logs order by received_at desc $$,
    $$ select id from azekura.logs order by received_at desc, id desc $$,
    'the relation gives rows in order of time, and within a microsecond in that of their numbers');

select * from finish();
