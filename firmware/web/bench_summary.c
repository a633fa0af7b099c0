/* One entry of the history of benchmark runs (bench_summary.h). */
#include "web/bench_summary.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "web/bench_spawn.h"

#define LOG_MAX_BYTES (2u << 20) /* twice what is let grow */
#define WORD_MAX_BYTES 200       /* of a name, a state, a time */
#define SENTENCE_MAX_BYTES 2000  /* in one language */

/* A member that is text of at most `max` bytes; else null. */
static void copy_text(cJSON *to, const char *name, const cJSON *from, size_t max)
{
    const char *text = cJSON_GetStringValue(from);
    if (text && strlen(text) <= max)
        cJSON_AddStringToObject(to, name, text);
    else
        cJSON_AddNullToObject(to, name);
}

/* {"en","ja"}, or a text for both; else null. */
static void copy_sentence(cJSON *to, const char *name, const cJSON *from)
{
    const cJSON *en = cJSON_IsObject(from) ? cJSON_GetObjectItemCaseSensitive(from, "en") : from;
    const cJSON *ja = cJSON_IsObject(from) ? cJSON_GetObjectItemCaseSensitive(from, "ja") : from;
    if (!cJSON_IsString(en) || !cJSON_IsString(ja)) {
        cJSON_AddNullToObject(to, name);
        return;
    }
    cJSON *both = cJSON_AddObjectToObject(to, name);
    copy_text(both, "en", en, SENTENCE_MAX_BYTES);
    copy_text(both, "ja", ja, SENTENCE_MAX_BYTES);
}

/* One of the words, else the last of them. */
static void copy_word(cJSON *to, const char *name, const cJSON *from, const char *const *words)
{
    const char *text = cJSON_GetStringValue(from);
    while (words[1] && !(text && strcmp(*words, text) == 0))
        words++;
    cJSON_AddStringToObject(to, name, *words);
}

/* A time as text, else null. */
static void copy_time(cJSON *to, const char *name, const cJSON *from)
{
    int64_t us;
    bool is_time = cJSON_IsString(from) && rfc3339_parse(view_str(from->valuestring), &us) == 0;
    copy_text(to, name, is_time ? from : NULL, WORD_MAX_BYTES);
}

static cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *bench_summary_text(const cJSON *summary, const char *name)
{
    const char *text = cJSON_GetStringValue(member(summary, name));
    return text ? text : "";
}

cJSON *bench_summary_begin(const char *id, const char *profile, const cJSON *title,
                           const char *target, const char *actor)
{
    char now[RFC3339_MAX];
    cJSON *s = cJSON_CreateObject();
    rfc3339_format(clock_wall_us(), now);
    cJSON_AddStringToObject(s, "id", id);
    cJSON_AddStringToObject(s, "profile", profile);
    copy_sentence(s, "title", title);
    cJSON_AddStringToObject(s, "target", target);
    cJSON_AddStringToObject(s, "state", "running");
    cJSON_AddStringToObject(s, "verdict", "none");
    cJSON_AddNullToObject(s, "answer");
    cJSON_AddNullToObject(s, "reason");
    cJSON_AddStringToObject(s, "started_at", now);
    cJSON_AddNullToObject(s, "ended_at");
    cJSON_AddStringToObject(s, "version", AZEKURA_VERSION);
    cJSON_AddStringToObject(s, "actor", actor);
    return s;
}

/* The names of the targets that were measured, "box" or "azekura,syslog-ng:maxperf". */
static void add_targets(cJSON *to, const cJSON *report)
{
    struct buf names = BUF_INIT(WORD_MAX_BYTES);
    const cJSON *target;
    cJSON_ArrayForEach(target, member(report, "targets"))
    {
        const char *name = cJSON_GetStringValue(member(target, "name"));
        if (name)
            buf_printf(&names, "%s%s", names.n > 0 ? "," : "", name);
    }
    if (names.n > 0)
        cJSON_AddStringToObject(to, "target", buf_str(&names));
    else
        cJSON_AddNullToObject(to, "target");
    buf_free(&names);
}

