/*
 * One machine instruction of Volta (sm_70, sm_72) or Turing (sm_75), decoded from its 128 bits: its
 * opcode, modifiers, operands in the order in which nvdisasm prints them, and control word.
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

enum { SASS_RZ = 255, SASS_URZ = 63, SASS_PT = 7, SASS_INST_BYTES = 16 };

#define SASS_OP_MAP(X)                                                                             \
    X(ATOM)                                                                                        \
    X(ATOMG)                                                                                       \
    X(ATOMS)                                                                                       \
    X(ATOM_CAS)                                                                                    \
    X(ATOMG_CAS)                                                                                   \
    X(ATOMS_CAS) X(B2R) X(BAR) X(BMOV_R) X(BMOV_B) X(BMSK) X(BPT) X(BRA) X(BREAK) X(BREV) X(BRX)   \
        X(BSSY) X(BSYNC) X(CALL_ABS) X(CALL_REL) X(CCTL) X(CS2R) X(DADD) X(DEPBAR) X(DFMA) X(DMUL) \
            X(DSETP) X(ERRBAR) X(EXIT) X(F2F) X(F2I) X(FADD) X(FCHK) X(FFMA) X(FLO) X(FMNMX)       \
                X(FMUL) X(FRND) X(FSEL) X(FSET) X(FSETP) X(HADD2) X(HFMA2) X(HMMA884) X(HMMA1688)  \
                    X(HMUL2) X(HSET2) X(HSETP2) X(I2F) X(I2I) X(IABS) X(IADD3) X(IDP) X(IMAD)      \
                        X(IMAD_WIDE) X(IMAD_HI) X(IMMA) X(IMNMX) X(ISETP) X(JMP) X(KILL) X(LD)     \
                            X(LDC) X(LDG) X(LDL) X(LDS) X(LDSM) X(LEA) X(LEPC) X(LOP3) X(MATCH)    \
                                X(MEMBAR) X(MOV) X(MOVM) X(MUFU) X(NANOSLEEP) X(NOP) X(P2R)        \
                                    X(PLOP3) X(POPC) X(PRMT) X(QSPC) X(R2P) X(R2UR) X(RED) X(RET)  \
                                        X(S2R) X(SEL) X(SGXT) X(SHF) X(SHFL) X(ST) X(STG) X(STL)   \
                                            X(STS) X(TEX) X(TLD) X(ULDC) X(ULDC_UR) X(VABSDIFF)    \
                                                X(VOTE) X(WARPSYNC) X(YIELD)

#define SASS_OP_ENUM_(id) SASS_##id,
typedef enum { SASS_OP_MAP(SASS_OP_ENUM_) SASS_OP_COUNT, SASS_UNKNOWN = 255 } sass_op_t;

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
    SASS_OPERAND_SPECIAL, /* special register <num> */
    SASS_OPERAND_TARGET,  /* byte offset in the function */
} sass_operand_kind_t;

/* How a value is interpreted: decides the number of registers, and how immediates are printed. */
typedef enum {
    SASS_PLAIN,
    SASS_BITS, /* as SASS_INT, immediates are printed unsigned */
    SASS_INT,
    SASS_INT64,
    SASS_FLOAT,
    SASS_DOUBLE,
    SASS_HALF
} sass_style_t;

/* Halves that a 16-bit source takes (nvdisasm's suffixes). */
typedef enum { SASS_H1_H0, SASS_F32_HALF, SASS_H0_H0, SASS_H1_H1 } sass_half_t;

typedef struct {
    uint8_t kind;  /* sass_operand_kind_t */
    uint8_t style; /* sass_style_t */
    uint8_t num, count;
    uint8_t bank;
    uint8_t scale;  /* of the address register: 1, 4, 8, 16 */
    uint8_t ureg;   /* added to the address; SASS_URZ: none */
    uint8_t half;   /* sass_half_t */
    uint8_t select; /* byte or half of the register that conversions take */
    bool write;     /* destination */
    bool hidden;    /* not printed: an optional operand with its default */
    bool neg, abs;  /* neg of an integer in an .X instruction means complement (inv) */
    bool inv;       /* bitwise complement; of a predicate: not */
    bool reuse;     /* the operand cache keeps it */
    bool indexed;   /* constant: num is a register */
    bool wide;      /* address register is a pair */
    int64_t value;
} sass_operand_t;

enum { SASS_MAX_OPERANDS = 8 };

typedef struct {
    uint64_t lo, hi;
    uint32_t pc;
    uint8_t op; /* sass_op_t; SASS_UNKNOWN */
    uint8_t form;
    uint8_t guard; /* predicate number; SASS_PT: none */
    bool guard_not;
    bool guard_uniform; /* the guard is a uniform predicate */
    bool uniform;       /* runs on the uniform datapath */
    bool extended;      /* .X or .EX: takes a carry */
    uint8_t width;      /* of the memory access in bytes, 0: none */
    uint8_t n_operands;
    sass_operand_t operand[SASS_MAX_OPERANDS];
} sass_inst_t;

/* Bits first .. first + count - 1 of the encoding (count at most 32). */
uint32_t sass_bits(const sass_inst_t *in, unsigned first, unsigned count);

/*
 * Decodes the 16 bytes at code, which stand at byte offset pc of their function. False: the opcode
 * is not known; the instruction then has op SASS_UNKNOWN, guard and control word, no operands.
 */
bool sass_decode(sass_inst_t *in, const uint8_t *code, uint32_t pc);

/* Control word: bits 105 .. 125. */
uint32_t sass_control(const sass_inst_t *in);

enum { SASS_TEXT_MAX = 256 };

/* The mnemonic with its modifiers ("LDG.E.64.SYS") into text; returns its length. */
size_t sass_mnemonic(const sass_inst_t *in, char text[SASS_TEXT_MAX]);

/* The instruction as nvdisasm writes it, without the semicolon; returns the length. */
size_t sass_text(const sass_inst_t *in, char text[SASS_TEXT_MAX]);

/* Name of a special register ("SR_TID.X"), or NULL. */
const char *sass_special_name(unsigned num);

/*
 * The instruction as the simulator takes it, with its true read and write sets and control word.
 * False: the simulator's table does not have the opcode (class OP_UNKNOWN).
 */
bool sass_to_inst(const sass_inst_t *in, unsigned arch, inst_t *out);

#endif
