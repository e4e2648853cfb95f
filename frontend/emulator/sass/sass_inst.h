/*
 * One machine instruction of Volta (sm_70, sm_72), Turing (sm_75), Ampere (sm_80, 86, 87) or Ada
 * (sm_89), decoded from its 128 bits: its opcode, modifiers, operands in the order in which nvdisasm
 * prints them, and control word.
 *
 * The layout of the encoding, bit 0 the lowest of the first word: 0-8 opcode, 9-11 form (what the
 * second and third source are), 12-15 guard predicate, 16-23 destination, 24-31 first source,
 * 32-63 a register, constant or immediate, 64-71 a register, 72-104 modifiers and predicates,
 * 105-125 control word.
 */
#ifndef RUBATO_SASS_INST_H
#define RUBATO_SASS_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/isa/inst.h"

/* The first architecture whose table has additional rows. */
enum { SASS_AMPERE = 80 };

enum { SASS_RZ = 255, SASS_URZ = 63, SASS_PT = 7, SASS_BARRIERS = 16, SASS_INST_BYTES = 16 };

/* Operations; forms and modifiers are in the encoding. */
typedef enum {
    SASS_ARRIVES,
    SASS_ATOM,
    SASS_ATOMG,
    SASS_ATOMS,
    SASS_ATOM_CAS,
    SASS_ATOMG_CAS,
    SASS_ATOMS_CAS,
    SASS_ATOMS_ARRIVE,
    SASS_ATOMS_COUNT,
    SASS_B2R,
    SASS_BAR,
    SASS_BMMA,
    SASS_BMOV_R,
    SASS_BMOV_B,
    SASS_BMSK,
    SASS_BPT,
    SASS_BRA,
    SASS_BREAK,
    SASS_BREV,
    SASS_BRX,
    SASS_BSSY,
    SASS_BSYNC,
    SASS_CALL_ABS,
    SASS_CALL_REL,
    SASS_CCTL,
    SASS_CCTLL,
    SASS_CS2R,
    SASS_DADD,
    SASS_DEPBAR,
    SASS_DFMA,
    SASS_DMMA,
    SASS_DMUL,
    SASS_DSETP,
    SASS_ERRBAR,
    SASS_EXIT,
    SASS_F2F,
    SASS_F2FP,
    SASS_F2IP,
    SASS_F2I,
    SASS_FADD,
    SASS_FCHK,
    SASS_FFMA,
    SASS_FLO,
    SASS_FMNMX,
    SASS_FMUL,
    SASS_FRND,
    SASS_FSEL,
    SASS_FSET,
    SASS_FSETP,
    SASS_HADD2,
    SASS_HFMA2,
    SASS_HFMA2_BF16,
    SASS_HMMA884,
    SASS_HMMA1688,
    SASS_HMNMX2,
    SASS_HMUL2,
    SASS_HSET2,
    SASS_HSETP2,
    SASS_I2F,
    SASS_I2FP,
    SASS_I2I,
    SASS_I2IP,
    SASS_IABS,
    SASS_IADD3,
    SASS_IDP,
    SASS_IMAD,
    SASS_IMAD_WIDE,
    SASS_IMAD_HI,
    SASS_IMMA,
    SASS_IMNMX,
    SASS_ISETP,
    SASS_JMP,
    SASS_KILL,
    SASS_LD,
    SASS_LDC,
    SASS_LDG,
    SASS_LDGDEPBAR,
    SASS_LDGSTS,
    SASS_LDL,
    SASS_LDS,
    SASS_LDSM,
    SASS_LEA,
    SASS_LEPC,
    SASS_LOP3,
    SASS_MATCH,
    SASS_MEMBAR,
    SASS_MOV,
    SASS_MOVM,
    SASS_MUFU,
    SASS_NANOSLEEP,
    SASS_NOP,
    SASS_P2R,
    SASS_PLOP3,
    SASS_PLOP3_SIGN,
    SASS_PMTRIG,
    SASS_POPC,
    SASS_PRMT,
    SASS_QSPC,
    SASS_R2P,
    SASS_R2UR,
    SASS_RED,
    SASS_REDUX,
    SASS_RET,
    SASS_S2R,
    SASS_SEL,
    SASS_SGXT,
    SASS_SHF,
    SASS_SHFL,
    SASS_ST,
    SASS_STG,
    SASS_STL,
    SASS_STS,
    SASS_SULD,
    SASS_SUST,
    SASS_SUST_P,
    SASS_TEX,
    SASS_TLD,
    SASS_TLD4,
    SASS_TXD,
    SASS_TXQ,
    SASS_ULDC,
    SASS_ULDC_UR,
    SASS_VABSDIFF,
    SASS_VABSDIFF4,
    SASS_VOTE,
    SASS_WARPSYNC,
    SASS_YIELD,
    SASS_OP_COUNT,
    SASS_UNKNOWN = 255
} sass_op_t;

