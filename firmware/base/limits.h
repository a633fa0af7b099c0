/* Every fixed limit of the product in one list, with unit and reason.  What an administrator may
 * change is in config/settings.def instead, with these as its bounds. */
#ifndef AZEKURA_LIMITS_H
#define AZEKURA_LIMITS_H

/* ---- messages ---- */
#define MESSAGE_MAX_BYTES_DEFAULT 65536 /* bytes kept of one message: a whole UDP datagram fits */
#define MESSAGE_MAX_BYTES_LIMIT                                                               \
    1048576                         /* the most the setting allows: sixteen times the default \
                                     */
#define HEADER_FIELD_MAX_BYTES 1024 /* hostname, app_name, procid, msgid: RFC 5424's are ≤ 255 */
#define CLOCK_SKEW_MIN_S                                                    \
    300 /* a device's clock is wrong above it: queues and relays delay less \
         */

/* ---- blocks ---- */
#define BLOCK_MAX_MESSAGES 65536 /* row numbers fit in 16 bits */
#define BLOCK_MAX_TEXT_BYTES \
    (64u << 20)                    /* raw text bytes in one block: 1 KiB a message on average */
#define BLOCK_MAX_SOURCES 1024     /* distinct senders a block: bounds the ledger rows a block */
#define BLOCK_MAX_DICTIONARY 65536 /* distinct values a dictionary column */

/* ---- source groups and retention ---- */
#define SOURCE_GROUPS_MAX 33      /* groups of sources: an open block and a day's partition each */
#define SOURCE_GROUPS_USER_MAX 32 /* of them people's: the default group, and those they make */
#define SOURCE_GROUP_BENCHMARK 32 /* the built-in one: no logs, and left out where logs count */
#define BENCHMARK_NETWORK "127.66.0.0/16" /* its senders on this machine; 0010 has it, too */
#define BENCHMARK_SENDERS_MAX 16          /* addresses registered as the benchmark's at once */
#define SOURCE_PREFIXES_MAX 4096          /* networks and addresses assigned to groups */
#define HOLDS_MAX 256                     /* ranges of time that may not be deleted */

/* ---- receive rates ---- */
#define RATE_NAMES_MAX \
    16384 /* hostnames, app_names or sources counted by name; the rest together */
#define RATE_NAMES_A_UNIT 2048 /* the same in one unit */
/* of such a name, as RFC 5424 bounds them; longer ones together */
#define RATE_NAME_MAX_BYTES 255
#define RATE_MINUTES_A_BLOCK \
    16 /* minutes told apart in one block; a block is open for one at most */

/* ---- receiver ---- */
#define LISTENER_ADDRESSES_MAX 4    /* addresses of one listener: a box has few networks */
#define RECEIVER_LANES_MAX 16       /* receiving threads: more only wait for the one writer */
#define UDP_BATCH_MESSAGES 256      /* datagrams one recvmmsg takes: 16 MiB of address space */
#define UDP_FLOODING_SOURCES_MAX 32 /* sources read apart from all others while they flood */
#define TCP_READ_BYTES 65536        /* bytes one read takes from a connection */
#define TCP_CONNECTIONS_LIMIT 65536 /* the most connections the setting allows */
#define TCP_HELD_MAX_BYTES 67108864 /* of unfinished messages, all together */
#define FRAME_OCTET_DIGITS_MAX 10   /* digits of an octet count: RFC 6587 has no limit */
#define FRAME_OCTET_COUNT_MAX \
    16777216 /* a count above it is taken for a wrong one, not waited for */

/* ---- TLS identity and sockets handed over ---- */
#define HANDED_MAX 64           /* sockets from the run before: those of all listeners, twice */
#define TLS_PEM_MAX_BYTES 65536 /* certificates and key in one upload: a chain has few KiB */
#define TLS_CHAIN_MAX 10        /* certificates of a chain */
#define TLS_NAMES_MAX 32        /* names in a certificate we ask for or make */
#define TLS_NAME_MAX_BYTES 253  /* of a DNS name, RFC 1035 */
#define TLS_CLIENT_CAS_MAX 64   /* authorities of senders' certificates */
#define TLS_SENDERS_MAX 1024    /* certificates seen and not yet told to the database */
#define DESCRIPTORS_KEPT 64   /* that connections leave free: database, spool, journal, listeners */
#define TLS_ALLOWED_MAX 4096  /* senders let in by name or fingerprint */
#define TLS_KEY_BITS_MAX 8192 /* of an RSA key: a handshake must stay cheap */

