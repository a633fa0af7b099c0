/* Names and values out of messages, in all the forms in which devices write them. */
#include "query/pairs.h"

#include <criterion/criterion.h>

#include "base/buf.h"
#include "base/limits.h"

struct pairs_case {
    const char *text;
    const char *form;     /* NULL: none */
    const char *expected; /* name=value, a line each; ~written behind it, ^alias before the '=' */
};

static bool write_pair(void *context, const struct pair *p)
{
    struct buf *out = context;
    buf_add_view(out, p->name);
    if (p->alias.p) {
        buf_add_char(out, '^');
        buf_add_view(out, p->alias);
    }
    buf_add_char(out, '=');
    buf_add_view(out, p->value);
    if (p->written.p) {
        buf_add_char(out, '~');
        buf_add_view(out, p->written);
    }
    buf_add_str(out, p->is_veiled ? "!\n" : "\n");
    return true;
}

static void check(const struct pairs_case *c, bool is_structured_data)
{
    struct buf out = BUF_INIT(1 << 20);
    struct view text = view_str(c->text);
    char *exact = xmalloc(text.n + 1), *scratch = xmalloc(text.n + 1);
    memcpy(exact, text.p, text.n);
    text.p = exact;
    enum pairs_form form = is_structured_data
                               ? pairs_of_structured_data(text, scratch, write_pair, &out)
                               : pairs_of_message(text, scratch, write_pair, &out);
    cr_expect_str_eq(buf_str(&out), c->expected, "%s gives\n%s", c->text, buf_str(&out));
    const char *name = pairs_form_name(form);
    cr_expect((name == NULL) == (c->form == NULL) && (!name || strcmp(name, c->form) == 0),
              "%s is %s", c->text, name ? name : "none");
    buf_free(&out);
    free(exact);
    free(scratch);
}

#define CHECK_ALL(cases)                            \
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) { \
        check(&(cases)[i], false);                  \
    }

Test(pairs, of_key_equals_value_have_quotes_escapes_and_blanks)
{
    static const struct pairs_case cases[] = {
        {"", NULL, ""},
        {"link down on port 7", NULL, ""},
        {"a=1", "kv", "a=1\n"},
        {"a=1 b=2", "kv", "a=1\nb=2\n"},
        {"a=1 a=2 a=1", "kv", "a=1\na=2\na=1\n"},
        {"a= b=\"\" c=''", "kv", "a=\nb=\nc=\n"},
        {"a=\"two words\" b='three of them'", "kv", "a=two words\nb=three of them\n"},
        {"a=\"say \\\"hi\\\"\" b=2", "kv", "a=say \"hi\"~say \\\"hi\\\"\nb=2\n"},
        {"a=\"say \"\"hi\"\"\" b=2", "kv", "a=say \"hi\"~say \"\"hi\"\"\nb=2\n"},
        {"a=\"a \"quoted\" word\" b=2", "kv", "a=a \"quoted\" word\nb=2\n"},
        {"a=\"say \"hi\"\" b=2", "kv", "a=say \"hi\"\nb=2\n"},
        {"a='it's here' b=2", "kv", "a=it's here\nb=2\n"},
        {"a=\"C:\\dir\\\\x\" b=2", "kv", "a=C:\\dir\\x~C:\\dir\\\\x\nb=2\n"},
        {"a=\"C:\\dir\\\"", "kv", "a=C:\\dir\\\n"},
        {"a=\"cut in the mid", "kv", "a=cut in the mid\n"},
        {"a=two words b=2", "kv", "a=two words~two\nb=2\n"},
        {"user=root failed", "kv", "user=root failed~root\n"},
        {"failed for user=root from here", "kv", "user=root~root from here\n"},
        {"failed for user=root.", "kv", "user=root~root.\n"},
        {"a=1, b=2; c=3|d=4,e=5;", "kv", "a=1\nb=2\nc=3\nd=4\ne=5\n"},
        {"a=x,y,z b=2", "kv", "a=x,y,z\nb=2\n"},
        {"a=1\tb=2 x\tc=3\nd=4", "kv", "a=1\nb=2 x~2\nc=3\nd=4\n"},
        {"(a=1, b=2)", "kv", "a=1\nb=2\n"},
        {"[a=1 b=f(x)]", "kv", "a=1\nb=f(x)\n"},
        {"a={x=1, y=\"z\"} b=(null) c=[1, 2]", "kv", "a={x=1, y=\"z\"}\nb=(null)\nc=[1, 2]\n"},
        {"user = bob, id = 7", "kv", "user=bob\nid=7\n"},
        {"\"user id\"=\"bob\", \"n\"=1 \"x\"= y=2", "kv", "user id=bob\nn=1\nx=\ny=2\n"},
        {"a=10.0.0.1 \"odd\"=x", "kv", "a=10.0.0.1\nodd=x\n"},
        {"said \"hello\"=5 \"\"=6", "kv", "hello=5~5 \"\"=6\n"},
        {"a=x --b=1", "kv", "a=x\nb=1\n"},
        {"--name=bob -x=1", "kv", "name=bob\nx=1\n"},
        {"a == b, c => d, e != f", NULL, ""},
        {"GET http://h/p?a=1&b=2", NULL, ""},
        {"url=http://h/p?a=1&b=2 x=3", "kv", "url=http://h/p?a=1&b=2\nx=3\n"},
        {"to=<a@example.com>, n=1", "kv", "to=<a@example.com>\nn=1\n"},
        {"key:value other:1", NULL, ""},
        {"1=2 3=4", NULL, ""},
        {"利用者=太郎 結果=失敗", "kv", "利用者=太郎\n結果=失敗\n"},
    };
    CHECK_ALL(cases);
}

