/* Array literals. */
#include "store/array.h"

#include <math.h>

static void separate(struct buf *b)
{
    buf_add_char(b, b->n > 0 ? ',' : '{');
}

void array_add_text(struct buf *b, const char *text)
{
    separate(b);
    if (!text) {
        buf_add_str(b, "NULL");
        return;
    }
    buf_add_char(b, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            buf_add_char(b, '\\');
        buf_add_char(b, *p);
    }
    buf_add_char(b, '"');
}

void array_add_int(struct buf *b, int64_t n)
{
    separate(b);
    buf_printf(b, "%lld", (long long)n);
}

void array_add_real(struct buf *b, double n)
{
    separate(b);
    if (isfinite(n))
        buf_printf(b, "%.9g", n);
    else
        buf_add_str(b, "NULL");
}

void array_end(struct buf *b)
{
    buf_add_str(b, b->n > 0 ? "}" : "{}");
}
