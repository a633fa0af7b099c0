#include <criterion/criterion.h>
#include <iconv.h>

#include "syslog/charset.h"

static struct view encoded(const char *iconv_name, const char *text, char *out, size_t max)
{
    iconv_t cd = iconv_open(iconv_name, "UTF-8");
    cr_assert(cd != (iconv_t)-1, "%s", iconv_name);
    char *from = (char *)(uintptr_t)text, *to = out;
    size_t left = strlen(text), room = max;
    cr_assert_neq(iconv(cd, &from, &left, &to, &room), (size_t)-1, "%s: %s", iconv_name, text);
    cr_assert_eq(iconv(cd, NULL, NULL, &to, &room), 0u);
    iconv_close(cd);
    return view_of(out, max - room);
}

/* Texts as devices and systems write them. */
static const char *const japanese[] = {
    "<134>Mar  9 10:41:07 rtx1210 [INSPECT] 認証に失敗しました: ユーザー admin",
    "<131>Mar  9 10:41:08 sw1 インターフェース GE0/1 がダウンしました",
    "<132>Mar  9 10:41:09 ups: バッテリー残量が低下しています (15%)",
    "<133>Mar  9 10:41:10 nas 共有フォルダー「営業部」への接続を許可しました",
    "<134>Mar  9 10:41:11 pc-12 イベント: ログオンに成功しました。アカウント名: 田中",
    "<134>Mar  9 10:41:12 fw 通信を遮断しました 宛先ポート=445",
    "<134>Mar  9 10:41:13 prn 用紙がありません。トレイ 2 を確認してください",
    "<134>Mar  9 10:41:14 ap 無線端末が切断されました 理由: タイムアウト",
};
static const char *const half_width[] = {
    "<134>ｴﾗｰ ﾃﾞｨｽｸ ﾌﾙ",
    "<134>ｼｽﾃﾑ ｷﾄﾞｳ ｶﾝﾘｮｳ",
    "<134>ﾈｯﾄﾜｰｸ ｾﾂﾀﾞﾝ",
};
static const char *const french[] = {
    "<13>Jun  1 12:00:00 srv sshd: échec de l'authentification pour l'utilisateur rené",
    "<13>Jun  1 12:00:01 srv accès refusé à l'hôte distant, délai dépassé",
    "<13>Jun  1 12:00:02 srv le périphérique a été retiré",
};
static const char *const german[] = {
    "<13>Jun  1 12:00:00 srv Anmeldung für Benutzer Jürgen Müller fehlgeschlagen",
    "<13>Jun  1 12:00:01 srv Gerät nicht verfügbar, Lüfter prüfen",
    "<13>Jun  1 12:00:02 srv Größe der Datei überschritten, wird gelöscht",
};
static const char *const polish[] = {
    "<13>Jun  1 12:00:00 srv Nie udało się zalogować użytkownika",
    "<13>Jun  1 12:00:01 srv Połączenie zostało przerwane, błąd urządzenia",
    "<13>Jun  1 12:00:02 srv Hasło wygasło, wymagana zmiana",
};
static const char *const russian[] = {
    "<13>Jun  1 12:00:00 srv Ошибка входа: пользователь не найден",
    "<13>Jun  1 12:00:01 srv Соединение с сервером разорвано",
    "<13>Jun  1 12:00:02 srv Недостаточно места на диске",
};
static const char *const greek[] = {
    "<13>Jun  1 12:00:00 srv Σφάλμα σύνδεσης χρήστη από τη διεύθυνση 10.1.1.1",
    "<13>Jun  1 12:00:01 srv Η διεπαφή είναι εκτός λειτουργίας",
};
static const char *const thai[] = {
    "<13>Jun  1 12:00:00 srv ข้อผิดพลาดในการเข้าสู่ระบบของผู้ใช้",
    "<13>Jun  1 12:00:01 srv อินเทอร์เฟซไม่ทำงาน",
};
static const char *const hebrew[] = {
    "<13>Jun  1 12:00:00 srv שגיאה בכניסת משתמש",
    "<13>Jun  1 12:00:01 srv הממשק מנותק",
};
static const char *const arabic[] = {
    "<13>Jun  1 12:00:00 srv فشل تسجيل دخول المستخدم",
    "<13>Jun  1 12:00:01 srv الواجهة معطلة",
};
static const char *const turkish[] = {
    "<13>Jun  1 12:00:00 srv Kullanıcı girişi başarısız oldu",
    "<13>Jun  1 12:00:01 srv Bağlantı kesildi, arayüz kapalı",
};
static const char *const chinese[] = {
    "<188>Jun  1 12:00:00 S5700 用户登录失败，用户名 admin，来自地址 10.1.1.1",
    "<188>Jun  1 12:00:01 S5700 接口状态变为关闭",
    "<188>Jun  1 12:00:02 USG 检测到攻击，策略已拒绝该连接",
};
static const char *const taiwanese[] = {
    "<188>Jun  1 12:00:00 sw 使用者登入失敗，來源位址 10.1.1.1",
    "<188>Jun  1 12:00:01 sw 連接埠狀態已變更為中斷",
    "<188>Jun  1 12:00:02 fw 偵測到攻擊，連線已被拒絕",
};
static const char *const korean[] = {
    "<134>Jun  1 12:00:00 fw 사용자 로그인 실패: 비밀번호가 올바르지 않습니다",
    "<134>Jun  1 12:00:01 fw 인터페이스 연결이 끊어졌습니다",
    "<134>Jun  1 12:00:02 fw 시스템을 다시 시작합니다",
};