Test(pairs, of_devices_are_as_these_write_them)
{
    static const struct pairs_case cases[] = {
        {"date=2026-03-10 time=15:44:14 devname=\"FG 1\" tz=\"-0400\" srcip=192.0.2.16", "kv",
         "date=2026-03-10\ntime=15:44:14\ndevname=FG 1\ntz=-0400\nsrcip=192.0.2.16\n"},
        {"id=firewall time=\"2026-03-10 11:00:05 UTC\" src=192.0.2.159:61254:X1: note=", "kv",
         "id=firewall\ntime=2026-03-10 11:00:05 UTC\nsrc=192.0.2.159:61254:X1:\nnote=\n"},
        {"[action:\"Accept\"; tag:\"a=1[b={0};c=d\\]\"; product:\"VPN-1 & FireWall-1\"]", "kv",
         "action=Accept\ntag=a=1[b={0};c=d\\]\nproduct=VPN-1 & FireWall-1\n"},
        {"NS: device_id=ns5 start=\"a b\" policy=3 service=msrpc Endpoint Mapper(tcp) proto=6 n=1",
         "kv",
         "device_id=ns5\nstart=a b\npolicy=3\nservice=msrpc Endpoint Mapper(tcp)~msrpc\n"
         "proto=6\nn=1\n"},
        {"[UFW BLOCK] IN=eth0 OUT= SRC=10.0.0.1 ID=54321 DF PROTO=TCP RES=0x00 SYN URGP=0", "kv",
         "IN=eth0\nOUT=\nSRC=10.0.0.1\nID=54321~54321 DF\nPROTO=TCP\nRES=0x00~0x00 SYN\nURGP=0\n"},
        {"-Slot=1; Protocol(1001)=TCP; SrcIPAddr(1003)=10.0.0.1;", "kv",
         "Slot=1\nProtocol(1001)^Protocol=TCP\nSrcIPAddr(1003)^SrcIPAddr=10.0.0.1\n"},
        {"%%01POLICY/6/PERMIT(l)[3]:vsys=public, ip=1.1.1.1, why=policy deny", "kv",
         "vsys=public\nip=1.1.1.1\nwhy=policy~policy deny\n"},
        {"0A1B: to=<a@b.c>, relay=m.b.c[192.0.2.25]:25, status=sent (250 2.0.0 Ok)", "kv",
         "to=<a@b.c>\nrelay=m.b.c[192.0.2.25]:25\nstatus=sent~sent (250 2.0.0 Ok)\n"},
        {"[junos@2636.1 source-address=\"1.2.3.4\" policy=\"a\"] created", "sd",
         "junos@2636.1.source-address^source-address=1.2.3.4\njunos@2636.1.policy^policy=a\n"},
        {"7,,,1000,igb0,match,block,in,4,0x0,,64,1,0,none,17,udp,78,10.0.0.1,10.0.0.2", NULL, ""},
    };
    CHECK_ALL(cases);
}

#define CEF_HEAD                                                                 \
    "cef.version^version=0\ncef.vendor^vendor=V\ncef.product^product=P\n"        \
    "cef.device_version^device_version=1.0\ncef.signature_id^signature_id=100\n" \
    "cef.name^name=N\ncef.severity^severity=5\n"

