/* What the rule has to know, read from the database in three statements. */
#include "store/retention.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/zone.h"

const char *const retention_policy_names[POLICIES] = {"trim", "shed", "borrow", "warn"};
const char *const retention_state_names[RETENTION_STATES] = {"ok", "watch", "over_forecast",
                                                             "over"};

/* ---- sums ---- */

int64_t retention_month_bytes(const struct retention *r, int32_t month, int group)
{
    int64_t sum = 0;
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *p = &r->pieces[i];
        if (p->day / 100 == month && !piece_is_ahead(r, p) &&
            (group < 0 ? !piece_is_benchmark(p) : p->group == group))
            sum += p->bytes;
    }
    return sum;
}

int64_t retention_pieces_bytes(const struct retention *r)
{
    int64_t sum = 0;
    for (size_t i = 0; i < r->pieces_n; i++)
        sum += r->pieces[i].bytes;
    return sum;
}

int64_t retention_used_bytes(const struct retention *r)
{
    return r->database_bytes + r->wal_bytes + r->spool_bytes;
}

/* ---- the calendar ---- */

static int choice(const char *value, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(value, names[i]) == 0)
            return i;
    return 0;
}

/* Local midnight at the beginning of a day. */
static int64_t midnight_us(const struct zone *zone, int64_t day_number)
{
    struct civil c;
    civil_from_us(day_number * US_PER_DAY, &c);
    return zone_to_us(zone, &c, false);
}

static int32_t local_day(const struct zone *zone, int64_t us)
{
    struct civil c;
    civil_from_us(us + zone_offset(zone, us) * US_PER_SECOND, &c);
    return c.year * 10000 + c.month * 100 + c.day;
}

/* A piece made under another zone may end later than its day does here: it ages from when its last
 * messages came, by the calendar of today's zone. */
static void load_ages(struct retention *r, const struct zone *zone)
{
    for (size_t i = 0; i < r->pieces_n; i++) {
        struct piece *p = &r->pieces[i];
        int32_t end = local_day(zone, p->upper_us - 1);
        if (end > p->day)
            p->age_day = MAX(p->age_day, end);
    }
}

static int load_calendar(struct retention *r, struct err *err)
{
    struct zone *zone = NULL;
    int rc = zone_load(r->zone, &zone, err);
    if (rc < 0)
        return rc;
    struct civil now;
    civil_from_us(r->now_us + zone_offset(zone, r->now_us) * US_PER_SECOND, &now);
    r->today = local_day(zone, r->now_us);
    r->month = r->today / 100;
    int32_t next_year = now.month == 12 ? now.year + 1 : now.year;
    unsigned next_month = now.month == 12 ? 1 : now.month + 1u;
    r->month_start_us = midnight_us(zone, days_from_civil(now.year, now.month, 1));
    r->month_end_us = midnight_us(zone, days_from_civil(next_year, next_month, 1));
    load_ages(r, zone);
    zone_free(&zone);
    return 0;
}

/* ---- what waits on disk while the database is away ---- */

/* The receiver's files of a fixed size (receiver/README.md), whole from its first start on: they
 * bring nothing nearer to the limit, and counted they would leave a small capacity no logs. */
static bool is_fixed(const char *name)
{
    static const char *const names[] = {"journal", "ledger", "datagrams", "sequences"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int64_t folder_bytes(const char *path, int depth, const char *device)
{
    DIR *d = opendir(path);
    if (!d)
        return 0; /* there is none, or it is not ours to look into */
    int64_t sum = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char inner[512];
        struct stat st;
        if (e->d_name[0] == '.' ||
            snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name) >= (int)sizeof(inner) ||
            lstat(inner, &st) < 0)
            continue;
        char of_file[32];
        snprintf(of_file, sizeof(of_file), "%u:%u", major(st.st_dev), minor(st.st_dev));
        if (strcmp(of_file, device) != 0)
            continue; /* it takes nothing of the database's file system */
        if (S_ISREG(st.st_mode) && !(depth > 0 && is_fixed(e->d_name)))
            sum += (int64_t)st.st_blocks * 512;
        else if (S_ISDIR(st.st_mode) && depth > 0)
            sum += folder_bytes(inner, depth - 1, device);
    }
    closedir(d);
    return sum;
}

/* ---- the database ---- */

static bool is_true(const PGresult *q, int row, int column)
{
    return PQgetvalue(q, row, column)[0] == 't';
}