/* When the last of its files was written: the end of a run that could not say it. */
static void add_end(cJSON *to, int dir)
{
    char text[RFC3339_MAX];
    struct stat st;
    int64_t us = 0;
    static const char *const files[] = {"report.json", "status.json", "samples.csv", "log"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        if (fstatat(dir, files[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
            us = MAX(us, st.st_mtim.tv_sec * US_PER_SECOND + st.st_mtim.tv_nsec / 1000);
    }
    if (us > 0)
        rfc3339_format(us, text);
    if (us > 0)
        cJSON_AddStringToObject(to, "ended_at", text);
    else
        cJSON_AddNullToObject(to, "ended_at");
}

/* The first of the two that has the member. */
static const cJSON *either(const cJSON *a, const cJSON *b, const char *name)
{
    const cJSON *item = member(a, name);
    return item && !cJSON_IsNull(item) ? item : member(b, name);
}

/* Why there is no report: the last words. */
static void add_last_words(cJSON *to, int marks, const char *id)
{
    char name[BENCH_ID_MAX + 8], said[300] = "";
    struct buf text;
    snprintf(name, sizeof(name), "%s.log", id);
    if (bench_folder_read(marks, name, LOG_MAX_BYTES, &text, NULL) == 0) {
        bench_last_line(buf_view(&text), said, sizeof(said));
        buf_free(&text);
    }
    cJSON *reason = cJSON_AddObjectToObject(to, "reason");
    cJSON_AddStringToObject(
        reason, "en", said[0] ? said : "it left no report: it was killed, or the disk was full");
    cJSON_AddStringToObject(
        reason, "ja",
        said[0] ? said : "強制終了またはディスクの空き不足により、レポートを残しませんでした");
}

static void add_outcome(cJSON *to, const cJSON *report, int dir, int marks, const char *id)
{
    static const char *const verdicts[] = {"pass", "fail", "invalid", "none", NULL};
    static const char *const states[] = {"complete", "incomplete", "failed", NULL};
    copy_word(to, "state", member(report, "state"), states);
    copy_word(to, "verdict", member(report, "verdict"), verdicts);
    copy_sentence(to, "answer", member(report, "answer"));
    const char *state = bench_summary_text(report, "state");
    if (!report || strcmp(state, "running") == 0)
        add_last_words(to, marks, id);
    else
        copy_sentence(to, "reason", member(report, "reason"));
    copy_time(to, "ended_at", member(report, "ended_at"));
    if (cJSON_IsNull(member(to, "ended_at"))) {
        cJSON_DeleteItemFromObjectCaseSensitive(to, "ended_at");
        add_end(to, dir);
    }
}

/* What the report says; `begun` (may be NULL) where it says nothing. */
static cJSON *conclude(int dir, int marks, const char *id, const cJSON *begun)
{
    cJSON *report = bench_folder_json(dir, "report.json", BENCH_REPORT_MAX_BYTES, NULL);
    cJSON *s = cJSON_CreateObject();
    cJSON_AddStringToObject(s, "id", id);
    copy_text(s, "profile", either(report, begun, "profile"), WORD_MAX_BYTES);
    copy_sentence(s, "title", either(report, begun, "title"));
    if (member(begun, "target"))
        copy_text(s, "target", member(begun, "target"), WORD_MAX_BYTES);
    else
        add_targets(s, report);
    add_outcome(s, report, dir, marks, id);
    copy_time(s, "started_at", either(report, begun, "started_at"));
    copy_text(s, "version", either(report, begun, "version"), WORD_MAX_BYTES);
    copy_text(s, "actor", member(begun, "actor"), WORD_MAX_BYTES);
    cJSON_Delete(report);
    return s;
}

/* Of one that somebody started by hand into our folder: what its status says. */
static cJSON *running_by_hand(int dir, const char *id)
{
    cJSON *status = bench_folder_json(dir, "status.json", BENCH_STATUS_MAX_BYTES, NULL);
    cJSON *s = bench_summary_begin(id, bench_summary_text(status, "profile"),
                                   member(status, "title"), "", "");
    cJSON_Delete(status);
    return s;
}

static int write_summary(int dir, const char *name, const cJSON *summary, struct err *err)
{
    char *text = cJSON_PrintUnformatted(summary);
    CHECK(text);
    int rc = bench_folder_write(dir, name, view_str(text), 0640, err);
    cJSON_free(text);
    return rc;
}

int bench_summary_write(int marks, const char *id, const cJSON *summary, struct err *err)
{
    return write_summary(marks, id, summary, err);
}

/* What was concluded of a folder before its report was written, as of a run that somebody began by
 * hand and that had not taken its lock yet, is no longer true. */
static bool is_stale(int dir)
{
    struct stat summary, report;
    if (fstatat(dir, BENCH_SUMMARY, &summary, AT_SYMLINK_NOFOLLOW) < 0 ||
        fstatat(dir, "report.json", &report, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    return report.st_mtim.tv_sec != summary.st_mtim.tv_sec
               ? report.st_mtim.tv_sec > summary.st_mtim.tv_sec
               : report.st_mtim.tv_nsec > summary.st_mtim.tv_nsec;
}

cJSON *bench_summary_of(int root, int dir, const char *id, bool is_running)
{
    bool is_kept = !is_running && !is_stale(dir);
    cJSON *s = is_kept ? bench_folder_json(dir, BENCH_SUMMARY, BENCH_SUMMARY_MAX_BYTES, NULL)
                       : NULL;
    if (s && strcmp(bench_summary_text(s, "id"), id) == 0)
        return s;
    cJSON_Delete(s);
    int marks = bench_folder_marks(root, NULL);
    cJSON *begun = bench_folder_json(marks, id, BENCH_SUMMARY_MAX_BYTES, NULL);
    if (is_running) {
        s = begun ? begun : running_by_hand(dir, id);
    } else {
        s = conclude(dir, marks, id, begun);
        cJSON_Delete(begun);
        if (dir >= 0) /* not written: made again next time */
            (void)!write_summary(dir, BENCH_SUMMARY, s, NULL);
    }
    if (marks >= 0)
        close(marks);
    return s;
}
