/*
 * One static instruction of a kernel, as the frontends give it to the model.
 *
 * The record has room for everything that SASS encodes (operands with their register files,
 * predicates, uniform registers, constants, the control word). What a trace does not know is left
 * out, and the flags say so.
 */
#ifndef RUBATO_ISA_INST_H
#define RUBATO_ISA_INST_H

#include <stdbool.h>
#include <stdint.h>

/* Register files. Numbers are those of SASS; RZ, URZ, PT are never listed as operands. */
typedef enum { REG_GPR, REG_PRED, REG_UNIFORM, REG_UPRED } reg_file_t;

/* An operand: count consecutive registers from num. */
typedef struct {
    uint8_t file; /* reg_file_t */
    uint8_t num;
    uint8_t count;
} reg_op_t;

/* Dense numbers for dependence tables: GPRs, predicates, uniform registers, uniform predicates. */
enum {
    REG_ID_GPR = 0,
    REG_ID_PRED = 256,
    REG_ID_UNIFORM = 264,
    REG_ID_UPRED = 328,
    REG_ID_COUNT = 336,
    REG_ID_NONE = REG_ID_COUNT - 1, /* UPT, which nothing writes */
};

typedef enum {
    MEM_NONE,
    MEM_GLOBAL,
    MEM_LOCAL,
    MEM_SHARED,
    MEM_GENERIC, /* the address windows of the launch decide the space per access */
    MEM_CONST,
    MEM_TEX,
} mem_space_t;

typedef enum { ACC_NONE, ACC_LOAD, ACC_STORE, ACC_ATOMIC, ACC_REDUCTION } mem_access_t;

/* inst_t.flags */
enum {
    INST_CONTROL_WORD = 1 << 0, /* ctl holds stall count, yield, barriers, reuse */
    INST_FULL_REGS = 1 << 1,    /* operands are complete; otherwise inferred from the opcode */
    INST_BRANCH = 1 << 2,       /* may change the pc: ends a basic block */
    INST_EXIT = 1 << 3,
    INST_BARRIER = 1 << 4, /* BAR: synchronises warps of the block; ends a basic block */
    INST_MEMBAR = 1 << 5,
    INST_BYPASS_L1 = 1 << 6,   /* .STRONG.GPU / .STRONG.SYS / volatile: served by L2 */
    INST_IMM = 1 << 7,         /* imm holds an immediate */
    INST_CONST_ADDR = 1 << 8,  /* const_bank and const_offset are known */
    INST_ADDR64 = 1 << 9,      /* .E: the address register is a pair */
    INST_TO_SHARED = 1 << 10,  /* LDGSTS: global to shared */
    INST_PRED_WRITE = 1 << 11, /* opcode writes predicates (setp family), even if not listed */
    INST_MEMBAR_GPU = 1 << 12, /* with INST_MEMBAR: scope GPU or SYS, not CTA */
    INST_MEMBAR_SYS = 1 << 13,
    INST_BAR_ARRIVE = 1 << 14, /* BAR.ARV: arrives without waiting */
    INST_TENSOR = 1 << 15,
    INST_CLOCK = 1 << 16,     /* S2R or CS2R of the cycle counter */
    INST_SLOTS = 17,          /* from this bit on, two bits for each of the first three GPR sources:
                               * its operand slot, 1 (a), 2 (b) or 3 (c); 0: unknown */
    INST_READ_ONLY = 1 << 23, /* .CONSTANT: reads data that no thread writes */
    INST_COPY_COMMIT = 1 << 24, /* LDGDEPBAR: closes a group of asynchronous copies */
    INST_INCREMENT = 1 << 25,   /* ATOMS.POPC.INC: adds the number of lanes that address a word */
};

enum { INST_MAX_DST = 3, INST_MAX_SRC = 8, INST_MAX_DEPS = 24, INST_CTL_NONE = 0 };

/* inst_t.traits, which isa_derive() sets: what the model need not find out for each execution. */
enum {
    INST_ADDRESSED = 1 << 0,    /* an address record belongs to each execution with active lanes */
    INST_DELAYS = 1 << 1,       /* a branch or NANOSLEEP: delays the warp's next instruction */
    INST_STOPS = 1 << 2,        /* the warp waits at a barrier or memory barrier */
    INST_CONST_SOURCE = 1 << 3, /* a constant with a known address is an operand (not LDC) */
    INST_GUESSED = 1 << 4,      /* a branch whose predicate the trace does not name */
    INST_COUNTED = 1 << 5,      /* the control word has a write or read barrier */
    INST_WAITS = 1 << 6,        /* the control word makes it wait for dependence counters */
    INST_FORWARDED = 1 << 7,    /* HMMA: gets accumulators sooner than other results */
    INST_ALONE = 1 << 8,   /* its sub-core executes it alone: neither memory, the constant cache,
                                 * the clock nor other warps have a part in it */
    INST_SIMPLE = 1 << 9,  /* INST_ALONE, the usual kind: no control word, one result, at most
                                 * INST_QUAD registers and INST_SIMPLE_READS of one of two banks, a pipe
                                 * with a port of its own, and nothing special about it */
    INST_STEADY = 1 << 10, /* INST_ALONE, with a control word, the usual kind: neither a branch nor
                                 * counted */
    INST_AFTER_COPIES = 1 << 11, /* may wait for groups of asynchronous copies */
};

