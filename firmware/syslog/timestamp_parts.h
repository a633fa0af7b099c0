/* The parts that times are made of, for timestamp.c and timestamp_rare.c alone. */
#ifndef AZEKURA_TIMESTAMP_PARTS_H
#define AZEKURA_TIMESTAMP_PARTS_H

#include "syslog/timestamp.h"

/* Two digits, or 100 (out of range of everything). */
static inline unsigned two(const char *p)
{
    unsigned a = (unsigned char)p[0] - '0', b = (unsigned char)p[1] - '0';
    return a <= 9 && b <= 9 ? a * 10 + b : 100;
}

/* Four digits, or 10000. */
static inline unsigned four(const char *p)
{
    unsigned a = two(p), b = two(p + 2);
    return a < 100 && b < 100 ? a * 100 + b : 10000;
}

/* A time may end here. */
static inline bool timestamp_boundary(const struct cursor *c)
{
    return c->p == c->end || *c->p == ' ' || *c->p == '\t' || *c->p == ':' || *c->p == '\n' ||
           *c->p == '\r';
}

/* 1…12 of the three letters at p, or 0. */
unsigned timestamp_month(const char *p);
/* H:MM:SS or HH:MM:SS, with fraction, AM or PM. */
bool timestamp_clock(struct cursor *c, struct timestamp *t);
/* "+09:00", "+0900", "+09" at the cursor. */
bool timestamp_offset(struct cursor *c, struct timestamp *t);
/* A zone after a blank: it belongs to the time, but not to the text that the layout renders. */
void timestamp_zone_after_blank(struct cursor *c, struct timestamp *t);
/* "Mar  9 10:41:07", with a year between or after, a fraction and a zone. */
enum timestamp_result timestamp_bsd(struct cursor *c, struct timestamp *t);
/* Good, or unusable. */
enum timestamp_result timestamp_judge(const struct timestamp *t);

/* timestamp_rare.c: what begins with digits and is not ISO; "Mar-10-2026"; what begins with a
 * weekday.  14 bytes are there. */
enum timestamp_result timestamp_digits_first(struct cursor *c, struct timestamp *t);
enum timestamp_result timestamp_month_first(struct cursor *c, struct timestamp *t);
enum timestamp_result timestamp_weekday(struct cursor *c, struct timestamp *t);

#endif
