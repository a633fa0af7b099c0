/* Finding the drivers and profiles. */
#include "bench/share.h"

#include <unistd.h>

int share_program_dir(char ret[SHARE_PATH_MAX])
{
    char path[SHARE_PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (n < 0)
        return -errno;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)n == sizeof(path) - 1)
        return -ENAMETOOLONG;
    *slash = 0;
    snprintf(ret, SHARE_PATH_MAX, "%s", path);
    return 0;
}

static bool is_there(const char *dir, const char *name, char ret[SHARE_PATH_MAX])
{
    char path[SHARE_PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= sizeof(path) || access(path, R_OK) < 0)
        return false;
    snprintf(ret, SHARE_PATH_MAX, "%s", path);
    return true;
}

int share_find(const char *share_dir, const char *name, char ret[SHARE_PATH_MAX], struct err *err)
{
    char beside[SHARE_PATH_MAX + 32] = "", program[SHARE_PATH_MAX];
    const char *chosen = share_dir ? share_dir : getenv("AZEKURA_BENCH_SHARE");
    if (chosen && *chosen) {
        if (is_there(chosen, name, ret))
            return 0;
        return err_set(err, ENOENT, "not_found", "%s is not in %s (%s)", name, chosen,
                       share_dir ? "--share" : "$AZEKURA_BENCH_SHARE");
    }
    if (share_program_dir(program) == 0)
        snprintf(beside, sizeof(beside), "%s/../share/azekura/bench", program);
    if ((*beside && is_there(beside, name, ret)) || is_there(AZEKURA_BENCH_SOURCE, name, ret))
        return 0;
    return err_set(err, ENOENT, "not_found",
                   "%s is neither in %s nor in %s; name the folder with --share", name, beside,
                   AZEKURA_BENCH_SOURCE);
}
