/* The charsets by name, and decoding them.
 *
 * A table is made once a process by asking the C library's iconv for each character.  It is then
 * constant, shared by all threads, and a message is decoded by looking characters up: iconv itself
 * would keep a state, take a lock to be opened, and does not say which byte was wrong.
 *
 *   tables.single[byte]               what one byte is
 *   tables.pairs[lead - 0x80][trail]  what two are
 *   tables.triples[…]                 of EUC-JP, what two behind 0x8F are
 *   tables.quads[]                    of GB18030, runs of what four are: the first linear number of
 *                                     a run and what it stands for
 *
 * All of them are code points of the basic plane; 0: there is none.  ISO-2022-JP has the tables of
 * EUC-JP, whose bytes are the same with the high bit set. */
#include "syslog/charset.h"

#include <iconv.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/utf8.h"

enum family {
    FAMILY_UTF8,
    FAMILY_SINGLE,
    FAMILY_PAIRS, /* a lead byte from 0x81 on and a trail byte from 0x40 on */
    FAMILY_EUC_JP,
    FAMILY_ISO_2022_JP,
    FAMILY_GB18030,
    FAMILY_UTF16, /* by its mark, else by where the zeros are */
    FAMILY_UTF16LE,
    FAMILY_UTF16BE,
};

struct quad_run {
    uint32_t linear; /* of the first */
    uint16_t code;   /* and what it stands for */
    uint16_t n;
};
enum { QUAD_RUNS_MAX = 512, QUADS_BMP = 39420, QUADS_BEYOND = 189000 };

struct tables {
    uint16_t single[256];
    uint16_t (*pairs)[256];
    uint16_t (*triples)[256];
    struct quad_run quads[QUAD_RUNS_MAX];
    unsigned quads_n;
};

struct charset {
    char name[CHARSET_NAME_MAX];
    uint8_t family;
    uint8_t tables_of; /* index of the one whose tables it has */
    const char *iconv_name;
    const char *aliases; /* further names, as fold_name() makes them, with a blank around each */
    const char *label_en, *label_ja;
};

/* The iconv names are those of the vendors' own forms of a charset: devices send ①, 髙 and ￢ as if
 * the standards had them. */
