-- Stored messages parsed again: exactly what the preview said, and nothing else.
\set plain :tmp '/plain.copy'
\set japanese :tmp '/japanese.copy'
\set made `:make_blocks < blocks/sources.txt > :tmp/plain.copy && echo yes`
\set made `iconv -f UTF-8 -t CP932 blocks/sources_japanese.txt | :make_blocks > :tmp/japanese.copy && echo yes`
set client_min_messages = error;
select plan(80);
select ok(azekura.ensure_partition('2026-03-10') is not null, 'the day has a piece');
copy azekura.log_block from :'plain';
copy azekura.log_block from :'japanese';
update azekura.day_partition set messages = 1150 where name = 'log_block_20260310';
create temp table before as select l.*, azekura.raw(id) as raw from azekura.logs l;
select is(count(*), 1150::bigint, 'messages of several forms') from before;

-- ---- a message ----

select is(message, 'ポートの障害', 'a charset is decoded before fields are cut')
  from azekura.parse_message('\x3c31333e4d61722031302032313a30303a30372073773120613a20' || convert_to('ポートの障害', 'sjis'), '2026-03-10 12:00Z', 'UTC', 'cp932');
select is(reported_at, '2026-03-10 12:00:07Z', 'a time without zone is of the zone')
  from azekura.parse_message('<13>Mar 10 21:00:07 sw1 a: b', '2026-03-10 12:00Z', 'Asia/Tokyo', null);
select is(marks, '{no_pri}', 'marks have names') from azekura.parse_message('nothing', '2026-03-10 12:00Z', null, null);
select is(marks, '{}', 'or are none') from azekura.parse_message('<13>Mar 10 12:00:00 sw1 a: b', '2026-03-10 12:00Z', null, null);
select is(reported_at, null, 'no time is null') from azekura.parse_message('<13>x', '2026-03-10 12:00Z', null, null);
select throws_ok($$ select azekura.parse_message('x', now(), 'Asia/Nowhere', null) $$, '22023', null, 'a zone that is none');
select throws_ok($$ select azekura.parse_message('x', now(), '../etc/passwd', null) $$, '22023', null, 'a zone that is a path');
select throws_ok($$ select azekura.parse_message('x', now(), null, 'klingon') $$, '22023', 'there is no charset "klingon"', 'a charset that is none');
select throws_ok($$ select azekura.parse_message('x', 'infinity', null, null) $$, '22023', null, 'a message has a time');
select is(azekura.parse_message(null, now(), null, null), null, 'no bytes, no message');
select is(count(*), 0::bigint, 'each stored message is what its bytes give, at the zone and charset it came with')
  from before b, azekura.parse_message(b.raw, b.received_at, 'UTC', null) p
 where (p.reported_at, p.facility, p.severity, p.hostname, p.app_name, p.procid, p.msgid, p.structured_data, p.message, p.format)
       is distinct from (b.reported_at, b.facility, b.severity, b.hostname, b.app_name, b.procid, b.msgid, b.structured_data, b.message, b.format);
select ok(azekura.charset_name('sjis') = 'Shift_JIS' and azekura.charset_name('klingon') is null, 'charsets have one name');
select ok(count(*) > 20 and bool_and(name = azekura.charset_name(name) and label_en <> '' and label_ja <> ''), 'those there are') from azekura.charsets();
select is((azekura.format_names())[1:4], '{raw,rfc5424,rfc3164,cisco}', 'formats by number');
select ok(azekura.senders_in_network(senders, '192.0.2.0/24') and not azekura.senders_in_network(senders, '203.0.113.0/24'), 'whose messages are in a block')
  from azekura.log_block where first_seq = 1;

-- ---- preview ----

