/* Certificates of senders, told to the database. */
#include "receiver/tls_report.h"

#include "base/buf.h"
#include "base/clock.h"
#include "config/log.h"
#include "store/array.h"

#define PART 256 /* entries of one statement: bounds its size */
#define COLUMNS 7

/* PostgreSQL takes no time before its own first; an unreadable one is far ahead. */
#define LAST_US INT64_C(253402300799000000) /* 9999-12-31 */

static void add_time(struct buf *b, int64_t us)
{
    char text[RFC3339_MAX];
    (void)rfc3339_format(us < 0 || us > LAST_US ? LAST_US : us, text);
    array_add_text(b, text);
}

static void add_sender(struct buf arrays[COLUMNS], const struct tls_sender *s)
{
    char address[IP_TEXT_MAX];
    (void)ip_format(&s->source, address);
    array_add_text(&arrays[0], address);
    array_add_text(&arrays[1], s->peer.fingerprint);
    array_add_text(&arrays[2], s->peer.name);
    add_time(&arrays[3], s->peer.not_after_us);
    add_time(&arrays[4], s->first_at_us);
    add_time(&arrays[5], s->last_at_us);
    array_add_int(&arrays[6], (int64_t)s->connections);
}

static int tell(PGconn *c, const struct tls_sender *list, unsigned n, const struct unit_patience *p,
                struct err *err)
{
    struct buf arrays[COLUMNS];
    const char *values[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        arrays[i] = BUF_INIT(PART * (2 * TLS_NAME_MAX + 8) + 8); /* a quote may need a backslash */
    for (unsigned k = 0; k < n; k++)
        add_sender(arrays, &list[k]);
    for (int i = 0; i < COLUMNS; i++) {
        array_end(&arrays[i]);
        CHECK(!arrays[i].is_full);
        values[i] = buf_str(&arrays[i]);
    }
    int rc = unit_query(c,
                        "select azekura.report_tls_senders($1::inet[], $2::text[], $3::text[],"
                        " $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::bigint[])",
                        COLUMNS, values, p, NULL, err);
    for (int i = 0; i < COLUMNS; i++)
        buf_free(&arrays[i]);
    return rc;
}

int tls_report_senders(PGconn *c, struct tls_senders *senders, const struct unit_patience *p,
                       struct err *err)
{
    uint64_t left_out = 0;
    struct tls_sender *list = xcalloc(PART, sizeof(*list));
    unsigned n = tls_senders_take(senders, list, PART, &left_out);
    int rc = n > 0 ? tell(c, list, n, p, err) : 0;
    if (rc < 0)
        tls_senders_give_back(senders, list, n);
    if (left_out > 0)
        log_line(LOG_WARNING,
                 "%llu connections with certificates are in no list: more than %d senders showed "
                 "one since the database was told last; their messages are taken as ever",
                 (unsigned long long)left_out, TLS_SENDERS_MAX);
    free(list);
    return rc;
}
