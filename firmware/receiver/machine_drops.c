/* The kernel's counters of /proc/net.  The writer thread, once a second. */
#include "receiver/machine_drops.h"

#include "base/proc_net.h"

static int64_t plus(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

/* A member of snmp6, which has a line each; 0 on a machine without IPv6. */
static int64_t of_snmp6(struct view text, const char *name)
{
    struct view line;
    while (proc_next_line(&text, &line)) {
        uint64_t n;
        if (view_eq(proc_next_word(&line), view_str(name)))
            return view_u64(proc_next_word(&line), INT64_MAX, &n) == 0 ? (int64_t)n : -1;
    }
    return 0;
}

void machine_drops_read(const char *proc, struct machine_drops *ret)
{
    struct proc_text *text = xmalloc(sizeof(*text)); /* too large for a thread's stack */
    *ret = (struct machine_drops){-1, -1, -1};
    if (proc_read(text, "%s/net/softnet_stat", proc) == 0)
        ret->softnet = proc_net_softnet(proc_view(text));
    if (proc_read(text, "%s/net/snmp", proc) == 0) {
        int64_t errors = proc_net_snmp(proc_view(text), "Udp", "InErrors");
        ret->udp_buffers = proc_net_snmp(proc_view(text), "Udp", "RcvbufErrors");
        if (proc_read(text, "%s/net/snmp6", proc) < 0)
            text->n = 0;
        errors = plus(errors, of_snmp6(proc_view(text), "Udp6InErrors"));
        ret->udp_buffers = plus(ret->udp_buffers, of_snmp6(proc_view(text), "Udp6RcvbufErrors"));
        /* the others of InErrors; read one after the other, so it may be one short */
        if (errors >= 0 && ret->udp_buffers >= 0)
            ret->udp_damaged = MAX(errors - ret->udp_buffers, INT64_C(0));
    }
    free(text);
}

static int64_t since(int64_t now, int64_t before)
{
    return now < 0 || before < 0 ? -1 : MAX(now - before, INT64_C(0));
}

struct machine_drops machine_drops_since(const struct machine_drops *now,
                                         const struct machine_drops *before)
{
    return (struct machine_drops){
        .softnet = since(now->softnet, before->softnet),
        .udp_buffers = since(now->udp_buffers, before->udp_buffers),
        .udp_damaged = since(now->udp_damaged, before->udp_damaged),
    };
}
