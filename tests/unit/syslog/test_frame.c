#include <criterion/criterion.h>

#include "unit/syslog/stream.h"

#define LITERAL(s) s, sizeof(s) - 1

struct expected {
    enum frame_result result;
    const char *text;
};

struct row {
    const char *name;
    enum frame_mode mode;
    size_t max_bytes;
    const char *in;
    size_t in_bytes;
    struct expected out[6]; /* up to the one with text NULL */
};

#define M FRAME_MESSAGE
#define T FRAME_TRUNCATED
#define B FRAME_BAD

static const struct row rows[] = {
    {"LF", FRAME_AUTO, 64, LITERAL("<13>a\n<13>b\n"), {{M, "<13>a"}, {M, "<13>b"}}},
    {"CRLF keeps the CR",
     FRAME_AUTO,
     64,
     LITERAL("<13>a\r\n<13>b\r\n"),
     {{M, "<13>a\r"}, {M, "<13>b\r"}}},
    {"NUL before a PRI", FRAME_AUTO, 64, LITERAL("<13>a\0<13>b\0"), {{M, "<13>a"}, {M, "<13>b"}}},
    {"a count that is too large and leads into the next frame",
     FRAME_AUTO,
     64,
     LITERAL("20 <13>a: one\n10 <13>b: two10 <13>c: now"),
     {{B, "<13>a: one"}, {M, "<13>b: two"}, {M, "<13>c: now"}}},
    {"a count that is too large by the LF and a digit of the next count",
     FRAME_AUTO,
     64,
     LITERAL("12 <13>a: one\n10 <13>b: two\n10 <13>c: now\n"),
     {{B, "<13>a: one"}, {M, "<13>b: two"}, {M, "<13>c: now"}}},
    {"the same by all digits of the next count",
     FRAME_AUTO,
     64,
     LITERAL("13 <13>a: one\n10 <13>b: two"),
     {{B, "<13>a: one"}, {M, "<13>b: two"}}},
    {"a message that ends with a line of digits",
     FRAME_AUTO,
     64,
     LITERAL("12 <13>a: one\n110 <13>b: two"),
     {{M, "<13>a: one\n1"}, {M, "<13>b: two"}}},
    {"a count that leads beyond the connection's end, over other frames",
     FRAME_AUTO,
     64,
     LITERAL("60 <13>a: one\n10 <13>b: two\n10 <13>c: now\n"),
     {{B, "<13>a: one"}, {M, "<13>b: two"}, {M, "<13>c: now"}}},
    {"a counted message of lines whose connection ends within it",
     FRAME_AUTO,
     64,
     LITERAL("60 <13>a: one\ntwo\n10 three"),
     {{T, "<13>a: one\ntwo\n10 three"}}},
    {"lines that begin like frames, in a message whose count is right",
     FRAME_AUTO,
     64,
     LITERAL("24 <13>a: one\n10 <13>b: two10 <13>c: now"),
     {{M, "<13>a: one\n10 <13>b: two"}, {M, "<13>c: now"}}},
    {"the same at the connection's end",
     FRAME_AUTO,
     64,
     LITERAL("24 <13>a: one\n10 <13>b: two"),
     {{M, "<13>a: one\n10 <13>b: two"}}},
    {"NUL once learned",
     FRAME_AUTO,
     64,
     LITERAL("<13>a\0<13>b\0text\0"),
     {{M, "<13>a"}, {M, "<13>b"}, {M, "text"}}},
    {"NUL NUL before a PRI",
     FRAME_AUTO,
     64,
     LITERAL("<13>a\0\0<13>b\n"),
     {{M, "<13>a"}, {M, "<13>b"}}},
    {"no trailer at the end",
     FRAME_AUTO,
     64,
     LITERAL("<13>a\n<13>b"),
     {{M, "<13>a"}, {M, "<13>b"}}},
    {"empty lines", FRAME_AUTO, 64, LITERAL("\n\r\n\n<13>a\n\r\n\r\r\n\n"), {{M, "<13>a"}}},
    {"nothing", FRAME_AUTO, 64, LITERAL(""), {{M, NULL}}},
    {"counted", FRAME_AUTO, 64, LITERAL("5 <13>a6 <13>bb"), {{M, "<13>a"}, {M, "<13>bb"}}},
    {"counted with LF inside",
     FRAME_AUTO,
     64,
     LITERAL("9 <13>a\n<b>5 <13>c"),
     {{M, "<13>a\n<b>"}, {M, "<13>c"}}},
    {"counted, then LF trailers",
     FRAME_AUTO,
     64,
     LITERAL("5 <13>a\n5 <13>b\r\n5 <13>c\n"),
     {{M, "<13>a"}, {M, "<13>b"}, {M, "<13>c"}}},
    {"counted, LF, counted",
     FRAME_AUTO,
     64,
     LITERAL("5 <13>a<13>b\n5 <13>c"),
     {{M, "<13>a"}, {M, "<13>b"}, {M, "<13>c"}}},
    {"counted without PRI, alone", FRAME_AUTO, 64, LITERAL("11 hello world"), {{M, "hello world"}}},
    {"counted without PRI, then with",
     FRAME_AUTO,
     64,
     LITERAL("11 hello world5 <13>a"),
     {{M, "hello world"}, {M, "<13>a"}}},
    {"counted, then without PRI",
     FRAME_AUTO,
     64,
     LITERAL("5 <13>a5 hello5 world"),
     {{M, "<13>a"}, {M, "hello"}, {M, "world"}}},
    {"counted, none with PRI",
     FRAME_AUTO,
     64,
     LITERAL("5 hello5 world4 more"),
     {{M, "hello"}, {M, "world"}, {M, "more"}}},
    {"two counted without PRI",
     FRAME_AUTO,
     64,
     LITERAL("5 hello5 world"),
     {{M, "hello"}, {M, "world"}}},
    {"a number that counts to a number",
     FRAME_AUTO,
     64,
     LITERAL("3 of 40 disks\n3 of 5 disks are old\n"),
     {{M, "3 of 40 disks"}, {M, "3 of 5 disks are old"}}},
    {"illegal PRI counted",
     FRAME_AUTO,
     64,
     LITERAL("6 <192>a5 <>abc"),
     {{M, "<192>a"}, {M, "<>abc"}}},
    {"text that begins with a number",
     FRAME_AUTO,
     64,
     LITERAL("27 packets dropped\n5 disks\n"),
     {{M, "27 packets dropped"}, {M, "5 disks"}}},
    {"a number that counts to a digit",
     FRAME_AUTO,
     64,
     LITERAL("3 of 5 disks\n"),
     {{M, "3 of 5 disks"}}},
    {"number text after counted",
     FRAME_AUTO,
     64,
     LITERAL("5 <13>a10 packets lost\n"),
     {{M, "<13>a"}, {M, "10 packets lost"}}},
    {"a year in front",
     FRAME_AUTO,
     64,
     LITERAL("2026 Mar 10 a\n<13>b\n"),
     {{M, "2026 Mar 10 a"}, {M, "<13>b"}}},
    {"lines of digits", FRAME_AUTO, 64, LITERAL("0\n1\n10\n"), {{M, "0"}, {M, "1"}, {M, "10"}}},
    {"digits at the end", FRAME_AUTO, 64, LITERAL("12345"), {{M, "12345"}}},
    {"more digits than a count has",
     FRAME_AUTO,
     64,
     LITERAL("77777777777 <13>a\n"),
     {{M, "77777777777 <13>a"}}},
    {"a count that cannot be",
     FRAME_AUTO,
     64,
     LITERAL("999999999 <13>a\n<13>b\n"),
     {{B, "999999999 <13>a"}, {M, "<13>b"}}},
    {"leading zero is text", FRAME_AUTO, 64, LITERAL("05 <13>a\n"), {{M, "05 <13>a"}}},
    {"count too small",
     FRAME_AUTO,
     64,
     LITERAL("6 <13>hello\n5 <13>b"),
     {{M, "<13>he"}, {B, "llo"}, {M, "<13>b"}}},
    {"count too small, no LF",
     FRAME_AUTO,
     64,
     LITERAL("6 <13>hello5 <13>b"),
     {{M, "<13>he"}, {B, "llo"}, {M, "<13>b"}}},
    {"count too large",
     FRAME_AUTO,
     64,
     LITERAL("8 <13>a5 <13>b5 <13>c"),
     {{M, "<13>a5 <"}, {B, "13>b"}, {M, "<13>c"}}},
    {"count cut by the end", FRAME_AUTO, 64, LITERAL("50 <13>hello"), {{T, "<13>hello"}}},
    {"a leftover at the end", FRAME_AUTO, 64, LITERAL("5 <13>abc"), {{M, "<13>a"}, {B, "bc"}}},
    {"blanks between counted",
     FRAME_AUTO,
     64,
     LITERAL("5 <13>a 5 <13>b"),
     {{M, "<13>a"}, {M, "<13>b"}}},
    {"longest counted",
     FRAME_AUTO,
     16,
     LITERAL("16 <13>abcdefghijkl<13>b\n"),
     {{M, "<13>abcdefghijkl"}, {M, "<13>b"}}},
    {"over-long counted",
     FRAME_AUTO,
     16,
     LITERAL("20 <13>abcdefghijklMNOP5 <13>b"),
     {{T, "<13>abcdefghijkl"}, {M, "<13>b"}}},
    {"longest line",
     FRAME_AUTO,
     16,
     LITERAL("<13>abcdefghijkl\n<13>b\n"),
     {{M, "<13>abcdefghijkl"}, {M, "<13>b"}}},
    {"over-long line",
     FRAME_AUTO,
     16,
     LITERAL("<13>abcdefghijklMNOP 5 <13>x\n<13>b\n"),
     {{T, "<13>abcdefghijkl"}, {M, "<13>b"}}},
    {"over-long line without end",
     FRAME_AUTO,
     16,
     LITERAL("<13>abcdefghijklMNOPQRSTUVWXYZabcdefghij"),
     {{T, "<13>abcdefghijkl"}}},
    {"NUL in a line",
     FRAME_AUTO,
     64,
     LITERAL("<13>a\0 b\n<13>c\n"),
     {{M, "<13>a\1 b"}, {M, "<13>c"}}},
    {"delimited only: a count is text",
     FRAME_DELIMITED,
     64,
     LITERAL("5 <13>a\n6 b\n"),
     {{M, "5 <13>a"}, {M, "6 b"}}},
    {"counted only: no PRI needed",
     FRAME_COUNTED,
     64,
     LITERAL("3 a\nb2 cd"),
     {{M, "a\nb"}, {M, "cd"}}},
    {"counted only: a line is bad",
     FRAME_COUNTED,
     64,
     LITERAL("<13>a\n5 <13>b"),
     {{B, "<13>a"}, {M, "<13>b"}}},
    {"counted only: bad end",
     FRAME_COUNTED,
     64,
     LITERAL("5 <13>a12345"),
     {{M, "<13>a"}, {B, "12345"}}},
};

