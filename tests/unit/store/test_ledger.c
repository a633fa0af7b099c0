#include <criterion/criterion.h>

#include "store/ledger.h"

Test(ledger, every_reason_counts_as_refused_and_balances)
{
    for (enum reason r = 0; r < REASON_COUNT; r++) {
        struct ledger_counts c = {.arrived = 10, .stored = 7};
        cr_expect(!ledger_is_balanced(&c));
        c.refused[r] = 3;
        cr_expect(ledger_refused(&c) == 3 && ledger_is_balanced(&c), "%s", reason_name(r));
    }
}

Test(ledger, counts_add_up)
{
    struct ledger_counts a = {.arrived = 1, .stored = 2, .bytes = 3, .truncated = 4}, b = a;
    a.refused[REASON_CRASH] = 5;
    ledger_add(&b, &a);
    cr_expect(b.arrived == 2 && b.stored == 4 && b.bytes == 6 && b.truncated == 8);
    cr_expect(b.refused[REASON_CRASH] == 5 && b.refused[REASON_OVERSIZE] == 0);
}

Test(ledger, a_receiver_balances_with_what_is_queued)
{
    struct ledger_receiver r = {.arrived = 10, .stored = 5, .refused = 2, .queued = 3};
    cr_expect(ledger_receiver_is_balanced(&r));
    r.queued = 2;
    cr_expect(!ledger_receiver_is_balanced(&r));
}
