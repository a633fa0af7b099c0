/* Message templates: text with {fields} that are filled with seeded random values of real shapes.
 *
 *   {ip} {ip:10}     an IPv4 address, in 10.0.0.0/8
 *   {port}           1024…65535
 *   {int:N}          0…N-1
 *   {hex:N}          N hexadecimal digits
 *   {word:LIST}      one of a list of mix.c: users, hosts, paths, …
 *   {mac}            a MAC address
 *   {time} {iso}     the send time as RFC 3164 or RFC 3339 has it
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

/* The texts of "now", made anew once a second. */
struct time_texts {
    int64_t second;
    char bsd[16]; /* "Mar  9 10:41:07" */
    char iso[28]; /* "2026-03-09T10:41:07" */
};
void time_texts_update(struct time_texts *t, int64_t now_us);

#define TEMPLATE_MAX_PARTS 48

struct template_part {
    enum {
        PART_TEXT,
        PART_IP,
        PART_PORT,
        PART_INT,
        PART_HEX,
        PART_WORD,
        PART_MAC,
        PART_BSD,
        PART_ISO
    } kind;
    struct view text;         /* TEXT: borrows from the template's source */
    uint32_t n;               /* INT: bound; HEX: digits; IP: first byte or 0 */
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
/* Append one message.  0, or -ENOSPC. */
MUST_USE int template_render(const struct template *t, struct random *r,
                             const struct time_texts *now, struct buf *out);

/* The mix of realistic messages (mix.c): RFC 3164 lines of routers, firewalls, servers. */
extern const char *const mix_sources[];
extern const size_t mix_sources_n;
/* A list of words by name; NULL when there is none. */
const char *const *mix_words(struct view name, uint32_t *ret_n);

#endif
