/* Ids of messages as text.  Pure: no PostgreSQL. */
#include "pgext/entry_id.h"

static void put_hex(uint64_t v, char *out)
{
    for (int i = 15; i >= 0; i--, v >>= 4)
        out[i] = "0123456789abcdef"[v & 15];
}

static bool get_hex(const char *p, uint64_t *ret)
{
    uint64_t v = 0;
    for (int i = 0; i < 16; i++) {
        uint64_t digit;
        if (p[i] >= '0' && p[i] <= '9')
            digit = (uint64_t)(p[i] - '0');
        else if (p[i] >= 'a' && p[i] <= 'f')
            digit = (uint64_t)(p[i] - 'a') + 10;
        else
            return false;
        v = v << 4 | digit;
    }
    *ret = v;
    return true;
}

void entry_id_format(struct entry_id id, char out[ENTRY_ID_BYTES])
{
    put_hex((uint64_t)id.at_us, out);
    out[16] = '-';
    put_hex(id.seq, out + 17);
}

int entry_id_parse(struct view text, struct entry_id *ret)
{
    uint64_t at, seq;
    if (text.n != ENTRY_ID_BYTES || text.p[16] != '-' || !get_hex(text.p, &at) ||
        !get_hex(text.p + 17, &seq))
        return -EINVAL;
    *ret = (struct entry_id){(int64_t)at, seq};
    return 0;
}