/* \1 in an expected text stands for NUL. */
static bool message_is(const struct stream_message *m, const struct expected *e)
{
    if (m->result != e->result || m->n != strlen(e->text))
        return false;
    for (size_t i = 0; i < m->n; i++) {
        if (m->p[i] != (e->text[i] == '\1' ? '\0' : e->text[i]))
            return false;
    }
    return true;
}

static void check_row(const struct row *row, size_t first)
{
    struct stream s;
    size_t want = 0;
    stream_run(&s, row->in, row->in_bytes, first, row->max_bytes, row->mode);
    while (want < ARRAY_LEN(row->out) && row->out[want].text)
        want++;
    cr_expect(s.count == want, "%s, first read %zu: %zu messages, should be %zu", row->name, first,
              s.count, want);
    for (size_t i = 0; i < MIN(s.count, want); i++)
        cr_expect(message_is(&s.messages[i], &row->out[i]),
                  "%s, first read %zu: message %zu is %d \"%.*s\"", row->name, first, i,
                  (int)s.messages[i].result, (int)s.messages[i].n, s.messages[i].p);
    stream_close(&s);
}

Test(frame, streams_are_cut_the_same_however_they_are_split)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t first = 0; first <= rows[i].in_bytes; first++)
            check_row(&rows[i], first);
    }
}

