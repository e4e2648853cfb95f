/*
 * Opcode tables of Volta (7.0), Turing (7.5), Ampere (8.x) and Hopper (9.0).
 *
 * A SASS mnemonic ("LDG.E.64.STRONG.GPU") is resolved once per static instruction to its opcode
 * class (which pipe, which latency) and memory behaviour. The numbers belonging to a class are
 * parameters of the SM, not of the ISA.
 */
#ifndef RUBATO_ISA_ISA_H
#define RUBATO_ISA_ISA_H

#include <stddef.h>

#include "sim/isa/inst.h"

/* Pipes of a sub-core (or of the SM), as dispatch sees them. */
#define ISA_PIPE_MAP(X)                                                                            \
    X(FMA, "fma")                                                                                  \
    X(ALU, "alu")                                                                                  \
    X(FP16, "fp16")                                                                                \
    X(FP64, "fp64")                                                                                \
    X(TENSOR, "tensor")                                                                            \
    X(XU, "xu")                                                                                    \
    X(UNIFORM, "uniform")                                                                          \
    X(CBU, "cbu") /* branches, convergence barriers, exit */                                       \
    X(LG, "lg")   /* local and global memory, through the memory queue */                          \
    X(MIO, "mio") /* shared memory, shuffle, special registers, barriers */                        \
    X(TEX, "tex")                                                                                  \
    X(CONST, "const") /* LDC */                                                                    \
    X(NONE, "none")   /* NOP and the like: an issue slot only */

#define ISA_PIPE_ENUM_(id, text) PIPE_##id,
typedef enum { ISA_PIPE_MAP(ISA_PIPE_ENUM_) PIPE_COUNT } pipe_t;

/* Opcode classes: X(id, name, pipe, instruction mix group, latency). A class with a fixed latency has a
 * parameter lat.<name> (lat_spec_t, sm_params.h); 1: no result, or a latency of its own (memory, LDC).
 * The initiation interval follows from the lanes of the pipe. The mix group is the statistic that
 * counts it. */
#define ISA_CLASS_MAP(X)                                                                           \
    X(FP32, "fp32", FMA, FP32, lat->fp32)                /* FADD FMUL FFMA */                      \
    X(FP32_CMP, "fp32_cmp", ALU, FP32, lat->fp32_cmp)    /* FMNMX */                               \
    X(FP32_SETP, "fp32_setp", ALU, FP32, lat->fp32_setp) /* FSETP FSET FSEL */                     \
    X(IMAD, "imad", FMA, INT, lat->imad)                                                           \
    X(INT, "integer", ALU, INT, lat->integer) /* IADD3 SHF LOP3 LEA ISETP IMNMX PRMT ... */        \
    X(MOVE, "move", ALU, MOVE, lat->move)     /* MOV SEL CS2R-like moves */                        \
    X(POPC, "popc", XU, INT, lat->popc)                                                            \
    X(BITFIND, "bitfind", XU, INT, lat->bitfind) /* FLO BREV */                                    \
    X(MUFU, "mufu", XU, SFU, lat->mufu)          /* MUFU FCHK */                                   \
    X(CONV, "conv", XU, CONV, lat->conv)         /* I2F F2I F2F FRND I2I */                        \
    X(FP16, "fp16", FP16, FP16, lat->fp16)       /* HADD2 HMUL2 HFMA2 HSET2 HSETP2 HMNMX2 */       \
    X(FP64, "fp64", FP64, FP64, lat->fp64)       /* DADD DMUL */                                   \
    X(FP64_FMA, "fp64_fma", FP64, FP64, lat->fp64_fma)                                             \
    X(FP64_CMP, "fp64_cmp", FP64, FP64, lat->fp64_cmp)                                             \
    X(CONV64, "conv64", FP64, CONV, lat->conv64) /* conversions from or to 64 bits */              \
    X(PRED, "pred", ALU, INT, lat->pred)         /* PLOP3 P2R R2P VOTE */                          \
    X(UNIFORM, "uniform", UNIFORM, UNIFORM, lat->uniform)                                          \
    X(HMMA, "hmma", TENSOR, TENSOR, lat->hmma)                                                     \
    X(IMMA, "imma", TENSOR, TENSOR, lat->imma) /* IMMA BMMA DMMA */                                \
    X(BRANCH, "branch", CBU, CONTROL, 1) /* BRA BRX JMP CALL RET BSSY BSYNC BREAK WARPSYNC ... */  \
    X(EXIT, "exit", CBU, CONTROL, 1)                                                               \
    X(BARRIER, "barrier", MIO, CONTROL, 1) /* BAR */                                               \
    X(MEMBAR, "membar", LG, CONTROL, 1)    /* MEMBAR ERRBAR CCTL */                                \
    X(DEPBAR, "depbar", NONE, CONTROL, 1)                                                          \
    X(S2R, "s2r", MIO, MOVE, lat->s2r)                                                             \
    X(CS2R, "cs2r", ALU, MOVE, lat->cs2r)                                                          \
    X(SHFL, "shfl", MIO, SHUFFLE, lat->shfl)                                                       \
    X(MATCH, "match", MIO, SHUFFLE, lat->match)                                                    \
    X(LDC, "ldc", CONST, LOAD, 1)                                                                  \
    X(LOAD_LG, "load_lg", LG, LOAD, 1) /* LD LDG LDL LDGSTS */                                     \
    X(STORE_LG, "store_lg", LG, STORE, 1)                                                          \
    X(ATOM_LG, "atom_lg", LG, ATOMIC, 1) /* ATOM ATOMG RED */                                      \
    X(LOAD_SH, "load_sh", MIO, LOAD, 1)  /* LDS LDSM */                                            \
    X(STORE_SH, "store_sh", MIO, STORE, 1)                                                         \
    X(ATOM_SH, "atom_sh", MIO, ATOMIC, 1)                                                          \
    X(TEX, "tex", TEX, TEX, lat->tex)                                                              \
    X(SLEEP, "sleep", NONE, CONTROL, 1) /* NANOSLEEP */                                            \
    X(NOP, "nop", NONE, CONTROL, 1)                                                                \
    X(UNKNOWN, "unknown", ALU, INT,                                                                \
      lat->unknown) /* treated as an integer instruction, warned about once */

