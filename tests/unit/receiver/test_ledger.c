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
    ledger_refuse(p, a, REASON_QUEUE_FULL);
    ledger_refuse(p, a, REASON_RATE_LIMIT);
    ledger_truncated(p, b);
    read_counts(p, false);
    cr_assert_eq(counts.rows_n, 2);
    cr_expect_eq(counts.rows[0].arrived, 6);
    cr_expect_eq(counts.rows[0].stored, 4);
    cr_expect_eq(counts.rows[0].bytes, 60);
    cr_expect_eq(counts.rows[0].refused[REASON_QUEUE_FULL], 1);
    cr_expect_eq(counts.rows[0].refused[REASON_RATE_LIMIT], 1);
    cr_expect_eq(counts.rows[1].truncated, 1);
    cr_expect_eq(counts.arrived, 9);
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

Test(ledger, a_moved_message_is_counted_in_one_page)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *a = ledger_begin(l, false), *b = ledger_begin(l, false);
    int row = arrive(a, 1, 1);
    (void)arrive(b, 1, 1);
    ledger_moved(a, row, 10);
    read_counts(a, false);
    cr_expect_eq(counts.rows_n, 0, "a row without messages is not one");
    read_counts(b, false);
    cr_expect_eq(counts.arrived, 1);
    ledger_release(l, &a);
    ledger_release(l, &b);
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
enum step { NOTHING, BEGUN, ROW_MADE, ARRIVED, SOME_REFUSED, MOVED_HALF, MOVED, RELEASED, STEPS };

static void child(enum step until)
{
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ip ip = source(1);
    for (enum step s = BEGUN; s <= until; s++) {
        static struct ledger_page *p, *q;
        static int row;
        switch (s) {
        case BEGUN:
            p = ledger_begin(l, false);
            break;
        case ROW_MADE:
            row = ledger_row(p, MINUTE, LISTENER_TCP, &ip);
            break;
        case ARRIVED:
            for (int i = 0; i < 10; i++)
                ledger_arrived(p, row, 100);
            break;
        case SOME_REFUSED:
            for (int i = 0; i < 4; i++)
                ledger_refuse(p, row, REASON_RATE_LIMIT);
            break;
        case MOVED_HALF:
            q = ledger_begin(l, false);
            ledger_arrived(q, ledger_row(q, MINUTE, LISTENER_TCP, &ip), 100);
            break;
        case MOVED:
            ledger_moved(p, row, 100);
            break;
        case RELEASED:
            ledger_release(l, &p);
            break;
        default:
            break;
        }
    }
    kill(getpid(), SIGKILL);
}

