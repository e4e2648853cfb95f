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

static void every_opcode_of_volta_and_turing_has_an_entry(void **state)
{
    (void)state;
    for (const char *p = volta_and_turing; *p != '\0';) {
        size_t len = strcspn(p, " ");
        int n = isa_find(p, len);

        if (n < 0)
            fail_msg("%.*s has no entry", (int)len, p);
        assert_true(isa_opcode((unsigned)n)->since <= 75);
        p += len + (p[len] == ' ');
    }
}

/* First column of each line of a list of opcodes, its heading left out. */
static void check_list(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[512];
    unsigned n = 0;

    if (f == NULL) {
        print_message("skipped: %s is not here\n", path);
        return;
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        size_t len = strcspn(line, ",");

        if (n++ > 0 && isa_find(line, len) < 0)
            fail_msg("%s: %.*s has no entry", path, (int)len, line);
    }
    fclose(f);
    assert_true(n > 100);
}

static void every_opcode_of_the_published_lists_has_an_entry(void **state)
{
    (void)state;
    check_list(RUBATO_ROOT "/../shared/reference/hardware/opcode_unit_accelsim_volta.csv");
    check_list(RUBATO_ROOT "/../shared/reference/hardware/opcode_unit_accelsim_turing.csv");
    check_list(RUBATO_ROOT "/../shared/reference/hardware/opcode_unit_huerta_turing.csv");
    check_list(RUBATO_ROOT "/../shared/reference/hardware/opcode_unit_huerta_ampere.csv");
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
    {"LDGSTS.E.BYPASS.128", 16, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 16, INST_ADDR64 | INST_TO_SHARED},
    {"LDC.64", 0, OP_LDC, MEM_CONST, ACC_LOAD, 0, 0},
    {"TEX.SCR.LL", 0, OP_TEX, MEM_TEX, ACC_LOAD, 0, 0},
    {"UTMALDG.2D", 0, OP_LOAD_LG, MEM_NONE, ACC_NONE, 0, 0},
    /* No address in the trace: no width either. */
    {"LDG.E.64.SYS", 0, OP_LOAD_LG, MEM_GLOBAL, ACC_LOAD, 0, INST_ADDR64},
    /* What the mnemonic leaves open, the trace says, if it makes sense. */
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

/* --- operands -------------------------------------------------------------------------------- */

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
    const char *reads, *writes;   /* dense numbers; what is both stands in writes */
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
    /* An operand that a 64-bit value cannot begin at is left alone. */
    {"DADD", "R5", "R7", "7", "5", 0, 0},
    {"LDG.E.128.SYS", "R252", "R6", "6 7", "252", 0, 0},
    /* True operand sets are not touched, but for RZ. */
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

/* Whatever a damaged trace says, the lists keep their bounds. */
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
        cmocka_unit_test(the_table_is_in_strict_order),
        cmocka_unit_test(every_entry_is_found_by_its_name_and_only_by_that),
        cmocka_unit_test(entries_are_consistent),
        cmocka_unit_test(every_opcode_of_volta_and_turing_has_an_entry),
        cmocka_unit_test(every_opcode_of_the_published_lists_has_an_entry),
        cmocka_unit_test(architectures_have_names),
        cmocka_unit_test(classes_know_their_pipe_and_group),
        cmocka_unit_test(mnemonics_are_decoded),
        cmocka_unit_test(an_unknown_opcode_is_reported_and_harmless),
        cmocka_unit_test(flags_set_before_decoding_stay),
        cmocka_unit_test(operands_are_completed),
        cmocka_unit_test(lists_never_hold_zero_registers),
        cmocka_unit_test(bank_reads_count_distinct_registers_by_number_mod_4),
        cmocka_unit_test(floating_point_operations_are_counted),
        cmocka_unit_test(a_comparison_that_lists_no_register_still_writes_a_predicate),
        cmocka_unit_test(no_operands_overflow_the_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
