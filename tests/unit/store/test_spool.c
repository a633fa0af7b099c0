/* The spool: units come back as they went in, in their order, whatever was cut off or damaged. */
#include <criterion/criterion.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/fault.h"
#include "store/spool.h"
#include "store/spool_file.h"
#include "store/spool_record.h"

#define MAX_BYTES (INT64_C(64) << 20)

static char folder[32];

static void make_folder(void)
{
    /* in memory where there is such a file system: hundreds of spools are made and synced here */
    snprintf(folder, sizeof(folder), "%s/azk-spool-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_spool(void)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/spool", folder);
    DIR *d = opendir(path);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.')
            cr_assert_eq(unlinkat(dirfd(d), e->d_name, 0), 0, "%s", e->d_name);
    if (d)
        closedir(d);
    (void)rmdir(path); /* there is none before the first spool */
}

static void remove_folder(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(spool, .init = make_folder, .fini = remove_folder);

/* ---- units ---- */

struct made {
    struct unit unit;
    struct unit_block block;
    struct block columns;
    struct block_counts counts;
    struct unit_row rows[2];
    struct unit_drop drop;
};

static struct made *make_unit(unsigned i, size_t text_bytes)
{
    struct made *m = xcalloc(1, sizeof(*m));
    struct block_builder *b = block_builder_new();
    char *text = xmalloc(text_bytes + 1);
    for (size_t k = 0; k < text_bytes; k++)
        text[k] = (char)(33 + (k * 7919 + i * 104729 + k * k % 9973) % 90);
    struct record r = {
        .received_at_us = 1000000 + (int64_t)i,
        .reported_at_us = TIME_NONE,
        .source = {.family = 4, .bytes = {192, 0, 2, (uint8_t)i}},
        .severity = 5,
        .facility = 1,
        .message = view_of(text, text_bytes),
        .raw = view_of(text, text_bytes),
    };
    block_builder_clear(b, i * 65536);
    cr_assert_eq(block_builder_add(b, &r), 0);
    block_builder_finish(b, &m->columns);
    block_counts_make(b, &m->counts);
    block_builder_free(&b);
    free(text);
    m->rows[0] = (struct unit_row){.minute_us = 60000000,
                                   .source = r.source,
                                   .arrived = 3,
                                   .stored = 1,
                                   .bytes = text_bytes,
                                   .missing = i,
                                   .repeated = 2};
    m->rows[0].refused[REASON_RATE_LIMIT] = 2;
    m->rows[1] = m->rows[0];
    m->rows[1].source.family = 6;
    m->drop = (struct unit_drop){60000000, LISTENER_UDP, 77};
    m->block = (struct unit_block){i % SOURCE_GROUPS_MAX, &m->columns, &m->counts};
    m->unit = (struct unit){.number = i,
                            .blocks = &m->block,
                            .blocks_n = 1,
                            .zone = "Asia/Tokyo",
                            .rows = m->rows,
                            .rows_n = 2,
                            .drops = &m->drop,
                            .drops_n = 1};
    memset(m->unit.run, 0xab, sizeof(m->unit.run));
    return m;
}

static void free_unit(struct made *m)
{
    block_free(&m->columns);
    block_counts_free(&m->counts);
    free(m);
}

static void expect_unit(const struct unit *u, unsigned i, size_t text_bytes)
{
    struct made *m = make_unit(i, text_bytes);
    struct buf a = BUF_INIT(256 << 20), b = BUF_INIT(256 << 20);
    cr_assert_eq(spool_record_encode(&m->unit, &a), 0);
    cr_assert_eq(spool_record_encode(u, &b), 0);
    cr_expect(view_eq(buf_view(&a), buf_view(&b)), "unit %u has other bytes than went in", i);
    cr_expect_eq(u->number, i);
    cr_expect_eq(memcmp(u->run, m->unit.run, sizeof(u->run)), 0);
    buf_free(&a);
    buf_free(&b);
    free_unit(m);
}

/* ---- the spool ---- */

struct told {
    unsigned torn, aside;
    uint64_t records, messages;
    char why[200];
};

static void tell(void *context, const struct spool_notice *n)
{
    struct told *t = context;
    t->torn += n->news == SPOOL_NEWS_TORN;
    t->aside += n->news == SPOOL_NEWS_ASIDE;
    t->records += n->records;
    t->messages += n->messages;
    snprintf(t->why, sizeof(t->why), "%s", n->why);
}

static struct spool *open_spool(struct told *t)
{
    struct spool *s = NULL;
    struct err err = {0};
    memset(t, 0, sizeof(*t));
    cr_assert_eq(spool_open(folder, MAX_BYTES, tell, t, &s, &err), 0, "%s", err.message);
    return s;
}

static int append_sized(struct spool *s, unsigned i, size_t text_bytes)
{
    struct made *m = make_unit(i, text_bytes);
    struct err err = {0};
    uint64_t position = 0;
    int rc = spool_append(s, &m->unit, &position, &err);
    free_unit(m);
    return rc;
}

static size_t text_of(unsigned i)
{
    return 100 + 1000 * i;
}

static void append(struct spool *s, unsigned i)
{
    cr_assert_eq(append_sized(s, i, text_of(i)), 0);
}

/* The head must be unit i. */
static void take(struct spool *s, unsigned i)
{
    struct spool_unit u;
    struct err err = {0};
    cr_assert_eq(spool_head(s, &u, &err), 1, "unit %u: %s", i, err.message);
    expect_unit(&u.unit, i, text_of(i));
    cr_expect_eq(u.messages, 1);
    uint64_t position = u.position;
    spool_unit_free(&u);
    spool_drop_head(s, position);
}

static void expect_empty(struct spool *s)
{
    struct spool_unit u;
    struct err err = {0};
    struct spool_status status;
    cr_expect_eq(spool_head(s, &u, &err), 0);
    spool_read_status(s, &status);
    cr_expect_eq(status.units, 0);
    cr_expect_eq(status.messages, 0);
    cr_expect_eq(status.oldest_at_us, TIME_NONE);
    cr_expect(spool_is_empty(s));
}

static unsigned count_files(const char *ending)
{
    char path[64];
    unsigned n = 0;
    snprintf(path, sizeof(path), "%s/spool", folder);
    DIR *d = opendir(path);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t length = strlen(e->d_name), k = strlen(ending);
        n += length >= k && strcmp(e->d_name + length - k, ending) == 0;
    }
    closedir(d);
    return n;
}