static const struct charset charsets[] = {
    {"UTF-8", FAMILY_UTF8, 0, NULL, " utf8 cp65001 ascii usascii ", "Unicode (UTF-8)",
     "Unicode（UTF-8）"},
    {"Shift_JIS", FAMILY_PAIRS, 1, "CP932",
     " sjis cp932 ms932 windows31j mskanji xsjis shiftjis csshiftjis sjiswin ",
     "Japanese (Shift_JIS, CP932)", "日本語（Shift_JIS、CP932）"},
    {"EUC-JP", FAMILY_EUC_JP, 2, "EUC-JP-MS",
     " eucjp ujis xeucjp eucjpms eucjpwin cp51932 cp20932 ", "Japanese (EUC-JP)",
     "日本語（EUC-JP）"},
    {"ISO-2022-JP", FAMILY_ISO_2022_JP, 2, "EUC-JP-MS",
     " iso2022jp jis cp50220 cp50221 cp50222 iso2022jpms csiso2022jp iso2022jp1 ",
     "Japanese (ISO-2022-JP, JIS)", "日本語（ISO-2022-JP、JIS）"},
    {"GB18030", FAMILY_GB18030, 4, "GB18030",
     " gb18030 gbk gb2312 cp936 ms936 euccn windows936 cngb xgbk ",
     "Chinese, simplified (GB18030, GBK)", "中国語・簡体字（GB18030、GBK）"},
    {"Big5", FAMILY_PAIRS, 5, "BIG5", " big5 cp950 big5eten bigfive windows950 ms950 cnbig5 ",
     "Chinese, traditional (Big5)", "中国語・繁体字（Big5）"},
    {"EUC-KR", FAMILY_PAIRS, 6, "UHC",
     " euckr cp949 uhc ksc5601 ksc56011987 windows949 ms949 ksx1001 ", "Korean (EUC-KR, CP949)",
     "韓国語（EUC-KR、CP949）"},
    {"UTF-16", FAMILY_UTF16, 7, NULL, " utf16 unicode ucs2 ", "Unicode (UTF-16, by its mark)",
     "Unicode（UTF-16、BOM で判別）"},
    {"UTF-16LE", FAMILY_UTF16LE, 8, NULL, " utf16le ucs2le cp1200 ", "Unicode (UTF-16LE, Windows)",
     "Unicode（UTF-16LE、Windows）"},
    {"UTF-16BE", FAMILY_UTF16BE, 9, NULL, " utf16be ucs2be cp1201 ", "Unicode (UTF-16BE)",
     "Unicode（UTF-16BE）"},
    {"windows-1252", FAMILY_SINGLE, 10, "CP1252", " windows1252 cp1252 ansi ms1252 ",
     "Western European (windows-1252)", "西欧（windows-1252）"},
    {"ISO-8859-1", FAMILY_SINGLE, 10, "CP1252", " iso88591 latin1 l1 cp819 ibm819 ",
     "Western European (ISO-8859-1)", "西欧（ISO-8859-1）"},
    {"ISO-8859-15", FAMILY_SINGLE, 12, "ISO-8859-15", " iso885915 latin9 l9 ",
     "Western European with € (ISO-8859-15)", "西欧・ユーロ記号（ISO-8859-15）"},
    {"IBM850", FAMILY_SINGLE, 13, "CP850", " ibm850 cp850 850 ", "Western European (DOS, CP850)",
     "西欧（DOS、CP850）"},
    {"IBM437", FAMILY_SINGLE, 14, "CP437", " ibm437 cp437 437 ", "DOS of the USA (CP437)",
     "米国 DOS（CP437）"},
    {"windows-1250", FAMILY_SINGLE, 15, "CP1250", " windows1250 cp1250 ms1250 ",
     "Central European (windows-1250)", "中欧（windows-1250）"},
    {"ISO-8859-2", FAMILY_SINGLE, 16, "ISO-8859-2", " iso88592 latin2 l2 ",
     "Central European (ISO-8859-2)", "中欧（ISO-8859-2）"},
    {"IBM852", FAMILY_SINGLE, 17, "CP852", " ibm852 cp852 852 ", "Central European (DOS, CP852)",
     "中欧（DOS、CP852）"},
    {"windows-1251", FAMILY_SINGLE, 18, "CP1251", " windows1251 cp1251 ms1251 ",
     "Cyrillic (windows-1251)", "キリル文字（windows-1251）"},
    {"KOI8-R", FAMILY_SINGLE, 19, "KOI8-R", " koi8r koi8 cp20866 ", "Russian (KOI8-R)",
     "ロシア語（KOI8-R）"},
    {"KOI8-U", FAMILY_SINGLE, 20, "KOI8-U", " koi8u cp21866 ", "Ukrainian (KOI8-U)",
     "ウクライナ語（KOI8-U）"},
    {"ISO-8859-5", FAMILY_SINGLE, 21, "ISO-8859-5", " iso88595 cyrillic ", "Cyrillic (ISO-8859-5)",
     "キリル文字（ISO-8859-5）"},
    {"IBM866", FAMILY_SINGLE, 22, "CP866", " ibm866 cp866 866 ", "Cyrillic (DOS, CP866)",
     "キリル文字（DOS、CP866）"},
    {"windows-1253", FAMILY_SINGLE, 23, "CP1253", " windows1253 cp1253 ms1253 ",
     "Greek (windows-1253)", "ギリシャ語（windows-1253）"},
    {"ISO-8859-7", FAMILY_SINGLE, 24, "ISO-8859-7", " iso88597 greek ", "Greek (ISO-8859-7)",
     "ギリシャ語（ISO-8859-7）"},
    {"windows-1254", FAMILY_SINGLE, 25, "CP1254", " windows1254 cp1254 ms1254 ",
     "Turkish (windows-1254)", "トルコ語（windows-1254）"},
    {"ISO-8859-9", FAMILY_SINGLE, 25, "CP1254", " iso88599 latin5 l5 ", "Turkish (ISO-8859-9)",
     "トルコ語（ISO-8859-9）"},
    {"windows-1255", FAMILY_SINGLE, 27, "CP1255", " windows1255 cp1255 ms1255 ",
     "Hebrew (windows-1255)", "ヘブライ語（windows-1255）"},
    {"ISO-8859-8", FAMILY_SINGLE, 28, "ISO-8859-8", " iso88598 iso88598i hebrew ",
     "Hebrew (ISO-8859-8)", "ヘブライ語（ISO-8859-8）"},
    {"windows-1256", FAMILY_SINGLE, 29, "CP1256", " windows1256 cp1256 ms1256 ",
     "Arabic (windows-1256)", "アラビア語（windows-1256）"},
    {"ISO-8859-6", FAMILY_SINGLE, 30, "ISO-8859-6", " iso88596 arabic ", "Arabic (ISO-8859-6)",
     "アラビア語（ISO-8859-6）"},
    {"windows-1257", FAMILY_SINGLE, 31, "CP1257", " windows1257 cp1257 ms1257 ",
     "Baltic (windows-1257)", "バルト語（windows-1257）"},
    {"ISO-8859-13", FAMILY_SINGLE, 32, "ISO-8859-13", " iso885913 latin7 l7 ",
     "Baltic (ISO-8859-13)", "バルト語（ISO-8859-13）"},
    {"windows-1258", FAMILY_SINGLE, 33, "CP1258", " windows1258 cp1258 ms1258 ",
     "Vietnamese (windows-1258)", "ベトナム語（windows-1258）"},
    {"windows-874", FAMILY_SINGLE, 34, "CP874", " windows874 cp874 tis620 ms874 iso885911 ",
     "Thai (windows-874, TIS-620)", "タイ語（windows-874、TIS-620）"},
};