static int load_amounts(PGconn *c, struct retention *r, char ret_device[32], struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(
        c,
        "select u.database_bytes, u.wal_bytes, u.wal_limit_bytes, f.total_bytes, f.free_bytes,"
        " coalesce(k.doubted_since is not null, false), s.month, s.state, s.growth_bytes_s,"
        " f.device"
        " from azekura.storage_used() u cross join azekura.file_system() f"
        " left join azekura.retention_clock k on true"
        " left join azekura.retention_status s on true",
        0, NULL, &q, err);
    if (rc < 0)
        return rc;
    r->database_bytes = store_number(q, 0, 0);
    r->wal_bytes = store_number(q, 0, 1);
    r->wal_limit_bytes = store_number(q, 0, 2);
    r->fs_total_bytes = store_number(q, 0, 3);
    r->fs_free_bytes = store_number(q, 0, 4);
    r->is_clock_doubted = is_true(q, 0, 5);
    r->state_month = (int32_t)store_number(q, 0, 6);
    r->state_before = choice(PQgetvalue(q, 0, 7), retention_state_names, RETENTION_STATES);
    r->growth_bytes_s = store_number(q, 0, 8);
    snprintf(ret_device, 32, "%s", PQgetvalue(q, 0, 9));
    PQclear(q);
    return 0;
}

static int load_groups(PGconn *c, struct retention *r, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(c,
                         "select g.id, g.name, g.quota_percent, g.keep_days,"
                         " g.retired_at is not null, s.severity,"
                         " (extract(epoch from s.since) * 1000000)::bigint"
                         " from azekura.source_group g"
                         " left join azekura.shed s on s.source_group = g.id order by g.id",
                         0, NULL, &q, err);
    if (rc < 0)
        return rc;
    r->groups_n = 0;
    for (int i = 0; i < PQntuples(q) && r->groups_n < SOURCE_GROUPS_MAX; i++) {
        struct source_group *g = &r->groups[r->groups_n++];
        g->id = (uint8_t)store_number(q, i, 0);
        CHECK(g->id < SOURCE_GROUPS_MAX);
        snprintf(g->name, sizeof(g->name), "%s", PQgetvalue(q, i, 1));
        g->quota_percent = PQgetisnull(q, i, 2) ? -1 : strtod(PQgetvalue(q, i, 2), NULL);
        g->keep_days = PQgetisnull(q, i, 3) ? -1 : store_number(q, i, 3);
        g->is_retired = is_true(q, i, 4);
        r->shed_now[g->id] =
            (struct shedding){(int8_t)store_number(q, i, 5), store_number(q, i, 6)};
    }
    PQclear(q);
    return 0;
}

static int load_pieces(PGconn *c, struct retention *r, struct arena *arena, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(
        c,
        "select d.name, d.source_group, to_char(d.day, 'YYYYMMDD'),"
        " (extract(epoch from d.lower) * 1000000)::bigint,"
        " (extract(epoch from d.upper) * 1000000)::bigint, d.messages, d.raw_bytes,"
        " coalesce(s.bytes, 0), azekura.piece_is_held(d.source_group, d.lower, d.upper),"
        " (select to_char(max(m.day), 'YYYYMMDD') from azekura.misdated m"
        "   where m.lower < azekura.piece_reach(d.upper) and m.upper >= d.lower)"
        " from azekura.day_partition d left join azekura.piece_size s on s.name = d.name"
        " order by d.lower, d.source_group",
        0, NULL, &q, err);
    if (rc < 0)
        return rc;
    r->pieces_n = (size_t)PQntuples(q);
    r->pieces = arena_alloc(arena, MAX(r->pieces_n, (size_t)1) * sizeof(*r->pieces));
    for (size_t i = 0; i < r->pieces_n; i++) {
        struct piece *p = &r->pieces[i];
        int row = (int)i;
        snprintf(p->name, sizeof(p->name), "%s", PQgetvalue(q, row, 0));
        p->group = (uint8_t)store_number(q, row, 1);
        p->day = (int32_t)store_number(q, row, 2);
        p->lower_us = store_number(q, row, 3);
        p->upper_us = store_number(q, row, 4);
        p->messages = store_number(q, row, 5);
        p->raw_bytes = store_number(q, row, 6);
        p->bytes = store_number(q, row, 7);
        p->is_held = is_true(q, row, 8);
        p->age_day = (int32_t)store_number(q, row, 9);
    }
    PQclear(q);
    return 0;
}

