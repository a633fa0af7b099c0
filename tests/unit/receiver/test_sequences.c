/* Streams of numbers across restarts. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "receiver/sequences.h"

static char folder[] = "/tmp/azk-sequences-XXXXXX", path[64];
#define T0 (INT64_C(1773100800) * US_PER_SECOND)

static void set_up(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/sequences", folder);
}

static void tear_down(void)
{
    (void)unlink(path);
    cr_assert_eq(rmdir(folder), 0, "nothing else is left");
}

TestSuite(sequences, .init = set_up, .fini = tear_down);

static unsigned lane_of(const struct ip *source, uint8_t listener, unsigned lanes)
{
    return listener == LISTENER_UDP ? 0 : source->bytes[3] % lanes;
}

static struct sequences *open_for(unsigned lanes)
{
    struct sequences *s = NULL;
    struct err err = {0};
    cr_assert_eq(sequences_open(path, lanes, lane_of, &s, &err), 0, "%s", err.message);
    return s;
}

static struct ip sender(unsigned n)
{
    return (struct ip){4, {10, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
}

static int take(struct sequences *s, unsigned lanes, unsigned from, uint64_t stream,
                uint64_t number, int64_t at_us, struct sequence_gap *gap)
{
    struct ip ip = sender(from);
    struct sequence q = {SEQUENCE_META, stream, number};
    return sequences_take(s, lane_of(&ip, LISTENER_TCP, lanes), &ip, LISTENER_TCP, &q, at_us, true,
                          gap);
}

Test(sequences, numbers_go_on_after_a_restart_and_a_kill)
{
    struct sequence_gap gap;
    struct sequences *s = open_for(1);
    for (uint64_t n = 1; n <= 100; n++)
        cr_assert_eq(take(s, 1, 1, 7, n, T0, &gap), n == 1);
    sequences_close(&s, true);
    s = open_for(1);
    for (uint64_t n = 103; n <= 200; n++)
        cr_assert_eq(take(s, 1, 1, 7, n, T0, &gap), 0, "the stream is known");
    sequences_close(&s, true);

    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) { /* killed with the file open */
        s = open_for(1);
        for (uint64_t n = 201; n <= 300; n++)
            (void)take(s, 1, 1, 7, n, T0, &gap);
        raise(SIGKILL);
    }
    cr_assert_eq(waitpid(child, NULL, 0), child);
    s = open_for(1);
    cr_assert_eq(take(s, 1, 1, 7, 300, T0, &gap), 0);
    cr_expect_eq(gap.repeated, 1, "the last number before the kill is known");
    cr_assert_eq(take(s, 1, 1, 7, 301, T0, &gap), 0);
    cr_expect_eq(gap.missing + gap.repeated, 0);
    sequences_close(&s, true);
}

