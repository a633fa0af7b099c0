/* The ledger's file: counting, recovery after kill -9 at each step, and what cannot be trusted. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "receiver/ledger.h"

#define MINUTE (INT64_C(29000000) * US_PER_MINUTE)

static char folder[] = "/tmp/azk-ledger-XXXXXX";
static char path[64];

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/ledger", folder);
}

static void remove_folder(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(ledger, .init = make_folder, .fini = remove_folder);

static struct ledger *open_ledger(struct ledger_found *found)
{
    struct ledger *l = NULL;
    struct err err = {0};
    cr_assert_eq(ledger_open(path, &l, found, &err), 0, "%s", err.message);
    return l;
}

static struct ip source(unsigned i)
{
    return (struct ip){.family = 4, .bytes = {192, 0, (uint8_t)(i >> 8), (uint8_t)i}};
}

static int arrive(struct ledger_page *p, unsigned from, unsigned n)
{
    struct ip ip = source(from);
    int row = ledger_row(p, MINUTE, LISTENER_UDP, &ip);
    cr_assert_geq(row, 0);
    for (unsigned i = 0; i < n; i++)
        ledger_arrived(p, row, 10);
    return row;
}

static struct ledger_page_counts counts; /* large */

static void read_counts(const struct ledger_page *p, bool is_lost)
{
    ledger_page_read(p, is_lost, &counts);
}

Test(ledger, arrived_is_stored_and_refused_a_row)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    int a = arrive(p, 1, 5), b = arrive(p, 2, 3);
    cr_expect_neq(a, b);
    cr_expect_eq(arrive(p, 1, 1), a, "the same sender has the same row");
    ledger_refuse(p, a, 10, REASON_QUEUE_FULL);
    ledger_refuse(p, a, 10, REASON_RATE_LIMIT);
    ledger_truncated(p, b);
    ledger_gap(p, b, 7, 1);
    ledger_gap(p, b, UINT32_MAX - 3, 2);
    read_counts(p, false);
    cr_assert_eq(counts.rows_n, 2);
    cr_expect_eq(counts.rows[0].arrived, 8);
    cr_expect_eq(counts.rows[0].stored, 6);
    cr_expect_eq(counts.rows[0].bytes, 80);
    cr_expect_eq(counts.rows[1].missing, UINT32_MAX, "it does not wrap");
    cr_expect_eq(counts.rows[1].repeated, 3);
    cr_expect_eq(counts.rows[0].refused[REASON_QUEUE_FULL], 1);
    cr_expect_eq(counts.rows[0].refused[REASON_RATE_LIMIT], 1);
    cr_expect_eq(counts.rows[1].truncated, 1);
    cr_expect_eq(counts.arrived, 11);
    cr_expect_eq(counts.refused, 2);
    cr_expect_eq(memcmp(counts.run, ledger_run(l), UNIT_RUN_BYTES), 0);
    ledger_release(l, &p);
    cr_expect_null(p);
    ledger_close(&l, true);
}

Test(ledger, minute_listener_source_and_family_each_make_a_row)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    struct ip v4 = source(1), v6 = v4;
    v6.family = 6;
    const int rows[] = {
        ledger_row(p, MINUTE, LISTENER_UDP, &v4),
        ledger_row(p, MINUTE, LISTENER_TCP, &v4),
        ledger_row(p, MINUTE + US_PER_MINUTE, LISTENER_UDP, &v4),
        ledger_row(p, MINUTE, LISTENER_UDP, &v6),
    };
    for (int i = 0; i < 4; i++)
        cr_expect_eq(rows[i], i);
    cr_expect_eq(ledger_row(p, MINUTE, LISTENER_UDP, &v4), 0,
                 "going back in time finds the row again");
    ledger_release(l, &p);
    ledger_close(&l, true);
}

Test(ledger, a_full_page_says_so_and_keeps_its_rows)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    for (unsigned i = 0; i < LEDGER_ROWS; i++)
        (void)arrive(p, i, 1);
    struct ip one_more = source(LEDGER_ROWS);
    cr_expect_eq(ledger_row(p, MINUTE, LISTENER_UDP, &one_more), -ENOSPC);
    cr_expect_eq(ledger_dropped(p, MINUTE, LISTENER_UDP, 1), -ENOSPC);
    cr_expect_eq(arrive(p, 77, 1), 77);
    read_counts(p, false);
    cr_expect_eq(counts.arrived, LEDGER_ROWS + 1);
    ledger_release(l, &p);
    ledger_close(&l, true);
}

