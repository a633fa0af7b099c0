-- SQL sees messages, not blocks: azekura.logs and the functions of firmware/pgext.
-- Created by the superuser that migrates, since a C function may do anything.

-- Oldest first, as log_block_last_at serves newest first: the extension reads a partition through the
-- index of the order it needs.
create index log_block_first_at on azekura.log_block (first_at, last_at);

create extension azekura with schema azekura;

grant select on azekura.logs to azekura, azekura_web;
grant execute on all functions in schema azekura to azekura;
grant execute on function
    azekura.search(text, timestamptz, timestamptz, integer, text, text),
    azekura.histogram(text, timestamptz, timestamptz, integer),
    azekura.facets(text, text, timestamptz, timestamptz, integer),
    azekura.raw(text),
    azekura.matches(azekura.logs, text),
    azekura.last_scan()
    to azekura_web;
grant execute on function azekura.compact(text, timestamptz, integer), azekura.server_pid() to azekura_keeper;
grant execute on function azekura.file_system() to azekura_keeper, azekura_web;
