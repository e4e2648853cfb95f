/* The table of opcodes, and the decoding of mnemonics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/isa.h"
#include "tests/support/test.h"

/* --- the table ------------------------------------------------------------------------------- */

static void the_table_is_in_strict_order(void **state)
{
    (void)state;
    for (unsigned n = 1; isa_opcode(n) != NULL; n++)
        assert_true(strcmp(isa_opcode(n - 1)->mnemonic, isa_opcode(n)->mnemonic) < 0);
}

static void every_entry_is_found_by_its_name_and_only_by_that(void **state)
{
    char longer[32];

    (void)state;
    for (unsigned n = 0; isa_opcode(n) != NULL; n++) {
        const char *name = isa_opcode(n)->mnemonic;
        size_t len = strlen(name);

        assert_int_equal(isa_find(name, len), (int)n);
        snprintf(longer, sizeof(longer), "%s~", name);
        assert_int_equal(isa_find(longer, len + 1), -1);
    }
    assert_int_equal(isa_find("", 0), -1);
    assert_int_equal(isa_find("F", 1), -1);
    assert_int_equal(isa_find("FADD\0", 5), -1);
    assert_int_equal(isa_find("ZZZZ", 4), -1);
    assert_int_equal(isa_find("AAAA", 4), -1);
}

static void entries_are_consistent(void **state)
{
    (void)state;
    for (unsigned n = 0; isa_opcode(n) != NULL; n++) {
        const isa_opcode_t *op = isa_opcode(n);

        assert_true(op->cls < OP_CLASS_COUNT && op->cls != OP_UNKNOWN);
        assert_int_equal(op->space != MEM_NONE, op->access != ACC_NONE);
        assert_int_equal(op->cls == OP_EXIT, (op->flags & INST_EXIT) != 0);
        assert_int_equal(op->cls == OP_BARRIER, (op->flags & INST_BARRIER) != 0);
        assert_int_equal(isa_class_pipe((op_class_t)op->cls) == PIPE_TENSOR,
                         (op->flags & INST_TENSOR) != 0);
        assert_true(op->since == 70 || op->since == 75 || op->since == 80 || op->since == 90);
    }
}

/* The instructions of the two architectures (NVIDIA, CUDA Binary Utilities 11.8, tables 5 and 6).
 */
static const char volta_and_turing[] =
    "FADD FADD32I FCHK FFMA32I FFMA FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD MUFU HADD2 "
    "HADD2_32I HFMA2 HFMA2_32I HMMA HMUL2 HMUL2_32I HSET2 HSETP2 DADD DFMA DMUL DSETP BMMA BMSK "
    "BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMMA IMNMX IMUL IMUL32I ISCADD ISCADD32I "
    "ISETP LEA LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 F2F F2FP F2I I2F I2I I2IP FRND "
    "MOV MOV32I MOVM PRMT SEL SGXT SHFL PLOP3 PSETP P2R R2P LD LDC LDG LDL LDS LDSM ST STG STL "
    "STS MATCH QSPC ATOM ATOMS ATOMG RED CCTL CCTLL ERRBAR MEMBAR CCTLT R2UR S2UR UBMSK UBREV "
    "UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT "
    "UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU TEX TLD TLD4 TMML TXD TXQ SUATOM SULD SURED "
    "SUST BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL EXIT JMP JMX JMXU KILL NANOSLEEP RET RPCMOV "
    "RTT WARPSYNC YIELD B2R BAR CS2R CSMTEST DEPBAR GETLMEMBASE LEPC NOP PMTRIG R2B S2R SETCTAID "
    "SETLMEMBASE VOTE VOTE_VTG";

/* Additional instructions in the manual and in published lists of opcodes and units for Ampere. */
static const char ampere[] = "DMMA F2IP HMNMX2 I2FP LDGDEPBAR LDGSTS REDUX SUQUERY UF2FP";

/* Every opcode of a list has an entry, for an architecture up to newest. */
static void check_list(const char *list, unsigned newest)
{
    for (const char *p = list; *p != '\0';) {
        size_t len = strcspn(p, " ");
        int n = isa_find(p, len);

        if (n < 0)
            fail_msg("%.*s has no entry", (int)len, p);
        assert_true(isa_opcode((unsigned)n)->since <= newest);
        p += len + (p[len] == ' ');
    }
}

static void every_opcode_has_an_entry(void **state)
{
    (void)state;
    check_list(volta_and_turing, 75);
    check_list(ampere, 86);
}

