/* What isa_derive() finds in an instruction. */
#include <string.h>

#include "sim/isa/isa.h"
#include "tests/support/test.h"
#include "tests/support/trace/synth.h"

static inst_t derived(const char *mnemonic, inst_t in)
{
    const size_t len = strlen(mnemonic);
    (void)isa_decode(70, mnemonic, len, 0, &in);
    if (in.access != ACC_NONE && in.width == 0)
        (void)isa_decode(70, mnemonic, len, 4, &in);
    isa_finish(&in, mnemonic, len);
    return in;
}

static void traits_follow_from_the_opcode(void **state)
{
    static const struct {
        const char *mnemonic;
        unsigned traits;
    } rows[] = {
        {"FFMA", INST_ALONE | INST_SIMPLE},
        {"MUFU.RCP", INST_ALONE | INST_SIMPLE},
        {"HMMA.884.F32.F32.STEP0", INST_ALONE | INST_FORWARDED},
        {"LDG.E.SYS", INST_ADDRESSED},
        {"STS", INST_ADDRESSED},
        {"LDC", INST_ADDRESSED},
        {"SHFL.IDX", 0},
        {"S2R", 0},
        {"CS2R.32", INST_ALONE | INST_SIMPLE},
        {"CS2R", INST_ALONE}, /* a pair */
        {"BRA", INST_ALONE | INST_DELAYS | INST_GUESSED},
        {"NANOSLEEP", INST_ALONE | INST_DELAYS},
        {"BAR.SYNC", INST_STOPS},
        {"BAR.ARV", 0},
        {"MEMBAR.SC.GPU", INST_STOPS},
    };
    /* A control word without barriers, so that its traits are not set. */
    const uint32_t plain = synth_control_word(1, false, 7, 7, 0, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const inst_t in = {.ctl = plain, .n_dst = 1, .dst = {{REG_GPR, 6, 1}}};
        assert_int_equal(derived(rows[i].mnemonic, in).traits, rows[i].traits);
    }
}

static void traits_follow_from_the_control_word(void **state)
{
    const inst_t none = {.ctl = synth_control_word(1, false, 7, 7, 0, 0)};
    const inst_t write = {.ctl = synth_control_word(1, false, 3, 7, 0, 0)};
    const inst_t read = {.ctl = synth_control_word(1, false, 7, 0, 0, 0)};
    const inst_t wait = {.ctl = synth_control_word(1, false, 7, 7, 1, 0)};
    const unsigned both = INST_COUNTED | INST_WAITS;
    (void)state;
    assert_int_equal(derived("FADD", none).traits & both, 0);
    assert_int_equal(derived("FADD", write).traits & both, both);
    assert_int_equal(derived("FADD", read).traits & both, both);
    assert_int_equal(derived("FADD", wait).traits & both, INST_WAITS);
    const inst_t constant = {.ctl = none.ctl, .flags = INST_CONST_ADDR};
    assert_true(derived("FADD", constant).traits & INST_CONST_SOURCE);
    assert_false(derived("LDC", constant).traits & INST_CONST_SOURCE);
}

/* An instruction of one result and three sources. */
static inst_t three_sources(const char *mnemonic, uint8_t dst, uint8_t a, uint8_t b, uint8_t c)
{
    return derived(mnemonic, (inst_t){.n_dst = 1,
                                      .dst = {{REG_GPR, dst, 1}},
                                      .n_src = 3,
                                      .src = {{REG_GPR, a, 1}, {REG_GPR, b, 1}, {REG_GPR, c, 1}}});
}

/* Only what occupies its pipe as its class says is simple. */
static void simple_is_the_usual_kind(void **state)
{
    inst_t in = three_sources("FFMA", 6, 1, 5, 8);
    (void)state;
    assert_true(in.traits & INST_SIMPLE);
    assert_int_equal(in.result, 6);
    assert_int_equal(in.work, 2);
    assert_false(three_sources("FFMA", 6, 1, 5, 7).traits & INST_SIMPLE);     /* one bank */
    assert_false(three_sources("DFMA", 6, 1, 5, 8).traits & INST_SIMPLE);     /* port of others */
    assert_false(derived("FADD", (inst_t){.n_src = 0}).traits & INST_SIMPLE); /* no result */
    in = derived("HFMA2.MMA", (inst_t){.n_dst = 1, .dst = {{REG_GPR, 6, 1}}});
    assert_int_equal(in.flops, 4);
    assert_int_equal(in.work, 0); /* moves a constant */
}

/* near[] has the last writer of each speed, as far as the array and INST_FAR go. */
static void near_counts_back_to_writers(void **state)
{
    enum { LAST = INST_FAR + 2 };
    inst_t code[LAST + 1];
    (void)state;
    for (unsigned i = 0; i <= LAST; i++)
        code[i] = three_sources("IADD3", 40, 41, 42, 44);
    code[1] = three_sources("FFMA", 10, 11, 12, 14); /* too far away */
    code[3] = three_sources("IMAD", 11, 11, 12, 14);
    code[8] = three_sources("FFMA", 11, 11, 12, 14);
    code[10] = three_sources("MUFU.RCP", 12, 20, 21, 22);
    code[12] = derived("LDG.E", (inst_t){.n_dst = 1, .dst = {{REG_GPR, 14, 1}}});
    code[LAST] = three_sources("FFMA", 10, 11, 12, 14);
    isa_link(&code[LAST], LAST);
    assert_int_equal(code[LAST].near[isa_class_speed(OP_FP32)], LAST - 8);
    assert_int_equal(code[LAST].near[isa_class_speed(OP_IMAD)], LAST - 3);
    assert_int_equal(code[LAST].near[isa_class_speed(OP_MUFU)], LAST - 10);
    assert_int_equal(code[LAST].near[isa_class_speed(OP_LOAD_LG)], INST_FAR);
    isa_link(&code[LAST], LAST - 9);
    assert_int_equal(code[LAST].near[isa_class_speed(OP_FP32)], INST_FAR);
    code[LAST] = three_sources("FADD", 40, 1, 2, 3); /* its result is written by the one before */
    isa_link(&code[LAST], LAST);
    assert_int_equal(code[LAST].near[isa_class_speed(OP_INT)], 1);
}

static void registers_lie_in_banks(void **state)
{
    const inst_t in = three_sources("FFMA", 6, 1, 5, 7);
    (void)state;
    assert_int_equal(in.most_reads[0], 3); /* one bank */
    assert_int_equal(in.most_reads[1], 3); /* 1, 5 and 7 are odd */
    assert_int_equal(in.most_reads[3], 2); /* 1 and 5 */
    assert_int_equal(in.banks_written[0], 1);
    assert_int_equal(in.banks_written[1], 1);
    assert_int_equal(in.banks_written[2], 1);
    assert_int_equal(in.banks_written[3], 1 << 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traits_follow_from_the_opcode),
        cmocka_unit_test(traits_follow_from_the_control_word),
        cmocka_unit_test(simple_is_the_usual_kind),
        cmocka_unit_test(near_counts_back_to_writers),
        cmocka_unit_test(registers_lie_in_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
