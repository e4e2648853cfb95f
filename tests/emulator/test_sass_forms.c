/*
 * Rare forms of operands: they are decoded as nvdisasm does, and are executed accordingly or
 * refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/op_lab.h"
#include "tests/support/emulator/sass_code.h"
#include "tests/support/test.h"

static sass_inst_t decoded_for(uint64_t lo, uint64_t hi, unsigned arch)
{
    uint8_t code[SASS_INST_BYTES];
    sass_inst_t in;

    memcpy(code, &lo, 8);
    memcpy(code + 8, &hi, 8);
    sass_decode(&in, code, 0, arch);
    return in;
}

static sass_inst_t decoded(uint64_t lo, uint64_t hi)
{
    return decoded_for(lo, hi, 75);
}

static void check_forms(const char *path, unsigned arch, unsigned at_least)
{
    FILE *in = fopen(path, "r");
    char line[512], text[SASS_TEXT_MAX], expected[SASS_TEXT_MAX];
    uint64_t lo, hi;
    unsigned n = 0;

    assert_non_null(in);
    while (fgets(line, sizeof(line), in) != NULL) {
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%" SCNx64 " %" SCNx64 " %255[^\n]", &lo, &hi, expected), 3);
        sass_inst_t inst = decoded_for(lo, hi, arch);
        sass_text(&inst, text);
        if (strcmp(text, expected) != 0)
            fail_msg("%016" PRIx64 " %016" PRIx64 ": '%s', expected '%s'", lo, hi, text, expected);
        n++;
    }
    fclose(in);
    assert_true(n > at_least);
}

static void instructions_read_as_nvdisasm_reads_them(void **state)
{
    (void)state;
    check_forms(RUBATO_ROOT "/tests/emulator/sass_forms.tsv", 75, 700);
    check_forms(RUBATO_ROOT "/tests/emulator/sass_forms_ampere.tsv", 86, 500);
}

/* --- executed -------------------------------------------------------------------------------- */

enum { THREADS = 64, OUT = 0x160 /* the kernel's parameter */ };

/* UR4 and UR5: the address of the result. */
static const sass_code_t out_to_uniform = {0x0000580000047ab9, 0xa00};

static const sass_code_t exit_code = {0x794d, 0x3800000};

/* Runs code in blocks of 64 threads. Returns the result, whose initial words are 0, 1, 2 ... */
static const uint32_t *run(sass_lab_t *lab, const sass_code_t *code, size_t n)
{
    uint32_t words[4 * THREADS];

    for (uint32_t i = 0; i < 4 * THREADS; i++)
        words[i] = i;
    sass_lab_open(lab, "matmul", 75);
    const uint64_t out = sass_lab_put(lab, words, sizeof(words));
    sass_lab_kernel(lab, "matmul");
    sass_lab_code(lab, code, n);
    for (unsigned i = 0; i < 3; i++)
        sass_lab_pointer(lab, out);
    sass_lab_int(lab, 0);
    sass_lab_must_run(lab, 1, THREADS, 0);
    return sass_lab_at(lab, out);
}
#define RUN(lab, code) run(lab, code, sizeof(code) / sizeof((code)[0]))

/* R2 = 4 * thread, R3 = 0, R11 = thread + 100 */
#define PLACES                                                                                     \
    sass_code_tid_to(0), {0x0000000400027824, 0x078e02ff}, sass_code_number_to(3, 0),              \
        {0x00000064000b7810, 0x07ffe0ff}, out_to_uniform

static void generic_stores_take_their_uniform_address(void **state)
{
    /* ST.E.SYS [R2.64+UR4+0x10], R11 */
    const sass_code_t code[] = {PLACES, {0x0000100b02007985, 0x0c10e904}};
    sass_lab_t lab;

    (void)state;
    const uint32_t *out = RUN(&lab, code);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[4 + i], 100 + i);
    sass_lab_close(&lab);
}

/* The upper register of a 32-bit index is not read, that of a 64-bit index is. */
static void atomics_take_both_kinds_of_index(void **state)
{
    /* R3 = 7; ATOMG.E.ADD.STRONG.GPU PT, RZ, [R2.U32+UR4+0x10], R11; EXCH of the same */
    const sass_code_t narrow[] = {PLACES,
                                  sass_code_number_to(3, 7),
                                  {0x0000100b02ff79a8, 0x081f4104},
                                  {0x0002000b02ff79a8, 0x0c1f4104}};
    /* R2 and R3: the place's address, UR4 = 0x10, UR5 = 0; ATOMG ... [R2.64+UR4] */
    const sass_code_t wide[] = {PLACES,
                                sass_code_number_to(4, 4),
                                sass_code_address_to(2, 0, 4, OUT),
                                {0x0000001000047882, 0},
                                {0x0000000000057882, 0},
                                {0x0000000b02ff79a8, 0x081f4144},
                                {0x0001f00b02ff79a8, 0x0c1f4144}};
    const sass_code_t *codes[] = {narrow, wide};
    const size_t n[] = {sizeof(narrow) / sizeof(narrow[0]), sizeof(wide) / sizeof(wide[0])};

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        sass_lab_t lab;
        const uint32_t *out = run(&lab, codes[k], n[k]);
        for (uint32_t i = 0; i < THREADS; i++) {
            assert_int_equal(out[4 + i], 4 + i + 100 + i);
            assert_int_equal(out[128 + i], 100 + i);
        }
        sass_lab_close(&lab);
    }
}

