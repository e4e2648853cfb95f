#include "frontend/input/macsim/macsim_opcode.h"

#include <stdio.h>
#include <string.h>

#include "sim/core/log.h"
#include "sim/isa/isa.h"

/*
 * The register files of an instruction's operands. The tracer lists operands in the order of the
 * disassembly, destination first, without their files.
 */
typedef enum {
    GENERAL,      /* all of them are general registers */
    SETP,         /* P, P, sources ..., P: two results, the last operand is combined with them */
    PREDICATES,   /* all are predicates */
    PRED_LAST,    /* ..., P: selects */
    PRED_FIRST,   /* P, ...: the result is a predicate; SHFL and atomics have another operand after
                   * it */
    PRED_SOURCES, /* R, P ... */
    CARRY,        /* R, P, R, R, R with four sources; R, R, R, R, P, P with more */
    UNIFORM,      /* all are uniform registers */
    UNIFORM_SETP, /* like SETP, PREDICATES, PRED_LAST, with uniform registers and predicates */
    UNIFORM_PREDICATES,
    UNIFORM_LAST,
    UNIFORM_RESULT, /* UR, R ... */
    UNIFORM_VOTE,   /* UR, P ... */
} shape_t;

typedef enum { NO_ADDRESS, ADDRESS, MAYBE_ADDRESS } address_t;

typedef struct {
    const char *name;
    uint8_t shape;   /* shape_t */
    uint8_t address; /* address_t */
} row_t;

#define OP(op, op_shape)                                                                           \
    {                                                                                              \
        .name = #op, .shape = op_shape                                                             \
    }
#define MEM(op, op_shape, op_address)                                                              \
    {                                                                                              \
        .name = #op, .shape = op_shape, .address = op_address                                      \
    }

