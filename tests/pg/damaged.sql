-- A block that does not verify is named in a warning and counted; it never hides the others.
\set file :tmp '/many.copy'
\set made `:make_blocks < blocks/many.txt > :tmp/many.copy && echo yes`
set client_min_messages = error;
select plan(16);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a partition');
copy azekura.log_block from :'file';
select is(count(*), 0::bigint, 'all blocks verify') from azekura.log_block b where azekura.verify_block(b) is not null;
create temp table before as select id, hostname from azekura.logs;

-- flip one byte in the middle of a column
create function pg_temp.flip(b bytea) returns bytea language sql as
    $$ select set_byte(b, length(b) / 2, get_byte(b, length(b) / 2) # 90) $$;
update azekura.log_block set message = pg_temp.flip(message) where first_seq = 1 + 7 * 2500;
update azekura.log_block set times = null where first_seq = 1 + 9 * 2500;
update azekura.log_block set seq = '\x00' where first_seq = 1 + 11 * 2500;
update azekura.log_block set severities = 1 where first_seq = 1 + 13 * 2500;

select is(count(*), 4::bigint, 'four blocks do not verify') from azekura.log_block b where azekura.verify_block(b) is not null;
select ok(azekura.verify_block(b) like '%message%', 'the fault names the column') from azekura.log_block b where first_seq = 1 + 7 * 2500;
select is(count(*), 37 * 2500::bigint, 'a search finds all messages of the others') from azekura.search('', "limit" := null);
select is(damaged, 3::bigint, 'and counts the damaged blocks that it had to open') from azekura.last_scan();
select is(count(*), 37 * 2500::bigint, 'so does the relation') from azekura.logs where id is not null and message <> '';
select is(count(*), 39 * 2500::bigint, 'a column that is whole is read from a damaged block too')
  from (select hostname, received_at from azekura.logs offset 0) l where received_at is not null;
select results_eq($$ select value, count from azekura.facets('hostname', '', null, null, 100) order by 1 $$,
                  $$ select hostname, count(*) from before group by 1 order by 1 $$, 'so are facets');
select is(sum(count), 39 * 2500::numeric, 'a histogram leaves out what it cannot place') from azekura.histogram('-nothing', null, null, 7);
select is(damaged, 1::bigint, 'and counts it') from azekura.last_scan();
select throws_ok(format('select azekura.raw(%L)', id), 'XX001', null, 'raw bytes of a damaged block are an error, not wrong bytes')
  from before where id like '%-' || lpad(to_hex(2 + 7 * 2500), 16, '0');
select is(convert_from(azekura.raw(id), 'utf8'), '<13>Mar 10 12:00:00 h8 p: limited 8 of 1', 'those of the next block are right')
  from before where id like '%-' || lpad(to_hex(2 + 8 * 2500), 16, '0');

select results_eq($$ select * from azekura.compact('log_block_20260310', now() + interval '100 years') $$,
                  $$ values (37::bigint, 2::bigint) $$, 'compaction leaves damaged blocks alone');
select is(count(*), 3::bigint, 'they are still there') from azekura.log_block where messages = 2500;
select is(count(*), 0::bigint, 'and no other message is missing')
  from before b where hostname not in ('h7', 'h9', 'h11') and not exists (select from azekura.search('', "limit" := null) s where s.id = b.id);
select * from finish();
