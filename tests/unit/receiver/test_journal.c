/* The journal's file: what is written is read again after kill -9 at each step, and what cannot be
 * trusted is set aside. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "receiver/journal.h"

enum { SEGMENTS = 8 };
#define BYTES ((int64_t)SEGMENTS * JOURNAL_SEGMENT_BYTES)

static char folder[] = "/tmp/azk-journal-XXXXXX";
static char ledger_path[64], path[64];

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/journal", folder);
    snprintf(ledger_path, sizeof(ledger_path), "%s/ledger", folder);
}

static void remove_folder(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(journal, .init = make_folder, .fini = remove_folder);

struct files {
    struct ledger *ledger;
    struct ledger_found ledger_found;
    struct journal *journal;
    struct journal_found found;
};

static void open_files(struct files *f)
{
    struct err err = {0};
    cr_assert_eq(ledger_open(ledger_path, &f->ledger, &f->ledger_found, &err), 0, "%s",
                 err.message);
    cr_assert_eq(journal_open(path, BYTES, &f->journal, &f->found, &err), 0, "%s", err.message);
}

static void close_files(struct files *f)
{
    ledger_close(&f->ledger, true);
    journal_close(&f->journal, true);
}

/* Message i: of a length that its number tells. */
static size_t length_of(unsigned i)
{
    return i % 7 == 0 ? 0 : i % 11 == 0 ? 60000 : 20 + i % 300;
}

static char text[1 << 20];

static struct view message(unsigned i)
{
    size_t n = length_of(i);
    memset(text, 'a' + (int)(i % 26), n);
    return view_of(text, n);
}

struct seen {
    unsigned n;
    uint64_t bytes;
};

static void see(void *context, const struct journal_entry *e)
{
    struct seen *s = context;
    unsigned i = s->n++;
    struct view expected = message(i);
    cr_assert_eq(e->row, i % LEDGER_ROWS, "message %u: row %u", i, e->row);
    cr_assert_eq(e->group, i % SOURCE_GROUPS_MAX);
    cr_assert_eq(e->mark, i % 3);
    cr_assert_eq(e->received_at_us, 1000000 + i);
    cr_assert_eq(e->bytes.n, expected.n, "message %u: %zu bytes", i, e->bytes.n);
    cr_assert_eq(memcmp(e->bytes.p, expected.p, expected.n), 0, "message %u", i);
    s->bytes += e->bytes.n;
}

static int append(struct journal_chain *c, unsigned i)
{
    return journal_append(c, (int)(i % LEDGER_ROWS), (uint8_t)(i % SOURCE_GROUPS_MAX), 1000000 + i,
                          (uint8_t)(i % 3), message(i));
}

/* A child that begins a unit, writes n messages and is killed. */
static void write_and_die(unsigned n)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct files f;
        open_files(&f);
        struct ledger_page *p = ledger_begin(f.ledger, false);
        struct ip ip = {.family = 4};
        cr_assert_eq(ledger_row(p, 0, LISTENER_UDP, &ip), 0);
        struct journal_chain *c = journal_begin(f.journal, p);
        for (unsigned i = 0; i < n; i++)
            cr_assert_eq(append(c, i), 0);
        kill(getpid(), SIGKILL);
    }
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

Test(journal, every_message_is_read_again_after_kill_9)
{
    static const unsigned numbers[] = {1, 2, 50, 400};
    for (size_t k = 0; k < ARRAY_LEN(numbers); k++) {
        struct files f;
        struct seen seen = {0};
        struct err err = {0};
        write_and_die(numbers[k]);
        open_files(&f);
        cr_assert_eq(f.ledger_found.pages, 1);
        cr_expect_gt(f.found.bytes, 0);
        struct ledger_page *p = ledger_recovered(f.ledger, 0);
        const struct ledger_page *pages[] = {p};
        struct journal_chain *c = journal_recovered(f.journal, p);
        journal_forget_rest(f.journal, pages, 1);
        cr_assert_not_null(c);
        cr_expect_eq(journal_replay(c, see, &seen, &err), 0, "%s", err.message);
        cr_expect_eq(seen.n, numbers[k], "%u messages of %u", seen.n, numbers[k]);
        cr_expect_eq(journal_chain_bytes(c), journal_used_bytes(f.journal));
        ledger_release(f.ledger, &p);
        journal_release(&c);
        cr_expect_eq(journal_used_bytes(f.journal), 0);
        close_files(&f);
    }
}

