/* TZif files (RFC 8536) and the POSIX rule in their footer, which holds after the last transition.
 *
 *   header   "TZif" version 15×0  isutcnt isstdcnt leapcnt timecnt typecnt charcnt   (6 × u32)
 *   data     timecnt × transition (4 bytes in the first block, 8 in the second)
 *            timecnt × u8 type    typecnt × { i32 offset, u8 isdst, u8 abbreviation }   …
 *   footer   "\n" TZ string "\n"
 *
 * A file of version 2 or later repeats header and data with 64-bit transitions; the first data
 * block is skipped then. */
#include "base/zone.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZONE_DIR "/usr/share/zoneinfo"
#define ZONE_NAME_MAX 64
#define TZIF_MAX_BYTES 262144 /* the largest of tzdata is under 4 KiB */
#define TZIF_HEADER_BYTES 44

enum rule_kind { RULE_MONTH, RULE_JULIAN, RULE_DAY };

/* When summer time begins or ends in a year. */
struct rule {
    enum rule_kind kind;
    int month, week, weekday; /* RULE_MONTH: week 5 is the last */
    int day;                  /* RULE_JULIAN: 1…365 without 29 February; RULE_DAY: 0…365 */
    int32_t seconds;          /* after local midnight; RFC 8536 allows ±167 hours */
};

struct zone {
    char name[ZONE_NAME_MAX + 1];
    size_t transitions;
    int64_t *at;     /* seconds since the epoch, ascending */
    int32_t *offset; /* in force from at[i] on */
    int32_t first_offset;
    bool has_footer, has_summer;
    int32_t standard, summer; /* of the footer, seconds east of UTC */
    struct rule begin, end;   /* of summer time */
};

/* ---- the footer: std offset [dst [offset] , start [/time] , end [/time]] ---- */

