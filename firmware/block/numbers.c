/* Lists of numbers in byte planes. */
#include "block/numbers.h"

#define PUT_PLANES(low, high, less)                                \
    unsigned width = 0;                                            \
    while (width < sizeof(*v) && (high - low) >> (8 * width) != 0) \
        width++;                                                   \
    content_varint(c, (uint64_t)(low - less));                     \
    content_u8(c, (uint8_t)width);                                 \
    for (unsigned k = 0; k < width; k++) {                         \
        uint8_t *plane = content_room(c, n);                       \
        for (size_t i = 0; i < n; i++)                             \
            plane[i] = (uint8_t)((v[i] - low) >> (8 * k));         \
        content_cut(c);                                            \
    }

void numbers_put(struct content *c, const uint64_t *v, size_t n)
{
    uint64_t low = n > 0 ? v[0] : 0, high = low;
    for (size_t i = 1; i < n; i++) {
        low = MIN(low, v[i]);
        high = MAX(high, v[i]);
    }
    PUT_PLANES(low, high, 0)
}

void numbers_put_u16(struct content *c, const uint16_t *v, size_t n, uint16_t less)
{
    uint16_t low = n > 0 ? v[0] : less, high = low;
    for (size_t i = 0; i < n; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    CHECK(low >= less);
    PUT_PLANES(low, high, less)
}

/* Base, width and planes, checked but for the sums. */
static const uint8_t *take(struct cursor *c, size_t n, uint64_t max, unsigned width_max,
                           uint64_t *ret_base, unsigned *ret_width)
{
    *ret_base = cursor_varint(c);
    *ret_width = (unsigned)cursor_number(c, 1);
    if (c->is_bad || *ret_base > max || *ret_width > width_max || n > SIZE_MAX / 8) {
        c->is_bad = true;
        return NULL;
    }
    return cursor_take(c, *ret_width * n);
}

#define GET(NAME, TYPE)                                                               \
    bool NAME(struct cursor *c, size_t n, TYPE max, TYPE *ret)                        \
    {                                                                                 \
        uint64_t base;                                                                \
        unsigned width;                                                               \
        const uint8_t *planes = take(c, n, max, sizeof(TYPE), &base, &width);         \
        if (planes == NULL)                                                           \
            return false;                                                             \
        memset(ret, 0, n * sizeof(TYPE));                                             \
        for (unsigned k = 0; k < width; k++)                                          \
            for (size_t i = 0; i < n; i++)                                            \
                ret[i] = (TYPE)(ret[i] | (TYPE)((TYPE)planes[k * n + i] << (8 * k))); \
        const TYPE limit = (TYPE)(max - (TYPE)base);                                  \
        bool is_over = false;                                                         \
        for (size_t i = 0; i < n; i++) {                                              \
            is_over |= ret[i] > limit;                                                \
            ret[i] = (TYPE)(ret[i] + (TYPE)base);                                     \
        }                                                                             \
        c->is_bad |= is_over;                                                         \
        return !is_over;                                                              \
    }

GET(numbers_get_u64, uint64_t)
GET(numbers_get_u32, uint32_t)
GET(numbers_get_u16, uint16_t)
