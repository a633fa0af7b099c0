/* Time zones (zones.h).  Read at each request: it is 20 KB, and tzdata is updated while we run. */
#include "web/zones.h"

#include <stdio.h>
#include <stdlib.h>

#define TAB_NAME "zone.tab"
#define ZONES_MAX 1000
#define NAME_MAX_BYTES 64
#define LINE_MAX_BYTES 512

struct zones {
    char names[ZONES_MAX][NAME_MAX_BYTES];
    size_t n;
};

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* "JP	+353916+1394441	Asia/Tokyo[	comment]"; # begins a comment. */
static void take_line(struct zones *z, char *line)
{
    char *name = line[0] == '#' ? NULL : strchr(line, '\t');
    name = name ? strchr(name + 1, '\t') : NULL;
    if (!name || z->n == ZONES_MAX)
        return;
    name++;
    name[strcspn(name, "\t\n")] = 0;
    if (*name && strlen(name) < NAME_MAX_BYTES)
        snprintf(z->names[z->n++], NAME_MAX_BYTES, "%s", name);
}

int zones_add(struct json *j, struct err *err)
{
    char path[512], line[LINE_MAX_BYTES];
    const char *dir = getenv("ZONEINFO_DIR");
    snprintf(path, sizeof(path), "%s/%s", dir && *dir ? dir : "/usr/share/zoneinfo", TAB_NAME);
    FILE *f = fopen(path, "re");
    if (!f)
        return err_set(err, EIO, "no_zones", "cannot read %s: %s", path, strerror(errno));
    struct zones *z = calloc(1, sizeof(*z));
    CHECK(z); /* there is memory */
    snprintf(z->names[z->n++], NAME_MAX_BYTES, "UTC");
    while (fgets(line, sizeof(line), f))
        take_line(z, line);
    fclose(f);
    qsort(z->names, z->n, sizeof(z->names[0]), compare);
    for (size_t i = 0; i < z->n; i++)
        json_str(j, z->names[i]);
    free(z);
    return 0;
}