static bool footer_number(const char **p, int max, int *ret)
{
    int n = 0;
    if (**p < '0' || **p > '9')
        return false;
    for (; **p >= '0' && **p <= '9'; (*p)++) {
        n = n * 10 + (**p - '0');
        if (n > max)
            return false;
    }
    *ret = n;
    return true;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool footer_time(const char **p, int32_t *ret)
{
    int h, m = 0, s = 0, sign = 1;
    if (**p == '+' || **p == '-')
        sign = *(*p)++ == '-' ? -1 : 1;
    if (!footer_number(p, 167, &h))
        return false;
    if (**p == ':') {
        (*p)++;
        if (!footer_number(p, 59, &m))
            return false;
        if (**p == ':') {
            (*p)++;
            if (!footer_number(p, 59, &s))
                return false;
        }
    }
    *ret = sign * (h * 3600 + m * 60 + s);
    return true;
}

static bool footer_word(const char **p)
{
    const char *start = *p;
    if (**p == '<') {
        while (**p && **p != '>')
            (*p)++;
        return *(*p) && *(*p)++ == '>';
    }
    while ((**p >= 'A' && **p <= 'Z') || (**p >= 'a' && **p <= 'z'))
        (*p)++;
    return *p > start;
}

static bool footer_rule(const char **p, struct rule *r)
{
    *r = (struct rule){.seconds = 7200};
    if (*(*p)++ != ',')
        return false;
    if (**p == 'M') {
        (*p)++;
        r->kind = RULE_MONTH;
        if (!footer_number(p, 12, &r->month) || *(*p)++ != '.' || !footer_number(p, 5, &r->week) ||
            *(*p)++ != '.' || !footer_number(p, 6, &r->weekday) || r->month < 1 || r->week < 1)
            return false;
    } else {
        r->kind = **p == 'J' ? RULE_JULIAN : RULE_DAY;
        if (**p == 'J')
            (*p)++;
        if (!footer_number(p, 365, &r->day) || (r->kind == RULE_JULIAN && r->day < 1))
            return false;
    }
    if (**p == '/') {
        (*p)++;
        return footer_time(p, &r->seconds);
    }
    return true;
}

static bool footer_parse(const char *p, struct zone *z)
{
    int32_t west;
    if (!footer_word(&p) || !footer_time(&p, &west))
        return false;
    z->standard = -west;
    z->has_summer = *p != '\0';
    if (z->has_summer) {
        if (!footer_word(&p))
            return false;
        z->summer = z->standard + 3600;
        if (*p != ',') {
            if (!footer_time(&p, &west))
                return false;
            z->summer = -west;
        }
        if (!footer_rule(&p, &z->begin) || !footer_rule(&p, &z->end) || *p != '\0')
            return false;
    }
    z->has_footer = true;
    return true;
}

/* Local seconds since the epoch of a rule in a year. */
static int64_t rule_at(const struct rule *r, int32_t year)
{
    int64_t day;
    if (r->kind == RULE_MONTH) {
        int64_t first = days_from_civil(year, (unsigned)r->month, 1);
        int64_t next = r->month == 12 ? days_from_civil(year + 1, 1, 1)
                                      : days_from_civil(year, (unsigned)r->month + 1, 1);
        int weekday = (int)(((first + 4) % 7 + 7) % 7); /* 1970-01-01 was a Thursday */
        day = first + (r->weekday - weekday + 7) % 7 + (r->week - 1) * 7;
        while (day >= next)
            day -= 7;
    } else {
        day = days_from_civil(year, 1, 1) + r->day;
        if (r->kind == RULE_JULIAN)
            day += year_is_leap(year) && r->day >= 60 ? 0 : -1;
    }
    return day * 86400 + r->seconds;
}

static int32_t footer_offset(const struct zone *z, int64_t s)
{
    if (!z->has_summer)
        return z->standard;
    struct civil c;
    civil_from_us((s + z->standard) * US_PER_SECOND, &c);
    int64_t begin = rule_at(&z->begin, c.year) - z->standard;
    int64_t end = rule_at(&z->end, c.year) - z->summer;
    bool is_summer = begin < end ? s >= begin && s < end : s >= begin || s < end;
    return is_summer ? z->summer : z->standard;
}

/* ---- the file ---- */

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t be64(const unsigned char *p)
{
    return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

struct tzif {
    uint32_t utc, standard, leaps, times, types, chars;
    size_t data_bytes; /* of the data block that follows the header */
};

static bool tzif_header(const unsigned char *p, size_t n, size_t time_bytes, struct tzif *h)
{
    if (n < TZIF_HEADER_BYTES || memcmp(p, "TZif", 4) != 0)
        return false;
    *h = (struct tzif){.utc = be32(p + 20),
                       .standard = be32(p + 24),
                       .leaps = be32(p + 28),
                       .times = be32(p + 32),
                       .types = be32(p + 36),
                       .chars = be32(p + 40)};
    if (h->utc > n || h->standard > n || h->leaps > n || h->times > n || h->types > n ||
        h->chars > n || h->types == 0)
        return false;
    h->data_bytes = h->times * (time_bytes + 1) + h->types * 6 + h->chars +
                    h->leaps * (time_bytes + 4) + h->standard + h->utc;
    return h->data_bytes <= n - TZIF_HEADER_BYTES;
}

static bool tzif_data(const unsigned char *p, const struct tzif *h, size_t time_bytes,
                      struct zone *z)
{
    const unsigned char *index = p + h->times * time_bytes, *types = index + h->times;
    z->at = xcalloc(MAX(h->times, 1u), sizeof(*z->at));
    z->offset = xcalloc(MAX(h->times, 1u), sizeof(*z->offset));
    z->transitions = h->times;
    z->first_offset = (int32_t)be32(types);
    for (uint32_t i = 0; i < h->types; i++) {
        int32_t offset = (int32_t)be32(types + 6 * i);
        if (offset < -93600 || offset > 93600) /* RFC 8536: what a reader should accept */
            return false;
    }
    for (uint32_t i = 0; i < h->times; i++) {
        const unsigned char *at = p + i * time_bytes;
        z->at[i] = time_bytes == 8 ? be64(at) : (int32_t)be32(at);
        if (index[i] >= h->types || (i > 0 && z->at[i] <= z->at[i - 1]))
            return false;
        z->offset[i] = (int32_t)be32(types + 6 * index[i]);
    }
    return true;
}

static bool tzif_parse(const unsigned char *p, size_t n, struct zone *z)
{
    struct tzif h;
    size_t time_bytes = 4;
    if (!tzif_header(p, n, 4, &h))
        return false;
    if (p[4] >= '2') {
        size_t first = TZIF_HEADER_BYTES + h.data_bytes;
        p += first;
        n -= first;
        time_bytes = 8;
        if (!tzif_header(p, n, 8, &h))
            return false;
    }
    if (!tzif_data(p + TZIF_HEADER_BYTES, &h, time_bytes, z))
        return false;
    if (time_bytes == 4)
        return true;
    p += TZIF_HEADER_BYTES + h.data_bytes;
    n -= TZIF_HEADER_BYTES + h.data_bytes;
    if (n < 2 || p[0] != '\n')
        return false;
    const unsigned char *end = memchr(p + 1, '\n', n - 1);
    if (end == NULL)
        return false;
    char footer[256];
    size_t length = (size_t)(end - p - 1);
    if (length >= sizeof(footer) || memchr(p + 1, '\0', length) != NULL)
        return false;
    memcpy(footer, p + 1, length);
    footer[length] = '\0';
    return length == 0 || footer_parse(footer, z);
}

static int read_file(const char *path, unsigned char **ret, size_t *ret_n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct stat st;
    int error = fstat(fd, &st) < 0            ? errno
                : !S_ISREG(st.st_mode)        ? ENOENT
                : st.st_size > TZIF_MAX_BYTES ? EFBIG
                                              : 0;
    size_t n = 0, size = error ? 0 : (size_t)st.st_size;
    unsigned char *p = xmalloc(size + 1);
    while (!error && n < size) {
        ssize_t got = read(fd, p + n, size - n);
        if (got < 0 && errno != EINTR)
            error = errno;
        if (got == 0)
            break;
        if (got > 0)
            n += (size_t)got;
    }
    close(fd);
    if (error) {
        free(p);
        return -error;
    }
    *ret = p;
    *ret_n = n;
    return 0;
}

static bool name_is_valid(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > ZONE_NAME_MAX || name[0] == '/' || strstr(name, "..") != NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = name[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              memchr("_+/-", c, 4) != NULL))
            return false;
    }
    return true;
}

