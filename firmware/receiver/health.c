/* Counts of each source.  The lane has a report that grows; a sender remembers which row of which
 * report is its own, so an ordinary message costs a comparison and an increment.
 *
 *   rows:   [ not told | source | source | … ]     the first: the benchmark, and those beyond the
 * room places: open addressing by keyed hash          a sender of two listeners is one source
 *   guesses: sets of four, by the same hash        the one not used longest goes */
#include "receiver/health.h"

#include <sys/random.h>

enum {
    PLACES = 2 * HEALTH_SOURCES_MAX,
    WAYS = 4,
    SETS = HEALTH_GUESSES_MAX / WAYS,
    ROWS_AT_FIRST = 16,
    COLUMNS = 14,
};
_Static_assert((PLACES & (PLACES - 1)) == 0 && (SETS & (SETS - 1)) == 0, "masks choose them");
_Static_assert(HEALTH_SOURCES_MAX < UINT16_MAX, "a row's number fits");

struct health_guess {
    struct ip source;
    uint64_t setting;
    uint32_t turn; /* of its last use; 0: free */
    struct charset_guess state;
};

static struct health_report *grow(struct health_report *r, uint32_t room)
{
    size_t had = r ? r->room : 0;
    r = realloc(r, sizeof(*r) + room * sizeof(r->rows[0]));
    CHECK(r != NULL);
    memset(&r->rows[had], 0, (room - had) * sizeof(r->rows[0]));
    if (had == 0)
        r->n = 1;
    r->room = room;
    return r;
}

static void begin_report(struct health *h)
{
    h->now = grow(NULL, ROWS_AT_FIRST);
    h->turn = h->turn == UINT32_MAX ? 1 : h->turn + 1;
    h->guesses_left = HEALTH_GUESSES_A_SECOND * (unsigned)(HEALTH_REPORT_US / US_PER_SECOND);
    memset(h->places, 0, PLACES * sizeof(*h->places));
}

struct health *health_new(void)
{
    struct health *h = xcalloc(1, sizeof(*h));
    CHECK(getrandom(h->key, sizeof(h->key), 0) == sizeof(h->key));
    h->places = xcalloc(PLACES, sizeof(*h->places));
    h->guesses = xcalloc(HEALTH_GUESSES_MAX, sizeof(*h->guesses));
    begin_report(h);
    return h;
}

void health_free(struct health **ph)
{
    struct health *h = *ph;
    if (!h)
        return;
    free(health_take(h));
    free(h->now);
    free(h->places);
    free(h->guesses);
    free(h);
    *ph = NULL;
}

/* ---- rows ---- */

static uint32_t hash_of(const struct health *h, const struct ip *source)
{
    uint64_t half[2];
    memcpy(half, source->bytes, sizeof(half));
    unsigned __int128 product = (unsigned __int128)(half[0] ^ h->key[0]) *
                                (half[1] ^ h->key[1] ^ (uint64_t)source->family);
    uint64_t x = (uint64_t)product ^ (uint64_t)(product >> 64);
    x = (x ^ h->key[1]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32);
}