static void architectures_have_names(void **state)
{
    (void)state;
    assert_string_equal(isa_arch_name(70), "Volta");
    assert_string_equal(isa_arch_name(75), "Turing");
    assert_string_equal(isa_arch_name(86), "Ampere");
    assert_string_equal(isa_arch_name(90), "Hopper");
    assert_null(isa_arch_name(0));
    assert_null(isa_arch_name(61));
    assert_null(isa_arch_name(120));
}

static void classes_know_their_pipe_and_group(void **state)
{
    (void)state;
    assert_int_equal(isa_class_pipe(OP_FP32), PIPE_FMA);
    assert_int_equal(isa_class_group(OP_IMAD), MIX_INT);
    assert_string_equal(isa_class_name(OP_LOAD_LG), "load_lg");
    assert_string_equal(isa_pipe_name(PIPE_XU), "xu");
    assert_string_equal(isa_group_name(MIX_SHUFFLE), "shuffle");
}

/* --- mnemonics ------------------------------------------------------------------------------- */

typedef struct {
    const char *text;
    unsigned stated; /* width that the trace gives */
    op_class_t cls;
    mem_space_t space;
    mem_access_t access;
    unsigned width;
    uint32_t flags; /* exactly these */
} decode_case_t;

#define GPU_SCOPE (INST_MEMBAR | INST_MEMBAR_GPU)
#define PRED      INST_PRED_WRITE

