#include "web/metrics.h"

#include <criterion/criterion.h>

static const char *written(struct buf *out, const char *detail)
{
    buf_clear(out);
    metrics_write_detail(out, view_str(detail));
    return buf_str(out);
}

Test(metrics_detail, numbers_have_the_labels_of_their_lists)
{
    struct buf out = BUF_INIT(1 << 20);
    const char *text = written(
        &out, "{\"listeners\":[{\"name\":\"udp\",\"received\":12,\"bound\":[\"x\"],\"error\":null},"
              "{\"name\":\"tls\",\"received\":0,\"bound\":[],\"error\":\"no\"},"
              "{\"name\":\"tcp\",\"received\":3,\"bound\":[],\"error\":null}],"
              "\"stages\":[{\"name\":\"open\",\"bytes\":5}],"
              "\"tls\":{\"failed\":{\"expired\":2,\"cipher\":0}},\"spool\":{\"state\":\"full\","
              "\"bytes\":4294967296},\"connections\":{\"turned_away\":{\"limit\":7}}}");
    static const char *const lines[] = {
        "azekura_listener_messages_total{listener=\"udp\"} 12\n",
        "azekura_listener_messages_total{listener=\"tcp\"} 3\n",
        "azekura_listener_up{listener=\"udp\"} 1\n",
        "azekura_listener_up{listener=\"tls\"} 0\n",
        "azekura_stage_bytes{stage=\"open\"} 5\n",
        "azekura_tls_failed_total{reason=\"expired\"} 2\n",
        "azekura_tls_failed_total{reason=\"cipher\"} 0\n",
        "azekura_connections_turned_away_total{reason=\"limit\"} 7\n",
        "azekura_spool_bytes 4294967296\n",
        "azekura_spool_state{state=\"full\"} 1\n",
        "azekura_spool_state{state=\"idle\"} 0\n",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        cr_expect(strstr(text, lines[i]), "%s is not in\n%s", lines[i], text);
    cr_expect_not(strstr(text, "azekura_listener_up{listener=\"tcp\"}"),
                  "one that should not be open is neither up nor down");
    buf_free(&out);
}

Test(metrics_detail, what_is_no_label_or_number_is_left_out)
{
    static const char *const details[] = {
        "",
        "null",
        "[]",
        "{",
        "{\"listeners\":{\"received\":\"x\"}}",
        "{\"listeners\":[{\"name\":\"a\\\"} 1\\nevil\",\"received\":1}]}",
        "{\"listeners\":[{\"received\":1}, 7, null]}",
        "{\"listeners\":[{\"name\":\"udp\",\"received\":\"many\"}]}",
        "{\"stages\":[{\"name\":\"a_name_that_is_longer_than_any_of_them\",\"units\":1}]}",
        "{\"tls\":{\"failed\":[1,2]}}",
        "{\"tls\":null,\"spool\":[],\"journal\":7}",
    };
    struct buf out = BUF_INIT(1 << 20);
    for (size_t i = 0; i < ARRAY_LEN(details); i++) {
        const char *text = written(&out, details[i]);
        for (const char *line = text; *line; line = strchr(line, '\n') + 1)
            cr_expect_eq(line[0], '#', "%s: %s", details[i], line);
    }
    buf_free(&out);
}

Test(metrics_detail, a_list_has_an_end)
{
    struct buf detail = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);
    buf_add_str(&detail, "{\"tls\":{\"failed\":{");
    for (int i = 0; i < 1000; i++)
        buf_printf(&detail, "%s\"r%d\":1", i > 0 ? "," : "", i);
    buf_add_str(&detail, "}}}");
    const char *text = written(&out, buf_str(&detail));
    int n = 0;
    for (const char *p = text; (p = strstr(p, "azekura_tls_failed_total{")); p++)
        n++;
    cr_expect_eq(n, 64, "%d", n);
    buf_free(&detail);
    buf_free(&out);
}
