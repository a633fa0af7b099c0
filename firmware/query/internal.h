/* Between the files of query/ alone. */
#ifndef AZEKURA_QUERY_INTERNAL_H
#define AZEKURA_QUERY_INTERNAL_H

#include "base/buf.h"
#include "query/query.h"

/* How the value of a field is read. */
enum query_field_type {
    QUERY_FIELD_VALUE,  /* whole value, * and ? */
    QUERY_FIELD_TEXT,   /* as a word or phrase */
    QUERY_FIELD_BITS,   /* names of an enumeration → bits */
    QUERY_FIELD_SOURCE, /* address or network */
    QUERY_FIELD_PAIR,   /* kv.NAME: a whole value, or numbers */
};

struct query_field_info {
    const char *name;
    enum query_field_type type;
    unsigned bit;         /* VALUE and TEXT: enum query_field */
    enum query_kind kind; /* of the node */
    /* BITS: the values' names 0…values_n-1, and the number of any spelling, or -EINVAL */
    unsigned values_n;
    const char *(*value_name)(unsigned value);
    int (*value_parse)(struct view text);
    bool is_ordered;         /* BITS: <, <=, >, >= and a..b have a meaning */
    const char *what;        /* for errors: "a severity", "an address or network" */
    const char *values_help; /* for errors: "emerg, alert, … or 0 to 7"; NULL: the names */
};

/* The field of exactly this name, or NULL. */
const struct query_field_info *query_field_find(struct view name);
/* The field whose single bit this is (VALUE, TEXT, PRESENT), or whose nodes are of this kind. */
const struct query_field_info *query_field_of_bit(unsigned bit);
const struct query_field_info *query_field_of_kind(enum query_kind kind);
/* The field a person who wrote `name` most likely meant, or NULL when none is near. */
const struct query_field_info *query_field_near(struct view name);
/* What stands for kv.NAME where a field is meant; no name finds it. */
extern const struct query_field_info query_field_pair;
/* The names of all fields, separated by ", ". */
const char *query_field_names(void);

/* Read the value of a BITS field: a name, a number, <=name, a..b, names with * and lists with
 * commas. 0, or -EINVAL with a sentence in `message`. */
MUST_USE int query_field_bits(const struct query_field_info *f, struct view value, uint32_t *ret,
                              char *message, size_t message_size);

/* ---- pairs ---- */

/* ">1000", "<=5", "1..10" → a range.  1; 0 when it is none of these but a text; -EINVAL with a
 * sentence in `message` when it begins like one. */
MUST_USE int query_range_parse(struct view value, struct query_range *ret, char *message,
                               size_t message_size);
/* Written so that parsing gives the same range. */
void query_range_format(const struct query_range *r, struct buf *out);

/* ---- patterns being written ---- */

/* Collects literal bytes and wildcards, one after another.  Zero-initialise, with the arena. */
struct query_writer {
    struct arena *arena;
    bool is_value;   /* VALUE: whole value, `?` is one character; else TEXT */
    struct buf text; /* the piece being written; kept by the caller to be freed */
    struct query_pattern pattern;
    size_t cap;           /* pieces allocated */
    struct query_gap gap; /* before the piece being written */
    bool has_chars;       /* some gap has a `?` */
};

void query_writer_add(struct query_writer *w, struct view literal);
void query_writer_wildcard(struct query_writer *w, char c); /* '*', or '?' */
/* Nothing but stars was written. */
bool query_writer_is_everything(const struct query_writer *w);
/* Fold and set the borders.  The pattern lives in the arena. */
void query_writer_finish(struct query_writer *w, struct query_pattern *ret);

/* ---- bytes ---- */

/* An ASCII letter or digit: what has a border to anything else. */
static inline bool query_is_word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What `*` in a text does not cross. */
static inline bool query_is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

/* Bytes of the code point that starts at text[at], at least 1, never beyond the end. */
static inline size_t query_char_bytes(struct view text, size_t at)
{
    unsigned char c = (unsigned char)text.p[at];
    size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return MIN(n, text.n - at);
}

/* `piece` (folded) stands at text[at], case ignored.  Its length in the text is its own. */
bool query_piece_at(struct view piece, struct view text, size_t at);
/* Offset of the first `piece` in text that starts in from … last_start, or -1.  `left` and `right`:
 * a border must be there. */
int64_t query_piece_find(struct view piece, bool left, bool right, struct view text, size_t from,
                         size_t last_start);

#endif