Test(pairs, of_cef_have_blanks_escapes_and_labels)
{
    static const struct pairs_case cases[] = {
        {"CEF:0|V|P|1.0|100|N|5|", "cef", CEF_HEAD},
        {"CEF:0|V|P|1.0|100|N|5|src=10.0.0.1 msg=two words act=", "cef",
         CEF_HEAD "src=10.0.0.1\nmsg=two words\nact=\n"},
        {"CEF: 0|V|P|1.0|100|N|5|a=1", "cef", CEF_HEAD "a=1\n"},
        {"host: CEF:0|V|P|1.0|100|N|5|a=1", "cef", CEF_HEAD "a=1\n"},
        {"CEF:0|V|P|1.0|100|N|5|msg=a\\=b \\\\ c\\nd x=1", "cef",
         CEF_HEAD "msg=a=b \\ c\nd~a\\=b \\\\ c\\nd\nx=1\n"},
        {"CEF:0|V|P|1.0|100|N|5|url=http://h/?a=b&c=d x=1", "cef",
         CEF_HEAD "url=http://h/?a=b&c=d\nx=1\n"},
        {"CEF:0|V|P|1.0|100|N|5|cs1Label=Rule Name cs1=allow all cs2=x", "cef",
         CEF_HEAD "cs1Label=Rule Name\ncs1=allow all\ncs2=x\nRule Name=allow all\n"},
        {"CEF:0|V|P|1.0|100|N|5|cn1=5 cn1Label=Count", "cef",
         CEF_HEAD "cn1=5\ncn1Label=Count\nCount=5\n"},
        {"CEF:0|a\\|b|c\\\\d", "cef",
         "cef.version^version=0\ncef.vendor^vendor=a|b~a\\|b\n"
         "cef.product^product=c\\d~c\\\\d\n"},
        {"CEF: not this a=1", "kv", "a=1\n"},
    };
    CHECK_ALL(cases);
}

#define LEEF_HEAD(v)                                                             \
    "leef.version^version=" v "\nleef.vendor^vendor=V\nleef.product^product=P\n" \
    "leef.product_version^product_version=1\nleef.event_id^event_id=E\n"

Test(pairs, of_leef_are_between_delimiters)
{
    static const struct pairs_case cases[] = {
        {"LEEF:1.0|V|P|1|E|a=1\tb=x y\tc=p=q\td=", "leef",
         LEEF_HEAD("1.0") "a=1\nb=x y\nc=p=q\nd=\n"},
        {"LEEF:2.0|V|P|1|E|^|a=1^b=x y", "leef", LEEF_HEAD("2.0") "a=1\nb=x y\n"},
        {"LEEF:2.0|V|P|1|E|x5E|a=1^b=2", "leef", LEEF_HEAD("2.0") "a=1\nb=2\n"},
        {"LEEF:2.0|V|P|1|E|0x09|a=1\tb=2", "leef", LEEF_HEAD("2.0") "a=1\nb=2\n"},
        {"LEEF:2.0|V|P|1|E||a=1\tb=2", "leef", LEEF_HEAD("2.0") "a=1\nb=2\n"},
        {"LEEF:2.0|V|P|1|E|a=1\tb=2", "leef", LEEF_HEAD("2.0") "a=1\nb=2\n"},
        {"LEEF:2.0|V|P|1|E|0|a=1\tb=200", "leef", LEEF_HEAD("2.0") "0|a=1\nb=200\n"},
        {"LEEF:2.0|V|P|1|E|x61|b=a\tc=a", "leef", LEEF_HEAD("2.0") "x61|b=a\nc=a\n"},
        {"LEEF:1.0|V|P|1|E|a=1#011b=2", "leef", LEEF_HEAD("1.0") "a=1\nb=2\n"},
        {"LEEF:1.0|V|P|1|E|a=1 b=x y c=3", "leef", LEEF_HEAD("1.0") "a=1\nb=x y\nc=3\n"},
        {"LEEF:2.0|V|P", "leef",
         "leef.version^version=2.0\nleef.vendor^vendor=V\n"
         "leef.product^product=P\n"},
    };
    CHECK_ALL(cases);
}

