/* What the token index says about a pair.  Pure: no PostgreSQL.
 *
 * The index has the words of the texts as they are stored; a value is searched without its escapes.
 * What lies between: a character that is no letter, digit or dot may be stored as an escape that
 * ends in letters, which then belong to the word behind it:
 *
 *     value      stored as              word behind it
 *     a<b        {"x":"a\u003cb"}       u003cb
 *     a⏎b        {"x":"a\nb"}, CEF      nb
 *
 * So a word that follows a character is asked for in each of the forms that this character gives
 * it.  Letters, digits and dots are stored as they are, or the pair is veiled (query/pairs.h).
 */
#include "pgext/skip.h"

#include "base/utf8.h"

/* Longer words are asked for alone at the start of a value. */
#define WORD_MAX_BYTES 64

struct last_token {
    uint64_t hash;
    size_t n;
};

static void note_token(void *context, uint64_t hash)
{
    struct last_token *t = context;
    t->hash = hash;
    t->n++;
}

/* Of a text that is one word, or a dotted quad (whose own token comes last). */
static bool has_text(const struct skip_block *b, struct view text)
{
    struct last_token t = {0, 0};
    tokens_of_text(text, note_token, &t);
    return t.n == 0 || b->may_contain(b->context, t.hash);
}

static bool has_word_after(const struct skip_block *b, const char *before, struct view word)
{
    char text[WORD_MAX_BYTES + 16];
    size_t n = strlen(before);
    memcpy(text, before, n);
    memcpy(text + n, word.p, word.n);
    return has_text(b, view_of(text, n + word.n));
}

/* Several characters are read as this one, or fold to it. */
static bool is_ambiguous(uint32_t c)
{
    return c == 0xfffd || c == 0x2400 ||
           !((c >= 0x2e80 && c < 0xa640) || (c >= 0xac00 && c < 0xd800));
}

/* Whether `word` may stand in the block behind the character `c`. `first`: its part up to a dot,
 * which an escape would touch. */
static bool may_follow(const struct skip_block *b, uint32_t c, struct view word, struct view first)
{
    static const struct {
        uint32_t c;
        const char *letter;
    } letters[] = {{'\b', "b"}, {'\f', "f"}, {'\n', "n"}, {'\r', "r"}, {'\t', "t"}};
    char before[8];
    if (has_text(b, word))
        return true;
    if ((c >= 0x80 && is_ambiguous(c)) || first.n > WORD_MAX_BYTES)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(letters); i++)
        if (c == letters[i].c && has_word_after(b, letters[i].letter, first))
            return true;
    snprintf(before, sizeof(before), "u%04x", (unsigned)c);
    return has_word_after(b, before, first);
}

/* The code point that ends before text[at]. */
static uint32_t char_before(struct view text, size_t at)
{
    size_t from = at - 1;
    while (from > 0 && ((unsigned char)text.p[from] & 0xc0) == 0x80)
        from--;
    uint32_t c;
    utf8_decode(text.p + from, at - from, &c);
    return c;
}

static bool is_word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t word_end(struct view text, size_t at)
{
    while (at < text.n && is_word_byte(text.p[at]))
        at++;
    return at;
}

/* The end of four numbers of three digits at most joined by dots, from `at`; or `at`. */
static size_t quad_end(struct view text, size_t at)
{
    size_t i = at;
    for (unsigned k = 0; k < 4; k++) {
        size_t from = i;
        while (i < text.n && text.p[i] >= '0' && text.p[i] <= '9')
            i++;
        if (i == from || i - from > 3 || (i < text.n && is_word_byte(text.p[i])))
            return at;
        if (k < 3 && (i >= text.n || text.p[i++] != '.'))
            return at;
    }
    return i;
}

/* The word or quad at from…to of a piece whose ends are borders or not. */
static bool is_word_missing(const struct skip_block *b, struct view piece, size_t from, size_t to,
                            bool left, bool right)
{
    if ((from == 0 && !left) || (to == piece.n && !right))
        return false; /* it may be a part of a longer one */
    struct view word = view_of(piece.p + from, to - from);
    struct view first = view_of(word.p, word_end(piece, from) - from);
    if (from == 0 || piece.p[from - 1] == '.')
        return !has_text(b, word);
    return !may_follow(b, char_before(piece, from), word, first);
}

static bool is_digits(struct view v)
{
    for (size_t i = 0; i < v.n; i++)
        if (v.p[i] > '9')
            return false;
    return true;
}

/* A name begins behind something that is no letter, or behind the "#011" that a relay has made of a
 * tab (LEEF). */
static bool is_name_word_missing(const struct skip_block *b, struct view name, size_t from,
                                 size_t to)
{
    if (!is_word_missing(b, name, from, to, true, true))
        return false;
    struct view word = view_of(name.p + from, to - from);
    return from > 0 || word.n > WORD_MAX_BYTES || !has_word_after(b, "011", word);
}

static bool is_piece_missing(const struct skip_block *b, struct view piece, bool left, bool right,
                             bool is_name)
{
    for (size_t at = 0; at < piece.n;) {
        size_t end = word_end(piece, at);
        if (end == at) {
            at++;
            continue;
        }
        bool is_index = is_name && is_digits(view_of(piece.p + at, end - at));
        if (!is_index && (is_name ? is_name_word_missing(b, piece, at, end)
                                  : is_word_missing(b, piece, at, end, left, right)))
            return true;
        size_t quad = is_name ? at : quad_end(piece, at);
        if (quad > at && is_word_missing(b, piece, at, quad, left, right))
            return true;
        at = end;
    }
    return false;
}

bool skip_pair_is_missing(const struct query_node *q, const struct skip_block *b)
{
    if (query_pair_name_is_written(&q->name) &&
        is_piece_missing(b, q->name.pieces[0], true, true, true))
        return true;
    if (q->test != QUERY_TEST_VALUE || q->pattern.gaps)
        return false;
    for (size_t i = 0; i < q->pattern.pieces_n; i++)
        if (is_piece_missing(b, q->pattern.pieces[i], i == 0 && q->pattern.left_border,
                             i + 1 == q->pattern.pieces_n && q->pattern.right_border, false))
            return true;
    return false;
}
