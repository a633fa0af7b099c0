-- SQL sees messages, not blocks: azekura.logs and the functions of firmware/pgext.
-- Created by the superuser that migrates, since a C function may do anything.

create extension azekura with schema azekura;

grant select on azekura.logs to azekura, azekura_keeper, azekura_web;
grant execute on all functions in schema azekura to azekura;
grant execute on function
    azekura.search(text, timestamptz, timestamptz, integer, text, text),
    azekura.histogram(text, timestamptz, timestamptz, integer),
    azekura.facets(text, text, timestamptz, timestamptz, integer),
    azekura.raw(text),
    azekura.last_scan()
    to azekura_web, azekura_keeper;
grant execute on function azekura.verify_block(azekura.log_block) to azekura_keeper;