Test(spool, units_come_back_in_their_order_and_as_they_were)
{
    struct told told;
    struct spool *s = open_spool(&told);
    struct err err = {0};
    struct spool_status status;
    expect_empty(s);
    for (unsigned i = 0; i < 5; i++)
        append(s, i);
    cr_expect_eq(spool_sync(s, &err), 0, "%s", err.message);
    spool_read_status(s, &status);
    cr_expect_eq(status.units, 5);
    cr_expect_eq(status.messages, 5);
    cr_expect_eq(status.oldest_at_us, 1000000);
    take(s, 0);
    spool_read_status(s, &status);
    cr_expect_eq(status.oldest_at_us, 1000001);
    append(s, 5);
    for (unsigned i = 1; i < 6; i++)
        take(s, i);
    expect_empty(s);
    cr_expect_eq(count_files(".spool"), 0, "what is stored takes no room");
    append(s, 6);
    take(s, 6);
    spool_close(&s);
    cr_expect_eq(told.torn + told.aside, 0);
}

Test(spool, a_unit_without_blocks_keeps_its_counts)
{
    struct told told;
    struct spool *s = open_spool(&told);
    struct made *m = make_unit(9, 10);
    struct err err = {0};
    struct spool_unit u;
    uint64_t position;
    m->unit.blocks_n = 0;
    m->unit.zone = NULL;
    cr_assert_eq(spool_append(s, &m->unit, &position, &err), 0);
    cr_assert_eq(spool_head(s, &u, &err), 1);
    cr_expect_eq(u.position, position);
    cr_expect_eq(u.unit.blocks_n, 0);
    cr_expect_null(u.unit.zone);
    cr_expect_eq(u.unit.rows_n, 2);
    cr_expect_eq(u.unit.drops[0].dropped, 77);
    spool_unit_free(&u);
    spool_drop_head(s, position);
    expect_empty(s);
    spool_close(&s);
    free_unit(m);
}

