/* Layouts.  Byte 0 … 15 place the fields in the rest, which is taken twice: as the bytes as
 * received, whose layout must render them again, and as a layout from a damaged block, which may
 * only be refused or render within its bounds. */
#include "block/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct view part(struct view raw, uint8_t from, uint8_t n)
{
    size_t at = raw.n * from / 256;
    return n == 0 ? VIEW_NULL : view_of(raw.p + at, MIN((size_t)n, raw.n - at));
}

static void derive_and_render(const struct record *r)
{
    struct buf layout = BUF_INIT(LAYOUT_MAX_BYTES), out = BUF_INIT(1u << 20),
               again = BUF_INIT(LAYOUT_MAX_BYTES);
    struct record placed;
    if (layout_derive(r, &layout) == 0) {
        CHECK(layout_render(buf_view(&layout), r, &out) == 0);
        CHECK(out.n == r->raw.n && (out.n == 0 || memcmp(out.p, r->raw.p, out.n) == 0));
        buf_clear(&out);
        CHECK(layout_place(buf_view(&layout), r, &out, &placed) == 0);
        CHECK(layout_derive(&placed, &again) == 0);
        CHECK(view_eq(buf_view(&layout), buf_view(&again)));
    }
    buf_free(&layout);
    buf_free(&out);
    buf_free(&again);
}

static void render_hostile(struct view layout, const struct record *fields)
{
    unsigned needs = 0;
    struct buf out = BUF_INIT(1u << 20), small = BUF_INIT(7);
    int parsed = layout_fields(layout, &needs), e = layout_render(layout, fields, &out);
    CHECK(parsed == 0 || e == -EBADMSG);
    CHECK(e == 0 || (e == -EBADMSG && out.n == 0));
    int in_small = layout_render(layout, fields, &small);
    CHECK(in_small == (e == 0 && out.n > 7 ? -ENOSPC : e) || in_small == -ENOSPC);
    buf_free(&out);
    buf_free(&small);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 24)
        return 0;
    struct view rest = view_of((const char *)data + 24, size - 24);
    struct record r = {.facility = data[0] % 24,
                       .severity = data[1] % 8,
                       .time_form = data[2],
                       .time_digits = data[3],
                       .raw = rest,
                       .pri_text = part(rest, data[4], data[5] % 5),
                       .time_text = part(rest, data[6], data[7]),
                       .hostname = part(rest, data[8], data[9]),
                       .app_name = part(rest, data[10], data[11]),
                       .procid = part(rest, data[12], data[13]),
                       .message = part(rest, data[14], data[15])};
    memcpy(&r.reported_at_us, data + 16, 8);
    memcpy(&r.time_offset_min, data + 1, 2);
    derive_and_render(&r);
    r.structured_data = VIEW("[a b=\"c\"]");
    r.msgid = VIEW("ID47");
    render_hostile(rest, &r);
    return 0;
}
