/* Progress: status.json and the terminal. */
#include "bench/run/progress.h"

#include <math.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/facts.h"
#include "bench/figure.h"
#include "bench/text_table.h"

#define COLUMNS_USUAL 80
#define COLUMNS_LEAST 40
#define COLUMNS_MOST 400

void progress_init(struct progress *p, struct run_folder *folder, const char *profile,
                   bool is_quiet)
{
    *p = (struct progress){.folder = folder,
                           .profile = profile,
                           .is_quiet = is_quiet,
                           .is_terminal = !is_quiet && isatty(STDERR_FILENO),
                           .step_begin_us = clock_mono_us()};
}

static double step_elapsed_s(const struct progress *p)
{
    return (double)(clock_mono_us() - p->step_begin_us) / 1e6;
}

/* A step that takes longer than it should leaves its end open, not the rest's. */
double progress_left_s(const struct progress *p)
{
    double in_step = fmin(step_elapsed_s(p), p->step_s);
    return fmax(p->total_s - p->done_s - in_step, 0);
}

/* Asked for each time: windows change their size. */
static int columns(void)
{
    struct winsize size;
    bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? MAX(COLUMNS_LEAST, MIN(size.ws_col, COLUMNS_MOST)) : COLUMNS_USUAL;
}

static void clear_line(const struct progress *p)
{
    if (p->is_terminal)
        fputs("\r\033[K", stderr);
}

static void wording_left(double seconds, char *ret, size_t n)
{
    long s = lround(seconds);
    if (s >= 3600)
        snprintf(ret, n, "%ld h %02ld min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(ret, n, "%ld min %02ld s", s / 60, s % 60);
    else
        snprintf(ret, n, "%ld s", s);
}

void progress_line(const struct progress *p, const char *what, int width, char *ret, size_t n)
{
    char left[48], end[64], text[512];
    wording_left(progress_left_s(p), left, sizeof(left));
    snprintf(end, sizeof(end), " | %s left", left);
    snprintf(text, sizeof(text), "[%d/%d] %s%s", p->step_number, p->steps, p->step_en, what);
    int room = MAX(width - (int)strlen(end), 1);
    size_t used = 0, cut = 0;
    for (int column = 0; text[used]; used++) { /* the sentences have letters of one column */
        if (((unsigned char)text[used] & 0xC0) == 0x80)
            continue;
        if (column == room - 1)
            cut = used;
        if (column++ == room) {
            snprintf(text + cut, sizeof(text) - cut, "…");
            break;
        }
    }
    snprintf(ret, n, "%s%s", text, end);
}

/* The last column stays free: a cursor behind it may go to the next line, and what is there stays.
 */
static void draw(const struct progress *p, const char *what)
{
    char line[640];
    if (!p->is_terminal)
        return;
    progress_line(p, what, columns() - 1, line, sizeof(line));
    fprintf(stderr, "\r\033[K%s", line);
}

void progress_state(struct progress *p, const char *state, const char *reason)
{
    double left = progress_left_s(p);
    cJSON *o = cJSON_CreateObject();
    facts_set_text(o, "id", p->folder->id);
    facts_set_number(o, "pid", getpid());
    facts_set_text(o, "state", state);
    facts_set_text(o, "profile", p->profile);
    facts_set_sentence(o, "step", p->step_en, p->step_ja);
    facts_set_number(o, "steps", p->steps);
    facts_set_number(o, "step_number", p->step_number);
    facts_set_number(o, "progress_percent",
                     strcmp(state, "complete") == 0 ? 100
                     : p->total_s > 0               ? 100 * (1 - left / p->total_s)
                                                    : 0);
    facts_set_number(o, "time_left_s", strcmp(state, "running") == 0 ? left : 0);
    facts_set_number(o, "trial", p->trial > 0 ? p->trial : NAN);
    facts_set(o, "sample",
              p->folder->last_sample ? cJSON_Duplicate(p->folder->last_sample, true)
                                     : cJSON_CreateNull());
    facts_set(o, "reason", reason ? cJSON_CreateString(reason) : cJSON_CreateNull());
    int rc = run_folder_write(p->folder, "status.json", o);
    if (rc < 0)
        run_folder_log(p->folder, "cannot write status.json: %s", strerror(-rc));
    cJSON_Delete(o);
    p->written_us = clock_mono_us();
}

void progress_step(struct progress *p, int number, double seconds, const char *en, const char *ja)
{
    p->done_s += p->step_s;
    p->step_number = number;
    p->step_s = seconds;
    p->step_begin_us = clock_mono_us();
    snprintf(p->step_en, sizeof(p->step_en), "%s", en);
    snprintf(p->step_ja, sizeof(p->step_ja), "%s", ja);
    run_folder_log(p->folder, "step %d: %s", number, en);
    progress_state(p, "running", NULL);
    draw(p, "");
}

void progress_expect(struct progress *p, double seconds)
{
    p->total_s += seconds - p->step_s;
    p->step_s = seconds;
}

void progress_phase(struct progress *p, const char *en, const char *ja)
{
    (void)ja;
    char what[200];
    run_folder_log(p->folder, "%s", en);
    snprintf(what, sizeof(what), ": %s", en);
    progress_state(p, "running", NULL);
    draw(p, what);
}

void progress_second(struct progress *p, const struct trial_second *s)
{
    char what[200];
    int rc = run_folder_sample(p->folder, p->trial, s);
    if (rc < 0)
        run_folder_log(p->folder, "cannot write samples.csv: %s", strerror(-rc));
    snprintf(what, sizeof(what), ": %.0f s, sent %s%s%s", s->at_s,
             figure_count((double)s->load.sent).s, s->stored >= 0 ? ", stored " : "",
             s->stored >= 0 ? figure_count((double)s->stored).s : "");
    draw(p, what);
    if (clock_mono_us() - p->written_us >= US_PER_SECOND * 9 / 10)
        progress_state(p, "running", NULL);
}

void progress_print(struct progress *p, const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    run_folder_log(p->folder, "%s", line);
    if (p->is_quiet)
        return;
    clear_line(p);
    struct buf out = BUF_INIT(2 * sizeof(line));
    if (p->is_terminal) /* between words; in a file or a pipe a line stays one */
        text_wrap(line, 0, columns(), &out);
    bool is_wrapped = out.n > 0 && !out.is_full;
    fprintf(stderr, "%.*s%s", is_wrapped ? (int)out.n : (int)strlen(line),
            is_wrapped ? out.p : line, is_wrapped ? "" : "\n");
    buf_free(&out);
}