#define TEXTS(x) x, ARRAY_LEN(x)
static const struct guess_case {
    const char *iconv_name;
    const char *const *texts;
    size_t n;
    const char *want;
} cases[] = {
    {"CP932", TEXTS(japanese), "Shift_JIS"},
    {"EUC-JP-MS", TEXTS(japanese), "EUC-JP"},
    {"ISO-2022-JP", TEXTS(japanese), "ISO-2022-JP"},
    {"CP932", TEXTS(half_width), "Shift_JIS"},
    {"CP1252", TEXTS(french), "windows-1252"},
    {"CP1252", TEXTS(german), "windows-1252"},
    {"CP1250", TEXTS(polish), "windows-1250"},
    {"CP1251", TEXTS(russian), "windows-1251"},
    {"KOI8-R", TEXTS(russian), "KOI8-R"},
    {"CP866", TEXTS(russian), "IBM866"},
    {"GB18030", TEXTS(chinese), "GB18030"},
    {"BIG5", TEXTS(taiwanese), "Big5"},
    {"UHC", TEXTS(korean), "EUC-KR"},
    {"CP1253", TEXTS(greek), "windows-1253"},
    {"ISO-8859-5", TEXTS(russian), "ISO-8859-5"},
    {"CP850", TEXTS(german), "IBM850"},
    {"UTF-16LE", TEXTS(japanese), "UTF-16LE"},
    {"UTF-16BE", TEXTS(french), "UTF-16BE"},
};

Test(charset_guess, a_few_messages_of_a_device_are_enough_to_be_sure)
{
    char bytes[1024];
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct charset_guess g = {0};
        unsigned percent = 0;
        for (size_t k = 0; k < cases[i].n; k++)
            charset_guess_add(
                &g, encoded(cases[i].iconv_name, cases[i].texts[k], bytes, sizeof(bytes)));
        const struct charset *c = charset_guess(&g, &percent);
        cr_expect(c, "%s: %s", cases[i].iconv_name, cases[i].texts[0]);
        cr_expect_str_eq(c ? charset_name(c) : "", cases[i].want, "%s: %s", cases[i].iconv_name,
                         cases[i].texts[0]);
        cr_expect_geq(percent, 60u, "%s: %u: %s", cases[i].iconv_name, percent, cases[i].texts[0]);
        cr_expect_leq(percent, 100u);
    }
}