/* @!UP0 S2UR UR6, SR_CTAID.X; @UP0 S2UR UR7, SR_CTAID.X where UP0 is set, and P0 is not */
static void uniform_predicates_guard_reads_of_special_registers(void **state)
{
    const sass_code_t code[] = {
        PLACES,
        {0x0000000500067882, 0},         /* UMOV UR6, 0x5 */
        {0x0000000500077882, 0},         /* UMOV UR7, 0x5 */
        {0x00000000003f7886, 0x3800100}, /* VOTEU.ANY UP0, PT */
        {0x00000000000689c3, 0x2500},
        {0x00000000000709c3, 0x2500},
        {0x00000006000b7c02, 0xf00}, /* MOV R11, UR6; stored; the same with UR7 */
        {0x0000000b02007986, 0x0c10e904},
        {0x00000007000b7c02, 0xf00},
        {0x0001000b02007986, 0x0c10e904}};
    sass_lab_t lab;

    (void)state;
    const uint32_t *out = RUN(&lab, code);
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(out[i], 5);
        assert_int_equal(out[64 + i], 0);
    }
    sass_lab_close(&lab);
}

/* Only the first warp reaches barrier 1, with the number of threads in R4; the other one reaches
 * barrier 0. */
static void barriers_take_their_threads_from_a_register(void **state)
{
    const sass_code_t code[] = {PLACES,
                                sass_code_number_to(4, 32),
                                {0x000000200000780c, 0x3f01070},   /* ISETP.LT.U32 P0, R0, 0x20 */
                                {0x004000040000091d, 0},           /* @P0 BAR.SYNC 0x1, R4 */
                                {0x0000000000007b1d, 0},           /* BAR.SYNC 0x0 */
                                {0x0000000b02007986, 0x0c10e904}}; /* STG.E [R2.64+UR4], R11 */
    sass_lab_t lab;

    (void)state;
    const uint32_t *out = RUN(&lab, code);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], 100 + i);
    sass_lab_close(&lab);
}

/* A call that returns by RET.ABS to the second instruction after LEPC. */
static void lepc_gives_its_own_address(void **state)
{
    const sass_code_t code[] = {
        PLACES,
        {0x000000000006734e, 0},          /* LEPC R6 */
        {0x0000003000007944, 0x3c00000},  /* CALL.REL.NOINC: 0x30 further */
        {0x0000000b02007986, 0x0c10e904}, /* STG.E [R2.64+UR4], R11 */
        exit_code,
        exit_code,
        {0x0000002006007950, 0x3e00000}, /* RET.ABS.NODEC R6 0x20 */
    };
    sass_lab_t lab;

    (void)state;
    const uint32_t *out = RUN(&lab, code);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], 100 + i);
    sass_lab_close(&lab);
}

/* Lanes that are excluded by the predicate of a load read nothing, and are not in the trace. */
static rb_code_t see_loads(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    const warp_stream_t *w = &block->warps[0];
    uint32_t *masks = ctx;

    (void)err;
    for (uint32_t i = 0; i < w->n_runs; i++)
        for (uint32_t k = 0; k < w->runs[i].count; k++)
            if (w->runs[i].first[k].access == ACC_LOAD && w->runs[i].first[k].space == MEM_GLOBAL)
                masks[0] = w->runs[i].mask;
    return RB_OK;
}