/* In the order of the tracer's table. */
static const row_t rows[MACSIM_OPCODES] = {
    OP(FADD, GENERAL),
    OP(FADD32I, GENERAL),
    OP(FCHK, PRED_FIRST),
    OP(FFMA32I, GENERAL),
    OP(FFMA, GENERAL),
    OP(FMNMX, PRED_LAST),
    OP(FMUL, GENERAL),
    OP(FMUL32I, GENERAL),
    OP(FSEL, PRED_LAST),
    OP(FSET, PRED_LAST),
    OP(FSETP, SETP),
    OP(FSWZADD, GENERAL),
    OP(MUFU, GENERAL),
    OP(HADD2, GENERAL),
    OP(HADD2_32I, GENERAL),
    OP(HFMA2, GENERAL),
    OP(HFMA2_32I, GENERAL),
    OP(HMMA, GENERAL),
    OP(HMUL2, GENERAL),
    OP(HMUL2_32I, GENERAL),
    OP(HSET2, PRED_LAST),
    OP(HSETP2, SETP),
    OP(DADD, GENERAL),
    OP(DFMA, GENERAL),
    OP(DMUL, GENERAL),
    OP(DSETP, SETP),
    OP(BMMA, GENERAL),
    OP(BMSK, GENERAL),
    OP(BREV, GENERAL),
    OP(FLO, GENERAL),
    OP(IABS, GENERAL),
    OP(IADD, GENERAL),
    OP(IADD3, CARRY),
    OP(IADD32I, GENERAL),
    OP(IDP, GENERAL),
    OP(IDP4A, GENERAL),
    OP(IMAD, CARRY),
    OP(IMMA, GENERAL),
    OP(IMNMX, PRED_LAST),
    OP(IMUL, GENERAL),
    OP(IMUL32I, GENERAL),
    OP(ISCADD, GENERAL),
    OP(ISCADD32I, GENERAL),
    OP(ISETP, SETP),
    OP(LEA, CARRY),
    OP(LOP, GENERAL),
    OP(LOP3, PRED_LAST),
    OP(LOP32I, GENERAL),
    OP(POPC, GENERAL),
    OP(SHF, GENERAL),
    OP(SHL, GENERAL),
    OP(SHR, GENERAL),
    OP(VABSDIFF, GENERAL),
    OP(VABSDIFF4, GENERAL),
    OP(F2F, GENERAL),
    OP(F2I, GENERAL),
    OP(I2F, GENERAL),
    OP(I2I, GENERAL),
    OP(I2IP, GENERAL),
    OP(FRND, GENERAL),
    OP(MOV, GENERAL),
    OP(MOV32I, GENERAL),
    OP(MOVM, GENERAL),
    OP(PRMT, GENERAL),
    OP(SEL, PRED_LAST),
    OP(SGXT, GENERAL),
    OP(SHFL, PRED_FIRST),
    OP(PLOP3, PREDICATES),
    OP(PSETP, PREDICATES),
    OP(P2R, GENERAL),
    OP(R2P, GENERAL),
    MEM(LD, GENERAL, ADDRESS),
    MEM(LDC, GENERAL, ADDRESS),
    MEM(LDG, GENERAL, ADDRESS),
    MEM(LDL, GENERAL, ADDRESS),
    MEM(LDS, GENERAL, ADDRESS),
    MEM(LDSM, GENERAL, ADDRESS),
    MEM(ST, GENERAL, ADDRESS),
    MEM(STG, GENERAL, ADDRESS),
    MEM(STL, GENERAL, ADDRESS),
    MEM(STS, GENERAL, ADDRESS),
    OP(MATCH, GENERAL),
    OP(QSPC, GENERAL),
    MEM(ATOM, PRED_FIRST, MAYBE_ADDRESS),
    MEM(ATOMS, GENERAL, MAYBE_ADDRESS),
    MEM(ATOMG, PRED_FIRST, MAYBE_ADDRESS),
    MEM(RED, GENERAL, MAYBE_ADDRESS),
    OP(CCTL, GENERAL),
    OP(CCTLL, GENERAL),
    OP(ERRBAR, GENERAL),
    OP(MEMBAR, GENERAL),
    OP(CCTLT, GENERAL),
    OP(R2UR, UNIFORM_RESULT),
    OP(S2UR, UNIFORM_RESULT),
    OP(UBMSK, UNIFORM),
    OP(UBREV, UNIFORM),
    OP(UCLEA, UNIFORM),
    OP(UFLO, UNIFORM),
    OP(UIADD3, UNIFORM),
    OP(UIADD3_64, UNIFORM),
    OP(UIMAD, UNIFORM),
    OP(UISETP, UNIFORM_SETP),
    OP(ULDC, UNIFORM),
    OP(ULEA, UNIFORM),
    OP(ULOP, UNIFORM),
    OP(ULOP3, UNIFORM_LAST),
    OP(ULOP32I, UNIFORM),
    OP(UMOV, UNIFORM),
    OP(UP2UR, UNIFORM),
    OP(UPLOP3, UNIFORM_PREDICATES),
    OP(UPOPC, UNIFORM),
    OP(UPRMT, UNIFORM),
    OP(UPSETP, UNIFORM_PREDICATES),
    OP(UR2UP, UNIFORM),
    OP(USEL, UNIFORM_LAST),
    OP(USGXT, UNIFORM),
    OP(USHF, UNIFORM),
    OP(USHL, UNIFORM),
    OP(USHR, UNIFORM),
    OP(VOTEU, UNIFORM_VOTE),
    OP(TEX, GENERAL),
    OP(TLD, GENERAL),
    OP(TLD4, GENERAL),
    OP(TMML, GENERAL),
    OP(TXD, GENERAL),
    OP(TXQ, GENERAL),
    OP(SUATOM, PRED_FIRST),
    OP(SULD, GENERAL),
    OP(SURED, GENERAL),
    OP(SUST, GENERAL),
    OP(BMOV, GENERAL),
    OP(BPT, GENERAL),
    OP(BRA, PREDICATES),
    OP(BREAK, PREDICATES),
    OP(BRX, GENERAL),
    OP(BRXU, UNIFORM),
    OP(BSSY, GENERAL),
    OP(BSYNC, PREDICATES),
    OP(CALL, GENERAL),
    OP(EXIT, PREDICATES),
    OP(JMP, PREDICATES),
    OP(JMX, GENERAL),
    OP(JMXU, UNIFORM),
    OP(KILL, PREDICATES),
    OP(NANOSLEEP, GENERAL),
    OP(RET, GENERAL),
    OP(RPCMOV, GENERAL),
    OP(RTT, GENERAL),
    OP(WARPSYNC, GENERAL),
    OP(YIELD, PREDICATES),
    OP(B2R, GENERAL),
    OP(BAR, GENERAL),
    OP(CS2R, GENERAL),
    OP(DEPBAR, GENERAL),
    OP(GETLMEMBASE, GENERAL),
    OP(LEPC, GENERAL),
    OP(NOP, GENERAL),
    OP(PMTRIG, GENERAL),
    OP(R2B, GENERAL),
    OP(S2R, GENERAL),
    OP(SETCTAID, GENERAL),
    OP(SETLMEMBASE, GENERAL),
    OP(VOTE, PRED_SOURCES),
    OP(HMNMX2, PRED_LAST),
    OP(DMMA, GENERAL),
    OP(VHMNMX, PRED_LAST),
    OP(VIADD, GENERAL),
    OP(VIADDMNMX, PRED_LAST),
    OP(VIMNMX, PRED_LAST),
    OP(VIMNMX3, PRED_LAST),
    OP(I2FP, GENERAL),
    OP(F2IP, GENERAL),
    OP(FENCE, GENERAL),
    OP(LDGDEPBAR, GENERAL),
    OP(LDGMC, GENERAL),
    MEM(LDGSTS, GENERAL, ADDRESS),
    MEM(STSM, GENERAL, ADDRESS),
    OP(SYNCS, GENERAL),
    OP(REDAS, GENERAL),
    OP(REDG, GENERAL),
    OP(REDUX, UNIFORM_RESULT),
    OP(UCGABAR_ARV, GENERAL),
    OP(UCGABAR_WAIT, GENERAL),
    OP(UF2FP, UNIFORM),
    OP(ULEPC, UNIFORM),
    OP(USETMAXREG, GENERAL),
    OP(BGMMA, GENERAL),
    OP(HGMMA, GENERAL),
    OP(IGMMA, GENERAL),
    OP(QGMMA, GENERAL),
    OP(WARPGROUP, GENERAL),
    OP(WARPGROUPSET, GENERAL),
    OP(UBLKCP, UNIFORM),
    OP(UBLKPF, UNIFORM),
    OP(UBLKRED, UNIFORM),
    OP(UTMACCTL, UNIFORM),
    OP(UTMACMDFLUSH, UNIFORM),
    OP(UTMALDG, UNIFORM),
    OP(UTMAPF, UNIFORM),
    OP(UTMAREDG, UNIFORM),
    OP(UTMASTG, UNIFORM),
    OP(ACQBULK, GENERAL),
    OP(CGAERRBAR, GENERAL),
    OP(ELECT, PRED_FIRST),
    OP(ENDCOLLECTIVE, GENERAL),
    OP(PREEXIT, GENERAL),
};

