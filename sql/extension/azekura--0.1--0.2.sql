-- From 0.1 to 0.2: the parser of messages in the database, for stored messages whose source got another zone or charset.

\echo Use "ALTER EXTENSION azekura UPDATE TO '0.2'" to load this file. \quit

-- ---- parsing again ----

create function azekura.parse_message(
    raw bytea, received_at timestamptz, zone text, charset text,
    out reported_at timestamptz, out facility smallint, out severity smallint, out hostname text, out app_name text,
    out procid text, out msgid text, out structured_data text, out message text, out format text, out marks text[])
    language c stable parallel safe cost 1000 as 'MODULE_PATHNAME', 'azekura_parse_message';
comment on function azekura.parse_message(bytea, timestamptz, text, text) is
    'what the receiver makes of these bytes; zone null: UTC, charset null: UTF-8';

create function azekura.reparse_preview(
    network inet, but_not inet[], zone text, charset text, "limit" integer default 1000)
    returns table (before azekura.logs, before_marks text[], after azekura.logs, after_marks text[])
    language c stable parallel unsafe rows 1000 cost 100000 as 'MODULE_PATHNAME', 'azekura_reparse_preview';
comment on function azekura.reparse_preview(inet, inet[], text, text, integer) is
    'the newest messages of a network as they are, and as reparse_block() would make them; but_not: networks in it that are left alone';

create function azekura.reparse_block(
    partition text, first_at timestamptz, first_seq bigint, network inet, but_not inet[],
    "from" timestamptz, "to" timestamptz, zone text, charset text,
    out messages bigint, out changed bigint, out state text, out fault text)
    language c volatile parallel unsafe as 'MODULE_PATHNAME', 'azekura_reparse_block';
comment on function azekura.reparse_block(text, timestamptz, bigint, inet, inet[], timestamptz, timestamptz, text, text) is
    'parse the messages of a network in one block again; state: unchanged, written, damaged, full (its text would not fit) or gone';

create function azekura.senders_in_network(senders bytea, network inet) returns boolean
    language c immutable strict parallel safe as 'MODULE_PATHNAME', 'azekura_senders_in_network';
comment on function azekura.senders_in_network(bytea, inet) is
    'of log_block.senders: whether one of the addresses is in the network; what is malformed may be';

create function azekura.charsets() returns table (name text, label_en text, label_ja text)
    language c immutable strict parallel safe rows 40 as 'MODULE_PATHNAME', 'azekura_charsets';
comment on function azekura.charsets() is 'the charsets that messages can be decoded from';

create function azekura.charset_name(name text) returns text
    language c immutable strict parallel safe as 'MODULE_PATHNAME', 'azekura_charset_name';
comment on function azekura.charset_name(text) is
    'the name of a charset under any of its names (CP932: Shift_JIS); null: there is none';

create function azekura.format_names() returns text[]
    language c immutable strict parallel safe as 'MODULE_PATHNAME', 'azekura_format_names';
comment on function azekura.format_names() is 'what azekura.logs.format may be, in the order of the stored numbers';

-- ---- pairs and marks ----

create function azekura.pairs(id text) returns table (name text, value text)
    language c stable parallel unsafe rows 20 cost 10000 as 'MODULE_PATHNAME', 'azekura_pairs';
comment on function azekura.pairs(text) is
    'the names and values in a message (key=value, CEF, LEEF, JSON, structured data), in its order; what kv.NAME:VALUE finds';

create function azekura.pairs_of(message text, structured_data text default null)
    returns table (name text, value text)
    language c immutable parallel safe rows 20 cost 1000 as 'MODULE_PATHNAME', 'azekura_pairs_of';
comment on function azekura.pairs_of(text, text) is 'the same of any text';

create function azekura.marks(id text) returns text[]
    language c stable strict parallel unsafe cost 10000 as 'MODULE_PATHNAME', 'azekura_marks';
comment on function azekura.marks(text) is
    'of a message: truncated, invalid_utf8, no_pri, bad_time, clock_skew, decoded; null: no such message';

revoke all on function azekura.pairs(text), azekura.pairs_of(text, text), azekura.marks(text) from public;

revoke all on function
    azekura.parse_message(bytea, timestamptz, text, text),
    azekura.reparse_preview(inet, inet[], text, text, integer),
    azekura.reparse_block(text, timestamptz, bigint, inet, inet[], timestamptz, timestamptz, text, text),
    azekura.senders_in_network(bytea, inet), azekura.charsets(), azekura.charset_name(text), azekura.format_names()
    from public;
