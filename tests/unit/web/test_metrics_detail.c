#include "web/metrics.h"

#include <criterion/criterion.h>

static const char *written(struct buf *out, const char *detail)
{
    buf_clear(out);
    metrics_write_detail(out, view_str(detail), true);
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

/* As Prometheus wants it: a family has one HELP, one TYPE and its samples behind them, and no
 * sample is there twice. */
Test(metrics_detail, each_family_and_each_sample_is_there_once)
{
    static const char detail[] =
        "{\"listeners\":[{\"name\":\"udp\",\"received\":1,\"bytes\":2,\"connections\":3,"
        "\"buffer_bytes\":4,\"buffer_used\":5,\"kernel_dropped\":6,\"flood_dropped\":7,"
        "\"flooding_sources\":8,\"bound\":[\"x\"],\"error\":null}],"
        "\"stages\":[{\"name\":\"open\",\"units\":1,\"messages\":2,\"bytes\":5,\"limit_bytes\":9}],"
        "\"tls\":{\"handshakes\":1,\"resumed\":1,\"open\":1,\"half_open\":1,\"failed\":{"
        "\"expired\":2}},"
        "\"spool\":{\"state\":\"full\",\"bytes\":1,\"max_bytes\":2,\"units\":3,\"messages\":4}}";
    struct buf out = BUF_INIT(1 << 20);
    char *text = xstrdup(written(&out, detail)), *save = NULL;
    const char *family = "";
    char seen[65536] = "\n", wanted[300];
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        bool is_help = strncmp(line, "# HELP ", 7) == 0, is_type = strncmp(line, "# TYPE ", 7) == 0;
        const char *name = line + (is_help || is_type ? 7 : 0);
        size_t n = strcspn(name, is_help || is_type ? " " : "{ ");
        size_t key = is_help || is_type ? n + (size_t)(name - line) : strcspn(line, " ");
        snprintf(wanted, sizeof(wanted), "\n%.*s\n", (int)key, line);
        cr_expect_null(strstr(seen, wanted), "%s is there twice", line);
        strncat(seen, wanted + 1, sizeof(seen) - strlen(seen) - 1);
        if (is_help)
            family = name;
        cr_expect(strncmp(family, name, n) == 0 && family[n] == ' ', "%s is not behind its HELP",
                  line);
    }
    free(text);
    buf_free(&out);
}

Test(metrics_detail, of_a_receiver_that_does_not_run_nothing_is_up)
{
    struct buf out = BUF_INIT(1 << 20);
    metrics_write_detail(&out,
                         VIEW("{\"listeners\":[{\"name\":\"udp\",\"received\":12,\"bound\":[\"x\"],"
                              "\"error\":null}],\"spool\":{\"state\":\"idle\",\"bytes\":1}}"),
                         false);
    cr_expect_str_eq(buf_str(&out),
                     "# HELP azekura_listener_up A listener is open at all its addresses.\n"
                     "# TYPE azekura_listener_up gauge\nazekura_listener_up{listener=\"udp\"} 0\n");
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