/* The same number for the same zone and charset, whatever the set of rules. */
static uint64_t number_of(const struct zone *zone, const struct charset *charset)
{
    uint64_t n = (uint64_t)(uintptr_t)charset;
    for (const char *p = zone ? zone_name(zone) : ""; *p; p++)
        n = (n ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    return n;
}

/* The first half of the room is for whoever comes, the second for those that were seen again:
 * made-up addresses do not take it. */
static bool has_room(const struct health *h, const struct sender *s)
{
    uint32_t n = h->now->n - 1;
    return n < HEALTH_SOURCES_MAX / 2 || (s->is_protected && n < HEALTH_SOURCES_MAX);
}

void health_begin(struct health *h, struct sender *s)
{
    s->health_turn = h->turn;
    s->health_row = 0;
    if (s->group == SOURCE_GROUP_BENCHMARK)
        return;
    uint64_t setting = number_of(s->zone, s->charset);
    uint32_t at = hash_of(h, &s->source) & (PLACES - 1);
    for (; h->places[at] != 0; at = (at + 1) & (PLACES - 1)) {
        struct health_row *row = &h->now->rows[h->places[at]];
        if (!ip_eq(&row->source, &s->source))
            continue;
        if (row->setting != setting) /* what was counted says nothing any more */
            *row = (struct health_row){.source = s->source, .setting = setting};
        s->health_row = h->places[at];
        return;
    }
    if (!has_room(h, s)) {
        s->health_turn = 0; /* it may be seen again */
        return;
    }
    if (h->now->n == h->now->room)
        h->now = grow(h->now, MIN(2 * h->now->room, (uint32_t)HEALTH_SOURCES_MAX + 1));
    s->health_row = h->places[at] = (uint16_t)h->now->n++;
    h->now->rows[s->health_row].source = s->source;
    h->now->rows[s->health_row].setting = setting;
}

/* ---- charsets ---- */

static struct health_guess *find_guess(struct health *h, const struct ip *source, bool may_begin)
{
    struct health_guess *set = &h->guesses[(hash_of(h, source) & (SETS - 1)) * WAYS], *oldest = set;
    for (struct health_guess *g = set; g < set + WAYS; g++) {
        if (g->turn != 0 && ip_eq(&g->source, source))
            return g;
        if (g->turn == 0 || (oldest->turn != 0 && h->turn - g->turn > h->turn - oldest->turn))
            oldest = g;
    }
    if (!may_begin)
        return NULL;
    *oldest = (struct health_guess){.source = *source};
    return oldest;
}

static void guess(struct health *h, struct health_row *row, struct view raw)
{
    if (h->guesses_left == 0)
        return;
    h->guesses_left--;
    struct health_guess *g = find_guess(h, &row->source, true);
    if (g->setting != row->setting)
        *g = (struct health_guess){.source = row->source, .setting = row->setting};
    g->turn = h->turn;
    charset_guess_add(&g->state, raw);
    row->is_guessed = true;
}

/* ---- counting ---- */

static void sample(struct health *h, struct health_row *row, const struct record *r)
{
    if (r->reported_at_us != TIME_NONE)
        row->skews_us[row->skews_n++ % HEALTH_SKEWS] = r->reported_at_us - r->received_at_us;
    if (r->flags == 0 && memchr(r->raw.p, 0x1b, r->raw.n))
        guess(h, row, r->raw);
}

void health_look(struct health *h, struct health_row *row, const struct record *r)
{
    bool is_own = row != &h->now->rows[0];
    if (!is_own)
        return;
    if (r->flags != 0 || r->format == FORMAT_RAW)
        row->messages++; /* health_count did not come so far */
    if (row->messages % HEALTH_SAMPLE == 1)
        sample(h, row, r);
    if (r->format == FORMAT_RAW)
        row->last_raw_at_us = r->received_at_us;
    if (r->flags == 0)
        return;
    bool is_invalid = r->flags & RECORD_INVALID_UTF8, is_decoded = r->flags & RECORD_DECODED;
    row->truncated += (r->flags & RECORD_TRUNCATED) != 0;
    row->invalid_utf8 += is_invalid;
    row->no_pri += (r->flags & RECORD_NO_PRI) != 0;
    row->bad_time += (r->flags & RECORD_BAD_TIME) != 0;
    row->skewed += (r->flags & RECORD_CLOCK_SKEW) != 0;
    row->decoded += is_decoded;
    row->undecodable += is_invalid && is_decoded;
    if (is_invalid)
        guess(h, row, r->raw);
}

static void take_guess(struct health *h, struct health_row *row)
{
    const struct health_guess *g = row->is_guessed ? find_guess(h, &row->source, false) : NULL;
    unsigned percent = 0;
    row->guess = g ? charset_guess(&g->state, &percent) : NULL;
    row->percent = (uint8_t)percent;
}

void health_put(struct health *h, const struct sender_rules *rules, int64_t now_mono_us)
{
    if (now_mono_us < h->report_mono_us || h->now->n == 1 ||
        atomic_load_explicit(&h->ready, memory_order_relaxed))
        return;
    uint32_t kept = 1;
    for (uint32_t i = 1; i < h->now->n; i++) {
        struct health_row *row = &h->now->rows[i];
        struct source_setting now = sender_rules_setting_of(rules, &row->source);
        if (row->setting != number_of(now.zone, now.charset))
            continue;
        take_guess(h, row);
        h->now->rows[kept++] = *row;
    }
    h->now->n = kept;
    h->report_mono_us = now_mono_us + HEALTH_REPORT_US;
    atomic_store(&h->ready, h->now);
    begin_report(h);
}

/* ---- the writer thread ---- */

struct health_report *health_take(struct health *h)
{
    return atomic_exchange(&h->ready, NULL);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

bool health_skew(const struct health_row *row, int64_t *ret_us)
{
    int64_t of[HEALTH_SKEWS];
    size_t n = MIN(row->skews_n, (uint32_t)HEALTH_SKEWS);
    if (n == 0)
        return false;
    memcpy(of, row->skews_us, n * sizeof(of[0]));
    qsort(of, n, sizeof(of[0]), by_size);
    *ret_us = of[n / 2];
    return true;
}

static void add_number(struct buf *out, bool is_there, int64_t v)
{
    if (is_there)
        (void)buf_printf(out, "%lld", (long long)v);
    else
        (void)buf_add_str(out, "null");
}

static void add_row(struct buf out[COLUMNS], const struct health_row *row)
{
    const uint32_t counts[] = {row->truncated, row->invalid_utf8, row->no_pri,     row->bad_time,
                               row->skewed,    row->decoded,      row->undecodable};
    char text[MAX(IP_TEXT_MAX, RFC3339_MAX)];
    int64_t skew_us = 0;
    for (int i = 0; i < COLUMNS; i++)
        if (i != 1 && out[i].n > 1)
            (void)buf_add_char(&out[i], ',');
    (void)buf_add(&out[0], text, ip_format(&row->source, text));
    for (int i = 0; i < FORMAT_COUNT; i++)
        (void)buf_printf(&out[2], "%s%u", i ? "," : "", row->formats[i]);
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        (void)buf_printf(&out[3 + i], "%u", counts[i]);
    bool has_skew = health_skew(row, &skew_us);
    add_number(&out[10], has_skew, skew_us);
    if (row->last_raw_at_us)
        (void)buf_add(&out[11], text, rfc3339_format(row->last_raw_at_us, text));
    else
        (void)buf_add_str(&out[11], "null");
    (void)buf_add_str(&out[12], row->guess ? charset_name(row->guess) : "null");
    add_number(&out[13], row->guess != NULL, row->percent);
}

int health_write(PGconn *c, const struct unit_patience *p, const struct health_report *r,
                 struct err *err)
{
    static const char sql[] =
        "select azekura.report_source_health($1::inet[], $2::integer, $3::bigint[], $4::bigint[],"
        " $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],"
        " $11::bigint[], $12::timestamptz[], $13::text[], $14::smallint[])";
    struct buf of[COLUMNS];
    const char *values[COLUMNS];
    if (r->n == 1)
        return 0;
    for (int i = 0; i < COLUMNS; i++) {
        of[i] = BUF_INIT((size_t)r->n * (i == 2 ? FORMAT_COUNT * 11 : IP_TEXT_MAX) + 64);
        (void)(i == 1 ? buf_printf(&of[1], "%d", FORMAT_COUNT) : buf_add_char(&of[i], '{'));
    }
    for (uint32_t k = 1; k < r->n; k++)
        add_row(of, &r->rows[k]);
    for (int i = 0; i < COLUMNS; i++) {
        if (i != 1)
            (void)buf_add_char(&of[i], '}');
        CHECK(!of[i].is_full);
        values[i] = buf_str(&of[i]);
    }
    int rc = unit_query(c, sql, COLUMNS, values, p, NULL, err);
    for (int i = 0; i < COLUMNS; i++)
        buf_free(&of[i]);
    return rc;
}
