/* The ledger of a trial and what makes its figures worthless. */
#include "bench/run/stages.h"

#include <math.h>

static int64_t difference(int64_t before, int64_t after)
{
    return before < 0 || after < 0 ? -1 : after - before;
}

static int64_t known(int64_t n)
{
    return n > 0 ? n : 0;
}

int64_t stages_lost(const struct stages_input *in)
{
    return in->is_read_back ? in->load.sent - in->sequence.found : -1;
}

static int64_t reason_before(const struct target_counters *c, const char *name)
{
    for (size_t i = 0; i < c->reasons_n; i++)
        if (strcmp(c->reasons[i].reason, name) == 0)
            return c->reasons[i].n;
    return 0;
}

static void take_reasons(const struct stages_input *in, struct stages *s)
{
    for (size_t i = 0; i < in->after.reasons_n && i < TARGET_REASONS_MAX; i++) {
        const char *name = in->after.reasons[i].reason;
        s->reasons[s->reasons_n] = in->after.reasons[i].n - reason_before(&in->before, name);
        snprintf(s->reason_names[s->reasons_n++], sizeof(s->reason_names[0]), "%s", name);
    }
}

static void take_counters(const struct stages_input *in, struct stages *s)
{
    s->kernel_dropped = difference(in->before.kernel_dropped, in->after.kernel_dropped);
    s->received = difference(in->before.received, in->after.received);
    s->truncated = difference(in->before.truncated, in->after.truncated);
    s->refused = difference(in->before.refused, in->after.refused);
    s->stored = difference(in->before.stored, in->after.stored);
    s->queued = in->after.queued;
    take_reasons(in, s);
}

/* Drops that the machine counts for everybody: never more than what has no other place. */
static int64_t host_drops(const struct stages_input *in, int64_t missing)
{
    const struct sample_look *a = &in->look_before, *b = &in->look_after;
    if (!in->is_local)
        return -1;
    int64_t n = known(b->rx_dropped - a->rx_dropped) +
                known(b->softnet_dropped - a->softnet_dropped);
    if (in->has_no_ports)
        n += known(b->udp_no_ports - a->udp_no_ports);
    return MIN(n, known(missing));
}

/* A socket of a box in service drops of everybody what does not fit.  What it dropped beyond what
 * is missing here was sent by others; never what was not dropped. */
static void give_to_others(struct stages *s)
{
    s->others_dropped = s->kernel_dropped < 0 ? -1 : 0;
    if (s->unaccounted >= 0 || s->kernel_dropped <= 0)
        return;
    s->others_dropped = MIN(-s->unaccounted, s->kernel_dropped);
    s->kernel_dropped -= s->others_dropped;
    s->unaccounted += s->others_dropped;
}

void stages_close(const struct stages_input *in, struct stages *ret)
{
    struct stages s = {
        .scheduled = in->load.scheduled,
        .sent = in->load.sent,
        .send_errors = in->load.errors,
        .late = in->load.late,
        .kernel_dropped = -1,
        .others_dropped = -1,
        .received = -1,
        .truncated = -1,
        .refused = -1,
        .queued = -1,
        .stored = -1,
        .visible = in->visible,
        .in_flight = (in->load.unsent_bytes + in->message_bytes - 1) / in->message_bytes,
    };
    if (in->has_counters)
        take_counters(in, &s);
    if (s.stored < 0 && in->is_read_back)
        s.stored = in->sequence.found + in->sequence.duplicated;
    int64_t named = known(s.kernel_dropped) + known(s.refused) + known(s.queued) + s.in_flight;
    int64_t all = s.sent + (in->is_read_back ? in->sequence.duplicated : 0);
    s.nic_dropped = host_drops(in, all - named - known(s.stored));
    s.unaccounted = all - named - known(s.stored) - known(s.nic_dropped);
    if (in->is_shared)
        give_to_others(&s);
    *ret = s;
}

static void because(struct stages_reason *r, const char *en, const char *ja)
{
    snprintf(r->en, sizeof(r->en), "%s", en);
    snprintf(r->ja, sizeof(r->ja), "%s", ja);
    r->is_generator = false;
}

bool stages_is_valid(const struct stages_validity *v, struct stages_reason *ret)
{
    double machine = v->cores > 0 ? v->cores : 1;
    double foreign = v->foreign_percent / machine, steal = v->steal_percent / machine;
    because(ret, "", "");
    if (!v->is_complete)
        because(ret, "it was stopped before its end", "途中で停止されました");
    else if (foreign > STAGES_FOREIGN_MAX_PERCENT) {
        snprintf(ret->en, sizeof(ret->en),
                 "other programs took %.1f %% of the machine, more than %.0f %%: stop them and "
                 "measure again",
                 foreign, STAGES_FOREIGN_MAX_PERCENT);
        snprintf(ret->ja, sizeof(ret->ja),
                 "他のプログラムが CPU の %.1f %% (上限 %.0f %%) "
                 "を使用しました。停止してから測定し直してください",
                 foreign, STAGES_FOREIGN_MAX_PERCENT);
    } else if (steal > STAGES_STEAL_MAX_PERCENT) {
        snprintf(ret->en, sizeof(ret->en),
                 "the host of this virtual machine kept back %.1f %% of its processors, more than "
                 "%.0f %%",
                 steal, STAGES_STEAL_MAX_PERCENT);
        snprintf(ret->ja, sizeof(ret->ja),
                 "仮想マシンのホストが CPU の %.1f %% (上限 %.0f %%) を割り当てませんでした", steal,
                 STAGES_STEAL_MAX_PERCENT);
    } else if (v->rate > 0 && v->blocked_percent < STAGES_RATE_MISS_MAX_PERCENT &&
               v->sent_rate < v->rate * (1 - STAGES_RATE_MISS_MAX_PERCENT / 100)) {
        ret->is_generator = true;
        snprintf(ret->en, sizeof(ret->en),
                 "the generator reached %.0f messages/s in place of %.0f, and nothing held it back "
                 "but the machine",
                 v->sent_rate, v->rate);
        snprintf(
            ret->ja, sizeof(ret->ja),
            "生成側が毎秒 %.0f 件しか送れませんでした (予定 %.0f 件)。原因はこの機器の性能です",
            v->sent_rate, v->rate);
    }
    return ret->en[0] == 0;
}
