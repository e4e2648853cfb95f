/* F2IP of sm_86: floats to packed integers, compared with the CPU. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "tests/support/emulator/sass_code.h"
#include "tests/support/emulator/sass_lab.h"

enum { ARCH = 86, LANES = 32, PACK = 10 };

/* Bits of the upper word of F2IP. */
enum { UPPER_HALF = 1 << 8, NTZ = 1 << 10, RELU = 1 << 11, SIGNED = 1 << 12, TRUNCATE = 3 << 14 };

/* out[i] = F2IP(a[i], b[i], c[i]), as ptxas compiles it. */
static const sass_code_t packing[] = {
    {0x0000000000087919, 0x000e220000002100}, /* S2R R8, SR_TID.X */
    {0x0000000400097802, 0x000fe20000000f00}, /* MOV R9, 0x4 */
    {0x0000460000047ab9, 0x000fc80000000a00}, /* ULDC.64 UR4, c[0x0][0x118] */
    {0x0000580008027625, 0x001fc800078e0209}, /* IMAD.WIDE R2, R8, R9, c[0x0][0x160] */
    {0x00005a0008047625, 0x0c0fe400078e0209}, /* IMAD.WIDE R4, R8, R9, c[0x0][0x168] */
    {0x0000000402027981, 0x000ea4000c1e1900}, /* LDG.E R2, [R2.64] */
    {0x00005c0008067625, 0x0c0fe400078e0209}, /* IMAD.WIDE R6, R8, R9, c[0x0][0x170] */
    {0x0000000404057981, 0x000ea8000c1e1900}, /* LDG.E R5, [R4.64] */
    {0x0000000406067981, 0x000ea2000c1e1900}, /* LDG.E R6, [R6.64] */
    {0x00005e0008087625, 0x000fe200078e0209}, /* IMAD.WIDE R8, R8, R9, c[0x0][0x178] */
    {0x00000005020b7243, 0x004fca0000000006}, /* F2IP.U8.F32 R11, R2, R5, R6 */
    {0x0000000b08007986, 0x000fe2000c101904}, /* STG.E [R8.64], R11 */
};

static float number(unsigned i, uint64_t *seed)
{
    static const float special[] = {0.0f,   -0.0f,  0.5f,   1.5f,    -0.5f,    -1.5f,
                                    2.5f,   126.5f, 127.5f, -127.5f, -128.5f,  254.5f,
                                    255.5f, 1e30f,  -1e30f, 1e-40f,  INFINITY, -INFINITY};

    if (i < sizeof(special) / sizeof(special[0]))
        return special[i];
    return i == 18 ? NAN : (sass_lab_float(seed) - 0.5f) * 700;
}

static uint32_t byte_of(float f, unsigned bits)
{
    const double least = bits & SIGNED ? -128 : 0, most = least + 255;
    const double whole = bits & TRUNCATE ? trunc((double)f) : nearbyint((double)f);
    const double kept = isnan(f) ? 0 : fmin(fmax(whole, least), most);

    return (uint32_t)(int32_t)kept & 0xff;
}

static sass_lab_t packed(unsigned bits, const float *a, const float *b, const uint32_t *c,
                         uint64_t *out)
{
    sass_code_t code[sizeof(packing) / sizeof(packing[0])];
    sass_lab_t lab;

    memcpy(code, packing, sizeof(code));
    code[PACK].hi |= bits;
    sass_lab_open(&lab, "ampere", ARCH);
    *out = sass_lab_put(&lab, NULL, LANES * sizeof(*c));
    sass_lab_kernel(&lab, "f64_4");
    sass_lab_code(&lab, code, sizeof(code) / sizeof(code[0]));
    sass_lab_pointer(&lab, sass_lab_put(&lab, a, LANES * sizeof(*a)));
    sass_lab_pointer(&lab, sass_lab_put(&lab, b, LANES * sizeof(*b)));
    sass_lab_pointer(&lab, sass_lab_put(&lab, c, LANES * sizeof(*c)));
    sass_lab_pointer(&lab, *out);
    return lab;
}

static void floats_are_packed_as_the_cpu_does(void **state)
{
    static const unsigned forms[] = {NTZ, NTZ | SIGNED, NTZ | TRUNCATE, NTZ | SIGNED | TRUNCATE,
                                     NTZ | UPPER_HALF};
    uint64_t seed = 86;

    (void)state;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        float a[LANES], b[LANES];
        uint32_t c[LANES];
        uint64_t out;

        for (unsigned i = 0; i < LANES; i++) {
            a[i] = number(i, &seed);
            b[i] = number((i + 7) % LANES, &seed);
            c[i] = (uint32_t)(sass_lab_random(&seed) >> 32);
        }
        sass_lab_t lab = packed(forms[f], a, b, c, &out);
        sass_lab_must_run(&lab, 1, LANES, 0);
        const uint32_t *got = sass_lab_at(&lab, out);
        for (unsigned i = 0; i < LANES; i++) {
            const uint32_t above = forms[f] & UPPER_HALF ? c[i] >> 16 : c[i];
            const uint32_t want =
                byte_of(b[i], forms[f]) | byte_of(a[i], forms[f]) << 8 | above << 16;
            if (got[i] != want)
                fail_msg("form %zu, lane %u (%g, %g): 0x%x, expected 0x%x", f, i, (double)a[i],
                         (double)b[i], got[i], want);
        }
        sass_lab_close(&lab);
    }
}

/* What no compiler was seen to emit has no known meaning. */
static void other_forms_are_refused_by_name(void **state)
{
    static const unsigned forms[] = {0, NTZ | RELU};
    const float zero[LANES] = {0};
    const uint32_t above[LANES] = {0};

    (void)state;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        uint64_t out;
        sass_lab_t lab = packed(forms[f], zero, zero, above, &out);

        assert_int_not_equal(
            sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){LANES, 1, 1}, 0, NULL, NULL),
            RB_OK);
        assert_true(lab.totals.unsupported);
        assert_non_null(strstr(lab.err.text, "F2IP.U8.F32"));
        sass_lab_close(&lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_packed_as_the_cpu_does),
        cmocka_unit_test(other_forms_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
