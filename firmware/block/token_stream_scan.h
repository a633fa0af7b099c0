/* The scan of token_stream.c, which includes this file once for each set of instructions, with
 * STREAM(name) making names of their own, STREAM_LOWEST and STREAM_FIRST as token_stream.c has
 * them, and STREAM_AVX2 set or not.  No include guard for that reason.
 *
 *   texts     |fw1: deny 10.1.2.3|ok|        classify: a bit a byte, 64 at a time
 *   words      1110 1111 11010101 11         starts: a word begins, or a text does inside one
 *   starts     ^    ^    ^  ^ ^ ^ ^          ends: the byte after
 *   list       0-3  5-9  10-12 13-14 …       hashed one after another
 *   joined                   ^ ^ ^           to the word before by a dot: three may be an address
 */

/* What a window of 64 bytes consists of, a bit a byte. */
static inline __attribute__((always_inline)) struct stream_window STREAM(classify)(const char *p)
{
    struct stream_window w = {0};
#if defined(STREAM_AVX512)
    __m512i x = _mm512_loadu_si512(p);
    __m512i digit = _mm512_sub_epi8(x, _mm512_set1_epi8('0'));
    __m512i letter =
        _mm512_sub_epi8(_mm512_or_si512(x, _mm512_set1_epi8(0x20)), _mm512_set1_epi8('a'));
    w.words = _mm512_cmple_epu8_mask(digit, _mm512_set1_epi8(9)) |
              _mm512_cmple_epu8_mask(letter, _mm512_set1_epi8(25));
    w.beyond = _mm512_movepi8_mask(x);
    w.dots = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('.'));
#elif defined(STREAM_AVX2)
    for (unsigned i = 0; i < 64; i += 32) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
        __m256i digit = _mm256_sub_epi8(x, _mm256_set1_epi8('0'));
        __m256i letter =
            _mm256_sub_epi8(_mm256_or_si256(x, _mm256_set1_epi8(0x20)), _mm256_set1_epi8('a'));
        __m256i is_digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
        __m256i is_letter =
            _mm256_cmpeq_epi8(_mm256_min_epu8(letter, _mm256_set1_epi8(25)), letter);
        __m256i is_dot = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('.'));
        __m256i is_word = _mm256_or_si256(is_digit, is_letter);
        w.words |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is_word) << i;
        w.beyond |= (uint64_t)(uint32_t)_mm256_movemask_epi8(x) << i;
        w.dots |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is_dot) << i;
    }
#elif defined(__SSE2__)
    for (unsigned i = 0; i < 64; i += 16) {
        unsigned high = 0;
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        w.words |= (uint64_t)token_classify_16(p + i, &high) << i;
        w.beyond |= (uint64_t)high << i;
        w.dots |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('.'))) << i;
    }
#else
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t x = token_load(p + i, 8), d = (x ^ TOKEN_BYTES * '.') & ~TOKEN_HIGHS;
        w.words |= (uint64_t)token_gather(token_letters(x)) << i;
        w.beyond |= (uint64_t)token_gather(x & TOKEN_HIGHS) << i;
        w.dots |= (uint64_t)token_gather(~(d + ~TOKEN_HIGHS) & ~x & TOKEN_HIGHS) << i;
    }
#endif
    return w;
}

/* base + the number of each bit, appended to `to`; eight at a time, so that the branches are few
 * and alike.  What is written beyond the count is nonsense.  The new end of the list. */
static inline __attribute__((always_inline)) size_t STREAM(put_bits)(uint32_t *to, size_t n,
                                                                     uint32_t base, uint64_t bits)
{
    size_t end = n + (size_t)__builtin_popcountll(bits);
#ifdef STREAM_AVX512
    __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(stream_places));
    __m512i bases = _mm512_set1_epi32((int)base);
    for (uint32_t *p = to + n;; p += 16) {
        __m512i sixteen = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
        _mm512_storeu_si512(p, _mm512_add_epi32(sixteen, bases));
        if (LIKELY(p + 16 >= to + end))
            return end;
        places = _mm512_alignr_epi64(places, places, 2);
    }
