/* What stopped a trial from taking more.  A rule a line, the surest first; each names its evidence,
 * so that a reader may doubt it. */
#include <math.h>

#include "bench/facts.h"
#include "bench/figure.h"
#include "bench/report/report_parts.h"

#define BUSY 90.0 /* % of a core, or of all cores: there is no more to be had */

struct finding {
    const char *kind;
    struct answer why;
};

/* Did the generator keep its own schedule?  A receiver that holds it back is another thing. */
static bool is_generator(const cJSON *t, struct finding *f)
{
    double due = facts_number(t, "stages.scheduled"), sent = facts_number(t, "stages.sent");
    double blocked = facts_count(t, "blocked_percent"),
           errors = facts_count(t, "stages.send_errors");
    double asked = facts_number(t, "load.rate"), cpu = facts_number(t, "cpu.generator.mean");
    if (!(asked > 0)) {
        if (!(blocked < 10) || facts_count(t, "stages.kernel_dropped") > 0 || !(cpu >= BUSY))
            return false;
        f->kind = "generator";
        buf_printf(&f->why.en,
                   "the generator sent as fast as it could (%s of a core) and was held "
                   "back for %s of the time only: the target may take more",
                   figure_percent(cpu).s, figure_percent(blocked).s);
        buf_printf(&f->why.ja,
                   "生成側が全速 (1 コアの %s) で送信し、待たされたのは時間の %s "
                   "のみ。対象はさらに受信できる可能性があります",
                   figure_percent(cpu).s, figure_percent(blocked).s);
        return true;
    }
    if (!(due > 0) || !(sent < due * 0.99) || blocked >= 10 || errors > (due - sent) / 2)
        return false;
    f->kind = "generator";
    buf_printf(&f->why.en, "the generator sent %s of %s messages that were due (%s late)",
               figure_count(sent).s, figure_count(due).s,
               figure_count(facts_number(t, "stages.late")).s);
    buf_printf(&f->why.ja, "生成側は予定 %s 件のうち %s 件しか送れませんでした (遅延 %s 件)",
               figure_count(due).s, figure_count(sent).s,
               figure_count(facts_number(t, "stages.late")).s);
    return true;
}

static bool is_cpu(const cJSON *t, double cores, struct finding *f)
{
    double host = facts_number(t, "cpu.host.mean");
    if (!(cores > 0) || !(host >= BUSY * cores))
        return false;
    f->kind = "cpu";
    buf_printf(&f->why.en,
               "all %s cores were busy (%s of %s): syslog %s, database %s, generator %s",
               figure_count(cores).s, figure_percent(host).s, figure_percent(cores * 100).s,
               figure_percent(facts_number(t, "cpu.syslog.mean")).s,
               figure_percent(facts_number(t, "cpu.database.mean")).s,
               figure_percent(facts_number(t, "cpu.generator.mean")).s);
    buf_printf(&f->why.ja, "全 %s コアが使用中 (%s / %s): SYSLOG %s、データベース %s、生成側 %s",
               figure_count(cores).s, figure_percent(host).s, figure_percent(cores * 100).s,
               figure_percent(facts_number(t, "cpu.syslog.mean")).s,
               figure_percent(facts_number(t, "cpu.database.mean")).s,
               figure_percent(facts_number(t, "cpu.generator.mean")).s);
    return true;
}

static bool is_disk(const cJSON *report, const cJSON *t, struct finding *f)
{
    double can = facts_number(report, "speed.before.write_bytes_s"),
           seconds = facts_number(t, "duration_s"), bytes = facts_number(t, "disk.written_bytes");
    if (!(seconds > 0) || !(can > 0) || !(bytes / seconds >= can * 0.7))
        return false;
    f->kind = "disk";
    buf_printf(&f->why.en, "%s were written each second; the disk does %s",
               figure_bytes(bytes / seconds).s, figure_bytes(can).s);
    buf_printf(&f->why.ja, "毎秒 %s を書き込み。ディスクの能力は毎秒 %s",
               figure_bytes(bytes / seconds).s, figure_bytes(can).s);
    return true;
}

