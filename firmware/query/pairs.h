/* The names and values that a message is made of: key=value, CEF, LEEF, JSON, structured data.
 * They are read when somebody asks and stored nowhere but in the message.  Pure; no allocation.
 *
 *   pairs_of_message()  ─┬─ JSON   {"a":{"b":[1]}}           a.b.0 = 1
 *                        ├─ CEF    CEF:0|…|…|…|…|…|…|k=v      cef.vendor, …, k = v
 *                        ├─ LEEF   LEEF:2.0|…|…|…|…|^|k=v     leef.vendor, …, k = v
 *                        ├─ SD     [id@1 k="v"] as a body
 *                        └─ KV     k=v k="v w", k:"v"; …
 *   pairs_of_structured_data()    [id@1 k="v"]               id@1.k = v */
#ifndef AZEKURA_QUERY_PAIRS_H
#define AZEKURA_QUERY_PAIRS_H

#include "base/base.h"
#include "base/view.h"

enum pairs_form { PAIRS_NONE, PAIRS_KV, PAIRS_CEF, PAIRS_LEEF, PAIRS_JSON, PAIRS_SD };

struct pair {
    struct view name;    /* at most PAIRS_NAME_MAX bytes */
    struct view alias;   /* a second name it is found by: `iut` of exampleSDID@32473.iut, `tags` of
                            tags.0, `vendor` of cef.vendor; null: none */
    struct view value;   /* without quotes and escapes; may be empty, never null */
    struct view written; /* the other reading of the value, which is found as well: with its
                            escapes as they stand, or as far as the first blank, or with what
                            follows it; null: there is but one */
    /* An ASCII letter, digit or dot stands in it as \u0061: then only `written` is searched.  No
     * encoder writes so, and the token index, which knows words as they are stored, stays sound. */
    bool is_veiled;
};

/* false: enough. */
typedef bool (*pair_fn)(void *context, const struct pair *p);

/* Give the pairs of clean text in their order, at most PAIRS_MAX of them, equal names included.
 * `scratch` has room for text.n bytes; values are views into the text or into it and valid as long
 * as both; names only inside the call.  Returns the form of what was found; broken or cut text
 * gives the pairs that are sound.  fn may be NULL: the form alone. */
enum pairs_form pairs_of_message(struct view text, char *scratch, pair_fn fn, void *context);
enum pairs_form pairs_of_structured_data(struct view text, char *scratch, pair_fn fn,
                                         void *context);
/* "kv", "cef", "leef", "json", "sd"; NULL for PAIRS_NONE. */
const char *pairs_form_name(enum pairs_form form);

#endif