insert into azekura.source_setting (network, changed_by) values ('192.0.2.99', 'test');
create temp table preview as select row_number() over () as n, p.* from azekura.reparse_preview('192.0.2.0/24', '{192.0.2.99}', 'Asia/Tokyo', 'Shift_JIS', 1000) p;
select is(count(*), 950::bigint, 'all of the network but those left alone') from preview;
select is(count(*), 0::bigint, 'the newest first') from (select (before).id < lag((before).id) over (order by n) as ok from preview) x where not ok;
select is(count(*), 0::bigint, 'before is what is stored') from preview p left join before b on b.id = (p.before).id
 where to_jsonb(p.before) is distinct from to_jsonb(b) - 'raw';
select is(count(*), 10::bigint, 'not more than are wanted') from azekura.reparse_preview('192.0.2.0/24', null, 'UTC', null, 10);
select is(count(*), 0::bigint, 'none of a network that was never heard') from azekura.reparse_preview('203.0.113.0/24', null, 'UTC', null);
select throws_ok($$ select * from azekura.reparse_preview('192.0.2.0/24', null, 'UTC', 'klingon') $$, '22023', null, 'an unknown charset');
select throws_ok($$ select * from azekura.reparse_preview('192.0.2.0/24', null, 'UTC', null, 10001) $$, '22023', null, 'a limit beyond the limit');
select preview as p from azekura.source_preview('192.0.2.0/24', 'Asia/Tokyo', 'cp932', 'UTC', 'UTF-8') \gset
select is((:'p'::json ->> 'examined')::bigint, 950::bigint, 'the API counts the same');
select is((:'p'::json ->> 'changed')::bigint, (select count(*) from preview where to_jsonb(before) <> to_jsonb(after) or before_marks <> after_marks), 'and what would change');
select is(json_array_length(:'p'::json -> 'examples'), 20, 'with twenty examples');
select is(code, 'bad_value', 'a network that is none') from azekura.source_preview('x', null, null, 'UTC', 'UTF-8');
select is(field, 'charset', 'a charset that is none') from azekura.source_preview('192.0.2.0/24', null, 'klingon', 'UTC', 'UTF-8');

-- ---- parsing again ----

create function pg_temp.work() returns integer language plpgsql as $$
declare
    n integer := 0;
begin
    while azekura.reparse_step() is not null loop
        n := n + 1;
        update azekura.reparse_request set at = at - interval '10 s' where round = 2 and at > now() - interval '10 s'; -- no waiting
    end loop;
    return n;
end $$;
create temp table blocks_before as select first_seq, ctid as at, xmin::text as made from azekura.log_block;
select is(count(*), 0::bigint, 'a row is set') from azekura.set_source_setting('192.0.2.0/24', '{"zone": "Asia/Tokyo", "charset": "sjis"}', null, 'test');
select is(id, 1::bigint, 'it is asked for') from azekura.ask_reparse('192.0.2.0/24', null, null, 'UTC', 'UTF-8', 'test');
select ok(zone = 'Asia/Tokyo' and charset = 'Shift_JIS' and but_not = '{192.0.2.99/32}', 'with what the row says, and without the rows in it') from azekura.reparse_request;
select ok(pg_temp.work() > 7, 'block by block');
select ok(state = 'done' and messages = 950 and skipped = 0 and share = 1 and fault is null, 'it is done') from azekura.reparse_request;
select is(blocks, (select count(*) from azekura.log_block where azekura.senders_in_network(senders, '192.0.2.0/24')), 'blocks of its senders, no others are opened') from azekura.reparse_request;
select is(changed, (:'p'::json ->> 'changed')::bigint, 'as many came out otherwise as the preview said') from azekura.reparse_request;

create temp table now as select l.*, azekura.raw(id) as raw from azekura.logs l;
select is(count(*), 0::bigint, 'each is exactly what the preview said') from preview p left join now l on l.id = (p.after).id
 where to_jsonb(p.after) is distinct from to_jsonb(l) - 'raw';
select is(count(*), 0::bigint, 'and its marks') from preview p, azekura.reparse_preview('192.0.2.0/24', '{192.0.2.99}', 'Asia/Tokyo', 'Shift_JIS', 1000) x
 where (x.before).id = (p.after).id and x.before_marks <> p.after_marks;