enum {
    INST_MAX_BANKS = 4,
    INST_QUAD = 4,
    INST_SIMPLE_READS = 2,
    INST_GPRS = 6,
    INST_MANY_GPRS = 255,
    INST_OPERAND_SLOTS = 3,
    INST_SPEEDS = 4,
    INST_FAR = 16
};

typedef struct {
    uint32_t pc;     /* byte offset in the function */
    uint16_t opcode; /* isa_opcode_t, index into the opcode table */
    uint8_t cls;     /* op_class_t */
    uint8_t n_dst, n_src;
    uint8_t space;  /* mem_space_t */
    uint8_t access; /* mem_access_t */
    uint8_t width;  /* bytes per thread: 1, 2, 4, 8, 16; 0 without memory operand */
    uint32_t flags;
    uint32_t ctl; /* bits 105..125 of the encoding, valid with INST_CONTROL_WORD, which all
                   * instructions of a launch have or none has */
    int32_t imm;  /* DEPBAR: see depbar_limit() and the like */
    uint16_t const_offset;
    uint8_t const_bank;

    /* Filled by isa_finish() for the dependence check and the register file; the last members before
     * dep by isa_derive() from the others. */
    uint8_t n_wait;        /* dep[0 .. n_wait): sources and destinations */
    uint8_t n_set;         /* dep[n_wait - n_set .. n_wait): the destinations; a destination
                                  * that is also a source is listed only here */
    uint8_t bank_reads[4]; /* distinct GPR source operands by register number mod 4 */
    uint8_t flops;         /* floating-point operations per thread (FMA counts 2) */
    uint16_t traits;
    uint8_t work; /* flops that count: none without a source register, because the instruction only
                   * moves a constant then: HFMA2.MMA R0, -RZ, RZ, 1, 0 */
    uint8_t gap;  /* cycles until the warp may issue again, by the control word; 0: sm.zero_stall */
    uint8_t
        n_gpr; /* registers of the GPR sources, in order; INST_MANY_GPRS: more than INST_GPRS, or
                    * in a fourth operand */
    uint8_t gpr[INST_GPRS];
    uint8_t gpr_slot[INST_GPRS];           /* their operand slots */
    uint8_t banks_written[INST_MAX_BANKS]; /* [n - 1]: bits of the banks, of n, that the GPR
                                            * destinations are in */
    uint8_t most_reads[INST_MAX_BANKS];    /* [n - 1]: the most registers read from one of n banks;
                                            * 0 for tensor instructions */
    uint16_t result;                       /* of an INST_SIMPLE */
    uint8_t near[INST_SPEEDS];             /* see isa_link() */
    uint16_t dep[INST_MAX_DEPS];           /* dense register numbers, destinations last; then
                                            * REG_ID_NONE */

    reg_op_t dst[INST_MAX_DST];
    reg_op_t src[INST_MAX_SRC];
} inst_t;

/* Fields of the control word. */
static inline unsigned ctl_stall(uint32_t ctl)
{
    return ctl & 15u;
}

static inline bool ctl_yield(uint32_t ctl)
{
    return !(ctl >> 4 & 1u);
}

static inline unsigned ctl_write_barrier(uint32_t ctl) /* 7: none */
{
    return ctl >> 5 & 7u;
}

static inline unsigned ctl_read_barrier(uint32_t ctl) /* 7: none */
{
    return ctl >> 8 & 7u;
}

static inline unsigned ctl_wait_mask(uint32_t ctl)
{
    return ctl >> 11 & 63u;
}

static inline unsigned ctl_reuse(uint32_t ctl)
{
    return ctl >> 17 & 15u;
}

/* The immediate of a DEPBAR: wait until counter <= limit and the counters in mask are 0. */
static inline int32_t depbar_pack(unsigned counter, unsigned limit, unsigned mask)
{
    return (int32_t)(limit | counter << 8 | mask << 16);
}

static inline unsigned depbar_limit(int32_t imm)
{
    return (unsigned)imm & 63u;
}

static inline unsigned depbar_counter(int32_t imm)
{
    return (unsigned)imm >> 8 & 7u;
}

static inline unsigned depbar_mask(int32_t imm)
{
    return (unsigned)imm >> 16 & 63u;
}

/* Whether Accel-Sim's tracer writes the addresses of an instruction: not those of constants and
 * textures. */
static inline bool inst_traced_by_accelsim(const inst_t *in)
{
    return in->space != MEM_NONE && in->space != MEM_CONST && in->space != MEM_TEX &&
           in->width != 0;
}

/* Operand slot (0 a, 1 b, 2 c) of the n-th GPR source; n itself if unknown. */
static inline unsigned inst_slot(const inst_t *inst, unsigned n)
{
    unsigned slot = n < 3 ? inst->flags >> (INST_SLOTS + 2 * n) & 3u : 0;
    return slot != 0 ? slot - 1 : n;
}

#endif