Test(spool, the_next_start_goes_on_where_this_one_was)
{
    struct told told;
    struct spool *s = open_spool(&told);
    for (unsigned i = 0; i < 4; i++)
        append(s, i);
    take(s, 0);
    spool_close(&s);
    s = open_spool(&told);
    append(s, 4);
    take(s, 1);
    take(s, 2);
    spool_close(&s);
    s = open_spool(&told);
    take(s, 3);
    take(s, 4);
    expect_empty(s);
    cr_expect_eq(told.torn + told.aside, 0, "%s", told.why);
    spool_close(&s);
}

static void drop_one(struct spool *s)
{
    struct spool_unit u;
    struct err err = {0};
    cr_assert_eq(spool_head(s, &u, &err), 1);
    uint64_t position = u.position;
    spool_unit_free(&u);
    spool_drop_head(s, position);
}

Test(spool, a_full_spool_has_room_again_for_what_of_it_is_stored)
{
    static const size_t sizes[] = {1 << 20, 5 << 20, 18 << 20, 30 << 20};
    for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
        struct told told;
        struct spool *s = open_spool(&told);
        unsigned n = 0;
        while (append_sized(s, n, sizes[k]) == 0)
            n++;
        struct spool_status status;
        spool_read_status(s, &status);
        /* a file of small units goes as a whole */
        uint64_t each = status.bytes / n, done = MAX(MAX_BYTES / 8 / each, (uint64_t)1);
        cr_assert_gt(n, done);
        for (uint64_t i = 0; i < done; i++)
            drop_one(s);
        cr_assert_eq(append_sized(s, n, sizes[k]), 0, "units of %zu bytes", sizes[k]);
        for (uint64_t i = done; i <= n; i++)
            drop_one(s);
        expect_empty(s);
        spool_close(&s);
    }
}

Test(spool, a_file_is_deleted_when_its_units_are_stored)
{
    struct told told;
    struct spool *s = open_spool(&told);
    const size_t large = 18 << 20; /* has a file to itself */
    unsigned n = 0;
    while (append_sized(s, n, large) == 0)
        n++;
    struct spool_status status;
    spool_read_status(s, &status);
    cr_expect_leq(status.bytes, (uint64_t)MAX_BYTES, "spool.max_bytes holds");
    cr_expect_eq(status.units, n);
    cr_expect_gt(n, 1);
    unsigned files = count_files(".spool");
    cr_expect_gt(files, 1);
    for (unsigned i = 0; i < n; i++) {
        struct spool_unit u;
        struct err err = {0};
        cr_assert_eq(spool_head(s, &u, &err), 1);
        cr_expect_eq(u.unit.number, i);
        uint64_t position = u.position;
        spool_unit_free(&u);
        spool_drop_head(s, position);
    }
    expect_empty(s);
    cr_expect_eq(count_files(".spool"), 0);
    cr_expect_eq(append_sized(s, 1, large), 0, "there is room again");
    spool_close(&s);
}

/* ---- damage ---- */

static void newest(char out[128])
{
    char path[64], best[32] = "";
    snprintf(path, sizeof(path), "%s/spool", folder);
    DIR *d = opendir(path);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] != '.' && strcmp(e->d_name, best) > 0)
            snprintf(best, sizeof(best), "%.31s", e->d_name);
    }
    closedir(d);
    snprintf(out, 128, "%s/%s", path, best);
}