Test(frame, every_prefix_of_a_stream_ends_without_loss_of_its_first_messages)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t n = 0; n <= rows[i].in_bytes; n++) {
            struct stream s;
            stream_run(&s, rows[i].in, n, 0, rows[i].max_bytes, rows[i].mode);
            size_t kept = 0;
            for (size_t m = 0; m < s.count; m++)
                kept += s.messages[m].n;
            cr_expect(kept <= n, "%s: %zu bytes came out of %zu", rows[i].name, kept, n);
            stream_close(&s);
        }
    }
}

Test(frame, a_pause_ends_a_message_that_nul_or_its_count_ends)
{
    struct stream s;
    stream_open(&s, 64, FRAME_AUTO);
    stream_send(&s, LITERAL("<13>one\0"));
    cr_assert(s.count == 0, "NUL might be part of the text");
    stream_drain(&s, true);
    cr_assert(s.count == 1 && s.messages[0].n == 7);
    stream_send(&s, LITERAL("<13>two\0"));
    cr_assert(s.count == 2, "this sender ends messages with NUL");
    stream_close(&s);

    stream_open(&s, 64, FRAME_AUTO);
    stream_send(&s, LITERAL("11 hello world"));
    cr_assert(s.count == 0);
    stream_drain(&s, true);
    cr_assert(s.count == 1 && s.messages[0].n == 11 && s.n == 0);
    stream_close(&s);

    stream_open(&s, 64, FRAME_AUTO);
    stream_send(&s, LITERAL("5 hello5 world"));
    cr_assert(s.count == 0);
    stream_drain(&s, true);
    cr_assert(s.count == 2 && s.n == 0);
    stream_close(&s);
}

