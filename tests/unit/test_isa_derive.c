/* What isa_derive() finds in an instruction. */
#include <string.h>

#include "sim/isa/isa.h"
#include "tests/support/synth.h"
#include "tests/support/test.h"

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
        {"CS2R", INST_ALONE | INST_SIMPLE},
        {"BRA", INST_ALONE | INST_DELAYS | INST_GUESSED},
        {"NANOSLEEP", INST_ALONE | INST_DELAYS},
        {"BAR.SYNC", INST_STOPS},
        {"BAR.ARV", 0},
        {"MEMBAR.SC.GPU", INST_STOPS},
    };
    /* A control word without barriers, so that its traits are not set. */
    const uint32_t plain = synth_control_word(1, false, 7, 7, 0, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(derived(rows[i].mnemonic, (inst_t){.ctl = plain}).traits, rows[i].traits);
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

static void registers_lie_in_banks(void **state)
{
    const inst_t in =
        derived("FFMA", (inst_t){.n_dst = 1,
                                 .dst = {{REG_GPR, 6, 1}},
                                 .n_src = 3,
                                 .src = {{REG_GPR, 1, 1}, {REG_GPR, 5, 1}, {REG_GPR, 7, 1}}});
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
        cmocka_unit_test(registers_lie_in_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