static const decode_case_t decode_cases[] = {
    {"FFMA.FTZ", 0, OP_FP32, MEM_NONE, ACC_NONE, 0, 0},
    {"FMNMX", 0, OP_FP32_CMP, MEM_NONE, ACC_NONE, 0, 0},
    {"FSETP.GEU.AND", 0, OP_FP32_SETP, MEM_NONE, ACC_NONE, 0, PRED},
    {"IMAD.MOV.U32", 0, OP_IMAD, MEM_NONE, ACC_NONE, 0, 0},
    {"IMAD.WIDE", 0, OP_IMAD, MEM_NONE, ACC_NONE, 0, 0},
    {"ISETP.GE.U32.AND.EX", 0, OP_INT, MEM_NONE, ACC_NONE, 0, PRED},
    {"HFMA2.MMA", 0, OP_FP16, MEM_NONE, ACC_NONE, 0, 0},
    {"DFMA", 0, OP_FP64_FMA, MEM_NONE, ACC_NONE, 0, 0},
    {"DSETP.GT.AND", 0, OP_FP64_CMP, MEM_NONE, ACC_NONE, 0, PRED},
    {"MUFU.RCP", 0, OP_MUFU, MEM_NONE, ACC_NONE, 0, 0},
    {"MUFU.RCP64H", 0, OP_MUFU, MEM_NONE, ACC_NONE, 0, 0},
    {"F2F.F16.F32", 0, OP_CONV, MEM_NONE, ACC_NONE, 0, 0},
    {"F2F.F64.F32", 0, OP_CONV64, MEM_NONE, ACC_NONE, 0, 0},
    {"I2F.U64.RP", 0, OP_CONV64, MEM_NONE, ACC_NONE, 0, 0},
    {"I2F.U32.RP", 0, OP_CONV, MEM_NONE, ACC_NONE, 0, 0},
    {"F2I.F64.TRUNC", 0, OP_CONV64, MEM_NONE, ACC_NONE, 0, 0},
    {"HMMA.884.F32.F32.STEP2", 0, OP_HMMA, MEM_NONE, ACC_NONE, 0, INST_TENSOR},
    {"IMMA.8816.S8.S8", 0, OP_IMMA, MEM_NONE, ACC_NONE, 0, INST_TENSOR},
    {"HGMMA.64x64x16.F32", 0, OP_HMMA, MEM_NONE, ACC_NONE, 0, INST_TENSOR},
    {"S2R", 0, OP_S2R, MEM_NONE, ACC_NONE, 0, 0},
    {"S2UR", 0, OP_S2R, MEM_NONE, ACC_NONE, 0, 0},
    {"CS2R.32", 0, OP_CS2R, MEM_NONE, ACC_NONE, 0, 0},
    {"SHFL.BFLY", 0, OP_SHFL, MEM_NONE, ACC_NONE, 0, 0},
    {"VOTE.ANY", 0, OP_PRED, MEM_NONE, ACC_NONE, 0, 0},
    {"PLOP3.LUT", 0, OP_PRED, MEM_NONE, ACC_NONE, 0, PRED},
    {"UIADD3.X", 0, OP_UNIFORM, MEM_NONE, ACC_NONE, 0, 0},
    {"BRA", 0, OP_BRANCH, MEM_NONE, ACC_NONE, 0, INST_BRANCH},
    {"CALL.REL.NOINC", 0, OP_BRANCH, MEM_NONE, ACC_NONE, 0, INST_BRANCH},
    {"BSYNC", 0, OP_BRANCH, MEM_NONE, ACC_NONE, 0, INST_BRANCH},
    {"BSSY", 0, OP_BRANCH, MEM_NONE, ACC_NONE, 0, 0},
    {"WARPSYNC", 0, OP_BRANCH, MEM_NONE, ACC_NONE, 0, INST_BRANCH},
    {"EXIT", 0, OP_EXIT, MEM_NONE, ACC_NONE, 0, INST_EXIT},
    {"KILL", 0, OP_EXIT, MEM_NONE, ACC_NONE, 0, INST_EXIT},
    {"NOP", 0, OP_NOP, MEM_NONE, ACC_NONE, 0, 0},
    {"NANOSLEEP", 0, OP_SLEEP, MEM_NONE, ACC_NONE, 0, 0},
    {"DEPBAR.LE", 0, OP_DEPBAR, MEM_NONE, ACC_NONE, 0, 0},
    {"BAR.SYNC", 0, OP_BARRIER, MEM_NONE, ACC_NONE, 0, INST_BARRIER},
    {"BAR.RED.POPC", 0, OP_BARRIER, MEM_NONE, ACC_NONE, 0, INST_BARRIER},
    {"BAR.ARV", 0, OP_BARRIER, MEM_NONE, ACC_NONE, 0, INST_BARRIER | INST_BAR_ARRIVE},
    {"MEMBAR.SC.CTA", 0, OP_MEMBAR, MEM_NONE, ACC_NONE, 0, INST_MEMBAR},
    {"MEMBAR.ALL.CTA", 0, OP_MEMBAR, MEM_NONE, ACC_NONE, 0, INST_MEMBAR},
    {"MEMBAR.SC.GPU", 0, OP_MEMBAR, MEM_NONE, ACC_NONE, 0, GPU_SCOPE},
    {"MEMBAR.SC.SYS", 0, OP_MEMBAR, MEM_NONE, ACC_NONE, 0, GPU_SCOPE | INST_MEMBAR_SYS},
    {"ERRBAR", 0, OP_MEMBAR, MEM_NONE, ACC_NONE, 0, 0},
    {"CCTL.IVALL", 0, OP_MEMBAR, MEM_NONE, ACC_NONE, 0, 0},

    {"LDG.E.SYS", 4, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 4, INST_ADDR64},
    {"LDG.E.64.SYS", 8, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 8, INST_ADDR64},
    {"LDG.E.128.CONSTANT.SYS", 16, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 16,
     INST_ADDR64 | INST_READ_ONLY},
    {"LDG.E.LTC128B", 4, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 4, INST_ADDR64},
    {"LDG.E.U8.SYS", 1, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 1, INST_ADDR64},
    {"LDG.E.S16", 4, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 2, INST_ADDR64},
    {"LDG.E.STRONG.SYS", 4, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 4, INST_ADDR64 | INST_BYPASS_L1},
    {"LDG.E.STRONG.GPU", 4, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 4, INST_ADDR64 | INST_BYPASS_L1},
    {"LDG.E.STRONG.SM", 4, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 4, INST_ADDR64},
    {"LDG.E.EF", 4, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 4, INST_ADDR64},
    {"LD.E.SYS", 4, OP_LOAD_LG, MEM_GENERIC, ACC_LOAD, 4, INST_ADDR64},
    {"ST.E.128.SYS", 16, OP_STORE_LG, MEM_GENERIC, ACC_STORE, 16, INST_ADDR64},
    {"STG.E.U8.SYS", 1, OP_STORE_LG, MEM_GLOBAL, ACC_STORE, 1, INST_ADDR64},
    {"LDL.64", 8, OP_LOAD_LG, MEM_LOCAL, ACC_LOAD, 8, 0},
    {"STL", 4, OP_STORE_LG, MEM_LOCAL, ACC_STORE, 4, 0},
    {"LDS.U.128", 16, OP_LOAD_SH, MEM_SHARED, ACC_LOAD, 16, 0},
    {"LDS.U", 4, OP_LOAD_SH, MEM_SHARED, ACC_LOAD, 4, 0},
    {"LDSM.16.M88", 4, OP_LOAD_SH, MEM_SHARED, ACC_LOAD, 4, 0},
    {"LDSM.16.M88.2", 4, OP_LOAD_SH, MEM_SHARED, ACC_LOAD, 8, 0},
    {"LDSM.16.MT88.4", 4, OP_LOAD_SH, MEM_SHARED, ACC_LOAD, 16, 0},
    {"STS.U16", 2, OP_STORE_SH, MEM_SHARED, ACC_STORE, 2, 0},
    {"ATOMS.CAST.SPIN.64", 8, OP_ATOM_SH, MEM_SHARED, ACC_ATOMIC, 8, 0},
    {"ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU", 4, OP_ATOM_LG, MEM_GENERIC, ACC_ATOMIC, 4,
     INST_ADDR64 | INST_BYPASS_L1},
    {"ATOMG.E.CAS.64.STRONG.GPU", 8, OP_ATOM_LG, MEM_GLOBAL, ACC_ATOMIC, 8,
     INST_ADDR64 | INST_BYPASS_L1},
    {"RED.E.ADD.F64.RN.STRONG.GPU", 8, OP_ATOM_LG, MEM_GLOBAL, ACC_REDUCTION, 8,
     INST_ADDR64 | INST_BYPASS_L1},
    {"LDGSTS.E.BYPASS.128", 16, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 16,
     INST_ADDR64 | INST_TO_SHARED | INST_BYPASS_L1},
    {"LDC.64", 0, OP_LDC, MEM_CONST, ACC_LOAD, 0, 0},
    {"TEX.SCR.LL", 0, OP_TEX, MEM_TEX, ACC_LOAD, 0, 0},
    {"UTMALDG.2D", 0, OP_LOAD_LG, MEM_NONE, ACC_NONE, 0, 0},
    /* Without an address in the trace there is no width. */
    {"LDG.E.64.SYS", 0, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 0, INST_ADDR64},
    /* If the mnemonic has no width, that of the trace is used if it is valid. */
    {"LDG.E", 16, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 16, INST_ADDR64},
    {"LDG.E", 7, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 4, INST_ADDR64},
};

