#include <criterion/criterion.h>
#include <iconv.h>

#include "base/utf8.h"
#include "syslog/charset.h"

static const struct charset *named(const char *name)
{
    const struct charset *c = charset_find(view_str(name));
    cr_assert(c, "%s", name);
    return c;
}

/* The bytes that the C library makes of a UTF-8 text. */
static struct view encoded(const char *iconv_name, const char *text, char *out, size_t max)
{
    iconv_t cd = iconv_open(iconv_name, "UTF-8");
    cr_assert(cd != (iconv_t)-1, "%s", iconv_name);
    char *from = (char *)(uintptr_t)text, *to = out;
    size_t left = strlen(text), room = max;
    cr_assert_eq(iconv(cd, &from, &left, &to, &room), 0u, "%s: %s", iconv_name, text);
    cr_assert_eq(iconv(cd, NULL, NULL, &to, &room), 0u);
    iconv_close(cd);
    return view_of(out, max - room);
}

static void check(const char *charset, struct view in, const char *want, int want_bad)
{
    struct buf out = BUF_INIT(65536);
    cr_expect_eq(charset_decode(named(charset), in, &out), want_bad, "%s: %s", charset, want);
    cr_expect_str_eq(buf_str(&out), want, "%s: %s", charset, buf_str(&out));
    cr_expect(utf8_is_clean(buf_view(&out)), "%s: %s", charset, want);
    buf_free(&out);
}