#else
    for (uint32_t *p = to + n;; p += 8) {
        STREAM_PUT(0);
        STREAM_PUT(1);
        STREAM_PUT(2);
        STREAM_PUT(3);
        STREAM_PUT(4);
        STREAM_PUT(5);
        STREAM_PUT(6);
        STREAM_PUT(7);
        if (LIKELY(bits == 0))
            return end;
    }
#endif
}

#ifdef STREAM_AVX512
/* token_mix(a, TOKEN_M0) of eight. */
static inline __attribute__((always_inline)) __m512i STREAM(mix)(__m512i a)
{
    const __m512i low = _mm512_set1_epi64((long long)(TOKEN_M0 & UINT32_MAX)),
                  high = _mm512_set1_epi64((long long)(TOKEN_M0 >> 32)),
                  half = _mm512_set1_epi64(UINT32_MAX);
    __m512i a_high = _mm512_srli_epi64(a, 32), low_low = _mm512_mul_epu32(a, low);
    __m512i middle =
        _mm512_add_epi64(_mm512_mul_epu32(a_high, low), _mm512_srli_epi64(low_low, 32));
    __m512i other = _mm512_add_epi64(_mm512_mul_epu32(a, high), _mm512_and_si512(middle, half));
    __m512i top = _mm512_add_epi64(
        _mm512_mul_epu32(a_high, high),
        _mm512_add_epi64(_mm512_srli_epi64(middle, 32), _mm512_srli_epi64(other, 32)));
    __m512i bottom = _mm512_or_si512(_mm512_slli_epi64(other, 32), _mm512_and_si512(low_low, half));
    return _mm512_xor_si512(top, bottom);
}

/* The hashes of eight words of the list that are not long, from the i-th on; those of long ones are
 * nonsense. */
static inline __attribute__((always_inline)) __m512i STREAM(hash_8)(const struct stream *s,
                                                                    size_t i, __m512i *ret_n)
{
    const __m512i m1 = _mm512_set1_epi64((long long)TOKEN_M1);
    __m256i starts = _mm256_loadu_si256((const __m256i *)(const void *)(s->words.starts + i));
    __m256i ends = _mm256_loadu_si256((const __m256i *)(const void *)(s->words.ends + i));
    __m512i from = _mm512_cvtepu32_epi64(starts);
    __m512i n = _mm512_sub_epi64(_mm512_cvtepu32_epi64(ends), from);
    __m512i word = _mm512_i64gather_epi64(from, s->p, 1);
    /* a shift by 64 and more leaves nothing, so that 8 bytes are all */
    __m512i beyond = _mm512_sllv_epi64(_mm512_set1_epi64(-1), _mm512_slli_epi64(n, 3));
    word = _mm512_andnot_si512(beyond, _mm512_or_si512(word, _mm512_set1_epi64(TOKEN_FOLD)));
    __m512i seed =
        _mm512_xor_si512(_mm512_set1_epi64((long long)TOKEN_S0), _mm512_mullo_epi64(n, m1));
    __m512i h = STREAM(mix)(_mm512_xor_si512(word, seed));
    h = _mm512_mullo_epi64(_mm512_xor_si512(h, _mm512_srli_epi64(h, 32)), m1);
    *ret_n = n;
    return _mm512_xor_si512(h, _mm512_srli_epi64(h, 29));
}
#endif

/* Hash the words of the list.  Long ones are set aside, for whether one is long is hard to guess.
 */
