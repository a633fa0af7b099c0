/* The table of commands: what --help says and what runs. */
#include "cli/cli.h"

#define TIMES_HELP                                                           \
    "Times: \"2026-03-10\", \"2026-03-10 12:00\" (in the box's time zone), " \
    "2026-03-10T12:00:00+09:00,\n"                                           \
    "-90s, -15m, -1h, -7d, -2w (before now), now.\n"

const struct cli_command cli_commands[] = {
    {"status", "status", "what the box is doing, and whether all of it is well",
     "Exits with 1 when something is not: the schema is older than the program, the receiver does\n"
     "not report, or the ledger does not balance.\n",
     cli_status},
    {"migrate", "migrate", "bring the database's schema up to date; safe to run again",
     "Connects as the cluster's superuser postgres and applies the files of database.sql_dir that "
     "are\n"
     "missing, each in one transaction.\n",
     cli_migrate},
    {"user",
     "user list\nuser add NAME [--role admin|operator|viewer]\nuser remove NAME\nuser password "
     "NAME",
     "accounts of the console",
     "The password is asked for on the terminal; piped, it is the first line of standard input.\n"
     "Without --role the first account becomes admin, every other viewer.\n"
     "A new password ends the account's sessions.\n",
     cli_user},
    {"token",
     "token list\ntoken create --name NAME --role admin|operator|viewer\ntoken remove NAME",
     "tokens for programs that use the API",
     "create prints the token and nothing else; it cannot be shown again.\n", cli_token},
    {"setup-code", "setup-code", "a new one-time code for the first administrator",
     "Prints the code and nothing else; the code before it stops working.  Refused once an "
     "account\n"
     "exists: use azekura user then.\n",
     cli_setup_code},
    {"search",
     "search [--from T] [--to T] [--limit N|all] [--order desc|asc] [--format text|json|raw] [--] "
     "QUERY",
     "find messages",
     "Newest first, at most 100 (--limit).  Options may stand anywhere; a QUERY of several words "
     "needs no\n"
     "quotes but those of the shell, and -word means \"without word\".\n\n"
     "Formats: text, one line a message, control characters shown as \\n, \\x1b …; json, one "
     "object a\n"
     "line; raw, the bytes exactly as received, a newline after each message.\n\n" TIMES_HELP
     "\nExamples:\n"
     "  azekura search link down hostname:core-*\n"
     "  azekura search --from -1h 'severity:<=warning -source:192.0.2.0/24'\n"
     "  azekura search --format json --limit all '\"login failed\" OR \"access denied\"'\n",
     cli_search},
    {"config",
     "config list\nconfig get NAME\nconfig set NAME VALUE\nconfig reset NAME\nconfig diff",
     "settings of the box",
     "list shows every setting, its value and where that comes from: the default, the "
     "configuration file\n"
     "or the database (which wins).  set and reset change the database and take effect as list "
     "says;\n"
     "diff shows only what is not the default.\n",
     cli_config},
    {"ledger", "ledger [--from T] [--to T] [--limit N]", "what arrived, and what became of it",
     "arrived = stored + refused, by listener and by source (the busiest 20, --limit).  Exits with "
     "1 when\n"
     "the equation does not hold.\n\n" TIMES_HELP,
     cli_ledger},
    {"verify", "verify [--from T] [--to T]", "read and check every stored block",
     "Checks every checksum, index and rendering.  Names each damaged block and exits with 1 when "
     "there\n"
     "is one.\n\n" TIMES_HELP,
     cli_verify},
};
const size_t cli_commands_n = ARRAY_LEN(cli_commands);
