/* Units that the database will not take, as files. */
#include "receiver/rejected.h"

enum { COUNTS_MAX_BYTES = 1 << 20 };
#define BLOCKS_MAX_BYTES ((size_t)512 << 20)

static void add_counts(const struct unit *u, struct buf *out)
{
    (void)buf_add_str(out, "minute\tlistener\tsource\tarrived\tbytes");
    for (unsigned i = 0; i < REASON_COUNT; i++)
        (void)buf_printf(out, "\t%s", reason_name(i));
    (void)buf_add_char(out, '\n');
    for (size_t k = 0; k < u->rows_n; k++) {
        const struct unit_row *r = &u->rows[k];
        char minute[RFC3339_MAX], source[IP_TEXT_MAX];
        const char *listener = listener_name(r->listener);
        (void)rfc3339_format(r->minute_us, minute);
        (void)ip_format(&r->source, source);
        (void)buf_printf(out, "%s\t%s\t%s\t%llu\t%llu", minute, listener ? listener : "?", source,
                         (unsigned long long)r->arrived, (unsigned long long)r->bytes);
        for (unsigned i = 0; i < REASON_COUNT; i++)
            (void)buf_printf(out, "\t%llu", (unsigned long long)r->refused[i]);
        (void)buf_add_char(out, '\n');
    }
}

static int keep_file(const struct state *s, const struct unit *u, const char *ending,
                     const struct buf *bytes, char ret_path[STATE_PATH_MAX], struct err *err)
{
    char run[UNIT_RUN_TEXT_MAX], name[96];
    unit_run_text(u->run, run);
    snprintf(name, sizeof(name), "%s-%llu.%s", run, (unsigned long long)u->number, ending);
    int rc = state_write_synced(s, "rejected", name, buf_view(bytes), err);
    if (rc == 0)
        snprintf(ret_path, STATE_PATH_MAX, "rejected/%s", name);
    return rc;
}

int rejected_keep(const struct state *s, const struct unit *u, char ret_path[STATE_PATH_MAX],
                  struct err *err)
{
    struct buf counts = BUF_INIT(COUNTS_MAX_BYTES), data = BUF_INIT(BLOCKS_MAX_BYTES);
    add_counts(u, &counts);
    int rc = keep_file(s, u, "counts", &counts, ret_path, err);
    if (rc == 0 && u->blocks_n) {
        rc = unit_encode_blocks(u->blocks, u->blocks_n, &data);
        rc = rc < 0 ? err_set(err, EFBIG, "state", "the blocks of a unit are larger than %zu bytes",
                              BLOCKS_MAX_BYTES)
                    : keep_file(s, u, "copy", &data, ret_path, err);
    }
    buf_free(&data);
    buf_free(&counts);
    return rc;
}
