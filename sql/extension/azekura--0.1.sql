-- The extension: SQL sees messages, not blocks.  It works on azekura.log_block, which the migrations
-- make (sql/migrations/0002_blocks.sql).

\echo Use "CREATE EXTENSION azekura" to load this file. \quit

create function azekura.fdw_handler() returns fdw_handler
    language c strict as 'MODULE_PATHNAME', 'azekura_fdw_handler';
create function azekura.fdw_validator(text[], oid) returns void
    language c strict as 'MODULE_PATHNAME', 'azekura_fdw_validator';

create foreign data wrapper azekura_blocks handler azekura.fdw_handler validator azekura.fdw_validator;
create server azekura_store foreign data wrapper azekura_blocks;

create foreign table azekura.logs (
    received_at timestamptz not null,
    reported_at timestamptz,
    source inet,
    listener text,
    facility smallint not null,
    severity smallint not null,
    hostname text,
    app_name text,
    procid text,
    msgid text,
    structured_data text,
    message text not null,
    format text,
    id text not null
) server azekura_store;
comment on foreign table azekura.logs is 'every stored message; conditions on its fields skip whole blocks';
comment on column azekura.logs.received_at is 'when this box took it in';
comment on column azekura.logs.reported_at is 'the device''s own time; null where it gave none';
comment on column azekura.logs.id is 'opaque, stable; the cursor of azekura.search() and the argument of azekura.raw()';

create function azekura.search(
    query text, "from" timestamptz default null, "to" timestamptz default null,
    "limit" integer default 100, "order" text default 'desc', cursor text default null)
    returns setof azekura.logs
    language c stable parallel unsafe rows 100 cost 10000 as 'MODULE_PATHNAME', 'azekura_search';
comment on function azekura.search(text, timestamptz, timestamptz, integer, text, text) is
    'messages that match, ordered by (received_at, sequence); from inclusive, to exclusive, null open; cursor: id of the last one seen';

create function azekura.histogram(
    query text, "from" timestamptz default null, "to" timestamptz default null, buckets integer default 60)
    returns table (at timestamptz, count bigint, by_severity bigint[])
    language c stable parallel unsafe rows 60 cost 10000 as 'MODULE_PATHNAME', 'azekura_histogram';
comment on function azekura.histogram(text, timestamptz, timestamptz, integer) is
    'messages that match, counted in equal stretches of time and by severity 0 to 7';

create function azekura.facets(
    field text, query text, "from" timestamptz default null, "to" timestamptz default null,
    "limit" integer default 10)
    returns table (value text, count bigint)
    language c stable parallel unsafe rows 10 cost 10000 as 'MODULE_PATHNAME', 'azekura_facets';
comment on function azekura.facets(text, text, timestamptz, timestamptz, integer) is
    'the most frequent values of a field among the messages that match; messages without a value are left out';

create function azekura.raw(id text) returns bytea
    language c stable strict parallel unsafe cost 10000 as 'MODULE_PATHNAME', 'azekura_raw';
comment on function azekura.raw(text) is 'the bytes of a message exactly as received; null: no such message';

create function azekura.last_scan(
    out blocks_in_range bigint, out blocks_read bigint, out messages_examined bigint, out matched bigint,
    out damaged bigint, out elapsed_us bigint, out complete boolean, out resume text)
    language c volatile parallel restricted as 'MODULE_PATHNAME', 'azekura_last_scan';
comment on function azekura.last_scan() is
    'what the last search, histogram, facets or query of azekura.logs in this session did; resume: the cursor to go on with when it is not complete';

create function azekura.matches(entry azekura.logs, query text) returns boolean
    language c stable strict parallel safe cost 1000 as 'MODULE_PATHNAME', 'azekura_matches';
comment on function azekura.matches(azekura.logs, text) is
    'whether a message matches a query of the search language: select … from azekura.logs where azekura.matches(logs, ''link down'')';

-- a record: were it azekura.log_block, pg_dump's files could not be restored, where extensions come before tables
create function azekura.verify_block(block record) returns text
    language c stable strict parallel safe cost 100000 as 'MODULE_PATHNAME', 'azekura_verify_block';
comment on function azekura.verify_block(record) is
    'of a row of azekura.log_block; null: the block is good; else its fault';

create function azekura.compact(
    partition text, older_than timestamptz, max_blocks integer default 1000,
    out blocks_before bigint, out blocks_after bigint)
    language c volatile strict parallel unsafe as 'MODULE_PATHNAME', 'azekura_compact';
comment on function azekura.compact(text, timestamptz, integer) is
    'merge the small blocks of a piece that ended before older_than; equal numbers: nothing was to be won';

create function azekura.copy_blocks("from" regclass, "to" regclass) returns bigint
    language c volatile strict parallel unsafe as 'MODULE_PATHNAME', 'azekura_copy_blocks';
comment on function azekura.copy_blocks(regclass, regclass) is
    'copy the rows of a piece into a table made in this transaction, visible to all; its indexes have to be built then';

create function azekura.file_system(out total_bytes bigint, out free_bytes bigint, out device text)
    language c volatile strict parallel safe as 'MODULE_PATHNAME', 'azekura_file_system';
comment on function azekura.file_system() is
    'the file system with the server''s data: its size, what is free to others than root, and its device as major:minor';

create function azekura.server_pid() returns integer
    language c stable strict parallel safe as 'MODULE_PATHNAME', 'azekura_server_pid';
comment on function azekura.server_pid() is 'process id of the postmaster';

-- the functions run as their caller, who needs SELECT on azekura.log_block; the migrations grant
revoke all on function
    azekura.fdw_handler(), azekura.fdw_validator(text[], oid),
    azekura.search(text, timestamptz, timestamptz, integer, text, text),
    azekura.histogram(text, timestamptz, timestamptz, integer),
    azekura.facets(text, text, timestamptz, timestamptz, integer),
    azekura.raw(text), azekura.last_scan(), azekura.matches(azekura.logs, text),
    azekura.verify_block(record), azekura.compact(text, timestamptz, integer),
    azekura.copy_blocks(regclass, regclass), azekura.file_system(), azekura.server_pid()
    from public;
