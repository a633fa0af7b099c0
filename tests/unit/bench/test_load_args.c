#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "bench/load/load_args.h"

static int parse(const char *line, struct load_args *a)
{
    char copy[512], *argv[64];
    int argc = 0;
    snprintf(copy, sizeof(copy), "load %s", line);
    for (char *word = strtok_r(copy, " ", &argv[63]); word && argc < 62;
         word = strtok_r(NULL, " ", &argv[63]))
        argv[argc++] = word;
    argv[argc] = NULL;
    static char kept[512]; /* the options borrow their texts */
    memcpy(kept, copy, sizeof(kept));
    for (int i = 0; i < argc; i++)
        argv[i] = kept + (argv[i] - copy);
    return load_args_parse(argc, argv, a);
}

static void good(const char *line, struct load_args *a)
{
    cr_assert_eq(parse(line, a), 0, "%s", line);
}

Test(load_args, what_a_user_of_sngbench_types_means_what_loggen_means)
{
    struct load_args a;
    good("-I 10 -i -r 3000000 --active-connections=10 -S -C 127.0.0.1 514", &a);
    cr_assert_eq(a.o.transport, TARGET_TCP);
    cr_assert_eq(a.o.layout, LOAD_LOGGEN);
    cr_assert_eq(a.o.framing, LOAD_LF);
    cr_assert_eq(a.o.connections, 10);
    cr_assert_float_eq(a.o.rate, 30000000, 1, "the rate is a connection's");
    cr_assert_float_eq(a.o.duration_s, 10, 0);
    cr_assert_eq(a.o.size, 256);
    cr_assert(a.is_csv);
    const struct sockaddr_in *to = (const struct sockaddr_in *)&a.o.ports[0];
    cr_assert_eq(ntohs(to->sin_port), 514);
}

Test(load_args, transports_are_chosen_as_with_loggen)
{
    static const struct {
        const char *line;
        enum target_transport transport;
        enum load_framing framing;
    } cases[] = {
        {"127.0.0.1 514", TARGET_TCP, LOAD_LF},
        {"-D 127.0.0.1 514", TARGET_UDP, LOAD_LF},
        {"-S -D 127.0.0.1 514", TARGET_TCP, LOAD_LF},
        {"-U 127.0.0.1 6514", TARGET_TLS, LOAD_LF},
        {"-x /run/log", TARGET_UNIX_STREAM, LOAD_LF},
        {"-x -D /run/log", TARGET_UNIX_DGRAM, LOAD_LF},
        {"-P 127.0.0.1 514", TARGET_TCP, LOAD_OCTETS},
        {"-P -F 127.0.0.1 514", TARGET_TCP, LOAD_LF},
        {"-c 127.0.0.1 514", TARGET_TCP, LOAD_OCTETS},
        {"127.0.0.1 514 -P", TARGET_TCP, LOAD_OCTETS},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_args a;
        good(cases[i].line, &a);
        cr_assert_eq(a.o.transport, cases[i].transport, "%s", cases[i].line);
        cr_assert_eq(a.o.framing, cases[i].framing, "%s", cases[i].line);
    }
}

Test(load_args, numbers_and_times_end_it_as_with_loggen)
{
    struct load_args a;
    good("127.0.0.1 514", &a);
    cr_assert_float_eq(a.o.duration_s, 10, 0);
    cr_assert_float_eq(a.o.rate, 1000, 0);
    good("-n 100 --active-connections 3 127.0.0.1 514", &a);
    cr_assert_eq(a.o.number, 300);
    cr_assert_float_eq(a.o.duration_s, 0, 0);
    good("-n 100 --loggen-compat 127.0.0.1 514", &a);
    cr_assert_float_eq(a.o.duration_s, 10, 0, "whichever is first");
    cr_assert_eq(a.o.burst_messages, 900, "its first burst");
    good("-T 127.0.0.1 514", &a);
    cr_assert_float_eq(a.o.duration_s, 0, 0);
    good("--perf 127.0.0.1 514", &a);
    cr_assert_float_eq(a.o.rate, 0, 0);
    good("--rate-burst-start -r 500 --active-connections 2 127.0.0.1 514", &a);
    cr_assert_eq(a.o.burst_messages, 900);
    good("-r 0.25 127.0.0.1 514", &a);
    cr_assert_float_eq(a.o.rate, 0.25, 1e-9);
}

