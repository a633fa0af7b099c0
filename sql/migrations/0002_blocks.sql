-- The store: blocks of messages, their day partitions, and which blocks have been stored.

set local role azekura;

-- One row holds many messages as columns (firmware/block/README.md is the format).  The metadata in
-- front of the columns lets a query skip a block without opening it.
create table azekura.log_block (
    first_at timestamptz not null,      -- received_at of the first message; the partition key
    last_at timestamptz not null,       -- received_at of the last message; in the same partition
    first_seq bigint not null,          -- sequence number of the first message (unsigned 64 bits)
    messages integer not null check (messages between 1 and 65536),
    raw_bytes bigint not null,          -- bytes as received
    severities smallint not null,       -- bit s: a message of severity s is inside
    facilities integer not null,        -- bit f
    listeners smallint not null,        -- bit l: 0 udp, 1 tcp, 2 tls
    senders bytea not null,             -- distinct source addresses, sorted
    tokens bytea,                       -- token index; null: must be opened
    times bytea, reported bytea, sources bytea, listener bytea, pri bytea, formats bytea,
    flags bytea, hostname bytea, app_name bytea, procid bytea, msgid bytea, structured_data bytea,
    message bytea, layouts bytea, raw bytea, seq bytea
) partition by range (first_at);

comment on table azekura.log_block is 'blocks of messages; read them through azekura.logs and azekura.search()';

do $$
declare
    c text;
begin
    foreach c in array array['tokens', 'times', 'reported', 'sources', 'listener', 'pri', 'formats',
        'flags', 'hostname', 'app_name', 'procid', 'msgid', 'structured_data', 'message', 'layouts', 'raw',
        'seq', 'senders'] loop
        -- compressed already, and slices of a stored value are read without the rest
        execute format('alter table azekura.log_block alter column %I set storage external', c);
    end loop;
end $$;

create index log_block_last_at on azekura.log_block (last_at, first_at);

grant insert on azekura.log_block to azekura_receiver;
grant select, insert, delete on azekura.log_block to azekura_keeper;
grant select on azekura.log_block to azekura_web;

-- One row a day partition: [lower, upper) are midnights in the zone the box had when it was made.
create table azekura.day_partition (
    name text primary key,              -- of the partition, without schema: log_block_20261130
    lower timestamptz not null unique,
    upper timestamptz not null unique check (upper > lower),
    made_at timestamptz not null default now()
);
grant select on azekura.day_partition to azekura_keeper, azekura_web;

-- Which units of work of which receiver run are stored: written in the transaction that stores the
-- unit, so that a unit whose outcome was unknown can be sent again and is never stored twice.  One row
-- a run; a run's numbers are contiguous but for what is still queued, so the multirange stays small.
create table azekura.stored_unit (
    run uuid primary key,
    numbers int8multirange not null default '{}',
    last_at timestamptz not null default now()
);
-- no role but its owner needs it: azekura.claim_unit() works with its owner's rights
