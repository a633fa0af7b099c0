#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "bench/target/target_env.h"

static int parse(const char *text, struct target_env *e, struct err *err)
{
    return target_env_parse(view_str(text), e, err);
}

Test(target_env, everything_a_driver_says_is_read)
{
    struct target_env e;
    struct err err;
    int rc = parse("# a comment\n"
                   "name=syslog-ng\nversion=3.38.1\nstores=flat files\n\n"
                   "udp=127.0.0.1:5514\ntcp=127.0.0.1:5515\ntcp=[::1]:5516\n"
                   "unix_dgram=/tmp/x/dgram\n"
                   "file=/tmp/a=b\nfile=/tmp/c\nconfig=/tmp/conf\n"
                   "pid_syslog=12\npid_database=4194304\npid_other=1\npid_other=2\n"
                   "api=http://127.0.0.1:80\ntoken_file=/tmp/t\npostgresql=host=/tmp dbname=x\n"
                   "report=/tmp/r\ncontrol=/tmp/control\nsource_network=127.66.0.0/16",
                   &e, &err);
    cr_assert_eq(rc, 0, "%s", err.message);
    cr_expect_str_eq(e.name, "syslog-ng");
    cr_expect_str_eq(e.stores, "flat files");
    cr_expect_str_eq(e.files[0], "/tmp/a=b");
    cr_expect_eq(e.files_n, 2);
    cr_expect_eq(e.config_n, 1);
    cr_expect_str_eq(e.postgresql, "host=/tmp dbname=x");
    cr_expect_str_eq(e.report, "/tmp/r");
    cr_expect_str_eq(e.control, "/tmp/control");
    cr_expect_str_eq(e.source_network, "127.66.0.0/16");
    cr_expect_eq(e.ports_n[TARGET_UDP], 1);
    cr_expect_eq(e.ports_n[TARGET_TCP], 2);
    cr_expect_eq(e.ports_n[TARGET_TLS], 0);
    const struct sockaddr_in *in = (const struct sockaddr_in *)&e.ports[TARGET_UDP][0].address;
    cr_expect_eq(in->sin_family, AF_INET);
    cr_expect_eq(ntohs(in->sin_port), 5514);
    cr_expect_eq(in->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&e.ports[TARGET_TCP][1].address;
    cr_expect_eq(in6->sin6_family, AF_INET6);
    cr_expect_eq(ntohs(in6->sin6_port), 5516);
    const struct sockaddr_un *un =
        (const struct sockaddr_un *)&e.ports[TARGET_UNIX_DGRAM][0].address;
    cr_expect_str_eq(un->sun_path, "/tmp/x/dgram");
    cr_expect_eq(e.pids.syslog[0], 12);
    cr_expect_eq(e.pids.database[0], 4194304);
    cr_expect_eq(e.pids.other_n, 2);
}

Test(target_env, what_is_wrong_is_named_with_its_line)
{
    static const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"no address", "name=x\n", "no address"},
        {"no name", "udp=127.0.0.1:1\n", "no name"},
        {"unknown key", "name=x\nuddp=127.0.0.1:1\n", "line 2"},
        {"no equals sign", "name\n", "line 1"},
        {"empty value", "name=\n", "line 1"},
        {"port 0", "udp=127.0.0.1:0\n", "line 1"},
        {"port too great", "udp=127.0.0.1:65536\n", "line 1"},
        {"no port", "udp=127.0.0.1\n", "line 1"},
        {"a host's name", "udp=localhost:1\n", "line 1"},
        {"relative socket", "unix_dgram=x\n", "line 1"},
        {"pid 0", "pid_syslog=0\n", "line 1"},
        {"negative pid", "pid_syslog=-1\n", "line 1"},
        {"pid beyond what Linux has", "pid_syslog=4194305\n", "line 1"},
        {"name too long", "name=0123456789012345678901234567890123456789012345678901234567890123\n",
         "line 1"},
        {"too many ports",
         "udp=1.1.1.1:1\nudp=1.1.1.1:1\nudp=1.1.1.1:1\nudp=1.1.1.1:1\nudp=1.1.1.1:1\n"
         "udp=1.1.1.1:1\nudp=1.1.1.1:1\nudp=1.1.1.1:1\nudp=1.1.1.1:1\n",
         "too many"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct target_env e;
        struct err err = {.message = ""};
        cr_expect_eq(parse(cases[i].text, &e, &err), -EINVAL, "%s", cases[i].name);
        cr_expect(strstr(err.message, cases[i].says), "%s: %s", cases[i].name, err.message);
    }
}

Test(target_env, a_file_that_is_too_long_is_refused)
{
    static char text[TARGET_ENV_MAX_BYTES + 1];
    struct target_env e;
    struct err err;
    memset(text, '\n', sizeof(text));
    cr_expect_eq(target_env_parse(view_of(text, sizeof(text)), &e, &err), -EINVAL);
    cr_expect(strstr(err.message, "65537 bytes"), "%s", err.message);
}

Test(target_env, a_byte_of_zero_ends_no_value)
{
    static const char text[] = "name=a\0b\nudp=127.0.0.1:1\n";
    struct target_env e;
    struct err err;
    cr_expect_eq(target_env_parse(view_of(text, sizeof(text) - 1), &e, &err), -EINVAL);
}

Test(target_env, a_unix_path_has_107_bytes_at_most)
{
    char path[200];
    struct target_port port;
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    cr_expect_eq(target_port_parse(TARGET_UNIX_STREAM, view_of(path, 107), &port), 0);
    cr_expect_eq(target_port_parse(TARGET_UNIX_STREAM, view_of(path, 108), &port), -EINVAL);
}