#define ISA_CLASS_ENUM_(id, text, pipe, group, latency) OP_##id,
typedef enum { ISA_CLASS_MAP(ISA_CLASS_ENUM_) OP_CLASS_COUNT } op_class_t;

/* Instruction mix groups: one statistic each. */
#define ISA_GROUP_MAP(X)                                                                           \
    X(FP16, "fp16")                                                                                \
    X(FP32, "fp32")                                                                                \
    X(FP64, "fp64")                                                                                \
    X(INT, "int")                                                                                  \
    X(MOVE, "move")                                                                                \
    X(CONV, "conv")                                                                                \
    X(SFU, "sfu")                                                                                  \
    X(TENSOR, "tensor")                                                                            \
    X(UNIFORM, "uniform")                                                                          \
    X(CONTROL, "control")                                                                          \
    X(SHUFFLE, "shuffle")                                                                          \
    X(LOAD, "load")                                                                                \
    X(STORE, "store")                                                                              \
    X(ATOMIC, "atomic")                                                                            \
    X(TEX, "tex")

#define ISA_GROUP_ENUM_(id, text) MIX_##id,
typedef enum { ISA_GROUP_MAP(ISA_GROUP_ENUM_) MIX_COUNT } mix_group_t;

typedef struct {
    const char *mnemonic; /* base opcode, before the first dot */
    uint8_t cls;          /* op_class_t */
    uint8_t space;        /* mem_space_t */
    uint8_t access;       /* mem_access_t */
    uint32_t flags;       /* INST_* implied by the opcode */
    uint16_t since;       /* first architecture that has it: 70, 75, 80, 90 */
    uint16_t until;       /* last one, 0: still there */
} isa_opcode_t;

const char *isa_class_name(op_class_t cls);
const char *isa_pipe_name(pipe_t pipe);
const char *isa_group_name(mix_group_t group);
pipe_t isa_class_pipe(op_class_t cls);
mix_group_t isa_class_group(op_class_t cls);

/* Entry n of the opcode table; NULL past its end. */
const isa_opcode_t *isa_opcode(unsigned n);

/* Index of a base mnemonic (len bytes, no dots) in the table, or -1. */
int isa_find(const char *mnemonic, size_t len);

/*
 * Sets opcode, cls, space, access, width and flags of *in from a full mnemonic with modifiers (len
 * bytes). Flags that are already set stay; other fields are left alone. mem_width is the width in
 * bytes that the trace states, used if the mnemonic states none; 0 means that the trace gives no
 * address for the instruction, and leaves width 0. arch is 70, 75, 80, 86, 90. Returns false for an
 * opcode that is not in the table (class OP_UNKNOWN; the caller warns once).
 */
bool isa_decode(unsigned arch, const char *text, size_t len, unsigned mem_width, inst_t *in);

/*
 * Completes *in after its operands were set; call it once per instruction. Without INST_FULL_REGS
 * it widens operands of which a trace lists only the first register (64-bit pairs, 128-bit quads,
 * address pairs) as far as the opcode determines their width, and moves operands that such traces
 * list in the wrong place (the result of SHFL as a source, the address of RET as a destination).
 * Then it fills dep[], n_wait, n_set, bank_reads and flops.
 *
 * Before the call the operand lists may contain RZ (255), URZ (63) and PT (7), because positions
 * matter ("STG [R4], RZ" has one address and one datum). They are dropped here.
 */
void isa_finish(inst_t *in, const char *text, size_t len);

/* Sets traits, banks_written and most_reads from the other members. isa_finish() calls it; those who
 * read finished instructions from a file call it, too. */
void isa_derive(inst_t *in);

/* Dense number of an operand's i-th register; REG_ID_COUNT if its file has no such register. */
unsigned isa_register_id(reg_op_t op, unsigned i);

/* Classes by how soon their results come: a number below INST_SPEEDS. */
unsigned isa_class_speed(op_class_t cls);

/*
 * Sets near[] of a finished instruction that has `before` others in front of it in its array: for each
 * isa_class_speed(), how many instructions earlier an INST_SIMPLE of these classes writes a register that
 * it waits for; INST_FAR if none of the INST_FAR - 1 before it does. Where it is not called, near[] is 0:
 * nothing is known.
 */
void isa_link(inst_t *in, size_t before);

/* Name of an architecture's family: "Volta", "Turing", "Ampere", "Hopper", or NULL. */
const char *isa_arch_name(unsigned arch);

#endif