Test(sequences, what_a_killed_run_has_written_down_is_neither_missing_nor_repeated)
{
    static const struct {
        const char *what;
        uint64_t again[3], next, missing;
    } cases[] = {
        {"taken before the kill", {10, 10}, 11, 0},
        {"not taken any more", {11}, 12, 0},
        {"once in each of two journals", {11, 11}, 12, 0},
        {"an older one, too", {3, 11}, 12, 0},
        {"from long before", {UINT64_C(1) << 30}, 11, 0},
        {"and one is lost behind it", {11}, 13, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sequence_gap gap, sum = {0};
        struct ip ip = sender(1);
        (void)unlink(path);
        struct sequences *s = open_for(3);
        for (uint64_t n = 1; n <= 10; n++)
            (void)take(s, 3, 1, 7, n, T0, &gap);
        sequences_close(&s, false);
        s = open_for(3);
        for (int k = 0; k < 3 && cases[i].again[k]; k++) {
            struct sequence q = {SEQUENCE_META, 7, cases[i].again[k]},
                            other = {SEQUENCE_META, 8, 1};
            sequences_again(s, &ip, LISTENER_TCP, &q);
            sequences_again(s, &ip, LISTENER_TCP, &other); /* not known: nothing is begun */
        }
        for (uint64_t n = 0; n < 100; n++) {
            cr_expect_eq(take(s, 3, 1, 7, cases[i].next + n, T0, &gap), 0);
            sum.missing += gap.missing;
            sum.repeated += gap.repeated;
        }
        cr_expect_eq(sum.missing, cases[i].missing, "%s: %llu", cases[i].what,
                     (unsigned long long)sum.missing);
        cr_expect_eq(sum.repeated, 0, "%s", cases[i].what);
        sequences_close(&s, true);
    }
}

Test(sequences, another_number_of_lanes_finds_the_same_streams)
{
    struct sequence_gap gap;
    enum { STREAMS = 1000 };
    static const unsigned lanes[] = {1, 3, 16, 2, 7, 1};
    uint64_t number = 1;
    for (size_t i = 0; i < ARRAY_LEN(lanes); i++, number++) {
        struct sequences *s = open_for(lanes[i]);
        for (unsigned k = 0; k < STREAMS; k++) {
            cr_assert_eq(take(s, lanes[i], k, k, number, T0, &gap), i == 0, "lanes %u, stream %u",
                         lanes[i], k);
            cr_assert_eq(gap.missing + gap.repeated, 0);
        }
        sequences_close(&s, true);
    }
}

Test(sequences, streams_are_told_apart_by_source_listener_kind_and_stream)
{
    struct sequences *s = open_for(1);
    struct sequence_gap gap;
    static const struct {
        struct ip ip;
        uint8_t listener;
        struct sequence q;
    } cases[] = {
        {{4, {10, 0, 0, 1}}, LISTENER_TCP, {SEQUENCE_META, 7, 1}},
        {{4, {10, 0, 0, 2}}, LISTENER_TCP, {SEQUENCE_META, 7, 1}},
        {{6, {10, 0, 0, 1}}, LISTENER_TCP, {SEQUENCE_META, 7, 1}},
        {{4, {10, 0, 0, 1}}, LISTENER_UDP, {SEQUENCE_META, 7, 1}},
        {{4, {10, 0, 0, 1}}, LISTENER_TCP, {SEQUENCE_CISCO, 7, 1}},
        {{4, {10, 0, 0, 1}}, LISTENER_TCP, {SEQUENCE_META, 8, 1}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(
            sequences_take(s, 0, &cases[i].ip, cases[i].listener, &cases[i].q, T0, true, &gap), 1,
            "case %zu is another stream", i);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(
            sequences_take(s, 0, &cases[i].ip, cases[i].listener, &cases[i].q, T0, true, &gap), 0,
            "case %zu is known", i);
    sequences_close(&s, true);
}

static void add_gap(void *context, uint8_t listener, const struct ip *source,
                    const struct sequence_gap *gap)
{
    struct sequence_gap *sum = context;
    cr_expect_eq(listener, LISTENER_TCP);
    cr_expect_eq(source->bytes[0], 10);
    sum->missing += gap->missing;
    sum->repeated += gap->repeated;
}

Test(sequences, what_is_awaited_of_a_silent_stream_is_missing_after_some_seconds)
{
    struct sequence_gap gap, sum = {0};
    struct sequences *s = open_for(2);
    for (unsigned k = 0; k < 500; k++) {
        (void)take(s, 2, k, k, 1, T0, &gap);
        (void)take(s, 2, k, k, 3, T0, &gap);
    }
    for (int i = 0; i < 4; i++)
        for (unsigned lane = 0; lane < 2; lane++)
            sequences_settle(s, lane, T0 + (SEQUENCES_SILENT_SECONDS - 1) * US_PER_SECOND, false,
                             add_gap, &sum);
    cr_expect_eq(sum.missing, 0, "not yet");
    for (int i = 0; i < 4; i++)
        for (unsigned lane = 0; lane < 2; lane++)
            sequences_settle(s, lane, T0 + SEQUENCES_SILENT_SECONDS * US_PER_SECOND, false, add_gap,
                             &sum);
    cr_expect_eq(sum.missing, 500);
    for (int i = 0; i < 4; i++)
        sequences_settle(s, 0, T0 + 60 * US_PER_SECOND, true, add_gap, &sum);
    cr_expect_eq(sum.missing, 500, "once");
    cr_expect_eq(sum.repeated, 0);
    sequences_close(&s, true);
}

Test(sequences, streams_made_up_push_out_one_another_and_not_those_that_go_on)
{
    enum { REAL = 2000 };
    struct sequence_gap gap;
    struct sequences *s = open_for(1);
    for (uint64_t n = 1; n <= 5; n++)
        for (unsigned k = 0; k < REAL; k++)
            (void)take(s, 1, k, 1, n, T0, &gap);
    unsigned refused = 0;
    for (unsigned k = 0; k < 1000000; k++)
        refused += take(s, 1, 100000 + k, 1, k, T0 + US_PER_SECOND, &gap) < 0;
    cr_expect_eq(refused, 0, "there is room for one that is tried");
    for (unsigned k = 0; k < REAL; k++)
        cr_assert_eq(take(s, 1, k, 1, 6, T0 + 2 * US_PER_SECOND, &gap), 0, "stream %u is known", k);
    sequences_close(&s, true);
}

Test(sequences, a_stream_that_may_not_begin_is_not_followed)
{
    struct sequence_gap gap;
    struct sequences *s = open_for(1);
    struct ip ip = sender(1);
    struct sequence q = {SEQUENCE_MARK, 1, 1};
    cr_expect_eq(sequences_take(s, 0, &ip, LISTENER_UDP, &q, T0, false, &gap), -ENOSPC);
    cr_expect_eq(sequences_take(s, 0, &ip, LISTENER_UDP, &q, T0, true, &gap), 1);
    cr_expect_eq(sequences_take(s, 0, &ip, LISTENER_UDP, &q, T0, false, &gap), 0);
    sequences_close(&s, true);
}

/* What is damaged, of another version, or of another boot is begun anew; nothing is read beyond. */
Test(sequences, a_file_that_cannot_be_trusted_is_begun_anew)
{
    static const struct {
        const char *what;
        off_t at;
        const char *bytes;
        size_t n;
        bool is_known; /* the stream, afterwards */
    } cases[] = {
        {"as it was", 0, "AZKSEQN1", 8, true},
        {"another file", 0, "AZKSEQN2", 8, false},
        {"another version", 8, "\2\0\0\0", 4, false},
        {"another layout", 12, "\100\0\0\0", 4, false},
        {"another boot", 16, "\1\2\3\4\5\6\7\0\1\2\3\4\5\6\7\0", 16, false},
        {"cut short", -1, "", 0, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sequence_gap gap;
        (void)unlink(path);
        struct sequences *s = open_for(1);
        (void)take(s, 1, 1, 1, 1, T0, &gap);
        sequences_close(&s, false); /* killed */
        int fd = open(path, O_RDWR);
        cr_assert_geq(fd, 0);
        if (cases[i].at < 0)
            cr_assert_eq(ftruncate(fd, 4096), 0);
        else
            cr_assert_eq(pwrite(fd, cases[i].bytes, cases[i].n, cases[i].at), (ssize_t)cases[i].n);
        close(fd);
        s = open_for(1);
        cr_expect_eq(take(s, 1, 1, 1, 2, T0, &gap), !cases[i].is_known, "%s", cases[i].what);
        sequences_close(&s, true);
    }
}

Test(sequences, a_damaged_entry_is_left_out)
{
    struct sequence_gap gap;
    struct sequences *s = open_for(1);
    (void)take(s, 1, 1, 1, 1, T0, &gap);
    sequences_close(&s, true);
    int fd = open(path, O_RDWR);
    unsigned char all[128];
    cr_assert_geq(fd, 0);
    memset(all, 0xff, sizeof(all));
    for (off_t at = 4096; at < 4096 + 128 * SEQUENCE_STREAMS_MAX; at += 128)
        cr_assert_eq(pwrite(fd, all, sizeof(all), at), (ssize_t)sizeof(all));
    close(fd);
    s = open_for(1);
    cr_expect_eq(take(s, 1, 1, 1, 2, T0, &gap), 1, "begun anew");
    sequences_close(&s, true);
}
