#include <criterion/criterion.h>

#include "web/news.h"

#define T INT64_C(1000000)

Test(news, of_many_who_wait_one_asks)
{
    struct news n;
    int64_t stored = -1;
    news_init(&n);
    cr_expect_eq(news_look(&n, T, &stored), NEWS_ASK);
    cr_expect_eq(news_look(&n, T, &stored), NEWS_UNKNOWN, "the first answer is not there yet");
    news_tell(&n, T, 0, 7);
    cr_expect_eq(news_look(&n, T + NEWS_FRESH_US - 1, &stored), NEWS_KNOWN);
    cr_expect_eq(stored, 7);
    cr_expect_eq(news_look(&n, T + NEWS_FRESH_US, &stored), NEWS_ASK);
    cr_expect_eq(news_look(&n, T + 10 * NEWS_FRESH_US, &stored), NEWS_KNOWN,
                 "a slow answer holds nobody up");
    cr_expect_eq(stored, 7);
    news_tell(&n, T + NEWS_FRESH_US, 0, 9);
    cr_expect_eq(news_look(&n, T + NEWS_FRESH_US + 1, &stored), NEWS_KNOWN);
    cr_expect_eq(stored, 9);
    news_done(&n);
}

Test(news, an_answer_is_as_old_as_its_question)
{
    struct news n;
    int64_t stored;
    news_init(&n);
    cr_expect_eq(news_look(&n, T, &stored), NEWS_ASK);
    news_tell(&n, T, 0, 7); /* at T + NEWS_FRESH_US, say */
    cr_expect_eq(news_look(&n, T + NEWS_FRESH_US, &stored), NEWS_ASK);
    news_done(&n);
}

Test(news, without_an_answer_nothing_is_known_and_the_next_asks)
{
    struct news n;
    int64_t stored;
    news_init(&n);
    cr_expect_eq(news_look(&n, T, &stored), NEWS_ASK);
    news_tell(&n, T, 0, 7);
    cr_expect_eq(news_look(&n, T + NEWS_FRESH_US, &stored), NEWS_ASK);
    news_tell(&n, T + NEWS_FRESH_US, -1, 0);
    cr_expect_eq(news_look(&n, T + NEWS_FRESH_US + 1, &stored), NEWS_ASK);
    cr_expect_eq(news_look(&n, T + NEWS_FRESH_US + 1, &stored), NEWS_UNKNOWN);
    news_done(&n);
}
