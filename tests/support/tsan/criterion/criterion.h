/* What the unit tests use of Criterion, for builds with ThreadSanitizer alone: Criterion shares its
 * arena between processes at a fixed address, and does not start where ThreadSanitizer has mapped
 * its shadow.  The words are Criterion's, so that a test does not know which of the two runs it;
 * a word that is missing here does not compile.
 *
 * Each test runs in a process of its own (runner.c).  A failed assertion is counted in memory that
 * this process shares with the runner: one in a thread or in a process that the test forked fails
 * the test too.
 */
#ifndef AZEKURA_TESTS_TSAN_CRITERION_H
#define AZEKURA_TESTS_TSAN_CRITERION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cr_options {
    void (*init)(void); /* the suite's runs before the test's, .fini the other way round */
    void (*fini)(void);
    double timeout; /* seconds; 0: CR_TIMEOUT_S */
    int signal;     /* the test must die by it; 0: it must not die */
    int exit_code;  /* the status the test must exit with */
    bool disabled;
    const char *description;
};

/* One Test() or TestSuite() (run is NULL then); static, linked by its constructor. */
struct cr_entry {
    const char *suite, *name, *file;
    int line;
    void (*run)(void);
    struct cr_options options;
    struct cr_entry *next;
};

void cr_register(struct cr_entry *e);

/* Count and print a failed assertion.  With `is_fatal` the test ends here: does not return.
 * `format` starts with a space that is no part of the message (it makes the message optional). */