static bool is_thread(const cJSON *t, double cores, struct finding *f)
{
    double mean = facts_number(t, "cpu.syslog.mean"), host = facts_number(t, "cpu.host.mean");
    if (!(mean >= BUSY) || !(mean < 110) || !(cores * 100 - host >= 50))
        return false;
    f->kind = "thread";
    buf_printf(&f->why.en, "the syslog process used one whole core (%s) while others were idle",
               figure_percent(mean).s);
    buf_printf(&f->why.ja, "SYSLOG プロセスが 1 コアを使い切り (%s)、他のコアは空いていました",
               figure_percent(mean).s);
    return true;
}

static bool is_buffer(const cJSON *report, const cJSON *t, struct finding *f)
{
    double dropped = facts_count(t, "stages.kernel_dropped");
    double bytes =
        facts_number(facts_target(report, facts_text(t, "target")), "receive_buffer_bytes");
    if (dropped <= 0)
        return false;
    f->kind = "buffer";
    buf_printf(&f->why.en,
               "the socket buffer (%s) ran over for %s messages, while the syslog process used %s "
               "of a core in the mean",
               figure_bytes(bytes).s, figure_count(dropped).s,
               figure_percent(facts_number(t, "cpu.syslog.mean")).s);
    buf_printf(&f->why.ja,
               "ソケットバッファ (%s) から %s 件あふれました。SYSLOG プロセスは平均で 1 "
               "コアの %s",
               figure_bytes(bytes).s, figure_count(dropped).s,
               figure_percent(facts_number(t, "cpu.syslog.mean")).s);
    return true;
}

static void nothing(const cJSON *t, double cores, struct finding *f)
{
    double host = facts_number(t, "cpu.host.mean"), loss = facts_loss_percent(t);
    if (loss == 0 && facts_number(t, "load.rate") > 0) {
        f->kind = "none";
        buf_printf(&f->why.en, "nothing was at its limit: %s of %s of the machine's CPU were used",
                   figure_percent(host).s, figure_percent(cores * 100).s);
        buf_printf(&f->why.ja, "限界に達したものはありません (CPU 使用 %s / %s)",
                   figure_percent(host).s, figure_percent(cores * 100).s);
        return;
    }
    f->kind = "unknown";
    buf_printf(&f->why.en,
               "no single cause shows: CPU %s of %s, syslog %s, database %s, held back "
               "%s of the time",
               figure_percent(host).s, figure_percent(cores * 100).s,
               figure_percent(facts_number(t, "cpu.syslog.mean")).s,
               figure_percent(facts_number(t, "cpu.database.mean")).s,
               figure_percent(facts_number(t, "blocked_percent")).s);
    buf_printf(&f->why.ja,
               "単独の原因は見当たりません: CPU %s / %s、SYSLOG %s、データベース "
               "%s、送信待ち %s",
               figure_percent(host).s, figure_percent(cores * 100).s,
               figure_percent(facts_number(t, "cpu.syslog.mean")).s,
               figure_percent(facts_number(t, "cpu.database.mean")).s,
               figure_percent(facts_number(t, "blocked_percent")).s);
}

void report_bottleneck(const cJSON *report, cJSON *trial)
{
    struct finding f = {.kind = NULL};
    double cores = facts_number(report, "machine.cores");
    answer_init(&f.why);
    if (!is_generator(trial, &f) && !is_cpu(trial, cores, &f) && !is_disk(report, trial, &f) &&
        !is_thread(trial, cores, &f) && !is_buffer(report, trial, &f))
        nothing(trial, cores, &f);
    facts_set_text(trial, "bottleneck", f.kind);
    facts_set_sentence(trial, "bottleneck_why", buf_str(&f.why.en), buf_str(&f.why.ja));
    answer_done(&f.why);
}
