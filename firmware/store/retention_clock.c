/* The clock is doubted, or not. */
#include "store/retention_clock.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define BACK_US (60 * US_PER_MINUTE)       /* a time server or a person corrects so much */
#define FORWARD_US US_PER_DAY              /* … within one run of the box */
#define FORWARD_START_US (31 * US_PER_DAY) /* a box may be off for so long */

int clock_read(struct clock_reading *ret, struct err *err)
{
    static const char path[] = "/proc/sys/kernel/random/boot_id";
    struct clock_reading r = {.wall_us = clock_wall_us()};
    struct timespec boot;
    if (clock_gettime(CLOCK_BOOTTIME, &boot) < 0)
        return err_set(err, errno, "system", "cannot read the time since boot: %s",
                       strerror(errno));
    r.boot_us = boot.tv_sec * US_PER_SECOND + boot.tv_nsec / 1000;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, r.boot_id, sizeof(r.boot_id) - 1);
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return err_set(err, n < 0 ? error : EIO, "system", "cannot read %s: %s", path,
                       n < 0 ? strerror(error) : "it is empty");
    r.boot_id[strcspn(r.boot_id, "\n")] = 0;
    *ret = r;
    return 0;
}

enum clock_change clock_judge(struct clock_reference *ref, const struct clock_reading *now)
{
    bool is_same_boot = strcmp(ref->last.boot_id, now->boot_id) == 0;
    bool is_doubted = ref->doubted_since_us != TIME_NONE;
    /* the time since a start has gone by for sure; nothing is known after a confirmation */
    int64_t passed = is_same_boot           ? now->boot_us - ref->last.boot_us
                     : ref->last.boot_id[0] ? now->boot_us
                                            : 0;
    int64_t expected = ref->last.wall_us + MAX(passed, INT64_C(0));
    int64_t off = now->wall_us - expected;
    bool is_in_step = off >= -BACK_US && off <= (is_same_boot ? FORWARD_US : FORWARD_START_US);
    ref->last = *now;
    if (is_in_step) {
        ref->doubted_since_us = ref->from_us = ref->to_us = ref->boot_us = TIME_NONE;
        /* it was wrong until some moment since the last look */
        if (is_doubted)
            ref->high_us += MAX(passed, INT64_C(0));
        return is_doubted ? CLOCK_BACK_IN_STEP : CLOCK_SAME;
    }
    ref->last.wall_us = expected;
    if (is_doubted) {
        ref->low_us = MIN(ref->low_us, now->wall_us);
        ref->high_us = MAX(ref->high_us, now->wall_us);
        return CLOCK_SAME;
    }
    ref->doubted_since_us = ref->to_us = ref->low_us = ref->high_us = now->wall_us;
    ref->from_us = expected;
    ref->boot_us = is_same_boot ? expected - now->boot_us : TIME_NONE;
    return CLOCK_DOUBTED;
}

static int64_t time_or_none(const PGresult *q, int column)
{
    return PQgetisnull(q, 0, column) ? TIME_NONE : store_number(q, 0, column);
}

int clock_reference_read(PGconn *c, struct clock_reference *ret, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(c,
                         "select (extract(epoch from wall) * 1000000)::bigint, mono_us, boot_id,"
                         " (extract(epoch from doubted_since) * 1000000)::bigint,"
                         " (extract(epoch from doubted_from) * 1000000)::bigint,"
                         " (extract(epoch from doubted_to) * 1000000)::bigint,"
                         " (extract(epoch from doubted_low) * 1000000)::bigint,"
                         " (extract(epoch from doubted_high) * 1000000)::bigint,"
                         " (extract(epoch from doubted_boot) * 1000000)::bigint"
                         " from azekura.retention_clock",
                         0, NULL, &q, err);
    if (rc < 0)
        return rc;
    int n = PQntuples(q);
    if (n > 0) {
        ret->last.wall_us = store_number(q, 0, 0);
        ret->last.boot_us = store_number(q, 0, 1);
        snprintf(ret->last.boot_id, sizeof(ret->last.boot_id), "%s", PQgetvalue(q, 0, 2));
        ret->doubted_since_us = time_or_none(q, 3);
        ret->from_us = time_or_none(q, 4);
        ret->to_us = time_or_none(q, 5);
        ret->low_us = time_or_none(q, 6);
        ret->high_us = time_or_none(q, 7);
        ret->boot_us = time_or_none(q, 8);
    }
    PQclear(q);
    return n;
}