static _Atomic(const struct tables *) made[ARRAY_LEN(charsets)];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* ---- names ---- */

/* " NAME " without "-", "_", blanks and case; false: it is too long or has other characters. */
static bool fold_name(struct view name, char ret[CHARSET_NAME_MAX + 8])
{
    size_t n = 0;
    ret[n++] = ' ';
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (c == '-' || c == '_' || c == ' ')
            continue;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + ('a' - 'A'));
        bool is_alnum = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!is_alnum || n >= CHARSET_NAME_MAX + 6)
            return false;
        ret[n++] = c;
    }
    ret[n++] = ' ';
    ret[n] = '\0';
    return n > 2;
}

const struct charset *charset_find(struct view name)
{
    char folded[CHARSET_NAME_MAX + 8];
    if (!fold_name(name, folded))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(charsets); i++)
        if (strstr(charsets[i].aliases, folded))
            return &charsets[i];
    return NULL;
}

const struct charset *charset_at(size_t i)
{
    return i < ARRAY_LEN(charsets) ? &charsets[i] : NULL;
}

const char *charset_name(const struct charset *c)
{
    return c ? c->name : charsets[0].name;
}

const char *charset_label_en(const struct charset *c)
{
    return c ? c->label_en : charsets[0].label_en;
}

const char *charset_label_ja(const struct charset *c)
{
    return c ? c->label_ja : charsets[0].label_ja;
}

bool charset_is_utf8(const struct charset *c)
{
    return !c || c->family == FAMILY_UTF8;
}

/* ---- tables ---- */

