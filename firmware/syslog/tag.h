/* Which words are hosts, and which are tags.  Private to firmware/syslog. */
#ifndef AZEKURA_TAG_H
#define AZEKURA_TAG_H

#include "syslog/parse.h"

struct tag {
    struct view name, pid; /* the latter null where there is none */
    const char *end;       /* after the colon or bracket */
};

/* "notice", "ERROR:": words that say how grave something is, never who says it. */
bool tag_is_severity_word(struct view v);
/* "user.warning": a facility and a severity (Allied Telesis). */
bool tag_is_level(struct view v);
/* "system,info,account": what RouterOS's messages are about, one of them their severity. */
bool tag_is_topics(struct view v);
/* "PP", "LAN2", "TUNNEL": interfaces of Yamaha's routers, which begin sentences. */
bool tag_is_interface(struct view v);
bool tag_is_ipv6(struct view v);
/* Can the word be a host?  Names, addresses, and what devices put there ("slot1/bigip1",
 * "ap,00:11…"), but no punctuation that only text has. */
bool tag_is_host(struct view v);
/* One without a colon, which nothing else can be, and no level. */
bool tag_is_plain_host(struct view v);

/* "name[pid]:", "name[123]", "name[123" (cut by the sender) in a word. */
bool tag_match_bracket(struct view word, struct tag *ret);
/* The above, "name:", or "MODULE/4/MNEMONIC:text". */
bool tag_match_word(struct view word, struct tag *ret);
/* "Server Administrator: …": two or three words, each with a capital, or any with a process number.
 */
bool tag_match_words(const struct cursor *c, struct tag *ret);

#endif