int clock_is_doubted(PGconn *c, struct err *err)
{
    struct clock_reference ref;
    struct clock_reading now;
    int rc = clock_reference_read(c, &ref, err);
    if (rc <= 0)
        return rc; /* without a reference nothing can be doubted */
    rc = clock_read(&now, err);
    if (rc < 0)
        return rc;
    (void)clock_judge(&ref, &now); /* the reference is the rule's to keep: this is a copy */
    return ref.doubted_since_us != TIME_NONE;
}

/* A time as a parameter; NULL for none. */
struct time_text {
    char text[RFC3339_MAX];
    const char *value;
};

static void time_put(struct time_text *t, int64_t us)
{
    t->value = us == TIME_NONE ? NULL : t->text;
    if (t->value)
        (void)rfc3339_format(us, t->text);
}

int clock_reference_write(PGconn *c, const struct clock_reference *ref, bool is_going_on,
                          struct err *err)
{
    bool is_doubted = ref->doubted_since_us != TIME_NONE;
    const int64_t times[] = {ref->last.wall_us, ref->low_us, ref->high_us, ref->doubted_since_us,
                             ref->from_us,      ref->to_us,  ref->boot_us};
    struct time_text t[ARRAY_LEN(times)];
    char boot_us[24];
    for (size_t i = 0; i < ARRAY_LEN(times); i++)
        time_put(&t[i], i > 0 && !is_doubted ? TIME_NONE : times[i]);
    snprintf(boot_us, sizeof(boot_us), "%lld", (long long)ref->last.boot_us);
    const char *values[] = {t[0].value, boot_us,    ref->last.boot_id, t[1].value, t[2].value,
                            t[3].value, t[4].value, t[5].value,        t[6].value};
    int64_t rc =
        is_doubted && is_going_on
            /* not over a confirmation that has just been given */
            ? store_execute(c,
                            "update azekura.retention_clock set wall = $1, mono_us = $2,"
                            " boot_id = $3, doubted_low = $4, doubted_high = $5"
                            " where doubted_since is not null",
                            5, values, err)
            : store_execute(
                  c,
                  "insert into azekura.retention_clock (wall, mono_us, boot_id, doubted_low,"
                  " doubted_high, doubted_since, doubted_from, doubted_to, doubted_boot)"
                  " values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (only_one) do update"
                  " set (wall, mono_us, boot_id, doubted_low, doubted_high, doubted_since,"
                  " doubted_from, doubted_to, doubted_boot) = (excluded.wall, excluded.mono_us,"
                  " excluded.boot_id, excluded.doubted_low, excluded.doubted_high,"
                  " excluded.doubted_since, excluded.doubted_from, excluded.doubted_to,"
                  " excluded.doubted_boot)",
                  9, values, err);
    return rc < 0 ? (int)rc : 0;
}

int clock_note_misdated(PGconn *c, int64_t from_us, int64_t to_us, int64_t day_us, struct err *err)
{
    struct time_text from, to, day;
    time_put(&from, from_us);
    time_put(&to, to_us);
    time_put(&day, day_us);
    /* a day later than in truth, whatever the zone: rather kept too long */
    int64_t rc = store_execute(c,
                               "insert into azekura.misdated (lower, upper, day)"
                               " values ($1, $2, ($3::timestamptz)::date + 1)",
                               3, (const char *const[]){from.value, to.value, day.value}, err);
    if (rc >= 0)
        rc = store_execute(c,
                           "delete from azekura.misdated where id <="
                           " (select id from azekura.misdated order by id desc offset 100 limit 1)",
                           0, NULL, err);
    return rc < 0 ? (int)rc : 0;
}
