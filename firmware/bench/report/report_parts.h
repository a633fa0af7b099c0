/* The parts of a report, for report*.c and compare.c alone.  All borrow the document. */
#ifndef AZEKURA_BENCH_REPORT_PARTS_H
#define AZEKURA_BENCH_REPORT_PARTS_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "bench/report/answer.h"
#include "bench/report/report_samples.h"

#define REPORT_MAX_BYTES (64u << 20) /* report.json, and each file made from it */
#define REPORT_TRIALS_MAX 20000      /* a week of trials of half a minute */
#define REPORT_FILES_MAX 16
#define REPORT_REASONS_SHOWN 5 /* of trials that are not valid */
#define REPORT_TEXT_WIDTH 96   /* columns of report.txt */

/* What one trial was limited by, with the evidence: sets "bottleneck" and "bottleneck_why". */
void report_bottleneck(const cJSON *report, cJSON *trial);
/* Sets "peers" from the trials; empty where one target was measured. */
void report_peers(cJSON *report);

/* A file beside the report, to be recognised. */
struct report_file {
    char name[32];
    char sha256[65];
    int64_t bytes;
};

/* What a page or a text is rendered from. */
struct report_view {
    const cJSON *report;
    const struct samples *samples;
    const struct report_file *files;
    size_t files_n;
};

/* Each appends to `out`; it is_full when the report is larger than REPORT_MAX_BYTES. */
void report_text(const struct report_view *v, struct buf *out);
void report_html(const struct report_view *v, struct buf *out);
void report_results_csv(const cJSON *report, struct buf *out);
void report_results_ext_csv(const cJSON *report, struct buf *out);

/* ---- what text and page tell alike ---- */

/* A stage of the ledger. */
struct report_stage {
    struct words name;
    double n;  /* messages; NAN: not known */
    char kind; /* '=' how many are left, '-' a loss, '?' what nothing accounts for, '!' beside the
                  sum */
};

#define REPORT_STAGES_MAX 48
size_t report_stages(const cJSON *trial, struct report_stage ret[REPORT_STAGES_MAX]);

struct report_sizing {
    double rate; /* messages/s, the whole day */
    double messages_day, received_bytes_day, stored_bytes_day, stored_bytes_month;
    double days_to_share; /* until a month has used 20 % of the storage */
    double storage_bytes; /* so large that a month takes 20 % of it */
};

struct report_sizing_basis {
    double message_bytes, stored_bytes; /* a message */
    double storage_bytes;               /* of the machine; 1 TB where not known */
    bool is_own_storage;
};

#define REPORT_SIZINGS_MAX 6
/* Rows for 100, 1,000, 5,000 messages/s and half of what was stored without loss, ascending; 0
 * where stored bytes are not known. */
size_t report_sizing(const cJSON *report, struct report_sizing_basis *ret_basis,
                     struct report_sizing ret[REPORT_SIZINGS_MAX]);

/* The machine and the versions as name and value.  Calls `each` with a name in both languages. */
typedef void (*report_fact_fn)(void *context, struct words name, const char *value);
void report_environment(const cJSON *report, report_fact_fn each, void *context);

/* "PASS", "FAIL" … and the same in Japanese. */
struct words report_verdict(const cJSON *report);
/* The verdict on one trial: lossless, its loss, or why it is not valid. */
struct words report_verdict_of_trial(const cJSON *trial);
const char *report_title(const cJSON *report, int language);

#endif
