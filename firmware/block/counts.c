/* Messages and bytes of a finished block by what its dictionaries know.  Runs on the packer thread.
 *
 * Rows never go back in time, so that a minute is a run of rows.  One pass over a run adds to a
 * number for each dictionary value and severity; a second one over the values makes the rows of the
 * lists.  A number holds both counts: messages above bit 44, bytes below (a block has at most 2^16
 * messages of at most 2^20 bytes). */
#include "block/counts.h"
#include "block/building.h"

#define SEVERITIES 8
#define ONE_MESSAGE (UINT64_C(1) << 44)

_Static_assert(BLOCK_MAX_MESSAGES <= 1 << 16 && MESSAGE_MAX_BYTES_LIMIT <= 1 << 20,
               "the bytes of a block do not reach the messages of a number");

static const enum builder_dict dict_of[COUNTS_BY] = {
    [COUNTS_SOURCE] = DICT_SOURCES,
    [COUNTS_HOSTNAME] = DICT_HOSTNAME,
    [COUNTS_APP_NAME] = DICT_APP_NAME,
};

/* The work of one block. */
struct counting {
    const struct block_builder *b;
    struct block_counts *counts;
    uint64_t *numbers[COUNTS_BY];  /* by dictionary number × severities; 0 is null */
    struct view *texts[COUNTS_BY]; /* by dictionary number; null: counts with the others */
};

static uint32_t severities_of(unsigned by)
{
    return by == COUNTS_SOURCE ? 1 : SEVERITIES;
}

/* ---- names ---- */

/* What a value is called: addresses are text, everything else is what it is.  The texts of one
 * dictionary lie together in `names`. */
static struct view name_of(unsigned by, struct view value, char address[IP_TEXT_MAX])
{
    if (by != COUNTS_SOURCE)
        return value;
    struct ip ip = {.family = (uint8_t)value.p[0]};
    memcpy(ip.bytes, value.p + 1, MIN(value.n - 1, sizeof(ip.bytes)));
    return view_of(address, ip_format(&ip, address));
}

static size_t names_bytes(const struct block_builder *b)
{
    size_t n = 0;
    for (unsigned by = 0; by < COUNTS_BY; by++) {
        const struct dict *d = &b->dicts[dict_of[by]];
        n += by == COUNTS_SOURCE ? (size_t)d->n * IP_TEXT_MAX : d->text.n;
    }
    return n;
}

static void copy_names(struct counting *c)
{
    size_t max = names_bytes(c->b), at = 0;
    c->counts->names = xcalloc(max + 1, 1);
    for (unsigned by = 0; by < COUNTS_BY; by++) {
        const struct dict *d = &c->b->dicts[dict_of[by]];
        c->texts[by] = xcalloc(d->n + 1, sizeof(struct view));
        for (uint32_t i = 1; i <= d->n; i++) {
            char address[IP_TEXT_MAX];
            struct view name = name_of(by, dict_value(d, i), address);
            if (name.n > RATE_NAME_MAX_BYTES)
                continue;
            if (name.n > 0)
                memcpy(c->counts->names + at, name.p, name.n);
            c->texts[by][i] = view_of(c->counts->names + at, name.n);
            at += name.n;
        }
    }
    CHECK(at <= max);
    c->counts->bytes += max + 1;
}

/* ---- numbers ---- */

static void add_rows(struct counting *c, uint32_t from, uint32_t to)
{
    const struct block_builder *b = c->b;
    const uint16_t *sources = b->dicts[DICT_SOURCES].rows, *hosts = b->dicts[DICT_HOSTNAME].rows,
                   *apps = b->dicts[DICT_APP_NAME].rows;
    uint64_t *by_source = c->numbers[COUNTS_SOURCE], *by_host = c->numbers[COUNTS_HOSTNAME],
             *by_app = c->numbers[COUNTS_APP_NAME];
    for (uint32_t i = from; i < to; i++) {
        uint64_t one = ONE_MESSAGE + b->raw_lengths[i];
        uint32_t severity = b->pri[i] % SEVERITIES;
        by_source[sources[i]] += one;
        by_host[hosts[i] * SEVERITIES + severity] += one;
        by_app[apps[i] * SEVERITIES + severity] += one;
    }
}

static uint64_t messages_of(const uint64_t *numbers, uint32_t severities)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < severities; s++)
        n += numbers[s] / ONE_MESSAGE;
    return n;
}

static int descending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* How many messages a value must have to be counted by its name, so that no more than
 * RATE_NAMES_A_UNIT are; *ret_equal: how many of those with exactly so many have room. */
static uint64_t threshold(const struct counting *c, unsigned by, uint32_t *ret_equal)
{
    uint32_t values = c->b->dicts[dict_of[by]].n, severities = severities_of(by), used = 0;
    *ret_equal = UINT32_MAX;
    if (values <= RATE_NAMES_A_UNIT)
        return 1;
    uint64_t *messages = xcalloc(values, sizeof(*messages));
    for (uint32_t i = 1; i <= values; i++) {
        uint64_t n = messages_of(c->numbers[by] + (size_t)i * severities, severities);
        if (n > 0 && c->texts[by][i].p != NULL)
            messages[used++] = n;
    }
    uint64_t least = 1;
    if (used > RATE_NAMES_A_UNIT) {
        qsort(messages, used, sizeof(*messages), descending);
        least = messages[RATE_NAMES_A_UNIT - 1];
        *ret_equal = 0;
        for (uint32_t i = 0; i < RATE_NAMES_A_UNIT; i++)
            *ret_equal += messages[i] == least;
    }
    free(messages);
    return least;
}

