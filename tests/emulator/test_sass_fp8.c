/* Floats of eight bits (sm_89): compiled conversions against the nearest of all their values. */
#include <math.h>
#include <string.h>

#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

enum { NAN_CODE = 0x7f, NAN_HALF = 0x7fff, WARP = 32 };

typedef struct {
    int mantissa, bias;
    unsigned most; /* code of the largest number */
} format_t;

static const format_t formats[] = {{3, 7, 0x7e}, {2, 15, 0x7b}}; /* E4M3, E5M2 */

/* The value of bits without a sign, in a format with that many bits of the fraction. */
static double value_of(unsigned bits, int mantissa, int bias)
{
    const unsigned fraction = bits & ((1u << mantissa) - 1), exponent = bits >> mantissa;

    return exponent == 0 ? ldexp(fraction, 1 - bias - mantissa)
                         : ldexp((1u << mantissa) + fraction, (int)exponent - bias - mantissa);
}

/* The nearest number of a format, of two the one whose code is even; the largest one for larger
 * values. */
static unsigned nearest(double v, const format_t *f)
{
    const double size = fmin(fabs(v), 1e6); /* so that differences are exact */
    unsigned best = 0;

    if (isnan(v))
        return NAN_CODE;
    for (unsigned code = 1; code <= f->most; code++) {
        const double now = fabs(value_of(code, f->mantissa, f->bias) - size);
        const double before = fabs(value_of(best, f->mantissa, f->bias) - size);
        if (now < before || (now == before && code % 2 == 0))
            best = code;
    }
    return best | (signbit(v) ? 0x80u : 0);
}

static unsigned positive(unsigned code, unsigned sign)
{
    return code & sign ? 0 : code;
}

static double half_value(unsigned bits)
{
    const unsigned size = bits & 0x7fff;
    const double v = size > 0x7c00 ? NAN : size == 0x7c00 ? INFINITY : value_of(size, 10, 15);

    return bits & 0x8000 ? -v : v;
}

/* --- to eight bits --------------------------------------------------------------------------- */

/* What the kernels make of a pair, in four ways. */
static void expect_pair(const uint16_t out[4], double high, double low)
{
    for (unsigned i = 0; i < 4; i++) {
        const format_t *f = &formats[i % 2];
        unsigned a = nearest(high, f), b = nearest(low, f);
        if (i >= 2) {
            a = positive(a, 0x80);
            b = positive(b, 0x80);
        }
        if (out[i] != (a << 8 | b))
            fail_msg("way %u of %a, %a: 0x%04x, not 0x%04x", i, high, low, out[i], a << 8 | b);
    }
}

/* Numbers of both formats, what is half way between them, and the floats beside that. */
static size_t make_floats(float *v)
{
    size_t n = 0;

    for (unsigned i = 0; i < 2; i++)
        for (unsigned code = 0; code <= formats[i].most; code++) {
            const double at = value_of(code, formats[i].mantissa, formats[i].bias);
            const double next = value_of(code + 1, formats[i].mantissa, formats[i].bias);
            const float middle = (float)((at + next) / 2);
            const float three[] = {middle, nextafterf(middle, 0), nextafterf(middle, INFINITY)};
            v[n++] = (float)at;
            for (unsigned k = 0; k < 3; k++) {
                v[n++] = three[k];
                v[n++] = -three[k];
            }
        }
    const float special[] = {-0.0f, NAN, INFINITY, -INFINITY, 1e-40f, -1e-40f, 3e38f, -3e38f};
    memcpy(v + n, special, sizeof(special));
    return n + 8;
}

static void floats_become_the_nearest_number(void **state)
{
    enum { MOST = 2048 };
    static float v[MOST];
    const size_t n = make_floats(v);
    sass_lab_t lab;

    (void)state;
    assert_true(n <= MOST);
    sass_lab_open(&lab, "fp8", 89);
    const uint64_t in = sass_lab_put(&lab, v, sizeof(v)), out = sass_lab_put(&lab, NULL, 4 * MOST);
    sass_lab_kernel(&lab, "pack");
    sass_lab_pointer(&lab, in);
    sass_lab_pointer(&lab, out);
    sass_lab_must_run(&lab, MOST / 2 / WARP, WARP, 0);
    const uint16_t *got = sass_lab_at(&lab, out);
    for (size_t i = 0; i < n / 2; i++)
        expect_pair(got + 4 * i, (double)v[2 * i + 1], (double)v[2 * i]);
    sass_lab_close(&lab);
}

