-- A search whose time is used up answers with what it has, and its resume point leads on.
\set file :tmp '/many.copy'
\set made `:make_blocks < blocks/many.txt > :tmp/many.copy && echo yes`
select plan(12);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a partition');
copy azekura.log_block from :'file';

-- Go on from resume points until the search says that it is complete.  The query makes each block
-- cost more than its share of the limit.
create function pg_temp.resume_pages(way text) returns table (id text) language plpgsql as $$
declare
    seen text;
    is_complete boolean := false;
    calls int := 0;
begin
    while not is_complete loop
        for id in select s.id from azekura.search('-nothing -(n*thing) -o*t*h*i*n*g', null, null, null, way, seen) s loop
            return next;
        end loop;
        select complete, resume into is_complete, seen from azekura.last_scan();
        calls := calls + 1;
        if calls > 2000 then
            raise exception 'no progress at %', seen;
        end if;
    end loop;
    perform set_config('test.calls', calls::text, false);
end $$;

create temp table stored as select id from azekura.logs;
set azekura.time_limit_ms = 1;
create temp table down as select * from pg_temp.resume_pages('desc');
select cmp_ok(current_setting('test.calls')::int, '>', 1, 'one call was not enough, newest first');
create temp table up as select * from pg_temp.resume_pages('asc');
select cmp_ok(current_setting('test.calls')::int, '>', 1, 'nor oldest first');
select is(count(*), 100000::bigint, 'newest first: as many rows as there are') from down;
select is(count(distinct id), 100000::bigint, 'each once') from down;
select is(count(*), 100000::bigint, 'oldest first: as many rows as there are') from up;
select is(count(distinct id), 100000::bigint, 'each once') from up;

select is(count(*), 5::bigint, 'a page that is full before the time is up') from azekura.search('', "limit" := 5);
select ok(complete and resume is null, 'is complete') from azekura.last_scan();
create temp table cut_short as select * from azekura.histogram('-nothing -(n*thing) -o*t*h*i*n*g', '2026-03-10 12:00Z', '2026-03-10 12:01Z', 5);
select ok(not complete and resume is null, 'a histogram that is cut short says so') from azekura.last_scan();
reset azekura.time_limit_ms;
select is(sum(count), 100000::numeric, 'without a limit it is whole')
  from azekura.histogram('-nothing', '2026-03-10 12:00Z', '2026-03-10 12:01Z', 5);
select ok(complete, 'and says so') from azekura.last_scan();
select * from finish();