Test(frame, a_pause_ends_nothing_that_is_not_whole)
{
    const char *parts[] = {"<13>one", "12345", "11 hello", "50 <13>hello", "5 <1"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct stream s;
        stream_open(&s, 64, FRAME_AUTO);
        stream_send(&s, parts[i], strlen(parts[i]));
        stream_drain(&s, true);
        cr_expect(s.count == 0 && s.n == strlen(parts[i]), "%s", parts[i]);
        stream_close(&s);
    }
}

/* Bytes examined are not counted, but what is not linear takes minutes here. */
Test(frame, long_streams_take_linear_time, .timeout = 60)
{
    static const struct {
        const char *name, *text;
        size_t bytes;
    } patterns[] = {
        {"a line without end", LITERAL("a")},
        {"NULs", LITERAL("\0")},
        {"small NUL messages", LITERAL("<1>a\0")},
        {"small counted", LITERAL("4 <1>a")},
        {"digits", LITERAL("7")},
        {"counts too large", LITERAL("999 <1>a\n")},
        {"small without PRI", LITERAL("3 abc")},
        {"resynchronising", LITERAL("4 <1>abc ")},
        {"NUL in text", LITERAL("a\0")},
        {"brackets", LITERAL("4 <1>a<<<")},
        {"number in front", LITERAL("9 1 ")},
    };
    const size_t total = 1 << 20;
    char *p = xmalloc(total);
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        for (size_t k = 0; k < total; k++)
            p[k] = patterns[i].text[k % patterns[i].bytes];
        for (size_t read = 1; read <= 65536; read *= 256) {
            struct stream s;
            size_t bytes = read == 1 ? 131072 : total;
            stream_open(&s, MESSAGE_MAX_BYTES_DEFAULT, FRAME_AUTO);
            for (size_t k = 0; k < bytes; k += read)
                stream_send(&s, p + k, MIN(read, bytes - k));
            stream_end(&s);
            stream_close(&s);
        }
    }
    free(p);
}
