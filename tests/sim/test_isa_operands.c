/* Registers that an instruction reads and writes, derived from the operands in a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/isa.h"
#include "tests/support/test.h"

static uint8_t parse_operands(const char *text, reg_op_t *ops)
{
    static const struct {
        const char *prefix;
        reg_file_t file;
    } files[] = {{"UR", REG_UNIFORM}, {"UP", REG_UPRED}, {"R", REG_GPR}, {"P", REG_PRED}};
    uint8_t n = 0;

    while (*text != '\0') {
        unsigned f = 0;

        while (strncmp(text, files[f].prefix, strlen(files[f].prefix)) != 0)
            f++;
        char *end;
        unsigned long num = strtoul(text + strlen(files[f].prefix), &end, 10);

        ops[n++] = (reg_op_t){.file = (uint8_t)files[f].file, .num = (uint8_t)num, .count = 1};
        text = end + (*end == ' ');
    }
    return n;
}

static inst_t finished(const char *text, const char *dst, const char *src, uint32_t flags,
                       int32_t imm)
{
    inst_t in = {.flags = flags, .imm = imm};

    isa_decode(75, text, strlen(text), 4, &in);
    in.n_dst = parse_operands(dst, in.dst);
    in.n_src = parse_operands(src, in.src);
    isa_finish(&in, text, strlen(text));
    return in;
}

static void print_ids(char *to, const uint16_t *ids, unsigned n)
{
    *to = '\0';
    for (unsigned i = 0; i < n; i++)
        to += sprintf(to, i > 0 ? " %u" : "%u", ids[i]);
}

typedef struct {
    const char *text, *dst, *src; /* as a trace lists them */
    const char *reads, *writes;   /* dense numbers; a register that is both is listed in writes */
    int32_t imm;
    uint32_t flags;
} operand_case_t;

