/* The search language → a predicate tree.  firmware/query/README.md is the page for its users.
 *
 *   word            occurs in any text field, letters' case ignored
 *   "a phrase"      the exact characters, blanks too, case ignored; \" and \\ inside are " and \
 *   wor*  *ord      part of a word; * stands for any characters up to the next blank
 *   -x  NOT x       not
 *   a b  a AND b    both;  a OR b  either (binds less);  ( … )
 *   field:value     hostname app_name procid msgid format listener: whole value, case ignored, *
 * and ? message: structured_data: as a word or phrase, in that field only severity:err
 * severity:<=warning  severity:err..notice  severity:err,info  facility:local4 source:192.0.2.1
 * source:192.0.2.0/24 field:(a OR b)  field:*  (has a value)
 *
 * A word or phrase is found literally; an end of it that is an ASCII letter or digit must stand at
 * the border of a word ("fail" does not find "failed", "fail*" does; "100%" finds "100%").  Text
 * beyond ASCII has no borders: 応答 is found inside 無応答です. What follows a name that is no
 * field is text ("http://x", "10:41:07", "%LINK-3-UPDOWN:"), unless the name is nearly one of a
 * field's.  A word like sshd[123]: or kernel: is a message's tag as it was on the wire: it is
 * looked for in the text and, cut at the brackets, in app_name and procid. */
#ifndef AZEKURA_QUERY_H
#define AZEKURA_QUERY_H

#include "base/arena.h"
#include "base/ip.h"
#include "base/view.h"

enum query_kind {
    QUERY_ALL, /* the empty query: everything */
    QUERY_AND, /* children */
    QUERY_OR,
    QUERY_NOT,      /* one child */
    QUERY_TEXT,     /* `pattern` occurs in one of `fields` */
    QUERY_VALUE,    /* the whole value of `field` matches `pattern` */
    QUERY_PRESENT,  /* `field` is not null */
    QUERY_SEVERITY, /* bit s of `bits` */
    QUERY_FACILITY, /* bit f of `bits` */
    QUERY_SOURCE,   /* in `network` */
    QUERY_LISTENER, /* bit of enum listener in `bits` */
    QUERY_FORMAT,   /* bit of enum record_format in `bits` */
    QUERY_MARK,     /* one of the marks; bit i of `bits` is enum record_flag 1 << i */
    QUERY_PAIR,     /* some pair's name matches `name`, and its value passes `test` */
};

enum query_test {
    QUERY_TEST_PRESENT, /* any value, an empty one too */
    QUERY_TEST_VALUE,   /* the whole value matches `pattern` */
    QUERY_TEST_NUMBER,  /* it is a number in `range` */
};

struct query_range {
    double low, high;               /* -INFINITY, INFINITY: open */
    bool without_low, without_high; /* the end itself is outside */
};

/* Text fields, as bits of query_node.fields. */
enum query_field {
    FIELD_HOSTNAME = 1,
    FIELD_APP_NAME = 2,
    FIELD_PROCID = 4,
    FIELD_MSGID = 8,
    FIELD_STRUCTURED_DATA = 16,
    FIELD_MESSAGE = 32,
    FIELD_ANY_TEXT = 63,
};

/* What `*` and `?` stand for between two pieces of a QUERY_VALUE. */
struct query_gap {
    size_t chars; /* code points, from `?` */
    bool or_more; /* from `*` */
};

/* What is looked for: pieces that follow one another, with anything (`*`: up to the next blank for
 * QUERY_TEXT, any characters for QUERY_VALUE) between them.  A pattern without wildcard has one
 * piece. */
struct query_pattern {
    struct view *pieces; /* folded (utf8_fold_text), never empty strings */
    size_t
        pieces_n; /* 0 only for whole values: of nothing but `?` and `*`, or a pair's empty one */
    /* VALUE with a `?`: pieces_n + 1 gaps, before each piece and after the last; else NULL.  Who
     * only wants to know what must occur may ignore it: a border next to a `?` is false. */
    struct query_gap *gaps;
    bool left_border;  /* the first piece must begin at a word border (TEXT) or at the start (VALUE)
                        */
    bool right_border; /* the last piece must end at a word border (TEXT) or at the end (VALUE) */
};

struct query_node {
    enum query_kind kind;
    struct query_node **children;
    size_t children_n;
    unsigned fields; /* enum query_field bits; one bit for VALUE and PRESENT */
    struct query_pattern pattern;
    uint32_t bits;
    struct ip_network network;
    struct query_pattern name; /* PAIR: as a whole value */
    enum query_test test;      /* PAIR */
    struct query_range range;  /* PAIR */
    size_t at, length;         /* where in the query text this node was written, bytes */
};

struct query_error {
    size_t at;         /* byte offset in the query */
    size_t length;     /* bytes at fault; 0 at the end of the text */
    char message[256]; /* one sentence: "the parenthesis opened here is never closed" */
};

/* Parse; nodes live in the arena and never borrow from `text`.  0, or -EINVAL with *ret_error. */
MUST_USE int query_parse(struct arena *a, struct view text, const struct query_node **ret,
                         struct query_error *ret_error);
/* Write the tree back as a canonical query (for tests, EXPLAIN and messages). */
struct buf;
int query_format(const struct query_node *q, struct buf *out);

/* ---- matching ---- */

/* TEXT semantics: offset of the first match in clean text at or after `from`, or -1.  Case ignored.
 * *ret_length: bytes matched.  Speed: over 1 GB/s for a rare needle. */
int64_t query_find(const struct query_pattern *p, struct view text, size_t from,
                   size_t *ret_length);
/* VALUE semantics on one value (null never matches). */
bool query_value_matches(const struct query_pattern *p, struct view value);
/* PAIR semantics on one pair. */
struct pair;
bool query_pair_matches(const struct query_node *q, const struct pair *p);
/* What the text of a message must have, letters' case ignored, for one of its pairs to match: runs
 * of letters and digits (dots in `value`) that no form of pairs can write in another way.  Null:
 * nothing is sure. */
struct query_bait {
    struct view value, name;
    bool left_border, right_border; /* of `value`: as in query_pattern */
};
struct query_bait query_pair_bait(const struct query_node *q);
/* The name has no wildcards, and stands in the message wherever a pair has it: its words may be
 * looked for in a token index (but for those of digits alone, which number the items of arrays). */
bool query_pair_name_is_written(const struct query_pattern *name);
/* Its name alone: for who counts the values of a name. */
bool query_pair_is_named(const struct query_pattern *name, const struct pair *p);
/* The fields of one message, for query_matches: live tail, highlighting, recheck. */
struct record;
bool query_matches(const struct query_node *q, const struct record *r);

#endif
