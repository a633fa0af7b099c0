/* Reading small files of /proc. */
#ifndef AZEKURA_KEEPER_LOAD_READ_H
#define AZEKURA_KEEPER_LOAD_READ_H

#include "keeper/load_proc.h"

#define LOAD_TEXT_MAX_BYTES 131072 /* diskstats of 1,000 disks; what is longer is cut */
struct load_text {
    size_t n;
    char bytes[LOAD_TEXT_MAX_BYTES];
};

/* 0, or -errno.  A text that was cut ends with its last whole line. */
MUST_USE int load_read_file(struct load_text *ret, const char *fmt, ...) PRINTF(2, 3);
static inline struct view load_text_view(const struct load_text *t)
{
    return view_of(t->bytes, t->n);
}

/* PROC/PID/stat. */
MUST_USE int load_read_process(const char *proc, int32_t pid, struct load_process *ret);

#endif