static off_t size_of(const char *path)
{
    struct stat st;
    cr_assert_eq(stat(path, &st), 0, "%s", path);
    return st.st_size;
}

/* Where the records of three units begin. */
static void fill(off_t begins[4], char path[128])
{
    struct told told;
    struct spool *s = open_spool(&told);
    for (unsigned i = 0; i < 3; i++) {
        append(s, i);
        newest(path);
        begins[i + 1] = size_of(path);
    }
    begins[0] = SPOOL_FILE_HEAD_BYTES;
    spool_close(&s);
}

Test(spool, a_file_cut_off_anywhere_gives_what_is_whole_and_counts_the_rest)
{
    off_t begins[4];
    char path[128];
    fill(begins, path);
    struct buf all = BUF_INIT(1 << 20);
    cr_assert_eq(buf_reserve(&all, (size_t)begins[3]), 0);
    int fd = open(path, O_RDONLY);
    cr_assert_eq(read(fd, all.p, (size_t)begins[3]), begins[3]);
    close(fd);
    off_t step = 97;
    for (off_t n = SPOOL_FILE_HEAD_BYTES; n < begins[3]; n += step) {
        struct told told;
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        cr_assert_eq(write(fd, all.p, (size_t)n), n);
        close(fd);
        unsigned whole = n >= begins[2] ? 2 : n >= begins[1] ? 1 : 0;
        bool is_torn = n != begins[whole];
        bool has_head = n >= begins[whole] + SPOOL_HEAD_BYTES;
        struct spool *s = open_spool(&told);
        cr_assert_eq(told.torn, is_torn, "%lld bytes", (long long)n);
        cr_assert_eq(told.messages, is_torn && has_head, "%lld bytes: its head tells of a message",
                     (long long)n);
        cr_assert_eq(told.aside, 0);
        for (unsigned i = 0; i < whole; i++)
            take(s, i);
        expect_empty(s);
        append(s, 7);
        take(s, 7);
        spool_close(&s);
    }
    buf_free(&all);
}

static void flip(const char *path, off_t at)
{
    char c;
    int fd = open(path, O_RDWR);
    cr_assert_eq(pread(fd, &c, 1, at), 1);
    c = (char)(c ^ 0x55);
    cr_assert_eq(pwrite(fd, &c, 1, at), 1);
    close(fd);
}

Test(spool, a_damaged_record_is_passed_by_and_its_file_kept_aside)
{
    static const struct {
        const char *name;
        unsigned record;
        off_t at; /* in it */
        unsigned lost_from, lost_to;
        bool is_cut; /* as a torn tail: nothing is kept */
    } cases[] = {
        {"the body of the first", 0, 400, 0, 1, false},
        {"the body of the second", 1, 400, 1, 2, false},
        {"the body of the last", 2, 400, 2, 3, true},
        {"the head of the second", 1, 12, 1, 2, false},
        {"the mark of the second", 1, 0, 1, 2, false},
        {"the length in the head of the second", 1, 17, 1, 2, false},
        {"the head of the first", 0, 40, 0, 1, false},
        {"the head of the last", 2, 20, 2, 3, true},
    };
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        off_t begins[4];
        char path[128];
        struct told told;
        fill(begins, path);
        flip(path, begins[cases[k].record] + cases[k].at);
        struct spool *s = open_spool(&told);
        for (unsigned i = 0; i < 3; i++) {
            if (i < cases[k].lost_from || i >= cases[k].lost_to)
                take(s, i);
        }
        expect_empty(s);
        cr_expect_eq(told.torn, 1, "%s", cases[k].name);
        cr_expect_eq(told.aside, !cases[k].is_cut, "%s", cases[k].name);
        cr_expect_eq(count_files(".aside"), !cases[k].is_cut, "%s", cases[k].name);
        append(s, 8);
        take(s, 8);
        spool_close(&s);
        remove_spool();
    }
}

