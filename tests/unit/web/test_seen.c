#include <criterion/criterion.h>

#include "web/seen.h"

static struct view id(char *text, int n)
{
    snprintf(text, 40, "%016x-%016x", n, n);
    return view_of(text, SEEN_ID_BYTES);
}

Test(seen, the_last_ids_are_remembered_and_older_ones_forgotten)
{
    struct seen *s = xcalloc(1, sizeof(*s));
    char text[40];
    for (int i = 0; i < SEEN_IDS + 10; i++) {
        cr_assert(!seen_has(s, id(text, i)), "%d is new", i);
        seen_add(s, id(text, i));
        cr_assert(seen_has(s, id(text, i)), "%d is known", i);
    }
    cr_expect(!seen_has(s, id(text, 9)) && seen_has(s, id(text, 10)));
    free(s);
}

Test(seen, what_is_no_id_is_not_remembered)
{
    struct seen *s = xcalloc(1, sizeof(*s));
    seen_add(s, VIEW("short"));
    cr_expect(s->n == 0 && !seen_has(s, VIEW("short")));
    free(s);
}