int zone_load(const char *name, struct zone **ret, struct err *err)
{
    if (!name_is_valid(name))
        return err_set(
            err, EINVAL, "bad_zone",
            "time zone \"%.80s\" is not a name such as Asia/Tokyo (1 to %d of A-Z a-z 0-9 _ + / -)",
            name, ZONE_NAME_MAX);
    const char *dir = getenv("ZONEINFO_DIR");
    char *path = xasprintf("%s/%s", dir && *dir ? dir : ZONE_DIR, name);
    unsigned char *bytes = NULL;
    size_t n = 0;
    int r = read_file(path, &bytes, &n);
    free(path);
    if (r == -ENOENT || r == -ENOTDIR)
        return err_set(err, ENOENT, "bad_zone", "time zone \"%s\" is not known", name);
    if (r < 0)
        return err_set(err, -r, "bad_zone", "time zone \"%s\" cannot be read: %s", name,
                       strerror(-r));
    struct zone *z = xcalloc(1, sizeof(*z));
    memcpy(z->name, name, strlen(name));
    bool is_good = tzif_parse(bytes, n, z);
    free(bytes);
    if (!is_good) {
        zone_free(&z);
        return err_set(err, EBADMSG, "bad_zone",
                       "time zone \"%s\": its file is not valid TZif data", name);
    }
    *ret = z;
    return 0;
}

void zone_free(struct zone **z)
{
    if (*z == NULL)
        return;
    free((*z)->at);
    free((*z)->offset);
    free(*z);
    *z = NULL;
}

const char *zone_name(const struct zone *z)
{
    return z->name;
}

/* The number of transitions at or before s: z->offset[… - 1] is in force then. */
static size_t transitions_until(const struct zone *z, int64_t s)
{
    size_t low = 0, n = z->transitions;
    while (n >
           0) { /* without branches that depend on the data: half of them would be mispredicted */
        size_t half = n - n / 2;
        low += z->at[low + half - 1] <= s ? half : 0;
        n /= 2;
    }
    return low;
}

static int32_t offset_after(const struct zone *z, size_t transitions, int64_t s)
{
    if (transitions == z->transitions && z->has_footer)
        return footer_offset(z, s);
    return transitions == 0 ? z->first_offset : z->offset[transitions - 1];
}

static int32_t offset_at(const struct zone *z, int64_t s)
{
    return offset_after(z, transitions_until(z, s), s);
}

static int64_t floor_seconds(int64_t us)
{
    int64_t s = us / US_PER_SECOND;
    return us % US_PER_SECOND < 0 ? s - 1 : s;
}

int32_t zone_offset(const struct zone *z, int64_t us)
{
    return offset_at(z, floor_seconds(us));
}

/* The offsets that may hold at a local time: before and after the change near it, or twice the
 * same. */
static void offsets_near(const struct zone *z, int64_t local, int32_t *ret_before,
                         int32_t *ret_after)
{
    /* No zone changes twice within these two days, and offsets are less than one. */
    size_t n = transitions_until(z, local - 86400);
    bool is_quiet = n < z->transitions ? z->at[n] > local + 86400 : z->has_footer && !z->has_summer;
    *ret_before = offset_after(z, n, local - 86400);
    *ret_after = is_quiet ? *ret_before : offset_at(z, local + 86400);
}

/* Both instants of a civil time, the same outside of a repeated hour. */
static void instants_of(const struct zone *z, const struct civil *c, int64_t *ret_earlier,
                        int64_t *ret_later)
{
    int64_t local_us = civil_to_us(c), local = floor_seconds(local_us);
    int32_t before, after;
    offsets_near(z, local, &before, &after);
    *ret_earlier = *ret_later = local_us - before * US_PER_SECOND;
    if (before != after && offset_at(z, local - after) == after) {
        *ret_later = local_us - after * US_PER_SECOND;
        if (offset_at(z, local - before) != before)
            *ret_earlier = *ret_later;
    }
}

int64_t zone_to_us(const struct zone *z, const struct civil *c, bool prefer_later)
{
    int64_t earlier, later;
    instants_of(z, c, &earlier, &later);
    return prefer_later ? later : earlier;
}

int64_t zone_to_us_near(const struct zone *z, const struct civil *c, int64_t near_us)
{
    int64_t earlier, later;
    instants_of(z, c, &earlier, &later);
    /* nearer to the later one: behind the middle of the two */
    return near_us > earlier + (later - earlier) / 2 ? later : earlier;
}