const char *macsim_opcode_name(unsigned opcode)
{
    return opcode < MACSIM_OPCODES ? rows[opcode].name : NULL;
}

unsigned macsim_opcode_arch(unsigned opcode)
{
    const char *name = macsim_opcode_name(opcode);
    int found = name != NULL ? isa_find(name, strlen(name)) : -1;

    return found >= 0 ? isa_opcode((unsigned)found)->since : 0;
}

bool macsim_has_address(const macsim_record_t *record)
{
    unsigned address = record->opcode < MACSIM_OPCODES ? rows[record->opcode].address : NO_ADDRESS;

    return address == ADDRESS || (address == MAYBE_ADDRESS && record->mem_addr != 0);
}

/* --- operands -------------------------------------------------------------------------------- */

/* File of operand i of n (0: the destination, if there is one; then the sources). */
static reg_file_t file_of(shape_t shape, bool is_dst, unsigned i, unsigned n)
{
    bool last = i + 1 == n;

    switch (shape) {
    case SETP:
        return is_dst || i == 0 || i >= 3 || last ? REG_PRED : REG_GPR;
    case PREDICATES:
        return REG_PRED;
    case PRED_LAST:
        return !is_dst && n > 1 && (last || i >= 3) ? REG_PRED : REG_GPR;
    case PRED_FIRST:
        return is_dst ? REG_PRED : REG_GPR;
    case PRED_SOURCES:
        return is_dst ? REG_GPR : REG_PRED;
    case CARRY:
        return !is_dst && ((n == 4 && i == 0) || (n > 4 && i >= 3)) ? REG_PRED : REG_GPR;
    case UNIFORM:
        return REG_UNIFORM;
    case UNIFORM_SETP:
        return is_dst || i == 0 || i >= 3 || last ? REG_UPRED : REG_UNIFORM;
    case UNIFORM_PREDICATES:
        return REG_UPRED;
    case UNIFORM_LAST:
        return !is_dst && n > 1 && (last || i >= 3) ? REG_UPRED : REG_UNIFORM;
    case UNIFORM_RESULT:
        return is_dst ? REG_UNIFORM : REG_GPR;
    case UNIFORM_VOTE:
        return is_dst ? REG_UNIFORM : REG_PRED;
    default:
        return REG_GPR;
    }
}