Test(spool, a_file_damaged_in_any_byte_gives_every_other_unit)
{
    off_t begins[4];
    char path[128];
    fill(begins, path);
    for (off_t at = 0; at < begins[3]; at += at < begins[1] ? 1 : 61) {
        struct told told;
        unsigned record = at < begins[0] ? 3 : at < begins[1] ? 0 : at < begins[2] ? 1 : 2;
        remove_spool();
        fill(begins, path);
        flip(path, at);
        struct spool *s = open_spool(&told);
        for (unsigned i = 0; i < 3; i++) {
            struct spool_unit u;
            struct err err = {0};
            if (i == record)
                continue;
            cr_assert_eq(spool_head(s, &u, &err), 1, "byte %lld: unit %u is lost", (long long)at,
                         i);
            cr_assert_eq(u.unit.number, i, "byte %lld", (long long)at);
            uint64_t position = u.position;
            spool_unit_free(&u);
            spool_drop_head(s, position);
        }
        expect_empty(s);
        spool_close(&s);
        cr_assert_eq(count_files(".aside"), (record < 2 || (record == 3 && told.aside)),
                     "byte %lld", (long long)at);
    }
}

Test(spool, what_cannot_be_read_is_passed_by_in_the_end_and_never_deleted)
{
    static const char *const cases[] = {"deleted", "input/output error"};
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        off_t begins[4];
        char path[128];
        struct told told;
        fill(begins, path);
        struct spool *s = open_spool(&told);
        cr_assert_eq(unlink(path), 0);
        if (k == 1) /* its first page reads as EIO */
            cr_assert_eq(symlink("/proc/self/mem", path), 0);
        append(s, 5);
        struct spool_unit u;
        struct err err = {0};
        int rc = -1;
        for (unsigned i = 0; i < 100 && rc < 0; i++)
            rc = spool_head(s, &u, &err);
        cr_assert_eq(rc, 1, "%s: the spool stands still: %s", cases[k], err.message);
        cr_expect_eq(u.unit.number, 5, "%s", cases[k]);
        cr_expect_eq(told.messages, 3, "%s: %llu", cases[k], (unsigned long long)told.messages);
        uint64_t position = u.position;
        spool_unit_free(&u);
        spool_drop_head(s, position);
        expect_empty(s);
        spool_close(&s);
        (void)unlink(path);
    }
}

Test(spool, what_is_kept_aside_is_never_written_over)
{
    struct told told;
    for (unsigned round = 0; round < 2; round++) {
        off_t begins[4];
        char path[128];
        fill(begins, path);
        flip(path, begins[0] + 400);
        struct spool *s = open_spool(&told);
        take(s, 1);
        take(s, 2);
        expect_empty(s);
        spool_close(&s);
        cr_expect_eq(count_files(".aside"), round + 1);
    }
}

Test(spool, a_folder_that_comes_and_goes_costs_no_more_than_was_in_it)
{
    struct told told;
    struct err err = {0};
    char path[128];
    snprintf(path, sizeof(path), "%s/spool", folder);
    int fd = open(path, O_WRONLY | O_CREAT, 0600); /* in its way */
    close(fd);
    struct spool *s = open_spool(&told);
    cr_expect_not_null(strstr(told.why, path), "%s", told.why);
    cr_expect_lt(append_sized(s, 1, 100), 0);
    expect_empty(s);
    cr_assert_eq(unlink(path), 0);
    append(s, 1);
    take(s, 1);
    append(s, 2);
    remove_spool();
    cr_expect_lt(spool_sync(s, &err), 0, "nobody noticed");
    append(s, 3);
    cr_expect_eq(spool_sync(s, &err), 0, "%s", err.message);
    take(s, 2);
    spool_close(&s);
    s = open_spool(&told);
    take(s, 3);
    expect_empty(s);
    spool_close(&s);
}