Test(charset, each_one_has_its_names)
{
    static const char *const names[][2] = {
        {"Shift_JIS", "Shift_JIS"},
        {"CP932", "Shift_JIS"},
        {"sjis", "Shift_JIS"},
        {"windows-31j", "Shift_JIS"},
        {"EUCJP", "EUC-JP"},
        {"euc_jp", "EUC-JP"},
        {"iso-2022-jp", "ISO-2022-JP"},
        {"JIS", "ISO-2022-JP"},
        {"GBK", "GB18030"},
        {"gb2312", "GB18030"},
        {"big5", "Big5"},
        {"ks_c_5601-1987", "EUC-KR"},
        {"latin1", "ISO-8859-1"},
        {"ISO 8859-15", "ISO-8859-15"},
        {"cp1252", "windows-1252"},
        {"koi8-r", "KOI8-R"},
        {"utf-8", "UTF-8"},
        {"UTF8", "UTF-8"},
        {"UTF-16le", "UTF-16LE"},
        {"cp866", "IBM866"},
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        cr_expect_str_eq(charset_name(named(names[i][0])), names[i][1], "%s", names[i][0]);
    cr_expect_str_eq(charset_name(NULL), "UTF-8");
    static const char *const none[] = {
        "",       "-",       "EBCDIC",   "utf",       "shift jis x0213 2004 extended",
        "sjis\n", "../sjis", "ＳＪＩＳ", "sjis cp932"};
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        cr_expect_null(charset_find(view_str(none[i])), "%s", none[i]);
    cr_expect_null(charset_find(VIEW_NULL));
}

Test(charset, every_one_of_the_list_can_be_found_prepared_and_labelled)
{
    size_t n = 0;
    for (const struct charset *c; (c = charset_at(n)) != NULL; n++) {
        cr_expect_eq(charset_find(view_str(charset_name(c))), c, "%s", charset_name(c));
        cr_expect_lt(strlen(charset_name(c)), (size_t)CHARSET_NAME_MAX);
        cr_expect_eq(charset_prepare(c), 0, "%s", charset_name(c));
        cr_expect(*charset_label_en(c) && *charset_label_ja(c));
        struct buf out = BUF_INIT(1024);
        cr_expect_eq(charset_decode(c, VIEW(""), &out), 0);
        cr_expect_eq(out.n, 0u);
        buf_free(&out);
    }
    cr_expect_gt(n, 30u);
}

Test(charset, texts_are_decoded_as_the_c_library_encodes_them)
{
    static const struct {
        const char *charset, *iconv_name, *text;
    } cases[] = {
        {"Shift_JIS", "CP932", "<134>認証に失敗しました: ユーザー admin、表示 ソ能十予 C:\\構成"},
        {"Shift_JIS", "CP932", "ｴﾗｰ: ﾃﾞｨｽｸ ①髙﨑 ㈱ №～"},
        {"EUC-JP", "EUC-JP-MS", "インターフェース eth0 がダウンしました。①髙 ｴﾗｰ"},
        {"EUC-JP", "EUC-JP-MS", "丂丄丅 補助漢字"},
        {"ISO-2022-JP", "ISO-2022-JP", "<13>温度が高すぎます (65 度) fan1"},
        {"GB18030", "GB18030", "用户登录失败，来自 10.0.0.1。€ ㄅ 𠀀 ḿ é"},
        {"Big5", "BIG5", "使用者登入失敗，介面 GE0/1 已中斷 許功蓋"},
        {"EUC-KR", "UHC", "사용자 로그인 실패: 인터페이스 똠방각하"},
        {"windows-1252", "CP1252", "Anmeldung für „Müller“ fehlgeschlagen – 5 €"},
        {"ISO-8859-1", "ISO-8859-1", "échec de l'accès à l'hôte ÿ"},
        {"ISO-8859-15", "ISO-8859-15", "coût 5 € œuvre"},
        {"IBM850", "CP850", "Größe überschritten ┌─┐"},
        {"windows-1251", "CP1251", "Ошибка входа пользователя ёж"},
        {"KOI8-R", "KOI8-R", "Ошибка входа пользователя ёж"},
        {"IBM866", "CP866", "Ошибка входа ║ Ёж"},
        {"ISO-8859-5", "ISO-8859-5", "Ошибка входа"},
        {"windows-1250", "CP1250", "Nie udało się zalogować: źle"},
        {"windows-1253", "CP1253", "Σφάλμα σύνδεσης"},
        {"windows-874", "CP874", "ข้อผิดพลาด"},
        {"UTF-16LE", "UTF-16LE", "<13>ログ 𠮷野 ok"},
        {"UTF-16BE", "UTF-16BE", "<13>ログ 𠮷野 ok"},
        {"UTF-16", "UTF-16LE", "<13>ログ ok"},
        {"UTF-16", "UTF-16BE", "<13>ログ ok"},
        {"UTF-16", "UTF-16", "<13>ログ ok"}, /* with a mark */
    };
    char bytes[1024];
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check(cases[i].charset, encoded(cases[i].iconv_name, cases[i].text, bytes, sizeof(bytes)),
              cases[i].text, 0);
}

Test(charset, every_character_is_what_the_c_library_says)
{
    static const char *const pairs[][2] = {{"Shift_JIS", "CP932"},
                                           {"EUC-JP", "EUC-JP-MS"},
                                           {"GB18030", "GB18030"},
                                           {"Big5", "BIG5"},
                                           {"EUC-KR", "UHC"}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        iconv_t cd = iconv_open("UTF-8", pairs[i][1]);
        unsigned compared = 0;
        struct buf ours = BUF_INIT(1024);
        for (unsigned lead = 0x81; lead < 0xff; lead++) {
            for (unsigned trail = 0x40; trail < 0xff; trail++) {
                char in[2] = {(char)lead, (char)trail}, out[16], *from = in, *to = out;
                size_t left = 2, room = sizeof(out);
                (void)iconv(cd, NULL, NULL, NULL, NULL);
                bool is_one = iconv(cd, &from, &left, &to, &room) == 0 && left == 0;
                buf_clear(&ours);
                int bad = charset_decode(named(pairs[i][0]), view_of(in, 2), &ours);
                if (bad > 0)
                    continue; /* those that iconv alone has are controls and one vendor's */
                compared++;
                cr_assert(is_one, "%s %02x%02x", pairs[i][0], lead, trail);
                cr_assert(view_eq(buf_view(&ours), view_of(out, sizeof(out) - room)), "%s %02x%02x",
                          pairs[i][0], lead, trail);
            }
        }
        cr_expect_gt(compared, 6000u, "%s: %u", pairs[i][0], compared);
        buf_free(&ours);
        iconv_close(cd);
    }
}

Test(charset, what_is_no_character_is_replaced_and_no_delimiter_is_lost)
{
    static const struct {
        const char *charset, *in;
        size_t n;
        const char *want;
        int bad;
    } cases[] = {
        {"Shift_JIS", "\x83\x5c|\x83", 4, "ソ|�", 1}, /* cut within a character */
        {"Shift_JIS", "a\x81\x20z", 4, "a� z", 1},
        {"Shift_JIS", "\xff\xfd\x80\xa0", 4, "���", 4},
        {"Shift_JIS", "a\0b", 3, "a␀b", 0},
        {"Shift_JIS", "\x85\xfc|", 3, "�|", 2}, /* a pair that is not assigned */
        {"EUC-JP", "\xa4\xa2\xa4", 3, "あ�", 1},
        {"EUC-JP", "\x8f\xb0", 2, "�", 2},
        {"EUC-JP", "\x8f|", 2, "�|", 1},
        {"EUC-JP", "\xa4]", 2, "�]", 1},
        {"EUC-JP", "\x80\xff", 2, "��", 2},
        {"ISO-2022-JP", "\033$B$\"", 5, "あ", 0},         /* no way back at the end */
        {"ISO-2022-JP", "\033$B$", 4, "�", 1},            /* cut */
        {"ISO-2022-JP", "\033$B$\"\nab", 8, "あ\nab", 0}, /* a line begins in ASCII */
        {"ISO-2022-JP", "\033(I1\033(Bx", 8, "ｱx", 0},
        {"ISO-2022-JP", "\xb1x", 2, "ｱx", 0}, /* of eight bits */
        {"ISO-2022-JP", "\033[31mred", 8, "\033[31mred", 0},
        {"ISO-2022-JP", "\033$B)!\033(B", 8, "�", 2},
        {"GB18030", "\x81\x30\x81", 3, "�0�", 2},
        {"GB18030", "\x84\x31\xa4\x37", 4, "\xef\xbf\xbd", 0}, /* U+FFFD itself */
        {"GB18030", "\xff\x80", 2, "�€", 1},
        {"GB18030", "\xe3\x32\x9a\x36", 4, "�2�6", 2}, /* beyond U+10FFFF */
        {"Big5", "\xa4\x40\xa4", 3, "一�", 1},
        {"windows-1252", "\x81\xe9", 2, "�é", 1},
        {"UTF-8", "\xff\xc3\xa9", 3, "�é", 1},
        {"UTF-16LE", "a\0\x00\xd8", 4, "a�", 2},
        {"UTF-16LE", "a\0b", 3, "a�", 1},
        {"UTF-16LE", "\0a\0b\0", 5, "ab", 0}, /* what a cut at each LF leaves */
        {"UTF-16BE", "\0a\0\r\0", 5, "a\r", 0},
        {"UTF-16LE", "\0\0", 2, "␀", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check(cases[i].charset, view_of(cases[i].in, cases[i].n), cases[i].want, cases[i].bad);
}

Test(charset, any_bytes_become_clean_utf8_of_three_times_their_length_at_most)
{
    uint32_t random = 1;
    char bytes[257];
    for (size_t k = 0; charset_at(k); k++) {
        for (int round = 0; round < 400; round++) {
            size_t n = (size_t)(round % 257);
            for (size_t i = 0; i < n; i++)
                bytes[i] = (char)((random = random * 1664525 + 1013904223) >> 24);
            struct buf out = BUF_INIT(3 * sizeof(bytes));
            int bad = charset_decode(charset_at(k), view_of(bytes, n), &out);
            cr_assert(bad >= 0 && (size_t)bad <= n, "%s: %d", charset_name(charset_at(k)), bad);
            cr_assert(utf8_is_clean(buf_view(&out)), "%s", charset_name(charset_at(k)));
            buf_free(&out);
        }
    }
}

Test(charset, there_is_no_text_without_room)
{
    struct buf out = BUF_INIT(16);
    cr_expect_eq(charset_decode(named("sjis"), VIEW("\x82\xa0 0123456789"), &out), -ENOSPC);
    cr_expect_eq(out.n, 0u);
    buf_free(&out);
}

Test(charset, plain_ascii_needs_none)
{
    static const char ascii[] = "<13>Oct 11 22:14:15 host su: 'su root' failed";
    for (size_t i = 0; charset_at(i); i++)
        cr_expect_not(charset_applies(charset_at(i), VIEW("<13>Oct 11 22:14:15 host su: failed")));
    cr_expect_not(charset_applies(NULL, VIEW("\xff")));
    cr_expect_not(charset_applies(named("UTF-8"), VIEW("\xff")));
    for (size_t at = 0; at < sizeof(ascii) - 1; at++) {
        char text[sizeof(ascii)];
        memcpy(text, ascii, sizeof(ascii));
        text[at] = (char)0xe9;
        cr_expect(charset_applies(named("latin1"), view_of(text, sizeof(ascii) - 1)), "%zu", at);
    }
    cr_expect(charset_applies(named("jis"), VIEW("a \033$B$\"")));
    cr_expect(charset_applies(named("UTF-16LE"), VIEW("a\0")));
}

Test(charset, what_is_utf8_is_taken_as_it)
{
    static const struct {
        const char *charset, *text;
        int taken; /* as one of the charset */
    } cases[] = {
        {"windows-1252", "Müller", 0},
        {"KOI8-R", "Ошибка", 0},
        {"Shift_JIS", "ログイン失敗", 0},
        {"EUC-JP", "失敗しました", 0},
        {"ISO-2022-JP", "失敗", 0},
        {"GB18030", "用户", 0},
        {"UTF-16LE", "失敗", 0},
        {"EUC-JP", "\xc4\xa3", 1},
        {"ISO-2022-JP", "\033$B$\"\033(B", 1},
        {"Shift_JIS", "\x83\x8d\x83\x4f", 1},
        {"Shift_JIS", "ログイン\xe5\xa4", 0}, /* cut */
        {"Shift_JIS", "ログイン\xe5", 0},
        {"windows-1252", "caf\xe9", 1},
        {"Shift_JIS", "\x83\x8d\x83\x4f\xe5", 1},
        {"windows-1252", "M\xfcller", 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out = BUF_INIT(1024);
        size_t bad = 99;
        int rc = charset_text(named(cases[i].charset), view_str(cases[i].text), &out, &bad);
        cr_expect_eq(rc, cases[i].taken, "%s: %s", cases[i].charset, cases[i].text);
        cr_expect(rc ? bad <= 1 : bad == 99, "%s: %s", cases[i].charset, cases[i].text);
        cr_expect(rc ? out.n > 0 : out.n == 0, "%s: %s", cases[i].charset, cases[i].text);
        buf_free(&out);
    }
}

Test(charset, a_byte_order_mark_says_it_by_itself)
{
    cr_expect_str_eq(charset_name(charset_by_mark(VIEW("\xff\xfe<\0"))), "UTF-16LE");
    cr_expect_str_eq(charset_name(charset_by_mark(VIEW("\xfe\xff\0<"))), "UTF-16BE");
    cr_expect_null(charset_by_mark(VIEW("\xef\xbb\xbf<")));
    cr_expect_null(charset_by_mark(VIEW("\xff")));
    check("UTF-16LE", VIEW("\xff\xfe<\0"), "<", 0);
}