/* ---- lists ---- */

struct list {
    struct counts_row *rows;
    uint32_t n, cap;
};

static void add_list_row(struct list *l, unsigned kind, struct view name, uint32_t severity,
                         uint64_t number)
{
    if (number == 0)
        return;
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->rows = xrealloc(l->rows, l->cap, sizeof(*l->rows));
    }
    l->rows[l->n++] = (struct counts_row){.name = name,
                                          .kind = (uint8_t)kind,
                                          .severity = (uint8_t)severity,
                                          .messages = (uint32_t)(number / ONE_MESSAGE),
                                          .bytes = number % ONE_MESSAGE};
}

/* The rows of one list, out of numbers that are zero again afterwards. */
static void make_list(struct counting *c, unsigned by, struct counts_minute *minute)
{
    uint32_t values = c->b->dicts[dict_of[by]].n, severities = severities_of(by), equal;
    uint64_t least = threshold(c, by, &equal), others[SEVERITIES] = {0};
    struct list list = {NULL, 0, 0};
    for (uint32_t i = 0; i <= values; i++) {
        uint64_t *numbers = c->numbers[by] + (size_t)i * severities;
        uint64_t messages = messages_of(numbers, severities);
        if (messages == 0)
            continue;
        /* value 0 is null; so is an address of no family, whose text is empty */
        bool is_none = i == 0 || (by == COUNTS_SOURCE && c->texts[by][i].n == 0);
        bool is_named = is_none || (c->texts[by][i].p != NULL &&
                                    (messages > least || (messages == least && equal > 0)));
        equal -= is_named && !is_none && messages == least && equal > 0;
        for (uint32_t s = 0; s < severities; s++) {
            if (is_named)
                add_list_row(&list, is_none ? COUNTS_NONE : COUNTS_VALUE,
                             is_none ? VIEW_NULL : c->texts[by][i], s, numbers[s]);
            else
                others[s] += numbers[s];
            numbers[s] = 0;
        }
    }
    for (uint32_t s = 0; s < severities; s++)
        add_list_row(&list, COUNTS_OTHERS, VIEW_NULL, s, others[s]);
    minute->rows[by] = list.rows;
    minute->rows_n[by] = list.n;
    c->counts->bytes += (size_t)list.cap * sizeof(*list.rows);
}

static int64_t minute_of(int64_t us)
{
    int64_t rest = us % US_PER_MINUTE;
    return us - rest - (rest < 0 ? US_PER_MINUTE : 0);
}

/* The first row from `from` on that arrived at `us` or later. */
static uint32_t row_at(const struct block_builder *b, uint32_t from, int64_t us)
{
    uint32_t lo = from, hi = b->n;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (b->times[middle] < us)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static void make_minute(struct counting *c, uint32_t from, uint32_t to, struct counts_minute *ret)
{
    const struct block_builder *b = c->b;
    *ret = (struct counts_minute){.minute_us = minute_of(b->times[from]),
                                  .last_at_us = b->times[to - 1],
                                  .messages = to - from};
    for (uint32_t i = from; i < to; i++)
        ret->bytes += b->raw_lengths[i];
    add_rows(c, from, to);
    for (unsigned by = 0; by < COUNTS_BY; by++)
        make_list(c, by, ret);
}

void block_counts_make(const struct block_builder *b, struct block_counts *ret)
{
    CHECK(b->n > 0);
    *ret = (struct block_counts){0};
    struct counting c = {.b = b, .counts = ret};
    copy_names(&c);
    for (unsigned by = 0; by < COUNTS_BY; by++)
        c.numbers[by] =
            xcalloc(((size_t)b->dicts[dict_of[by]].n + 1) * severities_of(by), sizeof(uint64_t));
    ret->minutes = xcalloc(RATE_MINUTES_A_BLOCK, sizeof(*ret->minutes));
    ret->bytes += RATE_MINUTES_A_BLOCK * sizeof(*ret->minutes);
    for (uint32_t from = 0; from < b->n;) {
        bool is_last = ret->minutes_n == RATE_MINUTES_A_BLOCK - 1;
        uint32_t to = is_last ? b->n : row_at(b, from, minute_of(b->times[from]) + US_PER_MINUTE);
        make_minute(&c, from, to, &ret->minutes[ret->minutes_n++]);
        from = to;
    }
    for (unsigned by = 0; by < COUNTS_BY; by++) {
        free(c.numbers[by]);
        free(c.texts[by]);
    }
}

void block_counts_free(struct block_counts *c)
{
    for (uint32_t i = 0; i < c->minutes_n; i++)
        for (unsigned by = 0; by < COUNTS_BY; by++)
            free(c->minutes[i].rows[by]);
    free(c->minutes);
    free(c->names);
    *c = (struct block_counts){0};
}
