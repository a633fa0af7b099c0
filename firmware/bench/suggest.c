/* Optimal string alignment distance, after Damerau (1964) and Levenshtein (1966). */
#include "bench/suggest.h"

#define NAME_MAX_BYTES 64

size_t suggest_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > NAME_MAX_BYTES || m > NAME_MAX_BYTES)
        return SIZE_MAX;
    size_t rows[3][NAME_MAX_BYTES + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        above[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = MIN(changed, MIN(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[m];
}

const char *suggest_near(const char *wrong, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t d = suggest_distance(wrong, names[i]);
        if (d < best_distance && d <= MAX((size_t)1, strlen(names[i]) / 3)) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}