/* ---- senders ---- */
#define SENDERS_MAX 65536          /* addresses and listeners a lane knows: 10 MiB */
#define SENDERS_TRIAL_MAX 8192     /* of them, those that came just now and were not seen again */
#define SENDERS_NAMED_BURST 131072 /* addresses the ledger names at once, half of them new */
#define SENDERS_NAMED_RATE 500     /* and a second: each costs the database 80 µs and 360 bytes */
#define SENDERS_REFUSED_MAX 256    /* of those not allowed, named in one report of a lane */
#define SENDERS_REFUSED_PAYLOAD_BYTES 1024 /* of the first message of such a one, for diagnosis */
#define SENDER_NETWORKS_MAX 1000       /* rows of the allow-list, and of the limits by network */
#define SOURCE_SETTINGS_MAX 1000       /* rows of networks with zone, charset, framing */
#define SOURCE_ZONES_MAX 512           /* zones that they name: more than there are in use */
#define SOURCE_ZONE_MAX_BYTES 64       /* a name of a zone: IANA's have 32 at most */
#define HEALTH_SOURCES_MAX 4096        /* sources a lane counts the health of between two reports */
#define HEALTH_GUESSES_MAX 256         /* of them, those whose charset is being guessed */
#define HEALTH_GUESSES_A_SECOND 200    /* messages looked at for that: each costs some µs */
#define SENDER_RATE_MAX 10000000       /* messages/s of a limit, as of receiver.rate_limit */
#define SENDER_BURST_MAX 100000000     /* messages of a burst, as of receiver.rate_burst */
#define SEQUENCE_STREAMS_MAX 32768     /* streams of sequence numbers followed: a file of 4 MiB */
#define SEQUENCE_STREAMS_A_SOURCE 4096 /* of them begun by one sender: a relay of many devices */
#define SEQUENCES_SILENT_SECONDS 5     /* after which a number that is awaited is missing */

/* ---- queries and the web ---- */
#define QUERY_MAX_BYTES 4096      /* a query's text */
#define QUERY_MAX_NODES 256       /* words and operators in a query */
#define QUERY_MAX_DEPTH 32        /* nested parentheses */
#define PAIRS_MAX 500             /* names with values read out of one text */
#define PAIRS_NAME_MAX 255        /* bytes of such a name: the rest of a longer one is left out */
#define HTTP_MAX_BODY_BYTES 65536 /* a JSON request body */
#define HTTP_LIST_BODY_BYTES 1048576 /* the same of a list of 1,000 networks with their notes */
#define HTTP_MAX_HEADER_BYTES 16384  /* request line and headers */
#define BENCH_RUNS_MAX 200           /* benchmark runs in the history: years of one a week */
#define BENCH_BYTES_MAX (1 << 30)    /* bytes of their files */
#define SEARCH_LIMIT_MAX 10000       /* entries one page of GET /logs may ask for */
#define HISTOGRAM_BUCKETS_MAX 2000   /* buckets of one histogram */

/* ---- the privileged helper ---- */
#define HELPER_REQUEST_MAX_BYTES 65536  /* a packet: 1,000 networks of the allow-list fit */
#define HELPER_REPLY_MAX_BYTES 65536    /* a packet, too */
#define HELPER_DEPTH_MAX 8              /* of nested JSON: settings of a network need 6 */
#define HELPER_MEMBERS_MAX 32           /* of one JSON object: the largest has 7 */
#define HELPER_CONNECTIONS_MAX 8        /* the web server has one, the console another */
#define HELPER_SLOW_MAX 2               /* commands of many seconds at once: an update, a bundle */
#define HELPER_ACTOR_MAX_BYTES 64       /* who asked, for the audit */
#define HELPER_OUTPUT_MAX_BYTES 1048576 /* kept of what a program prints */
#define HELPER_FILE_MAX_BYTES 131072    /* of a file of settings that is read back */
#define INTERFACES_MAX 32               /* network cards and VLANs that are set */
#define INTERFACE_ADDRESSES_MAX 8       /* of one family */
#define INTERFACE_ROUTES_MAX 32
#define DNS_SERVERS_MAX 4
#define DNS_DOMAINS_MAX 6
#define NTP_SERVERS_MAX 8
#define SSH_KEYS_MAX 32
#define SSH_KEY_MAX_BYTES 4096    /* a line of RSA with 16,384 bits */
#define FIREWALL_LISTENERS_MAX 32 /* ports that take syslog */
#define TRIAL_MIN_S 1             /* of a network that waits to be confirmed */
#define TRIAL_MAX_S 600
#define TRIAL_DEFAULT_S 120
#define SUPPORT_MAX_BYTES 67108864      /* a bundle, compressed: it is kept in memory */
#define SUPPORT_ITEM_MAX_BYTES 16777216 /* one thing in it: 50,000 lines of the journal */

#endif
