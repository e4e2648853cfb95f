#include "sim/core/files/sha256_blocks.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <stdbool.h>

#define SHA_PART __attribute__((target("sha,sse4.1,ssse3"))) static
#define SHA_STEP SHA_PART inline __attribute__((always_inline))

/* The state in the order that the instructions expect: a, b, e, f and c, d, g, h. */
typedef struct {
    __m128i abef, cdgh;
} halves_t;

/* Rounds 4 i to 4 i + 3; w holds their message words. */
SHA_STEP void four_rounds(halves_t *s, unsigned i, __m128i w)
{
    const __m128i *k = (const __m128i *)(const void *)sha256_round_constant;
    __m128i sum = _mm_add_epi32(w, _mm_loadu_si128(k + i));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, sum);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

/* The four message words that follow these sixteen. */
SHA_STEP __m128i next_words(__m128i w0, __m128i w4, __m128i w8, __m128i w12)
{
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w4), _mm_alignr_epi8(w12, w8, 4));
    return _mm_sha256msg2_epu32(sum, w12);
}

SHA_STEP __m128i load_words(const uint8_t *p)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), big_endian);
}

SHA_PART void blocks_sha_ni(uint32_t state[8], const uint8_t *data, size_t n)
{
    __m128i *half = (__m128i *)(void *)state;
    const __m128i dcba = _mm_loadu_si128(half), hgfe = _mm_loadu_si128(half + 1);
    const __m128i badc = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    halves_t s = {_mm_alignr_epi8(badc, efgh, 8), _mm_blend_epi16(efgh, badc, 0xf0)};
    for (; n > 0; n--, data += 64) {
        const halves_t before = s;
        __m128i w0 = load_words(data), w4 = load_words(data + 16);
        __m128i w8 = load_words(data + 32), w12 = load_words(data + 48);
        for (unsigned i = 0; i < 16; i += 4) {
            four_rounds(&s, i, w0);
            four_rounds(&s, i + 1, w4);
            four_rounds(&s, i + 2, w8);
            four_rounds(&s, i + 3, w12);
            w0 = next_words(w0, w4, w8, w12);
            w4 = next_words(w4, w8, w12, w0);
            w8 = next_words(w8, w12, w0, w4);
            w12 = next_words(w12, w0, w4, w8);
        }
        s.abef = _mm_add_epi32(s.abef, before.abef);
        s.cdgh = _mm_add_epi32(s.cdgh, before.cdgh);
    }
    const __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b), dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    _mm_storeu_si128(half, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(half + 1, _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_sha_ni(void)
{
    unsigned a, b, c, d;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & bit_SHA) == 0)
        return false;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0 && (c & bit_SSSE3) != 0;
}

sha256_blocks_fn sha256_blocks_native(void)
{
    return has_sha_ni() ? blocks_sha_ni : NULL;
}

#else

sha256_blocks_fn sha256_blocks_native(void)
{
    return NULL;
}

#endif