Test(charset_guess, most_messages_alone_are_guessed_right_and_none_wrong_and_sure)
{
    char bytes[1024];
    size_t right = 0, all = 0;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        for (size_t k = 0; k < cases[i].n; k++, all++) {
            struct charset_guess g = {0};
            unsigned percent = 0;
            charset_guess_add(
                &g, encoded(cases[i].iconv_name, cases[i].texts[k], bytes, sizeof(bytes)));
            const struct charset *c = charset_guess(&g, &percent);
            bool is_right = c && strcmp(charset_name(c), cases[i].want) == 0;
            right += is_right;
            cr_expect(!c || is_right || percent < 60, "%s: %s %u: %s", cases[i].iconv_name,
                      charset_name(c), percent, cases[i].texts[k]);
        }
    }
    cr_expect_geq(right * 100, all * 85, "%zu of %zu", right, all);
}

Test(charset_guess, texts_of_charsets_that_are_no_candidates_are_not_taken_for_another_one_surely)
{
    static const struct guess_case others[] = {
        {"CP874", TEXTS(thai), NULL},       {"CP1255", TEXTS(hebrew), NULL},
        {"CP1256", TEXTS(arabic), NULL},    {"CP1254", TEXTS(turkish), NULL},
        {"MACINTOSH", TEXTS(french), NULL},
    };
    char bytes[1024];
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        struct charset_guess g = {0};
        unsigned percent = 0;
        for (size_t k = 0; k < others[i].n; k++)
            charset_guess_add(
                &g, encoded(others[i].iconv_name, others[i].texts[k], bytes, sizeof(bytes)));
        const struct charset *c = charset_guess(&g, &percent);
        cr_expect(!c || percent < 60, "%s: %s %u", others[i].iconv_name, charset_name(c), percent);
    }
}

Test(charset_guess, nothing_is_guessed_where_there_is_little_or_nothing_to_see)
{
    static const struct {
        const char *what;
        struct view in;
    } few[] = {
        {"one byte", {"caf\xe9", 4}},
        {"a letter of two bytes", {"\x83\x5c", 2}},
        {"ASCII", {"link down", 9}},
        {"clean UTF-8", {"\xe5\xa4\xb1\xe6\x95\x97", 6}},
        {"UTF-8 cut within a letter", {"<13>\xe3\x83\xad\xe3\x82\xb0\xe3\x82\xa4\xe3\x83", 15}},
        {"an escape of a terminal", {"\033[31mred\033[0m", 12}},
    };
    for (size_t i = 0; i < ARRAY_LEN(few); i++) {
        struct charset_guess g = {0};
        unsigned percent = 0;
        charset_guess_add(&g, few[i].in);
        cr_expect_null(charset_guess(&g, &percent), "%s: %u", few[i].what, percent);
    }
    struct charset_guess none = {0};
    unsigned percent = 0;
    cr_expect_null(charset_guess(&none, &percent));
}

Test(charset_guess, noise_is_no_text)
{
    uint32_t random = 7;
    struct charset_guess g = {0};
    unsigned percent = 0;
    for (int round = 0; round < 200; round++) {
        char bytes[300];
        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (char)((random = random * 1664525 + 1013904223) >> 24);
        charset_guess_add(&g, view_of(bytes, sizeof(bytes)));
    }
    const struct charset *c = charset_guess(&g, &percent);
    cr_expect_null(c, "%s %u", charset_name(c), percent);
}

Test(charset_guess, a_device_that_is_set_to_another_charset_is_followed)
{
    char bytes[1024];
    struct charset_guess g = {0};
    unsigned percent = 0;
    for (int i = 0; i < 4000; i++)
        charset_guess_add(&g, encoded("EUC-JP-MS", japanese[i % 8], bytes, sizeof(bytes)));
    cr_expect_str_eq(charset_name(charset_guess(&g, &percent)), "EUC-JP");
    for (int i = 0; i < 8000; i++)
        charset_guess_add(&g, encoded("CP932", japanese[i % 8], bytes, sizeof(bytes)));
    cr_expect_str_eq(charset_name(charset_guess(&g, &percent)), "Shift_JIS");
}
