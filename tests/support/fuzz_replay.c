/* main() of a fuzz target in ordinary builds: every file of the folders and files given as
 * arguments is fed to it once, so that what was found once stays tested.  Fails when there is none.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path, off_t size)
{
    /* exactly as large as the input, so that a read beyond it is seen */
    uint8_t *data = malloc(size ? (size_t)size : 1);
    FILE *f = fopen(path, "rb");
    int failed = f == NULL || data == NULL || fread(data, 1, (size_t)size, f) != (size_t)size;
    if (failed)
        fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
    else
        LLVMFuzzerTestOneInput(data, (size_t)size);
    if (f)
        fclose(f);
    free(data);
    return failed ? -1 : 1;
}

/* The number of inputs fed from a file, or from a folder and those in it; -1 on failure. */
static int replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    if (!S_ISDIR(st.st_mode))
        return replay_file(path, st.st_size);
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort), count = 0;
    for (int i = 0; i < n; i++) {
        char *child = NULL;
        if (names[i]->d_name[0] != '.' && count >= 0 &&
            asprintf(&child, "%s/%s", path, names[i]->d_name) > 0) {
            int r = replay(child);
            count = r < 0 ? -1 : count + r;
        }
        free(child);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return n < 0 ? -1 : count;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int n = replay(argv[i]);
        if (n < 0)
            return 1;
        total += n;
    }
    if (total == 0) {
        fprintf(stderr, "%s: no input; give files or folders with at least one\n", argv[0]);
        return 1;
    }
    printf("%d inputs\n", total);
    return 0;
}