int retention_load(PGconn *c, const struct config *config, int64_t now_us, struct arena *arena,
                   struct retention *ret, struct err *err)
{
    struct retention r = {.now_us = now_us, .zone = config->time_zone};
    char device[32];
    int rc = load_amounts(c, &r, device, err);
    if (rc < 0 || (rc = load_groups(c, &r, err)) < 0 || (rc = load_pieces(c, &r, arena, err)) < 0 ||
        (rc = load_calendar(&r, err)) < 0)
        return rc;
    char folder[CONFIG_STRING_MAX + 16];
    snprintf(folder, sizeof(folder), "%s/receiver", config->state_dir);
    r.spool_bytes = folder_bytes(folder, 1, device);
    snprintf(folder, sizeof(folder), "%s/spool", config->state_dir);
    r.spool_bytes += folder_bytes(folder, 0, device);
    r.capacity_bytes = config->capacity_bytes > 0 ? MIN(config->capacity_bytes, r.fs_total_bytes)
                                                  : r.fs_total_bytes;
    r.budget_bytes = (int64_t)((__int128)r.capacity_bytes * config->month_share_percent / 100);
    r.high_water_bytes = (int64_t)((__int128)r.capacity_bytes * config->high_water_percent / 100);
    r.policy = choice(config->over_budget, retention_policy_names, POLICIES);
    r.keep_days = config->keep_days;
    r.shed_floor = (int)config->shed_severity;
    *ret = r;
    return 0;
}

/* ---- for the forecast ---- */

static int64_t day_number(int32_t day)
{
    return days_from_civil(day / 10000, (unsigned)(day / 100 % 100), (unsigned)(day % 100));
}

/* Whole days, the last FORECAST_DAYS before today; a day whose beginning is gone says too little.
 */
static int64_t sum_days(const struct retention *r, const struct zone *zone, int64_t today,
                        int64_t *day_bytes, struct forecast_input *ret)
{
    bool is_seen[FORECAST_DAYS] = {false}, is_cut[FORECAST_DAYS] = {false};
    int64_t oldest = today;
    for (size_t i = 0; i < r->pieces_n; i++) {
        const struct piece *p = &r->pieces[i];
        if (piece_is_benchmark(p))
            continue;
        int64_t day = day_number(p->day), at = FORECAST_DAYS - (today - day);
        oldest = MIN(oldest, day);
        if (day == today)
            ret->today_bytes += p->bytes;
        if (at < 0 || at >= FORECAST_DAYS)
            continue;
        /* pieces come oldest first: this is the day's first one that is left */
        if (!is_seen[at])
            is_cut[at] = p->lower_us > midnight_us(zone, day);
        is_seen[at] = true;
        day_bytes[at] += p->bytes;
    }
    /* on the box's first day it was set up, at some hour of it */
    if (today - oldest >= 1 && today - oldest <= FORECAST_DAYS)
        is_cut[FORECAST_DAYS - (today - oldest)] = true;
    for (int i = 0; i < FORECAST_DAYS; i++)
        if (!is_seen[i] || is_cut[i])
            day_bytes[i] = -1;
    return oldest;
}

void retention_forecast_input(const struct retention *r, int64_t *day_bytes,
                              struct forecast_input *ret)
{
    int64_t today = day_number(r->today);
    struct zone *zone = NULL;
    struct err err;
    memset(ret, 0, sizeof(*ret));
    memset(day_bytes, 0, FORECAST_DAYS * sizeof(*day_bytes));
    ret->day_bytes = day_bytes;
    ret->today_weekday = (int)((today + 3) % 7); /* 1970-01-01 was a Thursday */
    ret->month_bytes = retention_month_bytes(r, r->month, -1);
    ret->budget_bytes = r->budget_bytes;
    if (zone_load(r->zone, &zone, &err) < 0)
        return; /* it was there when *r was loaded; nothing is known then */
    int64_t oldest = sum_days(r, zone, today, day_bytes, ret);
    int64_t begin_us = midnight_us(zone, today), end_us = midnight_us(zone, today + 1);
    zone_free(&zone);
    ret->days = (int)MIN(today - oldest, (int64_t)FORECAST_DAYS);
    ret->day_bytes = day_bytes + FORECAST_DAYS - ret->days;
    ret->today_elapsed = (double)(r->now_us - begin_us) / (double)(end_us - begin_us);
    /* a day is 23 to 25 hours: to the nearest */
    ret->days_left = (int)((r->month_end_us - end_us + US_PER_DAY / 2) / US_PER_DAY);
}