Test(ledger, after_kill_9_at_each_step_the_next_start_counts_what_was_read)
{
    static const struct {
        enum step step;
        unsigned pages;
        uint64_t arrived, crash, rate_limit;
    } cases[] = {
        {NOTHING, 0, 0, 0, 0},   {BEGUN, 0, 0, 0, 0},         {ROW_MADE, 1, 0, 0, 0},
        {ARRIVED, 1, 10, 10, 0}, {SOME_REFUSED, 1, 10, 6, 4}, {MOVED_HALF, 2, 11, 7, 4},
        {MOVED, 2, 10, 6, 4},    {RELEASED, 1, 1, 1, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        pid_t pid = fork();
        if (pid == 0)
            child(cases[i].step);
        int status;
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "step %zu", i);
        struct ledger_found found;
        struct ledger *l = open_ledger(&found);
        cr_expect_eq(found.pages, cases[i].pages, "step %zu: %u pages", i, found.pages);
        cr_expect_str_eq(found.aside_path, "");
        uint64_t arrived = 0, crash = 0, rate_limit = 0;
        for (unsigned k = 0; k < found.pages; k++) {
            struct ledger_page *p = ledger_recovered(l, k);
            read_counts(p, true);
            cr_expect_neq(memcmp(counts.run, ledger_run(l), UNIT_RUN_BYTES), 0,
                          "the run is the dead one's");
            for (size_t r = 0; r < counts.rows_n; r++) {
                cr_expect_eq(counts.rows[r].stored, 0);
                arrived += counts.rows[r].arrived;
                crash += counts.rows[r].refused[REASON_CRASH];
                rate_limit += counts.rows[r].refused[REASON_RATE_LIMIT];
            }
            ledger_release(l, &p);
        }
        cr_expect_eq(arrived, cases[i].arrived, "step %zu: %llu arrived", i,
                     (unsigned long long)arrived);
        cr_expect_eq(crash, cases[i].crash, "step %zu: %llu crash", i, (unsigned long long)crash);
        cr_expect_eq(rate_limit, cases[i].rate_limit, "step %zu", i);
        ledger_close(&l, true);
    }
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

Test(ledger, what_was_given_up_counts_as_queue_full_and_a_killed_run_stays_crash)
{
    pid_t pid = fork();
    if (pid == 0)
        child(ARRIVED);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    struct ledger_found found;
    struct ledger *l = open_ledger(&found);
    struct ledger_page *p = ledger_begin(l, false);
    (void)arrive(p, 9, 7);
    uint64_t messages = 0;
    cr_expect_eq(ledger_give_up(l, &messages), 2);
    cr_expect_eq(messages, 17);
    ledger_close(&l, true);
    l = open_ledger(&found);
    cr_assert_eq(found.pages, 2);
    uint64_t crash = 0, queue_full = 0;
    for (unsigned i = 0; i < 2; i++) {
        read_counts(ledger_recovered(l, i), true);
        crash += counts.rows[0].refused[REASON_CRASH];
        queue_full += counts.rows[0].refused[REASON_QUEUE_FULL];
    }
    cr_expect_eq(crash, 10);
    cr_expect_eq(queue_full, 7);
    ledger_close(&l, true);
}

Test(ledger, what_the_database_rejected_counts_as_rejected_also_in_a_later_run)
{
    static const struct {
        const char *name;
        bool is_given_up, is_rejected_last, is_orderly;
    } cases[] = {
        {"killed afterwards", false, false, false},
        {"given up afterwards", true, false, true},
        {"rejected after it was given up", true, true, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ledger_found found;
        struct ledger *l = open_ledger(&found);
        struct ledger_page *p = ledger_begin(l, false);
        int row = arrive(p, 3, 5);
        ledger_refuse(p, row, REASON_RATE_LIMIT);
        uint64_t messages = 0;
        if (cases[i].is_given_up && cases[i].is_rejected_last)
            (void)ledger_give_up(l, &messages);
        ledger_reject(p);
        if (cases[i].is_given_up && !cases[i].is_rejected_last)
            (void)ledger_give_up(l, &messages);
        for (unsigned later = 0; later < 2; later++) {
            read_counts(p, true);
            cr_assert_eq(counts.rows_n, 1, "%s", cases[i].name);
            cr_expect_eq(counts.rows[0].refused[REASON_REJECTED], 4, "%s", cases[i].name);
            cr_expect_eq(counts.rows[0].refused[REASON_RATE_LIMIT], 1, "%s", cases[i].name);
            cr_expect_eq(counts.rows[0].refused[REASON_CRASH], 0, "%s", cases[i].name);
            cr_expect_eq(counts.rows[0].stored, 0, "%s", cases[i].name);
            if (later)
                break;
            ledger_close(&l, cases[i].is_orderly);
            l = open_ledger(&found);
            cr_assert_eq(found.pages, 1, "%s", cases[i].name);
            p = ledger_recovered(l, 0);
        }
        ledger_release(l, &p);
        ledger_close(&l, true);
    }
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
    static const struct {
        off_t at;
        const void *p;
        size_t n;
        const char *reason;
    } cases[] = {
        {0, "B", 1, "header"},        {8, "\2", 1, "header"},         {4096, &state, 4, "page"},
        {4096 + 4, &many, 4, "page"}, {4096 + 8, &reason, 4, "page"},
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