Test(load_args, what_goes_beyond_loggen_is_read)
{
    struct load_args a;
    good(
        "--steps 0:1000,10:5000,20.5:0 --burst 300@2.5 --sizes 100:50,256:30 --mix --total-rate 20 "
        "--active-connections 4 --sources 4 --threads 2 --seed 9 --run DEADBEEF --sequence -D "
        "127.0.0.1 514,515,516",
        &a);
    cr_assert_eq(a.o.steps_n, 3);
    cr_assert_float_eq(a.o.steps[2].at_s, 20.5, 1e-9);
    cr_assert_float_eq(a.o.steps[1].rate, 5000, 1e-9);
    cr_assert_eq(a.o.burst_messages, 300);
    cr_assert_float_eq(a.o.burst_at_s, 2.5, 1e-9);
    cr_assert_eq(a.more.sizes_n, 2);
    cr_assert_eq(a.more.sizes[1].weight, 30);
    cr_assert_eq(a.o.layout, LOAD_MIX);
    cr_assert_eq(a.o.size, 0);
    cr_assert_float_eq(a.o.rate, 20, 0);
    cr_assert_eq(a.o.sources, 4);
    cr_assert_str_eq(a.o.source_network, "127.66.0.0/16");
    cr_assert_eq(a.o.run, 0xdeadbeef);
    cr_assert_eq(a.o.ports_n, 3);
    good("-H --proxy-src-port=77 127.0.0.1 514", &a);
    cr_assert_eq(a.more.proxy_version, 1);
    cr_assert_str_eq(a.more.proxy_src_port, "77");
    good("--proxied=2 127.0.0.1 514", &a);
    cr_assert_eq(a.more.proxy_version, 2);
    good("-U --ca /x 127.0.0.1 514", &a);
    cr_assert(a.more.has_verify);
    good("-U --ca /x --no-verify 127.0.0.1 514", &a);
    cr_assert_not(a.more.has_verify);
}

Test(load_args, two_runs_begun_together_have_different_names)
{
    struct load_args a, b;
    good("127.0.0.1 514", &a);
    good("127.0.0.1 514", &b);
    cr_assert_neq(a.o.run, b.o.run);
}

Test(load_args, wrong_use_is_refused)
{
    static const char *const lines[] = {
        "",
        "127.0.0.1",
        "127.0.0.1 514 515",
        "127.0.0.1 99999999",
        "-r -5 127.0.0.1 514",
        "-r 1e3 127.0.0.1 514",
        "-r nan 127.0.0.1 514",
        "-r 100000001 127.0.0.1 514",
        "-s 65001 127.0.0.1 514",
        "-n x 127.0.0.1 514",
        "--active-connections 0 127.0.0.1 514",
        "--active-connections 16385 127.0.0.1 514",
        "--steps 10:5,5:10 127.0.0.1 514",
        "--steps 10 127.0.0.1 514",
        "--burst 10 127.0.0.1 514",
        "--burst @1 127.0.0.1 514",
        "--sizes 100 127.0.0.1 514",
        "--sizes 100:0 127.0.0.1 514",
        "--layout other 127.0.0.1 514",
        "--run 00112233445566778 127.0.0.1 514",
        "--run xyz 127.0.0.1 514",
        "--proxied=3 127.0.0.1 514",
        "--client-port 65530 --active-connections 7 127.0.0.1 514",
        "--sources 5 127.0.0.1 514",
        "--no-such-option 127.0.0.1 514",
        "-r",
        "-U -D 127.0.0.1 514",
        "--proxied-tls-passthrough 127.0.0.1 514",
        "-D 127.0.0.1 1,2,3,4,5,6,7,8,9",
        "-x "
        "/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/"
        "0123456789/0123456789/0123456789",
    };
    cr_redirect_stderr();
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct load_args a;
        cr_assert_lt(parse(lines[i], &a), 0, "%s", lines[i]);
    }
}