/* What iconv makes of n bytes: one code point, or 0. */
static uint32_t ask(iconv_t cd, const unsigned char *bytes, size_t n)
{
    char in[4], out[16], *from = in, *to = out;
    size_t left = n, room = sizeof(out);
    memcpy(in, bytes, n);
    (void)iconv(cd, NULL, NULL, NULL, NULL);
    if (iconv(cd, &from, &left, &to, &room) == (size_t)-1 || left > 0)
        return 0;
    (void)iconv(cd, NULL, NULL, &to, &room);
    if (sizeof(out) - room != 4)
        return 0;
    const unsigned char *u = (const unsigned char *)out;
    return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

/* One of the basic plane that is a character of the text: no control of ISO 6429, which nobody
 * sends and iconv has for what is not assigned. */
static uint16_t ask_code(iconv_t cd, const unsigned char *bytes, size_t n)
{
    uint32_t u = ask(cd, bytes, n);
    bool is_none = u < 0xa0 || u > 0xfffd || (u >= 0xd800 && u < 0xe000);
    return is_none ? 0 : (uint16_t)u;
}

static uint16_t (*make_pairs(iconv_t cd, int before))[256]
{
    uint16_t(*of)[256] = calloc(128, sizeof(*of));
    for (unsigned lead = 0x81; of && lead < 0xff; lead++) {
        for (unsigned trail = 0x40; trail < 0xff; trail++) {
            unsigned char bytes[3] = {(unsigned char)before, (unsigned char)lead,
                                      (unsigned char)trail};
            if (trail != 0x7f)
                of[lead - 0x80][trail] = before ? ask_code(cd, bytes, 3)
                                                : ask_code(cd, bytes + 1, 2);
        }
    }
    return of;
}

/* Runs of four bytes: those that stand for neighbours. */
static void make_quads(iconv_t cd, struct tables *t)
{
    for (uint32_t i = 0; i < QUADS_BMP; i++) {
        unsigned char bytes[4] = {
            (unsigned char)(0x81 + i / 12600), (unsigned char)(0x30 + i / 1260 % 10),
            (unsigned char)(0x81 + i / 10 % 126), (unsigned char)(0x30 + i % 10)};
        uint32_t u = ask(cd, bytes, 4);
        if (u < 0x80 || u > 0xfffd || (u >= 0xd800 && u < 0xe000))
            continue;
        struct quad_run *last = t->quads_n ? &t->quads[t->quads_n - 1] : NULL;
        if (last && last->linear + last->n == i && (uint32_t)last->code + last->n == u)
            last->n++;
        else if (t->quads_n < QUAD_RUNS_MAX)
            t->quads[t->quads_n++] = (struct quad_run){i, (uint16_t)u, 1};
    }
}

static void free_tables(struct tables *t)
{
    if (!t)
        return;
    free(t->pairs);
    free(t->triples);
    free(t);
}

static struct tables *make(const struct charset *c, iconv_t cd)
{
    struct tables *t = calloc(1, sizeof(*t));
    if (!t)
        return NULL;
    for (unsigned i = 0x80; i < 256; i++) {
        uint16_t u = ask_code(cd, &(unsigned char){(unsigned char)i}, 1);
        /* beside pairs iconv has bytes of one vendor's that are half a character for all others */
        bool is_odd = c->family != FAMILY_SINGLE && (u == 0xa0 || (u >= 0xe000 && u < 0xf900));
        t->single[i] = is_odd ? 0 : u;
    }
    if (c->family == FAMILY_SINGLE)
        return t;
    t->pairs = make_pairs(cd, 0);
    if (c->family == FAMILY_EUC_JP || c->family == FAMILY_ISO_2022_JP)
        t->triples = make_pairs(cd, 0x8f);
    if (!t->pairs || (c->iconv_name && strcmp(c->iconv_name, "EUC-JP-MS") == 0 && !t->triples)) {
        free_tables(t);
        return NULL;
    }
    if (c->family == FAMILY_GB18030) {
        make_quads(cd, t);
        t->single[0x80] = 0x20ac; /* of Windows */
    }
    return t;
}

/* NULL: it has none, or they cannot be made. */
static const struct tables *tables_of(const struct charset *c, int *ret_rc)
{
    _Atomic(const struct tables *) *place = &made[c->tables_of];
    const struct tables *t = atomic_load_explicit(place, memory_order_acquire);
    *ret_rc = 0;
    if (LIKELY(t != NULL) || !c->iconv_name)
        return t;
    pthread_mutex_lock(&making);
    t = atomic_load(place);
    if (!t) {
        iconv_t cd = iconv_open("UTF-32LE", c->iconv_name);
        if (cd == (iconv_t)-1) {
            *ret_rc = -errno;
        } else {
            t = make(c, cd);
            *ret_rc = t ? 0 : -ENOMEM;
            iconv_close(cd);
            atomic_store_explicit(place, t, memory_order_release);
        }
    }
    pthread_mutex_unlock(&making);
    return t;
}

int charset_prepare(const struct charset *c)
{
    int rc = 0;
    if (c)
        (void)tables_of(c, &rc);
    return rc;
}

/* ---- decoding ---- */

struct decoder {
    const struct tables *t;
    const unsigned char *p, *end;
    char *to; /* there is room for three bytes for each of the input's */
    size_t bad;
};

static void put(struct decoder *d, uint32_t code)
{
    d->to += utf8_encode(code ? code : 0x2400, d->to);
}

/* n bytes that are no character. */
static void put_bad(struct decoder *d, size_t n)
{
    memcpy(d->to, "\xef\xbf\xbd", 3);
    d->to += 3;
    d->p += n;
    d->bad += n;
}

/* A character of n bytes, or, where there is none, one that is bad: an ASCII byte is never part of
 * what is bad, so that no delimiter is lost. */
static void put_or_bad(struct decoder *d, uint32_t code, size_t n)
{
    if (LIKELY(code != 0)) {
        put(d, code);
        d->p += n;
        return;
    }
    size_t high = 1;
    bool may_lead = *d->p != 0x80 && *d->p != 0xff;
    while (may_lead && high < n && d->p + high < d->end && d->p[high] >= 0x80)
        high++;
    put_bad(d, high);
}

/* A run of ASCII bytes, which stand for themselves; false: there was none. */
static bool put_ascii(struct decoder *d)
{
    const unsigned char *from = d->p;
    while (d->p < d->end && *d->p < 0x80 && *d->p != 0)
        d->p++;
    size_t n = (size_t)(d->p - from);
    memcpy(d->to, from, n);
    d->to += n;
    if (d->p < d->end && *d->p == 0) {
        put(d, 0);
        d->p++;
        n++;
    }
    return n > 0;
}

static uint16_t pair_at(const struct decoder *d)
{
    return d->end - d->p >= 2 ? d->t->pairs[d->p[0] - 0x80][d->p[1]] : 0;
}

static void decode_single(struct decoder *d)
{
    while (d->p < d->end)
        if (!put_ascii(d))
            put_or_bad(d, d->t->single[*d->p], 1);
}

static void decode_pairs(struct decoder *d)
{
    while (d->p < d->end) {
        if (put_ascii(d))
            continue;
        uint16_t one = d->t->single[*d->p];
        if (one)
            put_or_bad(d, one, 1);
        else
            put_or_bad(d, pair_at(d), 2);
    }
}

static void decode_euc_jp(struct decoder *d)
{
    while (d->p < d->end) {
        if (put_ascii(d))
            continue;
        bool is_three = *d->p == 0x8f && d->end - d->p >= 3 && d->p[1] >= 0x80;
        if (is_three)
            put_or_bad(d, d->t->triples[d->p[1] - 0x80][d->p[2]], 3);
        else
            put_or_bad(d, *d->p == 0x8f ? 0 : pair_at(d), 2);
    }
}

/* Four bytes: 0 when they are none. */
static uint32_t quad_at(const struct decoder *d)
{
    const unsigned char *p = d->p;
    bool has_form = d->end - p >= 4 && p[0] >= 0x81 && p[0] <= 0xfe && p[1] >= 0x30 &&
                    p[1] <= 0x39 && p[2] >= 0x81 && p[2] <= 0xfe && p[3] >= 0x30 && p[3] <= 0x39;
    if (!has_form)
        return 0;
    uint32_t linear = (((uint32_t)(p[0] - 0x81) * 10 + (p[1] - 0x30u)) * 126 + (p[2] - 0x81u)) *
                          10 +
                      (p[3] - 0x30u);
    if (linear >= QUADS_BEYOND)
        return linear - QUADS_BEYOND <= 0xfffff ? 0x10000 + (linear - QUADS_BEYOND) : 0;
    size_t low = 0, high = d->t->quads_n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->t->quads[middle].linear <= linear)
            low = middle + 1;
        else
            high = middle;
    }
    const struct quad_run *run = low > 0 ? &d->t->quads[low - 1] : NULL;
    return run && linear - run->linear < run->n ? run->code + (linear - run->linear) : 0;
}