/* Every half, beside one of another sign. */
static void halves_become_the_nearest_number(void **state)
{
    enum { N = 1 << 16 };
    static uint32_t pairs[N];
    sass_lab_t lab;

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        pairs[i] = i << 16 | (i * 40503u & 0xffff);
    sass_lab_open(&lab, "fp8", 89);
    const uint64_t in = sass_lab_put(&lab, pairs, sizeof(pairs));
    const uint64_t out = sass_lab_put(&lab, NULL, 8 * N);
    sass_lab_kernel(&lab, "pack_halves");
    sass_lab_pointer(&lab, in);
    sass_lab_pointer(&lab, out);
    sass_lab_must_run(&lab, N / 256, 256, 0);
    const uint16_t *got = sass_lab_at(&lab, out);
    for (uint32_t i = 0; i < N; i += 3)
        expect_pair(got + 4 * i, half_value(pairs[i] >> 16), half_value(pairs[i] & 0xffff));
    sass_lab_close(&lab);
}

/* --- from eight bits ------------------------------------------------------------------------- */

static void expect_half(unsigned got, unsigned byte, const format_t *f, bool relu)
{
    const unsigned size = byte & 0x7f;
    const bool infinite = f->mantissa == 2 && size == f->most + 1;
    const bool negative = (byte & 0x80) != 0;
    const double v = infinite ? INFINITY : value_of(size, f->mantissa, f->bias);

    if (size > f->most && !infinite) {
        assert_int_equal(got, NAN_HALF);
    } else if (relu && negative) {
        assert_int_equal(got, 0);
    } else {
        assert_true(half_value(got & 0x7fff) == v);
        assert_int_equal(got >> 15, negative);
    }
}

/* All bytes, in all four places of a word. */
static void bytes_become_halves_exactly(void **state)
{
    enum { N = 256, WAYS = 6 };
    uint32_t words[N];
    sass_lab_t lab;

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        words[i] = i | (i * 7 % N) << 8 | (i * 11 % N) << 16 | (N - 1 - i) << 24;
    sass_lab_open(&lab, "fp8", 89);
    const uint64_t in = sass_lab_put(&lab, words, sizeof(words));
    const uint64_t out = sass_lab_put(&lab, NULL, 4 * WAYS * N);
    sass_lab_kernel(&lab, "unpack");
    sass_lab_pointer(&lab, in);
    sass_lab_pointer(&lab, out);
    sass_lab_must_run(&lab, N / WARP, WARP, 0);
    const uint32_t *got = sass_lab_at(&lab, out);
    for (uint32_t i = 0; i < N; i++)
        for (unsigned way = 0; way < WAYS; way++) {
            const uint32_t two = words[i] >> (way >= 4 ? 16 : 0), halves = got[WAYS * i + way];
            const bool relu = way == 2 || way == 3;
            expect_half(halves & 0xffff, two & 0xff, &formats[way % 2], relu);
            expect_half(halves >> 16, two >> 8 & 0xff, &formats[way % 2], relu);
        }
    sass_lab_close(&lab);
}

/* The second pair goes below the first one. */
static void four_numbers_fill_a_word(void **state)
{
    enum { N = WARP };
    float v[4 * N];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 4 * N; i++)
        v[i] = (float)i * 1.3f - 80;
    sass_lab_open(&lab, "fp8", 89);
    const uint64_t in = sass_lab_put(&lab, v, sizeof(v)), out = sass_lab_put(&lab, NULL, 4 * N);
    sass_lab_kernel(&lab, "quarters");
    sass_lab_pointer(&lab, in);
    sass_lab_pointer(&lab, out);
    sass_lab_must_run(&lab, 1, N, 0);
    const uint8_t *got = sass_lab_at(&lab, out);
    for (unsigned i = 0; i < 4 * N; i++)
        assert_int_equal(got[i], nearest((double)v[i], &formats[0]));
    sass_lab_close(&lab);
}

static void products_are_refused_by_name(void **state)
{
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "fp8", 89);
    const uint64_t any = sass_lab_put(&lab, NULL, 4096);
    sass_lab_kernel(&lab, "product");
    sass_lab_pointer(&lab, any);
    sass_lab_pointer(&lab, any);
    assert_int_not_equal(
        sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){WARP, 1, 1}, 0, NULL, NULL), RB_OK);
    assert_true(lab.totals.unsupported);
    assert_non_null(strstr(lab.err.text, "QMMA.16832.F32.E4M3.E5M2"));
    sass_lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_become_the_nearest_number),
        cmocka_unit_test(halves_become_the_nearest_number),
        cmocka_unit_test(bytes_become_halves_exactly),
        cmocka_unit_test(four_numbers_fill_a_word),
        cmocka_unit_test(products_are_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
