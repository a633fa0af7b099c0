#include <criterion/criterion.h>
#include <math.h>

#include "bench/run/stages.h"

static struct target_counters counters(int64_t n)
{
    return (struct target_counters){.kernel_dropped = n,
                                    .received = n,
                                    .stored = n,
                                    .queued = n,
                                    .truncated = n,
                                    .refused = n,
                                    .stored_bytes = n};
}

static struct stages_input input(int64_t sent)
{
    return (struct stages_input){
        .load = {.scheduled = sent, .sent = sent},
        .before = counters(0),
        .after = counters(0),
        .has_counters = true,
        .is_local = true,
        .is_read_back = true,
        .visible = -1,
        .message_bytes = 100,
    };
}

Test(stages, what_is_sent_has_a_place)
{
    static const struct {
        const char *name;
        int64_t sent, dropped, refused, queued, stored, found, duplicated, unsent_bytes,
            unaccounted;
    } cases[] = {
        {"all stored", 1000, 0, 0, 0, 1000, 1000, 0, 0, 0},
        {"the kernel dropped some", 1000, 30, 0, 0, 970, 970, 0, 0, 0},
        {"some were refused", 1000, 0, 7, 0, 993, 993, 0, 0, 0},
        {"some wait", 1000, 0, 0, 9, 991, 991, 0, 0, 0},
        {"some are stored twice", 1000, 0, 0, 0, 1010, 1000, 10, 0, 0},
        {"lost and doubled", 1000, 20, 0, 0, 990, 980, 10, 0, 0},
        {"on the way", 1000, 0, 0, 0, 998, 998, 0, 150, 0},
        {"nobody knows where", 1000, 0, 0, 0, 995, 995, 0, 0, 5},
        {"counted as stored, not found", 1000, 0, 0, 0, 1000, 990, 0, 0, 0},
        {"stored more than was sent", 1000, 0, 0, 0, 1003, 1000, 0, 0, -3},
        {"nothing", 0, 0, 0, 0, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct stages_input in = input(cases[i].sent);
        struct stages s;
        in.before = counters(5);
        in.after.kernel_dropped = 5 + cases[i].dropped;
        in.after.received = in.after.truncated = 5;
        in.after.refused = 5 + cases[i].refused;
        in.after.queued = cases[i].queued;
        in.after.stored = 5 + cases[i].stored;
        in.sequence =
            (struct tally_result){.found = cases[i].found, .duplicated = cases[i].duplicated};
        in.load.unsent_bytes = cases[i].unsent_bytes;
        stages_close(&in, &s);
        cr_expect_eq(s.unaccounted, cases[i].unaccounted, "%s: %lld", cases[i].name,
                     (long long)s.unaccounted);
        cr_expect_eq(s.sent + cases[i].duplicated,
                     s.nic_dropped + s.kernel_dropped + s.refused + s.queued + s.stored +
                         s.in_flight + s.unaccounted,
                     "%s", cases[i].name);
        cr_expect_eq(stages_lost(&in), cases[i].sent - cases[i].found, "%s", cases[i].name);
    }
}

Test(stages, what_a_box_in_service_dropped_of_others_is_no_loss_of_the_benchmark)
{
    static const struct {
        const char *name;
        bool is_shared;
        int64_t sent, dropped, stored, own, others, unaccounted;
    } cases[] = {
        {"all drops are of others", true, 1000, 40, 1000, 0, 40, 0},
        {"some of each", true, 1000, 40, 970, 30, 10, 0},
        {"all drops are ours", true, 1000, 40, 960, 40, 0, 0},
        {"none", true, 1000, 0, 1000, 0, 0, 0},
        {"stored more than was sent", true, 1000, 2, 1005, 0, 2, -5},
        {"more is missing than was dropped", true, 1000, 40, 950, 40, 0, 10},
        {"nobody else sends there", false, 1000, 40, 1000, 40, -1, -40},
        {"no counter", true, 1000, -1, 1000, -1, -1, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct stages_input in = input(1000);
        struct stages s;
        in.is_shared = cases[i].is_shared;
        in.after.kernel_dropped = cases[i].dropped;
        in.after.stored = cases[i].stored;
        in.sequence = (struct tally_result){.found = cases[i].stored};
        stages_close(&in, &s);
        cr_expect_eq(s.kernel_dropped, cases[i].own, "%s: %lld", cases[i].name,
                     (long long)s.kernel_dropped);
        cr_expect_eq(s.others_dropped, cases[i].others, "%s: %lld", cases[i].name,
                     (long long)s.others_dropped);
        cr_expect_eq(s.unaccounted, cases[i].unaccounted, "%s: %lld", cases[i].name,
                     (long long)s.unaccounted);
    }
}

Test(stages, without_counters_what_was_read_back_is_what_is_stored)
{
    struct stages_input in = input(1000);
    struct stages s;
    in.has_counters = false;
    in.sequence = (struct tally_result){.found = 990, .duplicated = 2};
    stages_close(&in, &s);
    cr_expect_eq(s.stored, 992);
    cr_expect_eq(s.kernel_dropped, -1);
    cr_expect_eq(s.received, -1);
    cr_expect_eq(s.unaccounted, 10);
}

Test(stages, a_counter_that_cannot_tell_is_unknown_and_not_nothing)
{
    struct stages_input in = input(1000);
    struct stages s;
    in.before.refused = in.after.refused = -1;
    in.before.received = -1;
    in.after.stored = 1000;
    in.sequence.found = 1000;
    stages_close(&in, &s);
    cr_expect_eq(s.refused, -1);
    cr_expect_eq(s.received, -1);
    cr_expect_eq(s.unaccounted, 0);
}

Test(stages, drops_of_the_whole_machine_explain_no_more_than_is_missing)
{
    struct stages_input in = input(1000);
    struct stages s;
    in.after.stored = in.sequence.found = 996;
    in.look_after = (struct sample_look){.softnet_dropped = 3, .udp_no_ports = 500};
    stages_close(&in, &s);
    cr_expect_eq(s.nic_dropped, 3);
    cr_expect_eq(s.unaccounted, 1);
    in.has_no_ports = true;
    stages_close(&in, &s);
    cr_expect_eq(s.nic_dropped, 4, "a closed port explains the rest when the target was killed");
    cr_expect_eq(s.unaccounted, 0);
    in.is_local = false;
    stages_close(&in, &s);
    cr_expect_eq(s.nic_dropped, -1);
    cr_expect_eq(s.unaccounted, 4);
}

Test(stages, reasons_are_those_of_the_trial)
{
    struct stages_input in = input(10);
    struct stages s;
    in.before.reasons[0].n = 4;
    snprintf(in.before.reasons[0].reason, 32, "oversize");
    in.before.reasons_n = 1;
    in.after.reasons[0].n = 2;
    snprintf(in.after.reasons[0].reason, 32, "bad_frame");
    in.after.reasons[1].n = 7;
    snprintf(in.after.reasons[1].reason, 32, "oversize");
    in.after.reasons_n = 2;
    stages_close(&in, &s);
    cr_assert_eq(s.reasons_n, 2);
    cr_expect_str_eq(s.reason_names[0], "bad_frame");
    cr_expect_eq(s.reasons[0], 2);
    cr_expect_eq(s.reasons[1], 3);
}

Test(stages, a_trial_is_not_to_be_believed_for_a_reason_that_is_said)
{
    static const struct stages_validity good = {.cores = 2,
                                                .rate = 1000,
                                                .sent_rate = 999,
                                                .foreign_percent = 9.9,
                                                .steal_percent = 3.9,
                                                .is_complete = true};
    struct stages_validity v;
    struct stages_reason why;
    cr_expect(stages_is_valid(&good, &why), "%s", why.en);
#define REFUSED(change, word)                             \
    v = good;                                             \
    change;                                               \
    cr_expect_not(stages_is_valid(&v, &why), "%s", word); \
    cr_expect(why.ja[0] && strstr(why.en, word), "%s: %s", word, why.en)
    REFUSED(v.is_complete = false, "stopped");
    REFUSED(v.foreign_percent = 10.1, "other programs");
    REFUSED(v.cores = 1, "other programs");
    REFUSED(v.steal_percent = 4.1, "virtual machine");
    cr_expect_not(why.is_generator);
    REFUSED(v.sent_rate = 989, "reached 989 messages/s in place of 1000");
    cr_expect(why.is_generator);
#define ACCEPTED(change) \
    v = good;            \
    change;              \
    cr_expect(stages_is_valid(&v, &why), "%s", why.en)
    ACCEPTED(v.foreign_percent = NAN);
    ACCEPTED(v.steal_percent = NAN);
    ACCEPTED((v.rate = 0, v.sent_rate = 5));
    /* a target that holds its senders back is measured by that */
    ACCEPTED((v.sent_rate = 500, v.blocked_percent = 40));
}
