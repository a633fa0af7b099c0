/* Certificates seen, on their way to the database. */
#include <criterion/criterion.h>

#include "receiver/tls_senders.h"

static struct tls_senders senders;

static void note(unsigned source, unsigned fingerprint, int64_t at)
{
    struct ip ip = {.family = 4, .bytes = {10, 0, (uint8_t)(source >> 8), (uint8_t)source}};
    struct tls_peer peer = {.name = "fw1.example.net"};
    (void)snprintf(peer.fingerprint, sizeof(peer.fingerprint), "%064x", fingerprint);
    tls_senders_note(&senders, &ip, &peer, at);
}

Test(tls_senders, connections_of_one_certificate_and_address_are_one_entry)
{
    struct tls_sender got[4];
    uint64_t left_out = 9;
    tls_senders_init(&senders);
    note(1, 1, 100);
    note(1, 1, 300);
    note(1, 2, 200);
    note(2, 1, 200);
    cr_expect_eq(tls_senders_take(&senders, got, 4, &left_out), 3);
    cr_expect_eq(left_out, 0);
    cr_expect_eq(got[0].connections, 2);
    cr_expect_eq(got[0].first_at_us, 100);
    cr_expect_eq(got[0].last_at_us, 300);
    cr_expect_eq(tls_senders_take(&senders, got, 4, &left_out), 0);
    tls_senders_done(&senders);
}

Test(tls_senders, what_the_database_did_not_take_is_merged_with_what_came_meanwhile)
{
    struct tls_sender got[2];
    uint64_t left_out;
    tls_senders_init(&senders);
    note(1, 1, 100);
    cr_assert_eq(tls_senders_take(&senders, got, 1, &left_out), 1);
    note(1, 1, 500);
    tls_senders_give_back(&senders, got, 1);
    cr_assert_eq(tls_senders_take(&senders, got, 2, &left_out), 1);
    cr_expect_eq(got[0].connections, 2);
    cr_expect_eq(got[0].first_at_us, 100);
    cr_expect_eq(got[0].last_at_us, 500);
    tls_senders_done(&senders);
}

Test(tls_senders, more_than_there_is_room_for_is_counted)
{
    static struct tls_sender got[TLS_SENDERS_MAX];
    uint64_t left_out;
    tls_senders_init(&senders);
    for (unsigned i = 0; i < TLS_SENDERS_MAX + 5; i++)
        note(i, 1, 100);
    cr_expect_eq(tls_senders_take(&senders, got, 10, &left_out), 10);
    cr_expect_eq(left_out, 5);
    cr_expect_eq(tls_senders_take(&senders, got, TLS_SENDERS_MAX, &left_out), TLS_SENDERS_MAX - 10);
    cr_expect_eq(left_out, 0);
    tls_senders_done(&senders);
}