select is(count(*), 0::bigint, 'others are as they were') from before b left join now n using (id)
 where (b.source = '192.0.2.99' or not b.source <<= '192.0.2.0/24') and to_jsonb(b) is distinct from to_jsonb(n);
select is(count(*), 0::bigint, 'ids, times of arrival, senders, listeners and bytes are as they were') from before b full join now n using (id)
 where (b.received_at, b.source, b.listener, b.raw) is distinct from (n.received_at, n.source, n.listener, n.raw);
select is(array_agg(id), (select array_agg(id) from before), 'in the same order') from now;
select is(count(*), 0::bigint, 'every block verifies') from azekura.log_block b where azekura.verify_block(b) is not null;
select is(messages, 1150::bigint, 'the piece counts as many') from azekura.day_partition where name = 'log_block_20260310';
select is(count(*), 150::bigint, 'a Japanese word is found') from azekura.search('障害 source:192.0.2.0/24', "limit" := null);
select is(count(*), 50::bigint, 'bytes that look like a backslash cut nothing') from azekura.search('"表示 能力 ソ"', "limit" := null);
select is(count(*), 0::bigint, 'not where nothing was said') from azekura.search('ポート source:198.51.100.7', "limit" := null);
select is(count(*), (select count(*) from now where severity = 3), 'severities in the metadata are right') from azekura.search('severity:err', "limit" := null);
select ok(count(*) filter (where b.xmin::text = o.made) >= 1, 'blocks that did not change were not written') from blocks_before o join azekura.log_block b on b.first_seq = o.first_seq and b.ctid = o.at;

create temp table blocks_now as select first_seq, ctid as at, xmin::text as made from azekura.log_block;
select ok((azekura.ask_reparse('192.0.2.0/24', null, null, 'UTC', 'UTF-8', 'test')).id = 2 and pg_temp.work() > 0, 'once more');
select ok(state = 'done' and messages = 950 and changed = 0, 'changes nothing') from azekura.reparse_request where id = 2;
select is(count(*), (select count(*) from blocks_now), 'and writes nothing') from azekura.log_block b join blocks_now o on o.at = b.ctid and o.made = b.xmin::text;

-- ---- a range ----

select is(count(*), 0::bigint, 'another zone') from azekura.set_source_setting('192.0.2.0/24', '{"zone": "UTC"}', null, 'test');
select ok((azekura.ask_reparse('192.0.2.0/24', '2026-03-10 12:10:05Z', '2026-03-10 12:10:07.05Z', 'UTC', 'UTF-8', 'test')).id = 3 and pg_temp.work() > 0, 'for two seconds of it');
select is(array_agg(n.id order by n.id), (select array_agg(id order by id) from before where source = '192.0.2.10' and received_at >= '2026-03-10 12:10:05Z' and received_at < '2026-03-10 12:10:07.05Z'),
          'no message beyond them changes') from azekura.logs l join now n using (id) where l.reported_at <> n.reported_at or l.message <> n.message;

-- ---- held, twice, cancelled ----

insert into azekura.hold (lower, upper, reason, actor) values ('2026-03-10', '2026-03-11', 'test', 'test');
select is(count(*), 0::bigint, 'the zone again') from azekura.set_source_setting('192.0.2.0/24', '{"zone": "America/New_York", "charset": "Shift_JIS"}', null, 'test');
select ok((azekura.ask_reparse('192.0.2.0/24', null, null, 'UTC', 'UTF-8', 'test')).id = 4 and azekura.reparse_step() + azekura.reparse_step() = 0, 'one is at work');
select ok(azekura.cancel_reparse(4, 'somebody'), 'and cancelled in the middle');
select ok(state = 'cancelled' and ended_by = 'somebody' and changed between 1 and 949 and share < 1, 'what was done stays') from azekura.reparse_request where id = 4;
select is(azekura.reparse_step(), null, 'no more is done');
select ok((azekura.ask_reparse('192.0.2.0/24', null, null, 'UTC', 'UTF-8', 'test')).id = 5 and (azekura.ask_reparse('192.0.2.10', null, null, 'UTC', 'UTF-8', 'test')).id = 6
          and pg_temp.work() > 0, 'two of the same blocks, one after the other');
