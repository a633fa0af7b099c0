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
     cli_status, false},
    {"migrate", "migrate", "bring the database's schema up to date; safe to run again",
     "Connects as the cluster's superuser postgres and applies the files of database.sql_dir that "
     "are\n"
     "missing, each in one transaction.\n",
     cli_migrate, false},
    {"user",
     "user list\nuser add NAME [--role admin|operator|viewer]\nuser remove NAME\nuser password "
     "NAME",
     "accounts of the console",
     "The password is asked for on the terminal; piped, it is the first line of standard input.\n"
     "Without --role the first account becomes admin, every other viewer.\n"
     "A new password ends the account's sessions.\n",
     cli_user, false},
    {"token",
     "token list\ntoken create --name NAME --role admin|operator|viewer\ntoken remove NAME",
     "tokens for programs that use the API",
     "create prints the token and nothing else; it cannot be shown again.\n", cli_token, false},
    {"setup-code", "setup-code", "a new one-time code for the first administrator",
     "Prints the code and nothing else; the code before it stops working.  Refused once an "
     "account\n"
     "exists: use azekura user then.\n",
     cli_setup_code, false},
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
     cli_search, false},
    {"config",
     "config list\nconfig get NAME\nconfig set NAME VALUE [--yes]\nconfig reset NAME [--yes]\n"
     "config diff",
     "settings of the box",
     "list shows every setting, its value and where that comes from: the default, the "
     "configuration file\n"
     "or the database (which wins).  set and reset change the database and take effect as list "
     "says;\n"
     "diff shows only what is not the default.\n\n"
     "VALUE as the list shows it, or as people write it: 240GB, 20 %, 30 days, warning.  Where "
     "logs\n"
     "would be deleted at once because of it, set and reset show which and ask (not with --yes).\n",
     cli_config, false},
    {"ledger", "ledger [--from T] [--to T] [--limit N]", "what arrived, and what became of it",
     "arrived = stored + refused, by listener and by source (the busiest 20, --limit).  Exits with "
     "1 when\n"
     "the equation does not hold.\n\n" TIMES_HELP,
     cli_ledger, false},
    {"gaps", "gaps [--from T] [--to T] [--source ADDRESS] [--limit N] [--format text|json]",
     "what senders lost on the way here",
     "By the sequence numbers that senders give their messages (RFC 5424 meta sequenceId, Cisco's\n"
     "counters, our own benchmark), of the last day, most missing first.  Exits with 1 when there\n"
     "is no gap.  --json is --format json.\n\n" TIMES_HELP,
     cli_gaps, false},
    {"receiver", "receiver [--format text|json]", "what the receiver is doing, stage by stage",
     "Listeners, what waits in each stage, the spool, connections, TLS.  Counters are since the\n"
     "receiver was started.  Exits with 1 when it does not report.  --json is --format json.\n",
     cli_receiver, false},
    {"listeners",
     "listeners [--format text|json]\nlisteners allow [list] [--format text|json]\n"
     "listeners allow add NETWORK [--listener udp|tcp|tls] [--note TEXT] [--yes]\n"
     "listeners allow remove NETWORK [--listener udp|tcp|tls] [--yes]\n"
     "listeners limit [list] [--format text|json]\n"
     "listeners limit add NETWORK --rate MESSAGES_A_SECOND [--burst MESSAGES]\n"
     "listeners limit remove NETWORK",
     "where the receiver listens, to whom, and how fast they may send",
     "Addresses, allow-list, limits, and who was turned away.  Addresses are changed by\n"
     "azekura config set listen.udp 0.0.0.0:514.  --json is --format json.\n\n"
     "allow: a listener that no NETWORK is about takes from everybody; one that any is about, "
     "from\n"
     "those alone.  Without --listener it is about all three.  Where senders of the last hour "
     "would\n"
     "be shut out, it says whom and asks (not with --yes).  limit: of each sender in NETWORK, in\n"
     "place of receiver.rate_limit and receiver.rate_burst; the longest NETWORK counts; rate 0: "
     "no\n"
     "limit; burst: 10000 where it is not said.  add replaces what there is of the same NETWORK.\n",
     cli_listeners, false},
    {"source",
     "source [list] [--only new|silent|unhealthy] [--order busiest|silent|name|address|new] "
     "[--filter TEXT] [--from T] [--to T] [--limit N] [--format text|json]\n"
     "source show ADDRESS [--format text|json]\nsource settings [--format text|json]\n"
     "source set NETWORK [--name N] [--zone Z] [--charset C] [--framing auto|counted|delimited] "
     "[--group G] [--note TEXT]\n"
     "source unset NETWORK\nsource acknowledge ADDRESS … | --all\n"
     "source preview NETWORK [--zone Z] [--charset C] [--format text|json]\n"
     "source reparse NETWORK [--from T] [--to T] [--wait]\n"
     "source reparse list [--format text|json]\nsource reparse cancel ID",
     "who sends, what is said of them, and how their messages are understood",
     "The row of the longest NETWORK that contains an address decides, and wins whole: what it "
     "does\n"
     "not say is as for everybody.  set changes what is given; none takes it back.  It is in "
     "force\n"
     "at once, for messages that come from then on.\n\n"
     "preview: what another zone or charset would make of the newest 1,000 stored messages.\n"
     "reparse: the stored messages of NETWORK are parsed again from their bytes with what its row\n"
     "says now, newest first, by the keeper; those of networks in it with rows of their own are\n"
     "left alone.  Bytes, ids, order, times of arrival and counts stay.\n\n"
     "silent: not heard for an hour.  unhealthy: the clock is five minutes off, or a hundredth of\n"
     "the messages was not understood.  --json is --format json.\n\nExample:\n"
     "  azekura source set 192.0.2.0/24 --name Osaka --zone Asia/Tokyo --charset Shift_JIS\n"
     "  azekura source reparse 192.0.2.0/24 --wait\n\n" TIMES_HELP,
     cli_source, false},
    {"tls",
     "tls [show] [--format text|json]\n"
     "tls csr --name NAME [--names NAME,…] [--organization O] [--country CC] [--key "
     "ec-p256|rsa-3072]\n"
     "tls self-signed --name NAME [--names NAME,…] [--organization O] [--country CC] [--key K]\n"
     "tls install FILE [--key FILE] [--password-file FILE]\n"
     "tls ca add FILE\ntls ca remove FINGERPRINT\n"
     "tls allow [list] [--format text|json]\n"
     "tls allow add NAME|FINGERPRINT [--note TEXT] [--yes]\n"
     "tls allow remove NAME|FINGERPRINT [--yes]",
     "the certificate of the listener for TLS, and whose certificates are believed",
     "csr makes a new private key, which never leaves the receiver's folder, and prints a request\n"
     "for a certificate; install takes the answer with its chain (PEM; - is standard input), or a\n"
     "certificate with a key of its own (--key, or PKCS#12).  It is checked before it is used, "
     "and\n"
     "open connections keep the one before.  ca: authorities of senders' certificates.\n\n"
     "allow: who of those may send, by a name in the certificate (*.example.net: any right below) "
     "or "
     "its\n"
     "SHA-256 fingerprint, which needs no authority; an empty list: whoever an authority vouches "
     "for.\n"
     "Where senders of the last hour would be shut out, it says whom and asks (not with --yes).\n\n"
     "The receiver does all but that, and must run.  --json is --format json.\n\nExample:\n"
     "  azekura tls csr --name logs.example.net --names logs.example.net,192.0.2.10 > logs.csr\n",
     cli_tls, false},
    {"verify", "verify [--from T] [--to T]", "read and check every stored block",
     "Checks every checksum, index and rendering.  Names each damaged block and exits with 1 when "
     "there\n"
     "is one.\n\n" TIMES_HELP,
     cli_verify, false},
    {"retention",
     "retention [show]\nretention days [--from DAY] [--to DAY]\n"
     "retention preview [--policy trim|shed|borrow|warn]\nretention set NAME VALUE [--yes]\n"
     "retention groups [NAME]\nretention group add NAME [NETWORK …] [--quota PERCENT] [--keep-days "
     "N]\n"
     "retention group set NAME [NETWORK …] [--no-networks] [--quota PERCENT|none] "
     "[--keep-days N|none] [--rename NEW] [--yes]\n"
     "retention group remove NAME\nretention holds\n"
     "retention hold add --from T --to T [--group G] REASON\nretention hold remove ID\n"
     "retention delete --from DAY --to DAY [--group G] [--yes]\n"
     "retention delete --group benchmark [--yes]\n"
     "retention receipts [--limit N]\nretention clock [confirm]",
     "how the storage is used, how long it lasts, and what is deleted",
     "show: months against their budget, the forecast, the history that fits.  preview: what the\n"
     "rule would delete now, under each policy.  set: one of month_share_percent, over_budget,\n"
     "keep_days, high_water_percent, capacity_bytes, shed_severity; VALUE like 30, 240GB, 20 %,\n"
     "warning.  Where logs would be deleted at once because of it, set and group set show which\n"
     "and ask (not with --yes).\n\n"
     "A sender belongs to the group with the longest NETWORK that contains it, else to default.\n"
     "NETWORKs given to set take the place of those there were.  A quota is per cent of the\n"
     "month's budget; keep-days 0 keeps for ever, none as retention.keep_days.  A group that is\n"
     "removed keeps its messages until they go.  groups NAME: all networks of one.\n\n"
     "A hold pins a range of time: it counts, and is never deleted.  delete shows what would go,\n"
     "asks (not with --yes), and waits until the box has done it.  What was deleted, by whom and\n"
     "why stays in receipts.  clock: whether the box doubts its clock; confirm says it is "
     "right.\n\n"
     "Days: 2026-11-30, in the box's time zone.\n" TIMES_HELP,
     cli_retention, false},
    {"size",
     "size --rate MESSAGES_A_SECOND [--bytes BYTES_A_MESSAGE] [--stored-bytes BYTES] [--days N] "
     "[--storage SIZE] [--share PERCENT] [--high-water PERCENT]",
     "which storage for which logs; needs no box",
     "The rate is the mean over a day.  Without --bytes 200, without --stored-bytes a quarter of\n"
     "it, without --days 365.  SIZE is a number with kB, MB, GB, TB, PB (powers of ten, as "
     "storage\n"
     "is sold) or KiB, MiB, GiB, TiB, PiB.\n\n"
     "  day     = rate × 86,400 s × stored bytes\n"
     "  month   = day × 30.44\n"
     "  storage = the larger of month / share and days × day / high water\n\n"
     "Example:\n  azekura size --rate 2000 --bytes 200 --days 365\n",
     cli_size, true},
    {"events",
     "events [--from T] [--to T] [--severity S] [--kind K] [--limit N] [--language en|ja] "
     "[--format text|json]",
     "what happened to the box",
     "Newest first, at most 100 (--limit).  --severity warning: warnings and what is more severe;\n"
     "--kind retention: kinds that begin so.\n\n" TIMES_HELP,
     cli_events, false},
};
const size_t cli_commands_n = ARRAY_LEN(cli_commands);