/* If the expected file has no register of this number, the guess was wrong: it is a general
 * register. */
static reg_op_t operand(reg_file_t file, unsigned num)
{
    static const unsigned last[] = {
        [REG_GPR] = 255, [REG_PRED] = 7, [REG_UNIFORM] = 63, [REG_UPRED] = 7};

    return (reg_op_t){
        .file = (uint8_t)(num <= last[file] ? file : REG_GPR), .num = (uint8_t)num, .count = 1};
}

static rb_code_t read_operands(const macsim_record_t *record, shape_t shape, inst_t *in,
                               rb_err_t *err)
{
    unsigned n = record->num_read_regs != UINT8_MAX ? record->num_read_regs : 0;
    bool has_dst = record->num_dest_regs != 0 && record->num_dest_regs != UINT8_MAX;
    unsigned kept = n < MACSIM_REGS ? n : MACSIM_REGS, worst = has_dst ? record->dst[0] : 0;

    for (unsigned i = 0; i < kept; i++)
        worst = record->src[i] > worst ? record->src[i] : worst;
    if (worst > UINT8_MAX)
        return rb_fail(err, RB_TRACE, "register %u does not exist", worst);
    if (has_dst)
        in->dst[in->n_dst++] = operand(file_of(shape, true, 0, n), record->dst[0]);
    for (unsigned i = 0; i < kept; i++)
        in->src[in->n_src++] = operand(file_of(shape, false, i, n), record->src[i]);
    return RB_OK;
}

/* Writes the mnemonic with the access width; for a matrix load, with the number of matrices. */
static void write_text(const char *name, unsigned width, char text[MACSIM_TEXT])
{
    bool matrix = strcmp(name, "LDSM") == 0 || strcmp(name, "STSM") == 0;
    bool global = strcmp(name, "LDG") == 0 || strcmp(name, "STG") == 0;
    const char *suffix;

    switch (width) {
    case 1:
        suffix = ".U8";
        break;
    case 2:
        suffix = ".U16";
        break;
    case 8:
        suffix = matrix ? ".2" : ".64";
        break;
    case 16:
        suffix = matrix ? ".4" : ".128";
        break;
    default:
        suffix = "";
    }
    snprintf(text, MACSIM_TEXT, "%s%s%s", name, global ? ".E" : "", suffix);
}

rb_code_t macsim_decode(const macsim_record_t *record, unsigned arch, unsigned width, inst_t *in,
                        char text[MACSIM_TEXT], rb_err_t *err)
{
    const char *name = macsim_opcode_name(record->opcode);

    RB_TRY(read_operands(record, name != NULL ? (shape_t)rows[record->opcode].shape : GENERAL, in,
                         err));
    if (name != NULL)
        write_text(name, width, text);
    else
        snprintf(text, MACSIM_TEXT, "OPCODE%u", record->opcode);
    if (!isa_decode(arch, text, strlen(text), width, in))
        rb_warn_once("MacSim opcode %u is unknown: treated as an integer instruction",
                     record->opcode);
    isa_finish(in, text, strlen(text));
    return RB_OK;
}