Test(pairs, of_json_are_flattened_as_far_as_it_is_sound)
{
    static const struct pairs_case cases[] = {
        {"{\"a\":1}", "json", "a=1\n"},
        {"{ \"a\" : -1.50e3 , \"b\" : true, \"c\": null }", "json", "a=-1.50e3\nb=true\nc=null\n"},
        {"{\"a\":{\"b\":{\"c\":\"x\"}},\"d\":2}", "json", "a.b.c=x\nd=2\n"},
        {"{\"a\":[1,\"x\",[2]],\"b\":[{\"c\":3}]}", "json",
         "a.0^a=1\na.1^a=x\na.2.0^a.2=2\nb.0.c=3\n"},
        {"{\"a\":\"\",\"b\":{},\"c\":[]}", "json", "a=\nb={}\nc=[]\n"},
        {"{\"a\":\"say \\\"hi\\\"\\n\\t\\/\"}", "json",
         "a=say \"hi\"\n\t/~say \\\"hi\\\"\\n\\t\\/\n"},
        {"{\"a\":\"\\u5fdc\\u7b54\"}", "json", "a=応答~\\u5fdc\\u7b54\n"},
        {"{\"a\":\"\\ud83d\\ude00\"}", "json", "a=😀~\\ud83d\\ude00\n"},
        {"{\"a\":\"\\ud83d x\\udc00\"}", "json", "a=\xef\xbf\xbd x\xef\xbf\xbd~\\ud83d x\\udc00\n"},
        {"{\"a\":\"\\u0000\"}", "json", "a=\xe2\x90\x80~\\u0000\n"},
        {"{\"a\":\"\\u12 \\q\"}", "json", "a=\\u12 \\q~\\u12 \\q\n"},
        {"{\"a\":\"\\u0061dmin\"}", "json", "a=admin~\\u0061dmin!\n"},
        {"{\"a b\":{\"c.d\":1}}", "json", "a b.c.d=1\n"},
        {"{\"a\":1,\"b\":\"cut in the mid", "json", "a=1\nb=cut in the mid\n"},
        {"{\"a\":1,\"b\":\"cut\\", "json", "a=1\nb=cut\\~cut\\\n"},
        {"{\"a\":1,{\"b\":2}}", "json", "a=1\n"},
        {"{\"a\":1 \"b\":2}", "json", "a=1\n"},
        {"config {\"a\":1}", "json", "a=1\n"},
        {"@cee: {\"a\":1}", "json", "a=1\n"},
        {"[{\"a\":1},{\"a\":2}]", "json", "0.a=1\n1.a=2\n"},
        {"{}", NULL, ""},
        {"level=info data={\"a\":1} n=2", "kv", "level=info\ndata={\"a\":1}\nn=2\n"},
    };
    CHECK_ALL(cases);
}

Test(pairs, of_structured_data_are_named_with_and_without_their_id)
{
    static const struct pairs_case cases[] = {
        {"[x@1 iut=\"3\" ev=\"App \\\"x\\\" \\] \\\\\"][y a=\"\"]", "sd",
         "x@1.iut^iut=3\nx@1.ev^ev=App \"x\" ] \\~App \\\"x\\\" \\] \\\\\ny.a^a=\n"},
        {"[x]", NULL, ""},
        {"[x][y a=\"1\"]", "sd", "y.a^a=1\n"},
        {"[x a=\"1\" b=\"cut", "sd", "x.a^a=1\nx.b^b=cut\n"},
        {"[x a=\"1\" broken c=\"2\"]", "sd", "x.a^a=1\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check(&cases[i], true);
}

static bool count_pair(void *context, const struct pair *p)
{
    (void)p;
    (*(size_t *)context)++;
    return true;
}

static void expect_bounded(const char *head, const char *each)
{
    struct buf text = BUF_INIT(1 << 20);
    size_t n = 0;
    buf_add_str(&text, head);
    for (size_t i = 0; i < 2000; i++)
        buf_add_str(&text, each);
    char *scratch = xmalloc(text.n);
    pairs_of_message(buf_view(&text), scratch, count_pair, &n);
    cr_expect_eq(n, PAIRS_MAX, "%s%s…: %zu", head, each, n);
    free(scratch);
    buf_free(&text);
}

Test(pairs, are_at_most_so_many)
{
    expect_bounded("", "a=1 ");
    expect_bounded("CEF:0|a|b|c|d|e|f|", "a=1 ");
    expect_bounded("LEEF:1.0|a|b|c|d|", "a=1\t");
    expect_bounded("{\"b\":1", ",\"a\":1");
    expect_bounded("[x@1", " a=\"1\"");
    expect_bounded("[", "a:\"1\"; ");
}

/* Every prefix of a text is read without harm; the same pairs come first. */
Test(pairs, of_cut_text_are_those_that_are_sound)
{
    static const char *const texts[] = {
        "a=1 b=\"x \\\"y\\\"\" c='z' d={e=1} f=2, g(1)=3",
        "CEF:0|V\\|x|P|1|2|n|5|a=b\\=c cs1=x y cs1Label=L m=\\\\",
        "LEEF:2.0|V|P|1|E|x5E|a=1^b=2",
        "{\"a\":{\"b\":[1,\"\\u5fdc\\ud83d\\ude00\",{}]},\"c\":\"\\n\"}",
        "[a@1 b=\"c\\\"\"][d e=\"f\"]",
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        for (size_t n = 0, most = 0; n <= strlen(texts[i]); n++) {
            size_t count = 0;
            char *exact = xmalloc(n + 1), *scratch = xmalloc(n + 1);
            memcpy(exact, texts[i], n);
            pairs_of_message(view_of(exact, n), scratch, count_pair, &count);
            most = MAX(most, count);
            free(exact);
            free(scratch);
            cr_expect(n < strlen(texts[i]) || count == most, "%s", texts[i]);
        }
}