static inline __attribute__((always_inline)) void STREAM(hash_words)(struct stream *s)
{
    const char *p = s->p;
    size_t m = s->words.ends_n, longs_n = 0, hashes_n = 0;
    uint32_t longs[STREAM_ROOM];
    size_t i = STREAM_BEFORE;
#ifdef STREAM_AVX512
    for (; i + 8 <= m; i += 8) {
        __m512i n, h = STREAM(hash_8)(s, i, &n);
        __mmask8 is_short = _mm512_cmple_epu64_mask(n, _mm512_set1_epi64(8));
        unsigned shorts = stream_mask_8(is_short);
        _mm512_storeu_si512(s->hashes + hashes_n, _mm512_maskz_compress_epi64(is_short, h));
        hashes_n += (size_t)__builtin_popcount(shorts);
        for (unsigned rest = shorts ^ 0xff; rest != 0; rest &= rest - 1)
            longs[longs_n++] = (uint32_t)(i + (size_t)__builtin_ctz(rest));
    }
#endif
    for (; i < m; i++) {
        uint32_t from = s->words.starts[i], n = s->words.ends[i] - from;
        uint64_t word = (token_load(p + from, 8) | TOKEN_FOLD) & STREAM_FIRST(n);
        uint64_t h = token_mix(word ^ TOKEN_S0 ^ n * TOKEN_M1, TOKEN_M0);
        longs[longs_n] = (uint32_t)i;
        longs_n += n > 8;
        s->hashes[hashes_n] = token_finish(h);
        hashes_n += n <= 8;
    }
    for (size_t k = 0; k < longs_n; k++) {
        uint32_t from = s->words.starts[longs[k]], n = s->words.ends[longs[k]] - from;
        s->hashes[hashes_n++] =
            token_hash(p + from, n, n + TOKEN_STREAM_SLACK, TOKEN_S0, TOKEN_FOLD);
    }
    s->fn(s->context, s->hashes, hashes_n);
}

/* Everything that the list has. */
static inline __attribute__((always_inline)) void STREAM(take_words)(struct stream *s)
{
    STREAM(hash_words)(s);
    stream_take_quads(s);
    stream_list_take(&s->words);
}

static void STREAM(scan)(struct stream *s, struct view texts, const uint64_t *sizes, size_t n)
{
    /* 1: the last window ended in a word, in a run, with a dot after a word */
    uint64_t inside = 0, inside_beyond = 0, dotted = 0;
    size_t text = 0, border = 0;
    for (size_t base = 0; base < texts.n; base += 64) {
        char last[64] = {0};
        const char *p = texts.p + base;
        if (UNLIKELY(texts.n - base < 64)) {
            memcpy(last, p, texts.n - base);
            p = last;
        }
        __builtin_prefetch(texts.p + MIN(base + STREAM_AHEAD, texts.n));
        uint64_t borders = 0;
        while (text < n && border < base + 64) {
            borders |= UINT64_C(1) << (border - base);
            border += sizes[text] - (sizes[text] > 0);
            text++;
        }
        struct stream_window w = STREAM(classify)(p);
        uint64_t before = w.words << 1 | inside, begin = w.words & (~before | borders);
        uint64_t dots = w.dots & before & ~borders,
                 joined = begin & (dots << 1 | dotted) & ~borders;
        for (; joined != 0; joined &= joined - 1) {
            uint64_t earlier = begin & (joined ^ (joined - 1)) >> 1;
            s->joined[s->joined_n++] =
                (uint32_t)(s->words.starts_n + (size_t)__builtin_popcountll(earlier));
        }
        s->words.starts_n =
            STREAM(put_bits)(s->words.starts, s->words.starts_n, (uint32_t)base, begin);
        s->words.ends_n = STREAM(put_bits)(s->words.ends, s->words.ends_n, (uint32_t)base,
                                           before & (~w.words | borders));
        inside = w.words >> 63;
        dotted = dots >> 63;
        if (UNLIKELY((w.beyond | inside_beyond) != 0)) {
            before = w.beyond << 1 | inside_beyond;
            inside_beyond = w.beyond >> 63;
            s->runs.starts_n = STREAM(put_bits)(s->runs.starts, s->runs.starts_n, (uint32_t)base,
                                                w.beyond & (~before | borders));
            s->runs.ends_n = STREAM(put_bits)(s->runs.ends, s->runs.ends_n, (uint32_t)base,
                                              before & (~w.beyond | borders));
            if (s->runs.ends_n >= STREAM_BEFORE + STREAM_WORDS)
                stream_take_runs(s);
        }
        if (s->words.ends_n >= STREAM_BEFORE + STREAM_WORDS)
            STREAM(take_words)(s);
    }
    stream_list_end(&s->words, texts.n);
    stream_list_end(&s->runs, texts.n);
    STREAM(take_words)(s);
    stream_take_runs(s);
}