static void loads_leave_lanes_out(void **state)
{
    /* ISETP.LT.U32 P2, R0, 0x5; LDG.E.SYS R11, [R2], P2 where R2 = 0 in other lanes;
     * STG.E [R12], R11 */
    const sass_code_t code[] = {sass_code_tid_to(0),
                                sass_code_number_to(4, 4),
                                sass_code_address_to(12, 0, 4, OUT),
                                sass_code_number_to(2, 0),
                                sass_code_number_to(3, 0),
                                sass_code_number_to(11, 99),
                                {0x000000050000780c, 0x3f41070},
                                {0x0000000c00022202, 0xf00}, /* @P2 MOV R2, R12 */
                                {0x0000000d00032202, 0xf00}, /* @P2 MOV R3, R13 */
                                {0x00000000020b7381, 0x1ee905},
                                {0x0000000b0c007386, 0x10e900}};
    const uint32_t one[3] = {1, 1, 1}, lanes[3] = {32, 1, 1};
    uint32_t words[32], mask = 0;
    sass_lab_t lab;

    (void)state;
    for (uint32_t i = 0; i < 32; i++)
        words[i] = 1000 + i;
    sass_lab_open(&lab, "matmul", 75);
    const uint64_t out = sass_lab_put(&lab, words, sizeof(words));
    sass_lab_kernel(&lab, "matmul");
    sass_lab_code(&lab, code, sizeof(code) / sizeof(code[0]));
    for (unsigned i = 0; i < 3; i++)
        sass_lab_pointer(&lab, out);
    sass_lab_int(&lab, 0);
    assert_int_equal(sass_lab_run(&lab, one, lanes, 0, see_loads, &mask), RB_OK);
    const uint32_t *got = sass_lab_at(&lab, out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(got[i], i < 5 ? 1000 + i : 0);
    assert_int_equal(mask, 0x1f);
    sass_lab_close(&lab);
}

/* --- refused --------------------------------------------------------------------------------- */

/* Known opcodes whose effect is not known, or not well enough. */
static const struct {
    uint64_t lo, hi;
    const char *text;
} refused[] = {
    {0x0000001110007202, 0x0000000000020000, "MOV R0, R17, 0x0"},
    {0x0000003f06037220, 0x0000000000401000, "FMUL.FMZ R3, R6, R63"},
    {0x0000003f38497223, 0x0000000000001049, "FFMA.FMZ R73, R56, R63, R73"},
    {0x000000050404723c, 0x0000000000001107, "HMMA.1688.F32 R4, -R4, R5, R7"},
    {0x000000050404723c, 0x0000000000003007, "HMMA.1688.F32.SATFINITE R4, R4, R5, R7"},
    {0x000000050404723c, 0x0000000000005007, "HMMA.1684.F32 R4, R4, R5, R7"},
    {0x0000000504047236, 0x0000000000007400,
     "HMMA.884.F32.F32.STEP0.SATFINITE R4, R4.ROW, "
     "R5.COL, R0"},
    {0x0000003f00437308, 0x0000000000001200, "MUFU.RCP.F16 R67, R63"},
    {0x00006100060a7621, 0x0000000008010000, "FADD.FTZ R10, R6, cx[UR0][0x184]"},
    {0x00005f0000057ab9, 0x0000000008000800, "ULDC UR5, cx[UR0][0x17c]"},
    {0x0000000004027981, 0x000000000090e900, "LDG.E.SYS.ZD P0, R2, [R4]"},
    {0x0000000004027980, 0x000000000010fb00, "LD.E.64.SYS.PRIVATE R2, [R4]"},
    {0x0000000004027381, 0x000000000010e900, "LDG.E.SYS P0, R2, [R4]"},
    {0x000000000a007385, 0x000000000010ef14, "ST.E.U.128.SYS [R10], R20"},
    {0x00000c1406ff738b, 0x00000000009f41ff, "ATOM.E.CAST.STRONG.GPU PT, RZ, [R6+0xc], R20, RZ"},
    {0x00000000030d73c2, 0x00000000001e0000, "R2UR.OR PT, UR13, R3"},
    {0x000000000000794d, 0x0000000003900000, "EXIT.KEEPREFCOUNT"},
    {0x0000000000007947, 0x0000000003a00000, "BRA.INC 0x10"},
    {0x0000000000007b1d, 0x0000000000008000, "BAR.SYNCALL"},
    {0x000000001a057355, 0x0000000000000000, "BMOV.32 R5, MACTIVE"},
    {0x000000b8b9b8723e, 0x0000000000001000, "F2FP.PACK_AB R184, R185, R184"},
    {0x000000ff0aff721d, 0x0000000000000000, "UNKNOWN_0x21d"}, /* PLOP3 with signs */
};

static void what_is_not_executed_is_refused(void **state)
{
    char text[SASS_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        sass_inst_t in = decoded(refused[i].lo, refused[i].hi);
        sass_text(&in, text);
        assert_string_equal(text, refused[i].text);
        if (!op_lab_refused(refused[i].lo, refused[i].hi))
            fail_msg("%s is executed", text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_read_as_nvdisasm_reads_them),
        cmocka_unit_test(generic_stores_take_their_uniform_address),
        cmocka_unit_test(atomics_take_both_kinds_of_index),
        cmocka_unit_test(uniform_predicates_guard_reads_of_special_registers),
        cmocka_unit_test(barriers_take_their_threads_from_a_register),
        cmocka_unit_test(lepc_gives_its_own_address),
        cmocka_unit_test(loads_leave_lanes_out),
        cmocka_unit_test(what_is_not_executed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
