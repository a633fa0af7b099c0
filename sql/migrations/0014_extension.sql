-- The extension of this release (sql/extension/azekura--0.1--0.2.sql), by the superuser that migrates; where it is new,
-- 0005 has made it with what the files say, and this changes nothing.

alter extension azekura update to '0.2';

grant execute on function
    azekura.parse_message(bytea, timestamptz, text, text),
    azekura.reparse_preview(inet, inet[], text, text, integer),
    azekura.reparse_block(text, timestamptz, bigint, inet, inet[], timestamptz, timestamptz, text, text),
    azekura.senders_in_network(bytea, inet), azekura.charsets(), azekura.charset_name(text), azekura.format_names()
    to azekura;
grant execute on function
    azekura.parse_message(bytea, timestamptz, text, text),
    azekura.reparse_preview(inet, inet[], text, text, integer),
    azekura.charsets(), azekura.charset_name(text), azekura.format_names()
    to azekura_web;

grant execute on function azekura.pairs(text), azekura.pairs_of(text, text), azekura.marks(text)
    to azekura, azekura_web;