static void see_large(void *context, const struct journal_entry *e)
{
    struct seen *s = context;
    s->n++;
    s->bytes = e->bytes.n;
    for (size_t i = 0; i < e->bytes.n; i++)
        cr_assert_eq(e->bytes.p[i], (char)('a' + i % 23), "byte %zu", i);
}

Test(journal, a_message_larger_than_a_segment_is_whole_or_not_there)
{
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)('a' + i % 23);
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        struct files f;
        struct seen seen = {0};
        struct err err = {0};
        open_files(&f);
        struct ledger_page *p = ledger_begin(f.ledger, false);
        struct journal_chain *c = journal_begin(f.journal, p);
        cr_assert_eq(journal_append(c, 1, 0, 5, 0, view_of(text, 100)), 0);
        cr_assert_eq(journal_append(c, 1, 0, 5, 0, view_of(text, sizeof(text))), 0);
        cr_expect_eq(journal_chain_bytes(c), 3 * JOURNAL_SEGMENT_BYTES);
        if (is_cut) { /* as if it had been killed before the last part was written */
            int fd = open(path, O_RDWR);
            cr_assert_eq(pwrite(fd, "\0\0\0\0", 4, 4096 + 2 * JOURNAL_SEGMENT_BYTES + 32), 4);
            close(fd);
        }
        cr_expect_eq(journal_replay(c, see_large, &seen, &err), 0, "%s", err.message);
        cr_expect_eq(seen.n, is_cut ? 1 : 2);
        cr_expect_eq(seen.bytes, is_cut ? 100 : sizeof(text));
        ledger_release(f.ledger, &p);
        journal_release(&c);
        close_files(&f);
    }
}

Test(journal, without_a_free_segment_nothing_is_written)
{
    struct files f;
    struct seen seen = {0};
    struct err err = {0};
    open_files(&f);
    struct ledger_page *p = ledger_begin(f.ledger, false);
    struct journal_chain *c = journal_begin(f.journal, p), *other = journal_begin(f.journal, p);
    unsigned n = 0;
    while (append(c, n) == 0)
        n++;
    cr_expect_eq(journal_used_bytes(f.journal), BYTES);
    cr_expect_not(journal_has_room(f.journal, 1));
    cr_expect_eq(append(other, 0), -ENOSPC);
    cr_expect_eq(journal_replay(c, see, &seen, &err), 0);
    cr_expect_eq(seen.n, n);
    journal_release(&other);
    journal_release(&c);
    cr_expect(journal_has_room(f.journal, SEGMENTS));
    c = journal_begin(f.journal, p);
    cr_expect_eq(append(c, 1), 0, "there is room again");
    journal_release(&c);
    ledger_release(f.ledger, &p);
    close_files(&f);
}

Test(journal, segments_of_a_unit_that_was_released_are_free_again)
{
    struct files f;
    write_and_die(400);
    cr_assert_eq(unlink(ledger_path), 0); /* as if the page had been released, and then the kill */
    open_files(&f);
    cr_expect_gt(journal_used_bytes(f.journal), 0);
    journal_forget_rest(f.journal, NULL, 0);
    cr_expect_eq(journal_used_bytes(f.journal), 0);
    close_files(&f);
}

static void poke(off_t at, const void *p, size_t n)
{
    int fd = open(path, O_WRONLY);
    cr_assert_eq(pwrite(fd, p, n, at), (ssize_t)n);
    close(fd);
}

