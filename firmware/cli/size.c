/* `azekura size`: which storage for which logs.  Arithmetic alone: neither box nor database. */
#include "store/sizing.h"

#include <math.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/quantity.h"
#include "cli/text.h"

#define MESSAGE_BYTES_DEFAULT 200
#define DAYS_DEFAULT 365

static const char *bytes_of(double n, char out[TEXT_NUMBER_MAX])
{
    return text_bytes(n < 9e18 ? (int64_t)(n + 0.5) : INT64_MAX, out);
}

static void print_need(const struct sizing_input *in, const struct sizing *s, double stored)
{
    char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];
    double by_share = s->month_bytes / in->share_percent * 100;
    double by_days = in->keep_days * s->day_bytes / in->high_water_percent * 100;
    printf("a day           %10s   %.10g messages/s × 86,400 s × %.4g bytes stored\n",
           bytes_of(s->day_bytes, a), in->rate, stored);
    printf("a month         %10s   a day × 30.44\n", bytes_of(s->month_bytes, a));
    if (in->keep_days <= 0) {
        printf("storage needed  %10s   a month / %.4g %%\n", bytes_of(by_share, a),
               in->share_percent);
        return;
    }
    printf("storage needed  %10s   the larger of\n", bytes_of(s->storage_needed_bytes, a));
    printf("                             %10s   a month / %.4g %%\n", bytes_of(by_share, a),
           in->share_percent);
    printf("                             %10s   %.6g days × a day / %.4g %%\n",
           bytes_of(by_days, b), in->keep_days, in->high_water_percent);
}

static void print_storage(const struct sizing_input *in, const struct sizing *s)
{
    char a[TEXT_NUMBER_MAX];
    printf("with            %10s   %.*f days of history", bytes_of(in->storage_bytes, a),
           s->history_days < 10 ? 1 : 0, s->history_days);
    if (in->keep_days > 0)
        printf(" of %.6g wanted", in->keep_days);
    printf("; a month takes %.1f %% of it, %s %.4g %%\n", s->month_share_percent,
           s->month_share_percent <= in->share_percent ? "within" : "over", in->share_percent);
}

static void print_basis(const struct sizing_input *in, double stored)
{
    if (in->stored_bytes > 0)
        return;
    printf("\n%.4g bytes stored of %.6g received: a quarter, which ordinary devices' messages stay "
           "below.\nA box that runs tells its own figures: console, page Retention.\n",
           stored, in->message_bytes);
}

static int read_figures(const char *const *texts, struct sizing_input *in, struct err *err)
{
    const struct {
        const char *option;
        double *value;
        int (*read)(struct view text, double *ret, struct err *err);
    } figures[] = {
        {"--rate", &in->rate, quantity_number},
        {"--bytes", &in->message_bytes, quantity_bytes},
        {"--stored-bytes", &in->stored_bytes, quantity_bytes},
        {"--days", &in->keep_days, quantity_number},
        {"--storage", &in->storage_bytes, quantity_bytes},
        {"--share", &in->share_percent, quantity_percent},
        {"--high-water", &in->high_water_percent, quantity_percent},
    };
    for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
        if (!texts[i])
            continue;
        int rc = figures[i].read(view_str(texts[i]), figures[i].value, err);
        if (rc < 0) {
            err_prefix(err, "%s: ", figures[i].option);
            return rc;
        }
    }
    return sizing_check(in, err);
}

int cli_size(struct cli *cli, int argc, char **argv)
{
    struct err err;
    const char *texts[7] = {NULL};
    const struct option_spec specs[] = {
        {"rate", &texts[0], NULL},         {"bytes", &texts[1], NULL},
        {"stored-bytes", &texts[2], NULL}, {"days", &texts[3], NULL},
        {"storage", &texts[4], NULL},      {"share", &texts[5], NULL},
        {"high-water", &texts[6], NULL},
    };
    struct sizing_input in = {.message_bytes = MESSAGE_BYTES_DEFAULT,
                              .keep_days = DAYS_DEFAULT,
                              .share_percent = (double)cli->config.month_share_percent,
                              .high_water_percent = (double)cli->config.high_water_percent};
    struct sizing s;
    int rc = options_parse(argc, argv, specs, ARRAY_LEN(specs), &err);
    if (rc > 0)
        return cli_usage("size: unexpected argument \"%s\"", argv[1]);
    if (rc == 0 && !texts[0])
        return cli_usage("size: write how many messages come a second, --rate N");
    if (rc == 0)
        rc = read_figures(texts, &in, &err);
    if (rc < 0)
        return cli_fail(rc, &err);
    sizing_compute(&in, &s);
    double stored = in.stored_bytes > 0 ? in.stored_bytes : in.message_bytes * SIZING_RATIO;
    print_need(&in, &s, stored);
    if (in.storage_bytes > 0 && s.day_bytes > 0)
        print_storage(&in, &s);
    print_basis(&in, stored);
    return CLI_OK;
}
