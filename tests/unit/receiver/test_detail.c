/* The receiver's numbers as JSON: what the database is sent. */
#include <criterion/criterion.h>

#include "receiver/detail.h"

static struct detail d;
static struct buf out = BUF_INIT(DETAIL_MAX_BYTES);

static void set_up(void)
{
    memset(&d, 0, sizeof(d));
    d.spool.oldest_at_us = TIME_NONE;
}

static void tear_down(void)
{
    buf_free(&out);
}

TestSuite(detail, .init = set_up, .fini = tear_down);

static const char *format(void)
{
    buf_clear(&out);
    cr_assert_eq(detail_format(&d, &out), 0);
    return buf_str(&out);
}

static void expect(const char *part)
{
    cr_expect_not_null(strstr(format(), part), "%s\nis not in\n%s", part, buf_str(&out));
}

Test(detail, a_listener_says_what_is_wanted_what_is_and_why_not)
{
    struct listening_state *udp = &d.listening[LISTENER_UDP];
    snprintf(udp->wanted, sizeof(udp->wanted), "0.0.0.0:514,[::1]:514");
    snprintf(udp->error, sizeof(udp->error), "a \"quoted\" \\ reason\n");
    udp->bound[0] = (struct address){{4, {192, 0, 2, 1}}, 514};
    udp->bound[1] = (struct address){{6, {[15] = 1}}, 514};
    udp->bound_n = 2;
    d.counts.intake.received[LISTENER_UDP] = 7;
    d.counts.intake.received_bytes[LISTENER_UDP] = UINT64_MAX;
    d.counts.datagrams.buffer_bytes = 100;
    d.counts.datagrams.kernel_dropped = 3;
    d.counts.datagrams.kernel_dropped_flooded = 1;
    d.counts.datagrams.flooding_sources = 2;
    expect("{\"name\":\"udp\",\"wanted\":\"0.0.0.0:514,[::1]:514\","
           "\"bound\":[\"192.0.2.1:514\",\"[::1]:514\"],"
           "\"error\":\"a \\\"quoted\\\" \\\\ reason\\u000a\",\"received\":7,"
           "\"bytes\":18446744073709551615,\"connections\":null,\"buffer_bytes\":100,"
           "\"buffer_used\":0,\"kernel_dropped\":3,\"flood_dropped\":1,\"flooding_sources\":2}");
    expect(
        "{\"name\":\"tls\",\"wanted\":\"\",\"bound\":[],\"error\":null,\"received\":0,\"bytes\":0,"
        "\"connections\":0,\"buffer_bytes\":null,\"buffer_used\":null,\"kernel_dropped\":0,\"flood_"
        "dropped\":0,"
        "\"flooding_sources\":0}");
}

Test(detail, stages_stand_in_the_order_of_a_units_way)
{
    d.counts.intake.open_units = 1;
    d.counts.intake.open_messages = 2;
    d.counts.intake.open_bytes = 3;
    d.open_limit_bytes = 4;
    d.packing_units = 5;
    d.writing_messages = 6;
    d.spool.units = 7;
    d.spool.max_bytes = 8;
    expect(
        "\"stages\":[{\"name\":\"open\",\"units\":1,\"messages\":2,\"bytes\":3,\"limit_bytes\":4},"
        "{\"name\":\"pack\",\"units\":5,\"messages\":0,\"bytes\":0,\"limit_bytes\":0},"
        "{\"name\":\"write\",\"units\":0,\"messages\":6,\"bytes\":0,\"limit_bytes\":0},"
        "{\"name\":\"spool\",\"units\":7,\"messages\":0,\"bytes\":0,\"limit_bytes\":8}]");
}

Test(detail, the_oldest_of_an_empty_spool_is_null)
{
    expect("\"units\":0,\"messages\":0,\"oldest_at\":null,\"torn\":0,\"aside\":0}");
    d.spool.oldest_at_us = INT64_C(1790000000) * US_PER_SECOND;
    expect("\"oldest_at\":\"2026-09-21T");
}

Test(detail, every_failure_of_a_handshake_has_its_member)
{
    for (int i = 0; i < TLS_FAIL_COUNT; i++)
        d.counts.streams.tls_failed[i] = (uint64_t)i + 100;
    for (int i = 0; i < TLS_FAIL_COUNT; i++) {
        char part[64];
        snprintf(part, sizeof(part), "\"%s\":%d", tls_failure_name((enum tls_failure)i), i + 100);
        expect(part);
    }
}

Test(detail, the_longest_possible_document_fits)
{
    memset(&d.counts, 0xff, sizeof(d.counts));
    for (int k = 0; k < LISTENER_COUNT; k++) {
        struct listening_state *l = &d.listening[k];
        memset(l->wanted, '\x01', sizeof(l->wanted) - 1);
        memset(l->error, '\x01', sizeof(l->error) - 1);
        l->bound_n = LISTENING_MAX;
        for (int i = 0; i < LISTENING_MAX; i++)
            l->bound[i] =
                (struct address){{6, {0x20, 1, 0xd, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, 65535};
    }
    cr_expect_lt(strlen(format()), DETAIL_MAX_BYTES);
}

Test(detail, what_the_machine_dropped_may_not_be_known)
{
    d.drops = (struct machine_drops){.softnet = 3, .udp_buffers = -1, .udp_damaged = 0};
    expect("\"machine\":{\"softnet_dropped\":3,\"udp_buffers_full\":null,\"udp_damaged\":0}}");
}