Test(ledger, kernel_drops_stand_beside_the_messages)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    cr_expect(ledger_is_empty(p));
    cr_expect_eq(ledger_dropped(p, MINUTE, LISTENER_UDP, 3), 0);
    cr_expect_eq(ledger_dropped(p, MINUTE, LISTENER_UDP, 4), 0);
    cr_expect_not(ledger_is_empty(p));
    read_counts(p, false);
    cr_expect_eq(counts.rows_n, 0);
    cr_expect_eq(counts.arrived, 0);
    cr_assert_eq(counts.drops_n, 1);
    cr_expect_eq(counts.drops[0].dropped, 7);
    ledger_release(l, &p);
    ledger_close(&l, true);
}

Test(ledger, a_row_without_anything_is_not_one_and_one_with_gaps_is)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    (void)arrive(p, 1, 0);
    ledger_gap(p, arrive(p, 2, 0), 5, 0);
    read_counts(p, false);
    cr_assert_eq(counts.rows_n, 1);
    cr_expect_eq(counts.rows[0].missing, 5);
    ledger_release(l, &p);
    ledger_close(&l, true);
}

Test(ledger, rows_without_a_name_are_counted_together_and_the_page_knows_whose_they_are)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    struct ip nobody = {.family = 4}, v6 = {6, {0x20, 1}}, ip = source(3);
    (void)arrive(p, 1, 5);
    ledger_unname(p, arrive(p, 2, 3));
    int row = arrive(p, 3, 4);
    ledger_unname(p, row);
    ledger_refuse(p, row, 10, REASON_RATE_LIMIT);
    ledger_gap(p, row, 7, 1);
    ledger_unname(p, arrive(p, 4, 0)); /* nothing: no row */
    int of_nobody = ledger_row(p, MINUTE, LISTENER_UDP, &nobody);
    ledger_refuse(p, of_nobody, 10, REASON_NOT_ALLOWED);
    int other_family = ledger_row(p, MINUTE, LISTENER_UDP, &v6);
    ledger_arrived(p, other_family, 10);
    ledger_unname(p, other_family);
    int other_minute = ledger_row(p, MINUTE + US_PER_MINUTE, LISTENER_UDP, &ip);
    ledger_arrived(p, other_minute, 10);
    ledger_unname(p, other_minute);
    (void)arrive(p, 5, 1);

    read_counts(p, false);
    static const struct {
        uint8_t family;
        int64_t minute_us;
        uint64_t arrived, stored, missing;
    } want[] = {
        {4, MINUTE, 5, 5, 0},                 /* one with a name */
        {4, MINUTE, 3 + 5 + 1, 7, 7},         /* nobody's: no key comes twice in a unit */
        {6, MINUTE, 1, 1, 0},                 /* of another family */
        {4, MINUTE + US_PER_MINUTE, 1, 1, 0}, /* of another minute */
        {4, MINUTE, 1, 1, 0},
    };
    cr_assert_eq(counts.rows_n, ARRAY_LEN(want));
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        const struct unit_row *r = &counts.rows[i];
        cr_expect(r->source.family == want[i].family && r->minute_us == want[i].minute_us &&
                      r->arrived == want[i].arrived && r->stored == want[i].stored &&
                      r->missing == want[i].missing,
                  "row %zu: family %d, %lu arrived, %lu stored", i, r->source.family, r->arrived,
                  r->stored);
        bool is_nobodys = i >= 1 && i <= 3;
        static const uint8_t zeros[16];
        cr_expect_eq(memcmp(r->source.bytes, zeros, 16) == 0, is_nobodys, "row %zu", i);
    }
    cr_expect_eq(counts.rows[1].bytes, 90);
    cr_expect_eq(counts.rows[1].refused[REASON_RATE_LIMIT], 1);
    cr_expect_eq(counts.rows[1].refused[REASON_NOT_ALLOWED], 1);
    cr_expect_eq(counts.arrived, 17);
    cr_expect_eq(counts.refused, 2);
    uint8_t listener;
    struct ip of;
    cr_assert(ledger_row_of(p, row, &listener, &of), "for the journal's messages");
    cr_expect(ip_eq(&of, &ip));
    ledger_release(l, &p);
    ledger_close(&l, true);
}

