/* Message templates: text with {fields} that are filled with seeded random values of real shapes.
 *
 *   {ip} {ip:10}     an IPv4 address, in 10.0.0.0/8
 *   {port}           1024…65535
 *   {int:N}          0…N-1
 *   {hex:N}          N hexadecimal digits
 *   {word:LIST}      one of a list of mix.c: users, hosts, paths, …
 *   {{               a brace
 *   {mac}            a MAC address
 *   {time} {iso} …   the send time, in one of the forms of enum time_form
 */
#ifndef AZEKURA_BENCH_TEMPLATE_H
#define AZEKURA_BENCH_TEMPLATE_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"

/* xoshiro256** by Blackman and Vigna ("Scrambled Linear Pseudorandom Number Generators", 2021). */
struct random {
    uint64_t s[4];
};
void random_seed(struct random *r, uint64_t seed);
uint64_t random_next(struct random *r);
/* 0…n-1, n > 0 (Lemire's multiplication; the bias of 2^-32 does not matter here). */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
    return (uint32_t)(((random_next(r) >> 32) * n) >> 32);
}

/* The forms of a time in a message; each has a fixed length, so that a message made before the
 * clock started gets its time written in place. */
enum time_form {
    FORM_BSD,   /* {time}: "Mar  9 10:41:07" */
    FORM_ISO,   /* {iso}: "2026-03-09T10:41:07" */
    FORM_ZONED, /* {zoned}: "2026-03-09T10:41:07+09:00" */
    FORM_UTC,   /* {utc}: "2026-03-09T01:41:07Z" */
    FORM_DATE,  /* {date}: "2026-03-09" */
    FORM_CLOCK, /* {clock}: "10:41:07" */
    FORM_SLASH, /* {slash}: "2026/03/09 10:41:07" */
    FORM_BLANK, /* {blank}: "2026-03-09 10:41:07" */
    FORM_WEB,   /* {web}: "09/Mar/2026:10:41:07 +0900" */
    FORM_EPOCH, /* {epoch}: "1773020467" */
    FORM_CISCO, /* {cisco}: "Mar 09 2026 10:41:07" */
    TIME_FORMS
};
#define TIME_TEXT_MAX 32
extern const uint8_t time_form_bytes[TIME_FORMS];

/* The texts of "now", made anew once a second. */
struct time_texts {
    int64_t second;
    int32_t offset_s; /* of the local time from UTC; the caller's, 0: UTC */
    char text[TIME_FORMS][TIME_TEXT_MAX];
};
/* Returns whether the second is another than before. */
bool time_texts_update(struct time_texts *t, int64_t now_us);

#define TEMPLATE_MAX_PARTS 48

struct template_part {
    enum { PART_TEXT, PART_IP, PART_PORT, PART_INT, PART_HEX, PART_WORD, PART_MAC, PART_TIME } kind;
    struct view text;         /* TEXT: borrows from the template's source */
    uint32_t n;               /* INT: bound; HEX: digits; IP: first byte or 0; TIME: the form */
    const char *const *words; /* WORD */
    uint32_t words_n;
};

struct template
{
    struct template_part parts[TEMPLATE_MAX_PARTS];
    size_t parts_n;
};

/* `source` must outlive the template.  0, or -EINVAL naming the part. */
MUST_USE int template_compile(const char *source, struct template *ret, struct err *err);
/* Where times stand in a message. */
#define TEMPLATE_TIMES_MAX 4
struct template_times {
    size_t n;
    struct {
        size_t at; /* offset in the buffer */
        enum time_form form;
    } times[TEMPLATE_TIMES_MAX];
};
/* Append one message; *ret_times (or NULL) as far as there is room.  0, or -ENOSPC. */
MUST_USE int template_render(const struct template *t, struct random *r,
                             const struct time_texts *now, struct buf *out,
                             struct template_times *ret_times);

/* The mix of realistic messages (mix.c).  Each device has its own form, RFC 3164 or 5424 or its
 * vendor's; `rfc5424` is the same message in RFC 5424's form. */
struct mix_source {
    const char *own, *rfc5424;
    uint32_t weight; /* how often, against the others */
};
extern const struct mix_source mix_sources[];
extern const size_t mix_sources_n;
/* One of them by its weight. */
const struct mix_source *mix_draw(struct random *r);
/* A list of words by name; NULL when there is none. */
const char *const *mix_words(struct view name, uint32_t *ret_n);

#endif