Test(spool, what_is_no_spool_file_is_kept_aside_and_said)
{
    static const struct {
        const char *name, *bytes, *why;
    } cases[] = {
        {"00000000000000ff.spool",
         "random bytes that are no spool file at all, and enough of them "
         "to be longer than its head",
         "begin"},
        {"00000000000000ff.spool", "short", "shorter"},
        {"unknown.spool", "x", "name"},
    };
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        struct told told;
        char path[128];
        struct spool *s = open_spool(&told);
        append(s, 1);
        spool_close(&s);
        snprintf(path, sizeof(path), "%s/spool/%s", folder, cases[k].name);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        cr_assert_gt(write(fd, cases[k].bytes, strlen(cases[k].bytes)), 0);
        close(fd);
        s = open_spool(&told);
        cr_expect_eq(told.aside, 1, "%s", cases[k].name);
        cr_expect_not_null(strstr(told.why, cases[k].why), "%s", told.why);
        take(s, 1);
        append(s, 2);
        take(s, 2);
        expect_empty(s);
        spool_close(&s);
        snprintf(path, sizeof(path), "%s/spool/%s.aside", folder, cases[k].name);
        cr_expect_eq(access(path, F_OK), 0, "%s", path);
    }
}

/* ---- faults ---- */

static void fill_and_die(const char *fault)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct told told;
        struct err err;
        fault_set(fault);
        struct spool *s = open_spool(&told);
        for (unsigned i = 0; i < 3; i++)
            append(s, i);
        int rc = spool_sync(s, &err);
        take(s, 0);
        take(s, 1);
        take(s, 2);
        _exit(rc);
    }
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%s was not reached", fault);
}

Test(spool, killed_at_each_step_it_has_every_unit_that_was_appended_and_not_dropped)
{
    static const struct {
        const char *fault;
        unsigned from, to, torn;
    } cases[] = {
        {"spool.file", 0, 0, 0},   {"spool.head", 0, 0, 1},     {"spool.body", 0, 0, 1},
        {"spool.body:2", 0, 1, 0}, {"spool.appended", 0, 1, 0}, {"spool.head:3", 0, 2, 1},
        {"spool.body:5", 0, 2, 1}, {"spool.synced", 0, 3, 0},   {"spool.drop", 0, 3, 0},
        {"spool.drop:2", 1, 3, 0}, {"spool.drop:3", 2, 3, 0},   {"spool.unlink", 3, 3, 0},
    };
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        struct told told;
        fill_and_die(cases[k].fault);
        struct spool *s = open_spool(&told);
        cr_expect_eq(told.torn, cases[k].torn, "%s: %u torn", cases[k].fault, told.torn);
        cr_expect_eq(told.aside, 0, "%s: %s", cases[k].fault, told.why);
        for (unsigned i = cases[k].from; i < cases[k].to; i++)
            take(s, i);
        expect_empty(s);
        spool_close(&s);
    }
}

Test(spool, a_body_damaged_anywhere_asks_for_no_more_than_is_there)
{
    struct made *m = make_unit(3, 500);
    struct buf body = BUF_INIT(1 << 20);
    cr_assert_eq(spool_record_encode(&m->unit, &body), 0);
    for (size_t at = 0; at < body.n; at++) {
        struct arena a = ARENA_INIT;
        struct unit u = {0};
        struct err err = {0};
        char before = body.p[at];
        body.p[at] = (char)(before ^ 0xff);
        int rc = spool_record_decode(buf_view(&body), &a, &u, &err);
        cr_assert(rc == 0 || rc == -EBADMSG);
        cr_assert_lt(a.used_bytes, 4u << 20, "byte %zu", at);
        body.p[at] = before;
        rc = spool_record_decode(view_of(body.p, at), &a, &u, &err);
        cr_assert_eq(rc, -EBADMSG, "cut off at byte %zu", at);
        arena_done(&a);
    }
    buf_free(&body);
    free_unit(m);
}