Test(ledger, some_pages_are_for_refusals_only)
{
    static struct ledger_page *pages[LEDGER_PAGES];
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    unsigned n = 0;
    while ((pages[n] = ledger_begin(l, false)) != NULL)
        n++;
    cr_expect_eq(n, LEDGER_PAGES - LEDGER_RESERVED_PAGES);
    while (n < LEDGER_PAGES && (pages[n] = ledger_begin(l, true)) != NULL)
        n++;
    cr_expect_eq(n, LEDGER_PAGES);
    cr_expect_eq(ledger_free_pages(l), 0);
    cr_expect_null(ledger_begin(l, true));
    ledger_release(l, &pages[100]);
    cr_expect_not_null(pages[100] = ledger_begin(l, true), "a released page is used again");
    for (unsigned i = 0; i < n; i++)
        ledger_release(l, &pages[i]);
    ledger_close(&l, true);
}

Test(ledger, sequence_numbers_grow_over_restarts_although_the_clock_does_not)
{
    struct ledger_found found;
    uint64_t last = 0;
    for (int start = 0; start < 3; start++) {
        struct ledger *l = open_ledger(&found);
        for (int i = 0; i < 5000; i++) { /* five seconds of block numbers in no time */
            struct ledger_page *p = ledger_begin(l, false);
            for (unsigned block = 0; block < SOURCE_GROUPS_MAX; block++) {
                uint64_t seq = ledger_first_seq(p, block);
                cr_assert_gt(seq, last, "block %u of unit %d", block, i);
                cr_assert_eq(seq % BLOCK_MAX_MESSAGES, 0);
                last = seq + BLOCK_MAX_MESSAGES - 1;
            }
            ledger_release(l, &p);
        }
        ledger_close(&l, true);
    }
}

/* ---- crashes ---- */

/* What the killed child does; it never returns from the last step. */
enum step { NOTHING, BEGUN, ROW_MADE, ARRIVED, SOME_REFUSED, RELEASED };

static void child(enum step until)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ip ip = source(1);
    struct ledger_page *p = NULL;
    int row = -1;
    if (until >= BEGUN)
        p = ledger_begin(l, false);
    if (until >= ROW_MADE)
        row = ledger_row(p, MINUTE, LISTENER_TCP, &ip);
    for (int i = 0; until >= ARRIVED && i < 10; i++)
        ledger_arrived(p, row, 100);
    for (int i = 0; until >= SOME_REFUSED && i < 4; i++)
        ledger_refuse(p, row, 100, REASON_RATE_LIMIT);
    if (until >= RELEASED)
        ledger_release(l, &p);
    kill(getpid(), SIGKILL);
}

static void kill_child(enum step step)
{
    pid_t pid = fork();
    if (pid == 0)
        child(step);
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "step %d", (int)step);
}