typedef enum {
    SASS_OPERAND_REG,     /* general registers num .. num + count - 1 */
    SASS_OPERAND_UREG,    /* uniform registers */
    SASS_OPERAND_PRED,    /* predicate */
    SASS_OPERAND_UPRED,   /* uniform predicate */
    SASS_OPERAND_PR,      /* all predicates as one register */
    SASS_OPERAND_IMM,     /* value */
    SASS_OPERAND_CONST,   /* c[bank][value], or c[bank][num + value] with indexed */
    SASS_OPERAND_MEM,     /* [num.scale + ureg + value] */
    SASS_OPERAND_BARRIER, /* convergence barrier B<num> */
    SASS_OPERAND_SB,      /* dependence barrier SB<num> */
    SASS_OPERAND_SBS,     /* the dependence barriers whose bits are set in value */
    SASS_OPERAND_SPECIAL, /* special register <num> */
    SASS_OPERAND_TARGET,  /* byte offset in the function */
    SASS_OPERAND_HANDLE,  /* texture or surface handle in c[bank][value] */
    SASS_OPERAND_NAME,    /* name of a texture's dimensions or of a query (sass_texture.h) */
} sass_operand_kind_t;

/* How a value is interpreted: decides the number of registers and the format of immediates. */
typedef enum {
    SASS_PLAIN,
    SASS_SIGNED, /* like SASS_PLAIN, but immediates are signed */
    SASS_BITS,   /* like SASS_INT, but immediates are printed unsigned */
    SASS_INT,
    SASS_INT64,
    SASS_FLOAT,
    SASS_DOUBLE,
    SASS_HALF
} sass_style_t;

/* Which halves a 16-bit source reads (nvdisasm's suffixes). */
typedef enum { SASS_H1_H0, SASS_F32_HALF, SASS_H0_H0, SASS_H1_H1 } sass_half_t;

typedef struct {
    uint8_t kind;  /* sass_operand_kind_t */
    uint8_t style; /* sass_style_t */
    uint8_t num, count;
    uint8_t bank;
    uint8_t scale;  /* of the address register: 1, 4, 8, 16 */
    uint8_t ureg;   /* uniform register added to the address; SASS_URZ: none */
    uint8_t desc;   /* uniform registers with the access's descriptor, which is not added;
                     * SASS_URZ: none */
    uint8_t half;   /* sass_half_t */
    bool high_neg;  /* of two halves, the upper one has its sign changed */
    uint8_t select; /* byte or half of the register that conversions read */
    bool write;     /* destination */
    bool hidden;    /* not printed: an optional operand with its default value */
    bool neg, abs;  /* in an .X instruction, neg of an integer means complement (inv) */
    bool inv;       /* bitwise complement; for a predicate: not */
    bool reuse;     /* kept in the operand reuse cache */
    uint8_t slot;   /* 1, 2, 3: read as operand a, b, c; 0: unknown; 2 for a destination: the second
                     * one */
    bool indexed;   /* for a constant: num is a register */
    bool wide;      /* the address register is a pair */
    bool with_ureg; /* the address form has a uniform register, even if it is URZ */
    bool with_desc; /* the address form has a descriptor */
    bool bindless;  /* for a constant: the bank comes from uniform registers at num, not from the
                     * encoding */
    int64_t value;
} sass_operand_t;

enum { SASS_MAX_OPERANDS = 9 };

typedef struct {
    uint64_t lo, hi;
    uint32_t pc;
    uint8_t arch; /* 70, 75, 80, ... */
    uint8_t op;   /* sass_op_t; SASS_UNKNOWN */
    uint8_t form;
    uint8_t guard; /* predicate number; SASS_PT: none */
    bool guard_not;
    bool guard_uniform; /* the guard is a uniform predicate */
    bool uniform;       /* runs on the uniform datapath */
    bool extended;      /* .X or .EX: takes a carry */
    bool foreign;       /* has a modifier or an operand that the emulator does not support */
    uint8_t width;      /* of the memory access in bytes; 0: none */
    uint8_t n_operands;
    sass_operand_t operand[SASS_MAX_OPERANDS];
} sass_inst_t;

/* Bits first .. first + count - 1 of the encoding (count at most 32). */
static inline uint32_t sass_bits(const sass_inst_t *in, unsigned first, unsigned count)
{
    uint64_t word = first >= 64  ? in->hi >> (first - 64)
                    : first == 0 ? in->lo
                                 : in->lo >> first | in->hi << (64 - first);

    return (uint32_t)(word & ((1ull << count) - 1));
}

/*
 * Decodes the 16 bytes at code, at byte offset pc of their function, for an architecture (70, 75,
 * 80, ...). False: the opcode is unknown; the instruction then has op SASS_UNKNOWN, guard and control
 * word, but no operands.
 */
bool sass_decode(sass_inst_t *in, const uint8_t *code, uint32_t pc, unsigned arch);

/* Control word: bits 105 .. 125. */
uint32_t sass_control(const sass_inst_t *in);

enum { SASS_TEXT_MAX = 256 };

/* Writes the mnemonic with its modifiers ("LDG.E.64.SYS") to text; returns its length. */
size_t sass_mnemonic(const sass_inst_t *in, char text[SASS_TEXT_MAX]);

/* Writes the instruction in nvdisasm's format, without the semicolon; returns the length. */
size_t sass_text(const sass_inst_t *in, char text[SASS_TEXT_MAX]);

/* Name of a special register ("SR_TID.X"), or NULL. */
const char *sass_special_name(unsigned num);

/* Name of a convergence barrier ("B0"), or, from SASS_BARRIERS on, of other state that BMOV
 * moves. */
const char *sass_barrier_name(unsigned num);

/*
 * Converts the instruction to the simulator's format, with its exact read and write sets and
 * control word. False: the simulator's table does not have the opcode (class OP_UNKNOWN).
 */
bool sass_to_inst(const sass_inst_t *in, unsigned arch, inst_t *out);

#endif
