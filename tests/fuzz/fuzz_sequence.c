/* Sequence numbers.  Byte 0 chooses the kind and what follows:
 *
 *   a series: bytes are steps ahead, so that what is missing is known exactly
 *   anything: numbers and settlings in any order; what is counted for one of them has a limit
 *   a message: bytes as they come from a socket; what is found is a number of its kind */
#include "base/limits.h"
#include "syslog/sequence.h"
#include "syslog/syslog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t last_of(enum sequence_kind kind)
{
    return kind == SEQUENCE_META    ? INT32_MAX
           : kind == SEQUENCE_CISCO ? UINT32_MAX
                                    : UINT64_C(9999999999);
}

static void check_state(const struct sequence_state *s)
{
    CHECK(s->recent <= 1 && s->is_new <= 1 && s->meaning <= SEQUENCE_REPLAY);
    for (int i = 0; i < 2; i++)
        CHECK(s->track[i].messages == 0 || (s->track[i].seen & 1));
}

/* Every number greater than the one before it, none far away: missing is what was left out. */
static void run_series(enum sequence_kind kind, const uint8_t *p, size_t n)
{
    struct sequence_state s = {0};
    struct sequence_gap gap = {0};
    uint64_t number, missing = 0;
    if (n < 8)
        return;
    memcpy(&number, p, 8);
    number = number % last_of(kind) + 1;
    sequence_take(&s, kind, number, &gap);
    for (size_t i = 8; i < n; i++) {
        uint64_t step = p[i] < 250 ? (p[i] & 7) + 1u : (p[i] - 249u) * 170; /* ≤ SEQUENCE_NEAR */
        if (step > last_of(kind) - number)
            break; /* where numbers begin again is another input's matter */
        missing += step - 1;
        number += step;
        sequence_take(&s, kind, number, &gap);
        check_state(&s);
        CHECK(gap.missing <= missing);
    }
    (void)sequence_settle(&s, &gap);
    CHECK(gap.missing == missing && gap.repeated == 0);
    CHECK(!sequence_settle(&s, &gap));
}

/* What one number or settling can be the reason of: a jump ahead that is believed, what two windows
 * and a step within SEQUENCE_NEAR awaited, and a replay. */
#define MISSING_MAX (SEQUENCE_JUMP_MAX + SEQUENCE_NEAR + 4 * SEQUENCE_WINDOW)
#define REPEATED_MAX (SEQUENCE_REPLAY_MAX + SEQUENCE_NEAR)

static void run_anything(enum sequence_kind kind, const uint8_t *p, size_t n)
{
    struct sequence_state s = {0};
    uint64_t number = 0;
    for (size_t i = 0; i + 4 < n; i += 5) {
        struct sequence_gap gap = {0};
        uint32_t v;
        memcpy(&v, p + i + 1, 4);
        switch (p[i] % 8) {
        case 0:
            number = v;
            break;
        case 1:
            number -= v % (2 * SEQUENCE_REPLAY_MAX);
            break;
        case 2:
            number += v % (2 * SEQUENCE_JUMP_MAX);
            break;
        case 3:
            number -= v % (2 * SEQUENCE_WINDOW);
            break;
        case 4:
            number += v % (2 * SEQUENCE_NEAR);
            break;
        default:
            number++;
            break;
        }
        number %= last_of(kind) + 1;
        if (p[i] >> 3 == 0)
            (void)sequence_settle(&s, &gap);
        else if (p[i] >> 3 == 1)
            sequence_again(&s, kind, number);
        else
            sequence_take(&s, kind, number, &gap);
        check_state(&s);
        CHECK(gap.missing <= MISSING_MAX && gap.repeated <= REPEATED_MAX);
    }
}

static void run_message(const uint8_t *data, size_t size)
{
    static struct zone *zone;
    static struct buf scratch = {.max = 3 * MESSAGE_MAX_BYTES_DEFAULT + 64};
    if (zone == NULL)
        CHECK(zone_load("UTC", &zone, NULL) == 0);
    if (size > MESSAGE_MAX_BYTES_DEFAULT)
        return;
    struct syslog_context ctx = {
        .received_at_us = INT64_C(1773144000000000), .zone = zone, .scratch = &scratch};
    struct record r;
    struct sequence q;
    syslog_parse(&ctx, view_of((const char *)data, size), &r);
    if (sequence_of(&r, &q))
        CHECK(q.kind < SEQUENCE_KINDS && q.number <= last_of(q.kind));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    enum sequence_kind kind = data[0] % SEQUENCE_KINDS;
    switch (data[0] / SEQUENCE_KINDS % 3) {
    case 0:
        run_series(kind, data + 1, size - 1);
        break;
    case 1:
        run_anything(kind, data + 1, size - 1);
        break;
    default:
        run_message(data + 1, size - 1);
        break;
    }
    return 0;
}
