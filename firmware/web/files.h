/* The console's pages: all files of web.root, read once at start into a table.  No path of a
 * request ever reaches the file system. */
#ifndef AZEKURA_WEB_FILES_H
#define AZEKURA_WEB_FILES_H

#include "base/err.h"
#include "base/view.h"

#define FILES_MAX 2000              /* files: a built console has some dozens */
#define FILE_MAX_BYTES (16u << 20)  /* one file */
#define FILES_MAX_BYTES (64u << 20) /* all of them: they stay in memory */

struct file {
    char *path; /* "/assets/index-4f2a.js" */
    char *bytes;
    size_t n;
    const char *type;  /* Content-Type */
    char etag[40];     /* quoted */
    bool is_immutable; /* under /assets/: its name changes with its contents */
};

struct files {
    struct file *list; /* sorted by path */
    size_t n;
    size_t bytes;
};

/* Regular files alone: links, dot-files and what is no file are left out.  0, or negative and *err.
 */
MUST_USE int files_load(struct files *f, const char *root, struct err *err);
void files_free(struct files *f);
/* The file of a path; for "/" and every other path that is a page (its last part has no dot) the
 * page index.html.  NULL when there is none. */
const struct file *files_find(const struct files *f, const char *path);

#endif