static void decode_gb18030(struct decoder *d)
{
    while (d->p < d->end) {
        if (put_ascii(d))
            continue;
        uint32_t four = quad_at(d);
        if (four)
            put_or_bad(d, four, 4);
        else if (d->t->single[*d->p])
            put_or_bad(d, d->t->single[*d->p], 1);
        else
            put_or_bad(d, pair_at(d), 2);
    }
}

/* ---- ISO-2022-JP ---- */

enum jis_set { JIS_ASCII, JIS_X0208, JIS_X0212, JIS_KATAKANA };

/* The set that an escape sequence at p begins, and its length; 0: it is none. */
static size_t escape_at(const unsigned char *p, const unsigned char *end, enum jis_set *ret)
{
    static const struct {
        char text[5];
        uint8_t n, set;
    } escapes[] = {
        {"\033(B", 3, JIS_ASCII},    {"\033(J", 3, JIS_ASCII},  {"\033(H", 3, JIS_ASCII},
        {"\033(I", 3, JIS_KATAKANA}, {"\033$@", 3, JIS_X0208},  {"\033$B", 3, JIS_X0208},
        {"\033$(D", 4, JIS_X0212},   {"\033$(B", 4, JIS_X0208}, {"\033$(@", 4, JIS_X0208},
    };
    for (size_t i = 0; i < ARRAY_LEN(escapes); i++) {
        if ((size_t)(end - p) >= escapes[i].n && memcmp(p, escapes[i].text, escapes[i].n) == 0) {
            *ret = (enum jis_set)escapes[i].set;
            return escapes[i].n;
        }
    }
    return 0;
}