select results_eq('select id, state, changed > 0, messages from azekura.reparse_request where id in (5, 6) order by id',
                  $$ values (5::bigint, 'done', true, 950::bigint), (6, 'done', false, 500) $$, 'what is held is parsed again, too, and the second finds it done');
select is(count(*), 0::bigint, 'every block verifies still') from azekura.log_block b where azekura.verify_block(b) is not null;
select is(array_agg(l.id order by l.id), (select array_agg(id order by id) from before), 'and no message is missing or twice') from azekura.logs l;
delete from azekura.hold;

-- ---- the room of what was there before ----

create function pg_temp.second_round() returns boolean language plpgsql as $$
begin
    while azekura.reparse_step() = 0 loop null; end loop;
    return (select round = 2 from azekura.reparse_request where id = azekura.reparse_at_work());
end $$;
select is(count(*), 0::bigint, 'UTF-8 and the zone of the box') from azekura.set_source_setting('192.0.2.0/24', '{"zone": null, "charset": null}', null, 'test');
select is(azekura.reparse_tidy(), null, 'nothing is to be tidied without a request');
select ok((azekura.ask_reparse('192.0.2.0/24', null, null, 'UTC', 'UTF-8', 'test')).id = 7 and pg_temp.second_round(), 'all pieces are done with once');
select pg_total_relation_size('azekura.log_block_20260310') as before_tidy \gset
select azekura.reparse_tidy() as given_back \gset
select is(:given_back::bigint, :before_tidy - pg_total_relation_size('azekura.log_block_20260310'), 'what was left as holes is given back at once');
select is(azekura.reparse_tidy(), null, 'there is nothing more');
select ok(pg_temp.work() > 0, 'it goes on');
select ok(r.state = 'done' and (select count(*) from azekura.logs) = (select count(*) from before)
          and not exists (select from azekura.log_block b where azekura.verify_block(b) is not null), 'to its end, and nothing is missing or damaged')
  from azekura.reparse_request r where r.id = 7;

-- ---- what is in the way ----

update azekura.log_block set message = set_byte(message, length(message) / 2, get_byte(message, length(message) / 2) # 90) where first_seq = 2001;
select ok((azekura.ask_reparse('192.0.2.0/24', null, null, 'UTC', 'UTF-8', 'test')).id = 8 and azekura.reparse_step() = 0, 'a damaged block');
select is(azekura.next_to_compact(null, 2, now() + interval '1 day', '2026-01-01'), null, 'the piece is not merged while it is at work in it');
select ok(pg_temp.work() > 0, 'does not stop it');
select ok(state = 'done' and skipped = 1 and fault like 'the block of 2026-03-10T12:10:00.000000Z is left as it is: %message%', 'and is told') from azekura.reparse_request where id = 8;
select is(azekura.next_to_compact(null, 2, now() + interval '1 day', '2026-01-01'), 'log_block_20260310', 'then it is merged again');
select ok((azekura.ask_reparse('192.0.2.10', null, null, 'UTC', 'UTF-8', 'test')).id = 9 and azekura.reparse_step() = 0
          and azekura.drop_pieces('{log_block_20260310}', null, 'test', 'test') > 0, 'the piece is dropped in the middle');
select ok(pg_temp.work() > 0, 'it goes on');
select is(state, 'done', 'and that is all of it') from azekura.reparse_request where id = 9;
select is(azekura.cancel_reparse(99, 'test'), null, 'a request that is not there cannot be cancelled');
select ok(azekura.cancel_reparse(9, 'test') = false and azekura.cancel_reparse((azekura.ask_reparse('192.0.2.10', null, null, 'UTC', 'UTF-8', 'test')).id, 'test')
          and azekura.reparse_step() is null, 'nor one that is over; another is, and nothing is left to do');
select * from finish();
