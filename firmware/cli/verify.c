/* `azekura verify` */
#include "store/verify.h"

#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/when.h"

#define REDRAW_US (US_PER_SECOND / 5)

struct progress {
    const struct zone *zone;
    bool is_terminal;
    int64_t drawn_mono_us;
};

static void show(void *context, const struct verify_step *s)
{
    struct progress *p = context;
    int64_t now = clock_mono_us();
    if (s->fault) {
        char at[WHEN_MAX];
        when_format(s->first_at_us, p->zone, at);
        if (p->is_terminal)
            fputs("\r\033[K", stderr);
        printf("damaged: block of %s in %s: %s\n", at, s->partition, s->fault);
    }
    if (p->is_terminal && (s->done == s->total || now - p->drawn_mono_us >= REDRAW_US)) {
        char done[TEXT_NUMBER_MAX], total[TEXT_NUMBER_MAX], messages[TEXT_NUMBER_MAX];
        fprintf(stderr, "\r%s of %s blocks (%lld %%), %s messages\033[K",
                text_number(s->done, done), text_number(s->total, total),
                (long long)(s->done * 100 / s->total), text_number(s->messages, messages));
        p->drawn_mono_us = now;
    }
}

int cli_verify(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *from = NULL, *to = NULL;
    const struct option_spec specs[] = {{"from", &from, NULL}, {"to", &to, NULL}};
    int64_t from_us, to_us;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc > 0)
        return cli_usage("verify: unexpected argument \"%s\"", argv[1]);
    if (rc == 0)
        rc = cli_connect(cli, "azekura", &err);
    if (rc == 0)
        rc = cli_range(cli, from, to, &from_us, &to_us, &err);
    struct progress p = {.is_terminal = isatty(STDERR_FILENO)};
    struct verify_result r;
    if (rc == 0) {
        p.zone = cli_zone(cli);
        rc = verify_blocks(cli->db, from_us, to_us, show, &p, &r, &err);
    }
    if (p.is_terminal)
        fputs("\r\033[K", stderr);
    if (rc < 0)
        return cli_fail(rc, &err);
    char blocks[TEXT_NUMBER_MAX], messages[TEXT_NUMBER_MAX], damaged[TEXT_NUMBER_MAX];
    printf("checked %s blocks with %s messages: %s\n", text_number(r.blocks, blocks),
           text_number(r.messages, messages), r.damaged == 0 ? "all sound" : "");
    if (r.damaged > 0)
        printf("%s damaged\n", text_number(r.damaged, damaged));
    if (r.gone > 0)
        printf("%lld were merged or deleted meanwhile and not looked at\n", (long long)r.gone);
    return r.damaged > 0 ? CLI_NOTHING : CLI_OK;
}