/* Half-width katakana stand there as the right half of JIS X 0201. */
static uint32_t katakana(unsigned char byte)
{
    unsigned seven = byte & 0x7f;
    return seven >= 0x21 && seven <= 0x5f ? 0xff61 + seven - 0x21 : 0;
}

static void decode_jis_character(struct decoder *d, enum jis_set set)
{
    unsigned char lead = d->p[0];
    if (lead >= 0x80 || set == JIS_KATAKANA) { /* of eight bits: half-width katakana, too */
        put_or_bad(d, lead == 0xa0 || lead == 0x80 ? 0 : katakana(lead), 1);
        return;
    }
    unsigned char trail = d->end - d->p >= 2 ? d->p[1] : 0;
    if (trail < 0x21 || trail > 0x7e) {
        put_bad(d, 1); /* cut off: what follows is a control, or nothing */
        return;
    }
    uint16_t(*table)[256] = set == JIS_X0212 ? d->t->triples : d->t->pairs;
    uint16_t code = table[lead][trail | 0x80];
    if (code) {
        put(d, code);
        d->p += 2;
    } else {
        put_bad(d, 2);
    }
}

/* Each message and each line of it begins in ASCII, as RFC 1468 has it: one that was cut within
 * Japanese text does not spoil the next. */
static void decode_iso_2022_jp(struct decoder *d)
{
    enum jis_set set = JIS_ASCII;
    while (d->p < d->end) {
        size_t n = *d->p == 0x1b ? escape_at(d->p, d->end, &set) : 0;
        if (n > 0) {
            d->p += n;
            continue;
        }
        if (*d->p == '\n' || *d->p == '\r')
            set = JIS_ASCII;
        bool is_itself = *d->p < 0x21 || *d->p == 0x7f || (set == JIS_ASCII && *d->p < 0x80);
        if (is_itself)
            put(d, *d->p++);
        else
            decode_jis_character(d, set);
    }
}