static const operand_case_t operand_cases[] = {
    {"FFMA", "R9", "R3 R4 R5", "3 4 5", "9", 0, 0},
    {"FFMA", "R9", "R3 R4 R9", "3 4", "9", 0, 0},
    {"FADD", "R9", "R3 R255", "3", "9", 0, 0},
    {"FADD", "R255", "R3 R3", "3", "", 0, 0},
    {"IMAD.WIDE", "R4", "R6 R7", "6 7", "4 5", 0, 0},
    {"IMAD.WIDE", "R4", "R6 R7 R8", "6 7 8 9", "4 5", 0, 0},
    {"IMAD.WIDE.U32", "R4", "R11 R2", "11 2 3", "4 5", 16, INST_IMM},
    {"IMAD.WIDE", "R4", "R11 R255", "11", "4 5", 0, 0},
    {"IMAD.WIDE", "R4", "R6 R7 R4", "6 7", "4 5", 0, 0},
    {"IMAD", "R4", "R6 R7 R8", "6 7 8", "4", 0, 0},
    {"DFMA", "R4", "R6 R8 R4", "6 7 8 9", "4 5", 0, 0},
    {"DADD", "R4", "R6", "6 7", "4 5", 0, 0},
    {"DSETP.GT.AND", "", "R10 R255", "10 11", "", 0, 0},
    {"MUFU.RCP64H", "R5", "R7", "7", "5", 0, 0},
    {"F2F.F64.F32", "R4", "R6", "6", "4 5", 0, 0},
    {"F2F.F32.F64", "R4", "R6", "6 7", "4", 0, 0},
    {"I2F.F64", "R4", "R6", "6", "4 5", 0, 0},
    {"I2F.U64.RP", "R10", "R6", "6 7", "10", 0, 0},
    {"I2F.F64.S64", "R10", "R6", "6 7", "10 11", 0, 0},
    {"F2I.F64.TRUNC", "R4", "R6", "6 7", "4", 0, 0},
    {"F2I.U64.TRUNC", "R12", "R8", "8", "12 13", 0, 0},
    {"FRND.F64.TRUNC", "R12", "R8", "8 9", "12 13", 0, 0},
    {"CS2R", "R4", "", "", "4 5", 0, 0},
    {"CS2R.32", "R4", "", "", "4", 0, 0},
    {"MATCH.ANY.U64", "R4", "R6", "6 7", "4", 0, 0},
    {"ULDC.64", "UR8", "", "", "272 273", 0, 0},
    {"UIMAD.WIDE.U32", "UR4", "UR7 UR6", "271 270", "268 269", 0, 0},
    {"UMOV", "UR4", "UR63", "", "268", 0, 0},
    {"ISETP.GE.AND", "P0", "R4 P7", "4", "256", 0, 0},
    {"UISETP.GE.AND", "UP1", "UR4", "268", "329", 0, 0},

    {"LDG.E.SYS", "R4", "R6", "6 7", "4", 0, 0},
    {"LDG.E.64.SYS", "R4", "R6", "6 7", "4 5", 0, 0},
    {"LDG.E.128.SYS", "R8", "R8", "", "8 9 10 11", 0, 0},
    {"LDG.E.U8", "R4", "R6", "6 7", "4", 0, 0},
    {"LDG.SYS", "R4", "R6", "6", "4", 0, 0},
    {"LDS.U.128", "R8", "R3", "3", "8 9 10 11", 0, 0},
    {"LDSM.16.M88.4", "R8", "R3", "3", "8 9 10 11", 0, 0},
    {"LDSM.16.M88.2", "R8", "R3", "3", "8 9", 0, 0},
    {"LDC.64", "R2", "R5", "5", "2 3", 0, 0},
    {"LDL.64", "R2", "R1", "1", "2 3", 0, 0},
    {"STG.E.SYS", "", "R6 R9", "6 7 9", "", 0, 0},
    {"STG.E.128.SYS", "", "R6 R8", "6 7 8 9 10 11", "", 0, 0},
    {"STG.E.128.SYS", "", "R8 R255", "8 9", "", 0, 0},
    {"STG.E.64", "", "R8", "8 9", "", 0, 0}, /* [UR4], R8 */
    {"STS.64", "", "R255 R8", "8 9", "", 0, 0},
    {"STS.128", "", "R3 R8", "3 8 9 10 11", "", 0, 0},
    {"ATOMG.E.ADD.STRONG.GPU", "", "R3 R4 R9", "4 5 9", "3", 0, 0},
    {"ATOMG.E.CAS.64.STRONG.GPU", "", "R2 R4 R6 R8", "4 5 6 7 8 9", "2 3", 0, 0},
    {"ATOMG.E.EXCH.STRONG.GPU", "", "R255 R4 R255", "4 5", "", 0, 0},
    {"ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU", "P0", "R255 R8 R13", "8 9 13", "256", 0, 0},
    {"ATOMS.ADD", "R255", "R5 R9", "5 9", "", 0, 0},
    {"ATOMS.ADD", "R7", "R5 R9", "5 9", "7", 0, 0},
    {"RED.E.ADD.64.STRONG.GPU", "", "R2 R6", "2 3 6 7", "", 0, 0},
    {"LDGSTS.E.128", "", "R3 R6", "3 6 7", "", 0, 0},

    {"SHFL.BFLY", "", "R6 R3", "3", "6", 0, 0},
    {"SHFL.IDX", "", "R255 R255 R255 R255", "", "", 0, 0},
    {"SHFL.IDX", "", "R9 R11 R12", "11 12", "9", 0, 0},
    {"LOP3.LUT", "", "R255 R4 R5", "4 5", "", 0, 0},
    {"LOP3.LUT", "R3", "R4 R5", "4 5", "3", 0, 0},
    {"QSPC.E.S", "", "R255 R8", "8", "", 0, 0},
    {"MATCH.ALL", "", "R4 R9", "9", "4", 0, 0},
    {"RET.REL.NODEC", "R14", "", "14", "", 0, 0},
    {"BRX", "R6", "", "6", "", 0, 0},
    {"WARPSYNC", "R5", "", "5", "", 0, 0},
    {"BAR.SYNC", "R5", "R6", "5 6", "", 0, 0},
    {"BMOV.32.CLEAR", "R5", "", "", "5", 0, 0},

    {"HMMA.884.F32.F32.STEP1", "R26", "R4 R8 R26", "4 5 8 9", "26 27", 0, 0},
    {"HMMA.884.F16.F16.STEP0", "R26", "R4 R8 R10", "4 5 8 9 10 11", "26 27", 0, 0},
    {"HMMA.1688.F32", "R16", "R8 R3 R255", "8 9 3", "16 17 18 19", 0, 0},
    {"HMMA.1688.F16", "R16", "R8 R3 R20", "8 9 3 20 21", "16 17", 0, 0},
    {"HMMA.16816.F32", "R16", "R8 R2 R16", "8 9 10 11 2 3", "16 17 18 19", 0, 0},
    {"HMMA.1688.F32.TF32", "R16", "R8 R2 R16", "8 9 10 11 2 3", "16 17 18 19", 0, 0},
    {"IMMA.8816.S8.S8", "R14", "R0 R11 R14", "0 11", "14 15", 0, 0},
    {"DMMA.884", "R8", "R2 R4 R8", "2 3 4 5", "8 9 10 11", 0, 0},
    /* An operand at which a 64-bit value cannot begin is not extended. */
    {"DADD", "R5", "R7", "7", "5", 0, 0},
    {"LDG.E.128.SYS", "R252", "R6", "6 7", "252", 0, 0},
    /* Exact operand sets are not changed, except for RZ. */
    {"LDG.E.64.SYS", "R4", "R6 R255", "6", "4", 0, INST_FULL_REGS},
    {"SHFL.BFLY", "", "R6 R3", "6 3", "", 0, INST_FULL_REGS},
};

