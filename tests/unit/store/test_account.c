#include <criterion/criterion.h>

#include "store/account.h"

Test(account, after_five_failures_each_wait_is_twice_the_last_up_to_a_minute)
{
    static const int waits[] = {0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60};
    for (size_t i = 0; i < ARRAY_LEN(waits); i++)
        cr_expect(account_login_wait_s((int)i) == waits[i], "%zu failures: %d s", i,
                  account_login_wait_s((int)i));
    cr_expect(account_login_wait_s(INT32_MAX) == 60);
}