/* ---- UTF-16 ---- */

static bool is_little_endian(const struct charset *c, struct view in)
{
    if (c->family != FAMILY_UTF16)
        return c->family == FAMILY_UTF16LE;
    if (in.n >= 2 && memcmp(in.p, "\xfe\xff", 2) == 0)
        return false;
    size_t even = 0, odd = 0;
    for (size_t i = 0; i < in.n; i++) {
        even += i % 2 == 0 && in.p[i] == 0;
        odd += i % 2 == 1 && in.p[i] == 0;
    }
    return even <= odd || (in.n >= 2 && memcmp(in.p, "\xff\xfe", 2) == 0);
}

/* A stream that was cut at each 0x0A has the other half of the line end at the next begin (LE) or
 * at the end (BE). */
static void skip_half_line_end(struct decoder *d, bool is_little)
{
    size_t n = (size_t)(d->end - d->p);
    if (n % 2 == 0)
        return;
    if (is_little && d->p[0] == 0)
        d->p++;
    else if (!is_little && d->end[-1] == 0)
        d->end--;
}

static uint32_t unit_at(const unsigned char *p, bool is_little)
{
    return is_little ? (uint32_t)p[0] | (uint32_t)p[1] << 8 : (uint32_t)p[1] | (uint32_t)p[0] << 8;
}

static void decode_utf16(struct decoder *d, bool is_little)
{
    skip_half_line_end(d, is_little);
    if (d->end - d->p >= 2 && unit_at(d->p, is_little) == 0xfeff)
        d->p += 2;
    while (d->end - d->p >= 2) {
        uint32_t u = unit_at(d->p, is_little);
        uint32_t low = d->end - d->p >= 4 ? unit_at(d->p + 2, is_little) : 0;
        if (u < 0xd800 || u > 0xdfff) {
            put(d, u);
            d->p += 2;
        } else if (u < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
            put(d, 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00));
            d->p += 4;
        } else {
            put_bad(d, 2);
        }
    }
    if (d->p < d->end)
        put_bad(d, 1);
}

const struct charset *charset_by_mark(struct view in)
{
    if (in.n < 2)
        return NULL;
    if (memcmp(in.p, "\xff\xfe", 2) == 0)
        return charset_find(VIEW("UTF-16LE"));
    return memcmp(in.p, "\xfe\xff", 2) == 0 ? charset_find(VIEW("UTF-16BE")) : NULL;
}

/* ---- what is asked ---- */

static bool has_ascii_only(struct view in)
{
    size_t i = 0;
    uint64_t high = 0, eight;
    for (; i + 8 <= in.n; i += 8) {
        memcpy(&eight, in.p + i, 8);
        high |= eight;
    }
    for (; i < in.n; i++)
        high |= (uint64_t)(unsigned char)in.p[i];
    return (high & UINT64_C(0x8080808080808080)) == 0;
}

static bool is_wide(const struct charset *c)
{
    return c->family == FAMILY_UTF16 || c->family == FAMILY_UTF16LE || c->family == FAMILY_UTF16BE;
}

bool charset_applies(const struct charset *c, struct view in)
{
    if (charset_is_utf8(c) || in.n == 0)
        return false;
    if (!has_ascii_only(in))
        return true;
    if (is_wide(c))
        return memchr(in.p, 0, in.n) != NULL;
    return c->family == FAMILY_ISO_2022_JP && memchr(in.p, 0x1b, in.n) != NULL;
}