static void operands_are_completed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(operand_cases) / sizeof(operand_cases[0]); i++) {
        const operand_case_t *c = &operand_cases[i];
        inst_t in = finished(c->text, c->dst, c->src, c->flags, c->imm);
        char reads[256], writes[256];

        print_ids(reads, in.dep, in.n_wait - (unsigned)in.n_set);
        print_ids(writes, in.dep + in.n_wait - in.n_set, in.n_set);
        if (strcmp(reads, c->reads) != 0 || strcmp(writes, c->writes) != 0)
            fail_msg("case %zu, %s %s, %s: reads '%s' writes '%s', not '%s' and '%s'", i, c->text,
                     c->dst, c->src, reads, writes, c->reads, c->writes);
    }
}

static void lists_never_hold_zero_registers(void **state)
{
    inst_t in = finished("FFMA", "R4", "R255 R255 R3", 0, 0);

    (void)state;
    assert_int_equal(in.n_src, 1);
    assert_int_equal(in.src[0].num, 3);
    in = finished("USEL", "UR63", "UR63 UP7 UR2", 0, 0);
    assert_int_equal(in.n_dst, 0);
    assert_int_equal(in.n_src, 1);
}

static void bank_reads_count_distinct_registers_by_number_mod_4(void **state)
{
    static const struct {
        const char *text, *dst, *src;
        uint8_t reads[4];
    } cases[] = {
        {"FFMA", "R8", "R8 R4 R5", {2, 1, 0, 0}}, {"FFMA", "R8", "R4 R4 R4", {1, 0, 0, 0}},
        {"DFMA", "R8", "R6 R8 R8", {1, 1, 1, 1}}, {"STG.E.128.SYS", "", "R2 R8", {1, 1, 2, 2}},
        {"MOV", "R3", "UR5", {0, 0, 0, 0}},       {"FADD", "R3", "R255 R7", {0, 0, 0, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        inst_t in = finished(cases[i].text, cases[i].dst, cases[i].src, 0, 0);

        assert_memory_equal(in.bank_reads, cases[i].reads, sizeof(in.bank_reads));
    }
}

/* Per warp instruction a shape m x n x k has m n k multiply-adds, 2 m n k / 32 for a thread. */
static void floating_point_operations_are_counted(void **state)
{
    static const struct {
        const char *text;
        unsigned flops;
    } cases[] = {
        {"FADD.FTZ", 1},
        {"FMUL", 1},
        {"FFMA", 2},
        {"FMNMX", 0},
        {"HADD2", 2},
        {"HMUL2", 2},
        {"HFMA2", 4},
        {"HFMA2.MMA", 4},
        {"DADD", 1},
        {"DMUL", 1},
        {"DFMA", 2},
        {"IMAD", 0},
        {"MUFU.RCP", 0},
        {"HMMA.884.F32.F32.STEP0", 4 * 8 * 8 * 4 * 2 / 32 / 4}, /* four quads; four steps */
        {"HMMA.884.F16.F16.STEP0", 4 * 8 * 8 * 4 * 2 / 32 / 2}, /* two steps */
        {"HMMA.1688.F32", 16 * 8 * 8 * 2 / 32},
        {"HMMA.16816.F32", 16 * 8 * 16 * 2 / 32},
        {"HMMA.16816.F16", 16 * 8 * 16 * 2 / 32},
        {"IMMA.8816.S8.S8", 0},
        {"DMMA.884", 8 * 8 * 4 * 2 / 32},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(finished(cases[i].text, "R4", "R8 R12 R16", 0, 0).flops, cases[i].flops);
}

static void a_comparison_that_lists_no_register_still_writes_a_predicate(void **state)
{
    (void)state;
    assert_true(finished("LOP3.LUT", "", "R255 R4 R5", 0, 0).flags & INST_PRED_WRITE);
    assert_false(finished("LOP3.LUT", "R3", "R4 R5", 0, 0).flags & INST_PRED_WRITE);
    assert_true(finished("ISETP.GE.AND", "", "R4", 0, 0).flags & INST_PRED_WRITE);
}

/* With any damaged trace, the lists stay within their bounds. */
static void no_operands_overflow_the_lists(void **state)
{
    (void)state;
    for (unsigned n = 0; isa_opcode(n) != NULL; n++) {
        static const char *const modifiers[] = {"",       ".E.128", ".64",    ".WIDE", ".F64",
                                                ".16816", ".884",   ".M88.4", ".U64"};

        for (size_t m = 0; m < sizeof(modifiers) / sizeof(modifiers[0]); m++) {
            char text[64];
            inst_t in;

            snprintf(text, sizeof(text), "%s%s", isa_opcode(n)->mnemonic, modifiers[m]);
            in = finished(text, "R0 R4 R8", "R12 R16 R20 R24 R28 R32 R36 R40", 0, 0);
            assert_true(in.n_wait <= INST_MAX_DEPS && in.n_set <= in.n_wait);
            assert_true(in.n_dst <= INST_MAX_DST && in.n_src <= INST_MAX_SRC);
            for (unsigned i = 0; i < in.n_wait; i++)
                assert_true(in.dep[i] < REG_ID_COUNT);
            in = finished(text, "R254 R254 P7", "R254 R253 UR62 P6 UP6 R255 R1 R3", 0, 0);
            assert_true(in.n_wait <= INST_MAX_DEPS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_completed),
        cmocka_unit_test(lists_never_hold_zero_registers),
        cmocka_unit_test(bank_reads_count_distinct_registers_by_number_mod_4),
        cmocka_unit_test(floating_point_operations_are_counted),
        cmocka_unit_test(a_comparison_that_lists_no_register_still_writes_a_predicate),
        cmocka_unit_test(no_operands_overflow_the_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