void cr_failed(const char *file, int line, bool is_fatal, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Say why and end the test, which passes.  In its own thread and process alone. */
void cr_skipped(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

void cr_log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cr_log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define CR_REGISTERED(Entry, ...)                                   \
    static struct cr_entry Entry = {__VA_ARGS__};                   \
    __attribute__((constructor)) static void Entry##_register(void) \
    {                                                               \
        cr_register(&Entry);                                        \
    }

#define Test(Suite, Name, ...)                                                             \
    static void Suite##_##Name##_run(void);                                                \
    CR_REGISTERED(Suite##_##Name##_test, .suite = #Suite, .name = #Name, .file = __FILE__, \
                  .line = __LINE__, .run = Suite##_##Name##_run, .options = {__VA_ARGS__}) \
    static void Suite##_##Name##_run(void)

#define TestSuite(Suite, ...)                                                         \
    CR_REGISTERED(Suite##_suite, .suite = #Suite, .file = __FILE__, .line = __LINE__, \
                  .options = {__VA_ARGS__})                                           \
    struct cr_entry

#define CR_CHECK(IsFatal, Holds, What, ...)                                \
    do {                                                                   \
        if (!(Holds))                                                      \
            cr_failed(__FILE__, __LINE__, IsFatal, What, " " __VA_ARGS__); \
    } while (0)
#define CR_TRUE(F, A, ...) CR_CHECK(F, A, "The expression " #A " is false.", __VA_ARGS__)
#define CR_FALSE(F, A, ...) CR_CHECK(F, !(A), "The expression " #A " is true.", __VA_ARGS__)
#define CR_COMPARED(F, A, Op, B, ...) \
    CR_CHECK(F, (A)Op(B), "The expression (" #A ") " #Op " (" #B ") is false.", __VA_ARGS__)
#define CR_NULL(F, A, ...) CR_CHECK(F, (A) == NULL, #A " is not null.", __VA_ARGS__)
#define CR_NOT_NULL(F, A, ...) CR_CHECK(F, (A) != NULL, #A " is null.", __VA_ARGS__)
#define CR_STR(F, A, Op, B, ...)       \
    CR_CHECK(F, strcmp((A), (B)) Op 0, \
             "The expression (as strings) (" #A ") " #Op " (" #B ") is false.", __VA_ARGS__)
#define CR_STR_EMPTY(F, A, ...) CR_CHECK(F, (A) && !*(A), #A " is not empty.", __VA_ARGS__)
#define CR_STR_NOT_EMPTY(F, A, ...) CR_CHECK(F, (A) && *(A), #A " is empty.", __VA_ARGS__)
#define CR_ARR(F, A, Op, B, Size, ...)         \
    CR_CHECK(F, memcmp((A), (B), (Size)) Op 0, \
             "The expression (as arrays) (" #A ") " #Op " (" #B ") is false.", __VA_ARGS__)

/* not within it when either is not a number */
static inline bool cr_is_within(double a, double b, double epsilon)
{
    return a - b <= epsilon && b - a <= epsilon;
}
#define CR_FLOAT(F, A, B, Epsilon, ...)      \
    CR_CHECK(F, cr_is_within(A, B, Epsilon), \
             "(" #A ") and (" #B ") differ by more than " #Epsilon, __VA_ARGS__)

#define cr_skip(...) cr_skipped("" __VA_ARGS__)
#define cr_skip_test(...) cr_skip(__VA_ARGS__)
#define cr_assert_fail(...) CR_CHECK(true, false, "The test was told to fail.", __VA_ARGS__)
#define cr_assert(A, ...) CR_TRUE(true, A, __VA_ARGS__)
#define cr_expect(A, ...) CR_TRUE(false, A, __VA_ARGS__)
#define cr_assert_not(A, ...) CR_FALSE(true, A, __VA_ARGS__)
#define cr_expect_not(A, ...) CR_FALSE(false, A, __VA_ARGS__)
#define cr_assert_eq(A, B, ...) CR_COMPARED(true, A, ==, B, __VA_ARGS__)
#define cr_expect_eq(A, B, ...) CR_COMPARED(false, A, ==, B, __VA_ARGS__)
#define cr_assert_neq(A, B, ...) CR_COMPARED(true, A, !=, B, __VA_ARGS__)
#define cr_expect_neq(A, B, ...) CR_COMPARED(false, A, !=, B, __VA_ARGS__)
#define cr_assert_lt(A, B, ...) CR_COMPARED(true, A, <, B, __VA_ARGS__)
#define cr_expect_lt(A, B, ...) CR_COMPARED(false, A, <, B, __VA_ARGS__)
#define cr_assert_leq(A, B, ...) CR_COMPARED(true, A, <=, B, __VA_ARGS__)
#define cr_expect_leq(A, B, ...) CR_COMPARED(false, A, <=, B, __VA_ARGS__)
#define cr_assert_gt(A, B, ...) CR_COMPARED(true, A, >, B, __VA_ARGS__)
#define cr_expect_gt(A, B, ...) CR_COMPARED(false, A, >, B, __VA_ARGS__)
#define cr_assert_geq(A, B, ...) CR_COMPARED(true, A, >=, B, __VA_ARGS__)
#define cr_expect_geq(A, B, ...) CR_COMPARED(false, A, >=, B, __VA_ARGS__)
#define cr_assert_null(A, ...) CR_NULL(true, A, __VA_ARGS__)
#define cr_expect_null(A, ...) CR_NULL(false, A, __VA_ARGS__)
#define cr_assert_not_null(A, ...) CR_NOT_NULL(true, A, __VA_ARGS__)
#define cr_expect_not_null(A, ...) CR_NOT_NULL(false, A, __VA_ARGS__)
#define cr_assert_str_eq(A, B, ...) CR_STR(true, A, ==, B, __VA_ARGS__)
#define cr_expect_str_eq(A, B, ...) CR_STR(false, A, ==, B, __VA_ARGS__)
#define cr_assert_str_neq(A, B, ...) CR_STR(true, A, !=, B, __VA_ARGS__)
#define cr_expect_str_neq(A, B, ...) CR_STR(false, A, !=, B, __VA_ARGS__)
#define cr_assert_str_empty(A, ...) CR_STR_EMPTY(true, A, __VA_ARGS__)
#define cr_expect_str_empty(A, ...) CR_STR_EMPTY(false, A, __VA_ARGS__)
#define cr_assert_str_not_empty(A, ...) CR_STR_NOT_EMPTY(true, A, __VA_ARGS__)
#define cr_expect_str_not_empty(A, ...) CR_STR_NOT_EMPTY(false, A, __VA_ARGS__)
#define cr_assert_arr_eq(A, B, Size, ...) CR_ARR(true, A, ==, B, Size, __VA_ARGS__)
#define cr_expect_arr_eq(A, B, Size, ...) CR_ARR(false, A, ==, B, Size, __VA_ARGS__)
#define cr_assert_float_eq(A, B, Epsilon, ...) CR_FLOAT(true, A, B, Epsilon, __VA_ARGS__)
#define cr_expect_float_eq(A, B, Epsilon, ...) CR_FLOAT(false, A, B, Epsilon, __VA_ARGS__)

#endif