static void decode(struct decoder *d, const struct charset *c, struct view in)
{
    switch ((enum family)c->family) {
    case FAMILY_SINGLE:
        decode_single(d);
        return;
    case FAMILY_PAIRS:
        decode_pairs(d);
        return;
    case FAMILY_EUC_JP:
        decode_euc_jp(d);
        return;
    case FAMILY_ISO_2022_JP:
        decode_iso_2022_jp(d);
        return;
    case FAMILY_GB18030:
        decode_gb18030(d);
        return;
    case FAMILY_UTF16:
    case FAMILY_UTF16LE:
    case FAMILY_UTF16BE:
        decode_utf16(d, is_little_endian(c, in));
        return;
    case FAMILY_UTF8:
        break;
    }
    CHECK(!"a charset of no family");
}

/* Bytes that are no UTF-8. */
static size_t broken_bytes(struct view in)
{
    size_t bad = 0;
    while (in.n > 0) {
        size_t n = utf8_clean_prefix(in);
        if (n == in.n)
            break;
        bad += in.p[n] != 0;
        in = view_of(in.p + n + 1, in.n - n - 1);
    }
    return bad;
}

static int decode_utf8(struct view in, struct buf *out)
{
    int rc = utf8_clean(in, out);
    return rc < 0 ? rc : (int)MIN(broken_bytes(in), (size_t)INT32_MAX);
}

int charset_decode(const struct charset *c, struct view in, struct buf *out)
{
    int rc = 0;
    if (charset_is_utf8(c))
        return decode_utf8(in, out);
    const struct tables *t = is_wide(c) ? NULL : tables_of(c, &rc);
    if (!t && !is_wide(c))
        return decode_utf8(in, out);
    rc = buf_reserve(out, 3 * in.n);
    if (rc < 0 || in.n == 0)
        return rc;
    const unsigned char *p = (const unsigned char *)in.p;
    struct decoder d = {t, p, p + in.n, out->p + out->n, 0};
    decode(&d, c, in);
    out->n = (size_t)(d.to - out->p);
    return (int)MIN(d.bad, (size_t)INT32_MAX);
}

/* Two or more characters beyond ASCII, all of three or four bytes: no text of another charset is so
 * by chance. */
static bool is_surely_utf8(struct view clean)
{
    size_t characters = 0;
    for (size_t i = 0; i < clean.n;) {
        unsigned char b = (unsigned char)clean.p[i];
        size_t n = b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
        if (n == 2)
            return false;
        characters += n > 2;
        i += n;
    }
    return characters >= 2;
}

/* Of a valid UTF-8 text: whether it is left so without looking what the charset makes of it. */
static bool is_left(const struct charset *c, struct view clean)
{
    if (c->family == FAMILY_SINGLE)
        return true; /* it would decode, as anything does, to nonsense */
    if (c->family == FAMILY_ISO_2022_JP)
        return !memchr(clean.p, 0x1b, clean.n);
    return is_wide(c) || is_surely_utf8(clean);
}

/* UTF-8 that was cut within its last character, as a limit of length does. */
static bool is_cut_utf8(struct view in)
{
    size_t n = utf8_clean_prefix(in), rest = in.n - n;
    if (rest == 0 || rest > 3)
        return false;
    const unsigned char *p = (const unsigned char *)in.p + n;
    size_t whole = *p < 0xc2 || *p > 0xf4 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < rest; i++)
        whole = (p[i] & 0xc0) == 0x80 ? whole : 0;
    return rest < whole && is_surely_utf8(view_of(in.p, n));
}

int charset_text(const struct charset *c, struct view in, struct buf *out, size_t *ret_undecodable)
{
    size_t before = out->n;
    /* a wide text has zeros in it, so it is no clean one */
    bool is_clean = utf8_is_clean(in);
    if (is_clean ? is_left(c, in) : is_cut_utf8(in))
        return 0;
    int bad = charset_decode(c, in, out);
    if (bad < 0)
        return bad;
    if (bad > 0 && is_clean) {
        out->n = before;
        return 0;
    }
    *ret_undecodable = (size_t)bad;
    return 1;
}