Test(journal, what_is_damaged_is_said_and_what_is_before_it_is_given)
{
    static const struct {
        const char *name;
        off_t at;
        const char *bytes;
        size_t n;
        unsigned messages;
        bool is_said;
    } cases[] = {
        {"a length beyond the segment", 4096 + 64, "\xff\xff\xff\x7f", 4, 0, true},
        {"a row that no page has", 4096 + 64 + 4, "\xff\xff", 2, 0, true},
        {"a group that there is not", 4096 + 64 + 6, "\x21", 1, 0, true},
        {"more written than there is room", 4096 + 32, "\xff\xff\xff\xff", 4, 0, true},
        {"the head of the chain is missing", 4096 + 4, "\x07", 1, 0, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct files f;
        struct seen seen = {0};
        struct err err = {0};
        write_and_die(3);
        poke(cases[i].at, cases[i].bytes, cases[i].n);
        open_files(&f);
        struct ledger_page *p = ledger_recovered(f.ledger, 0);
        struct journal_chain *c = journal_recovered(f.journal, p);
        if (!cases[i].is_said)
            cr_expect_null(c, "%s", cases[i].name);
        else
            cr_expect_eq(journal_replay(c, see, &seen, &err), -EBADMSG, "%s", cases[i].name);
        cr_expect_eq(seen.n, cases[i].messages, "%s", cases[i].name);
        ledger_release(f.ledger, &p);
        journal_release(&c);
        journal_forget_rest(f.journal, NULL, 0);
        close_files(&f);
    }
}

Test(journal, a_file_that_cannot_be_trusted_is_set_aside)
{
    static const struct {
        off_t at;
        const char *bytes, *reason;
    } cases[] = {
        {0, "something", "header"},
        {16, "another boot id.", "restarted"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct files f;
        write_and_die(50);
        poke(cases[i].at, cases[i].bytes, strlen(cases[i].bytes));
        open_files(&f);
        cr_expect_not_null(strstr(f.found.aside_reason, cases[i].reason), "%s",
                           f.found.aside_reason);
        cr_expect_gt(f.found.aside_bytes, 0);
        cr_expect_eq(access(f.found.aside_path, F_OK), 0);
        cr_expect_eq(journal_used_bytes(f.journal), 0);
        struct ledger_page *p = ledger_recovered(f.ledger, 0);
        cr_expect_null(journal_recovered(f.journal, p));
        ledger_release(f.ledger, &p);
        close_files(&f);
    }
}

Test(journal, a_file_of_another_size_is_used_until_it_is_empty)
{
    struct files f;
    struct journal *j = NULL;
    struct journal_found found;
    struct err err = {0};
    write_and_die(50);
    cr_assert_eq(journal_open(path, 2 * BYTES, &j, &found, &err), 0);
    cr_expect_eq(journal_bytes(j), BYTES);
    journal_close(&j, true);
    cr_assert_eq(unlink(ledger_path), 0);
    open_files(&f);
    journal_forget_rest(f.journal, NULL, 0);
    close_files(&f);
    cr_assert_eq(journal_open(path, 2 * BYTES, &j, &found, &err), 0);
    cr_expect_eq(journal_bytes(j), 2 * BYTES);
    journal_close(&j, true);
}

Test(journal, the_tag_of_a_last_entry_is_found_until_another_entry_follows)
{
    struct files f;
    open_files(&f);
    struct ledger_page *page = ledger_begin(f.ledger, true);
    struct journal_chain *c = journal_begin(f.journal, page);
    static char large[JOURNAL_SEGMENT_BYTES - 4096];
    cr_expect_not(journal_has_tag(f.journal, 7), "nothing is written");
    journal_tag(c, 7);
    cr_expect_not(journal_has_tag(f.journal, 7), "the entry is not written yet");
    cr_assert_eq(journal_append(c, 0, 0, 1, 0, VIEW("one")), 0);
    cr_expect(journal_has_tag(f.journal, 7));
    cr_expect_not(journal_has_tag(f.journal, 8));
    journal_release(&c);
    close_files(&f);
    open_files(&f);
    cr_expect(journal_has_tag(f.journal, 7), "the next process finds it, although it was released");
    page = ledger_begin(f.ledger, true);
    c = journal_begin(f.journal, page);
    cr_assert_eq(journal_append(c, 0, 0, 1, 0, VIEW("two")), 0);
    cr_expect_not(journal_has_tag(f.journal, 7), "its segment has another last entry");
    journal_tag(c, 9);
    cr_assert_eq(journal_append(c, 0, 0, 1, 0, view_of(large, sizeof(large))), 0);
    cr_assert_eq(journal_append(c, 0, 0, 1, 0, view_of(large, sizeof(large))), 0);
    cr_expect(journal_has_tag(f.journal, 9), "of the segment before the last, too");
    journal_release(&c);
    close_files(&f);
}