Test(ledger, after_kill_9_at_each_step_the_page_is_what_was_counted_and_what_the_journal_has)
{
    static const struct {
        const char *name;
        enum step step;
        unsigned pages;
        uint64_t journaled, arrived, stored, crash, rate_limit;
    } cases[] = {
        {"nothing", NOTHING, 0, 0, 0, 0, 0, 0},
        {"a page", BEGUN, 0, 0, 0, 0, 0, 0},
        {"a row", ROW_MADE, 1, 0, 0, 0, 0, 0},
        {"a message that was not counted yet", ROW_MADE, 1, 1, 1, 1, 0, 0},
        {"all in the journal", ARRIVED, 1, 10, 10, 10, 0, 0},
        {"one more in the journal", ARRIVED, 1, 11, 11, 11, 0, 0},
        {"the journal lost three", ARRIVED, 1, 7, 10, 7, 3, 0},
        {"no journal", ARRIVED, 1, 0, 10, 0, 10, 0},
        {"refused ones", SOME_REFUSED, 1, 10, 14, 10, 0, 4},
        {"released", RELEASED, 0, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ledger_found found;
        static struct ledger_replay rows[LEDGER_ROWS];
        kill_child(cases[i].step);
        struct ledger *l = open_ledger(&found);
        cr_assert_eq(found.pages, cases[i].pages, "%s: %u pages", cases[i].name, found.pages);
        cr_expect_str_eq(found.aside_path, "");
        if (found.pages == 1) {
            struct ledger_page *p = ledger_recovered(l, 0);
            rows[0] = (struct ledger_replay){cases[i].journaled, 1};
            for (int again = 0; again < 2; again++) /* as after a crash in the middle */
                ledger_replayed(p, rows);
            read_counts(p, false);
            cr_expect_eq(counts.arrived, cases[i].arrived, "%s: arrived", cases[i].name);
            cr_expect_neq(memcmp(counts.run, ledger_run(l), UNIT_RUN_BYTES), 0,
                          "the run is the dead one's");
            if (counts.rows_n == 1) {
                const struct unit_row *r = &counts.rows[0];
                cr_expect_eq(r->stored, cases[i].stored, "%s: stored", cases[i].name);
                cr_expect_eq(r->refused[REASON_CRASH], cases[i].crash, "%s", cases[i].name);
                cr_expect_eq(r->refused[REASON_RATE_LIMIT], cases[i].rate_limit);
            }
            ledger_release(l, &p);
        }
        ledger_close(&l, true);
    }
}

Test(ledger, a_refusal_that_was_cut_in_the_middle_has_arrived)
{
    struct ledger_found found;
    struct ledger_replay rows[LEDGER_ROWS] = {0};
    kill_child(SOME_REFUSED);
    int fd = open(path, O_RDWR);
    uint64_t one_less = 13; /* of the only row: refused was added and arrived not */
    cr_assert_eq(pwrite(fd, &one_less, 8, 4096 + 128 + 32), 8);
    close(fd);
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_recovered(l, 0);
    rows[0].messages = 10;
    ledger_replayed(p, rows);
    read_counts(p, false);
    cr_expect_eq(counts.arrived, 14);
    cr_expect_eq(counts.refused, 4);
    ledger_release(l, &p);
    ledger_close(&l, true);
}

Test(ledger, pages_stay_over_several_crashes_until_they_are_released)
{
    for (unsigned i = 0; i < 3; i++) {
        pid_t pid = fork();
        if (pid == 0)
            child(ARRIVED);
        cr_assert_eq(waitpid(pid, NULL, 0), pid);
    }
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    cr_expect_eq(found.pages, 3);
    cr_expect_eq(ledger_free_pages(l), LEDGER_PAGES - 3);
    ledger_close(&l, false);
    l = open_ledger(&found);
    cr_expect_eq(found.pages, 3, "not released: still there");
    ledger_close(&l, true);
}

Test(ledger, what_is_left_is_counted_and_found_by_the_next_run)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    int row = arrive(p, 9, 7);
    ledger_refuse(p, row, 10, REASON_RATE_LIMIT);
    uint64_t messages = 0;
    cr_expect_eq(ledger_left(l, &messages), 1);
    cr_expect_eq(messages, 7, "what was refused is not left: %llu", (unsigned long long)messages);
    ledger_close(&l, true);
    l = open_ledger(&found);
    cr_expect_eq(found.pages, 1);
    uint8_t listener;
    struct ip ip, expected = source(9);
    cr_expect(ledger_row_of(ledger_recovered(l, 0), 0, &listener, &ip));
    cr_expect(ip_eq(&ip, &expected));
    cr_expect_eq(listener, LISTENER_UDP);
    cr_expect_not(ledger_row_of(ledger_recovered(l, 0), 1, &listener, &ip));
    ledger_close(&l, false);
}

Test(ledger, what_the_database_rejected_counts_as_rejected_also_in_a_later_run)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    int row = arrive(p, 3, 4);
    ledger_refuse(p, row, 10, REASON_RATE_LIMIT);
    ledger_reject(p);
    for (unsigned later = 0; later < 2; later++) {
        cr_expect(ledger_is_rejected(p));
        read_counts(p, true);
        cr_assert_eq(counts.rows_n, 1);
        cr_expect_eq(counts.rows[0].refused[REASON_REJECTED], 4);
        cr_expect_eq(counts.rows[0].refused[REASON_RATE_LIMIT], 1);
        cr_expect_eq(counts.rows[0].stored, 0);
        if (later)
            break;
        ledger_close(&l, false);
        l = open_ledger(&found);
        cr_assert_eq(found.pages, 1);
        p = ledger_recovered(l, 0);
    }
    ledger_release(l, &p);
    ledger_close(&l, true);
}