static void mnemonics_are_decoded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(decode_cases) / sizeof(decode_cases[0]); i++) {
        const decode_case_t *c = &decode_cases[i];
        inst_t in = {.pc = 0x70, .n_src = 3};

        assert_true(isa_decode(70, c->text, strlen(c->text), c->stated, &in));
        if (in.cls != c->cls || in.space != c->space || in.access != c->access ||
            in.width != c->width || in.flags != c->flags)
            fail_msg("%s: class %s, space %u, access %u, width %u, flags %x", c->text,
                     isa_class_name((op_class_t)in.cls), in.space, in.access, in.width, in.flags);
        assert_int_equal(
            isa_find(isa_opcode(in.opcode)->mnemonic, strlen(isa_opcode(in.opcode)->mnemonic)),
            in.opcode);
        assert_int_equal(in.pc, 0x70);
        assert_int_equal(in.n_src, 3);
    }
}

static void an_unknown_opcode_is_reported_and_harmless(void **state)
{
    inst_t in = {0};

    (void)state;
    assert_false(isa_decode(70, "FROB.E.64", 9, 8, &in));
    assert_int_equal(in.cls, OP_UNKNOWN);
    assert_int_equal(in.space, MEM_NONE);
    assert_int_equal(in.width, 0);
    assert_null(isa_opcode(in.opcode));
    isa_finish(&in, "FROB.E.64", 9);
    assert_int_equal(in.n_wait, 0);
}

static void flags_set_before_decoding_stay(void **state)
{
    inst_t in = {.flags = INST_FULL_REGS};

    (void)state;
    assert_true(isa_decode(75, "EXIT", 4, 0, &in));
    assert_int_equal(in.flags, INST_FULL_REGS | INST_EXIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_in_strict_order),
        cmocka_unit_test(every_entry_is_found_by_its_name_and_only_by_that),
        cmocka_unit_test(entries_are_consistent),
        cmocka_unit_test(every_opcode_has_an_entry),
        cmocka_unit_test(architectures_have_names),
        cmocka_unit_test(classes_know_their_pipe_and_group),
        cmocka_unit_test(mnemonics_are_decoded),
        cmocka_unit_test(an_unknown_opcode_is_reported_and_harmless),
        cmocka_unit_test(flags_set_before_decoding_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