/* ---- what cannot be trusted ---- */

static void poke(off_t at, const void *p, size_t n)
{
    int fd = open(path, O_WRONLY);
    cr_assert_eq(pwrite(fd, p, n, at), (ssize_t)n);
    close(fd);
}

static void leave_a_page(void)
{
    pid_t pid = fork();
    if (pid == 0)
        child(ARRIVED);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

static void expect_aside(uint64_t pages, uint64_t messages, const char *reason)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    cr_expect_eq(found.pages, 0);
    cr_expect_eq(found.aside_pages, pages);
    cr_expect_eq(found.aside_messages, messages);
    cr_expect_not_null(strstr(found.aside_reason, reason), "%s", found.aside_reason);
    cr_expect_eq(access(found.aside_path, F_OK), 0);
    cr_expect_eq(ledger_free_pages(l), LEDGER_PAGES);
    ledger_close(&l, true);
}

Test(ledger, a_file_of_version_1_is_taken_over_with_its_pages)
{
    struct ledger_found found;
    leave_a_page();
    poke(8, "\1\0\0\0", 4);
    struct ledger *l = open_ledger(&found);
    cr_assert_eq(found.pages, 1);
    cr_expect_str_eq(found.aside_path, "");
    read_counts(ledger_recovered(l, 0), true);
    cr_expect_eq(counts.rows[0].refused[REASON_CRASH], 10, "it has no journal");
    ledger_close(&l, false);
}

Test(ledger, a_file_of_another_boot_is_set_aside)
{
    leave_a_page();
    poke(16, "another boot id.", 16);
    expect_aside(1, 10, "restarted");
}

Test(ledger, a_file_of_another_boot_that_was_closed_in_order_is_believed)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    (void)arrive(p, 1, 2);
    ledger_close(&l, true);
    poke(16, "another boot id.", 16);
    l = open_ledger(&found);
    cr_expect_eq(found.pages, 1);
    cr_expect_str_eq(found.aside_path, "");
    ledger_close(&l, true);
}

Test(ledger, a_damaged_file_is_set_aside_and_never_trusted)
{
    static const uint32_t many = 1025, state = 7, reason = REASON_COUNT;
    static const uint8_t listener = LISTENER_COUNT, family = 9;
    static const struct {
        off_t at;
        const void *p;
        size_t n;
        const char *reason;
    } cases[] = {
        {0, "B", 1, "header"},
        {8, "\3", 1, "header"},
        {4096, &state, 4, "page"},
        {4096 + 4, &many, 4, "page"},
        {4096 + 8, &reason, 4, "page"},
        {4096 + 128 + 8, &listener, 1, "page"},
        {4096 + 128 + 9, &family, 1, "page"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char command[96];
        snprintf(command, sizeof(command), "rm -f %s/*", folder);
        cr_assert_eq(system(command), 0);
        leave_a_page();
        poke(cases[i].at, cases[i].p, cases[i].n);
        struct ledger_found found;
        struct ledger *l = open_ledger(&found);
        cr_expect_not_null(strstr(found.aside_reason, cases[i].reason), "case %zu: %s", i,
                           found.aside_reason);
        cr_expect_eq(found.pages, 0);
        ledger_close(&l, true);
    }
}

Test(ledger, a_file_that_was_cut_is_set_aside)
{
    leave_a_page();
    cr_assert_eq(truncate(path, 5000), 0);
    expect_aside(0, 0, "size");
}

Test(ledger, a_path_that_cannot_be_opened_is_named)
{
    struct ledger *l = NULL;
    struct ledger_found found;
    struct err err = {0};
    cr_expect_eq(ledger_open("/nonexistent/ledger", &l, &found, &err), -ENOENT);
    cr_expect_not_null(strstr(err.message, "/nonexistent/ledger"));
    cr_expect_null(l);
}
