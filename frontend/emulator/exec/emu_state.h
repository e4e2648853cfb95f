/*
 * Emulator state that instruction handlers use: registers as vectors of 32 lanes, micro-operations
 * (translated once per static instruction of a launch), warps and blocks.
 */
#ifndef RUBATO_EMU_STATE_H
#define RUBATO_EMU_STATE_H

#include <stdatomic.h>
#include <string.h>

#include "frontend/emulator/exec/emu_launch.h"
#include "frontend/emulator/exec/math/emu_vector.h"
#include "frontend/emulator/sass/sass_inst.h"
#include "sim/isa/stream_store.h"
#include "sim/parts/word_counts.h"

enum {
    EMU_PREDS = 17,       /* P0-P6, PT, UP0-UP6, UPT, and a sink for unused results */
    EMU_PRED_UNIFORM = 8, /* first uniform predicate */
    EMU_PRED_SINK = 16,
    EMU_BARRIER_REGS = 16,
    EMU_BLOCK_BARRIERS = 16,
    EMU_MAX_SPLITS = 33,
    EMU_MAX_SOURCES = 4,
    EMU_SINK_VECTORS = 4, /* a sink for results in RZ, up to 128 bits */
};

#define EMU_CONST 0x80000000u /* marks a source in the constant pool instead of the register file */

typedef struct emu_warp emu_warp_t;
typedef struct emu_block emu_block_t;
typedef struct emu_grid emu_grid_t;
typedef struct emu_uop emu_uop_t;
typedef void (*emu_fn_t)(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* How the warp loop executes a micro-operation. */
typedef enum {
    UOP_DATA,    /* calls fn for the active lanes */
    UOP_UNIFORM, /* calls fn once, for all lanes of its vectors */
    UOP_ACCESS,  /* calls fn, which may fault */
    UOP_LOAD,    /* the same; then another warp runs */
    UOP_NOP,
    UOP_BRANCH,
    UOP_INDIRECT, /* BRX */
    UOP_RET,
    UOP_ABSOLUTE, /* a jump to a code address in registers */
    UOP_SYSTEM,   /* a system call */
    UOP_TRAP,
    UOP_EXIT,
    UOP_BSSY,
    UOP_BSYNC,
    UOP_BREAK,
    UOP_WARPSYNC,
    UOP_YIELD,
    UOP_BAR,
    UOP_CLOCK,  /* calls fn after counting the instructions so far */
    UOP_POLL,   /* UOP_ACCESS or UOP_LOAD in a loop that only waits (emu_wait.c) */
    UOP_SIGNAL, /* UOP_ACCESS or UOP_LOAD whose writes may end such a loop */
    UOP_UNSUPPORTED,
} uop_kind_t;

struct emu_uop {
    emu_fn_t fn;
    uint8_t kind; /* uop_kind_t */
    uint8_t n_src;
    uint8_t guard;
    uint8_t width, log_width;
    uint8_t scale, log_scale;    /* scale of the address register, and its log2 */
    uint8_t n_pred;              /* number of predicates read */
    uint8_t pd[2], ps[3];        /* predicates written, read */
    uint8_t mod;                 /* a source has a modifier */
    bool wide, uwide, is_signed; /* address registers are pairs; signedness of the operation */
    bool ftz, sat;
    bool gated;         /* a load with a predicate: lanes without it get 0 */
    uint8_t round;      /* rounding mode: RN, RM, RP, RZ */
    uint8_t select;     /* operation within a handler */
    bool ends_turn;     /* UOP_POLL, UOP_SIGNAL: a UOP_LOAD */
    bool leads;         /* UOP_POLL: it is in front of its loop */
    uint16_t loop;      /* number of the waiting loop that it is in; 0: none */
    uint32_t guard_inv; /* all ones: the guard is negated */
    uint32_t ps_inv[3];
    uint32_t d;                  /* destination: word offset in the register file */
    uint32_t d2;                 /* second destination, for textures */
    uint32_t s[EMU_MAX_SOURCES]; /* sources: word offset, in the pool if EMU_CONST is set */
    uint32_t am[EMU_MAX_SOURCES], xm[EMU_MAX_SOURCES], ad[EMU_MAX_SOURCES]; /* ((v&am)^xm)+ad */
    uint32_t addr, uaddr; /* address registers, like sources */
    uint32_t imm, imm2;
    uint32_t target; /* instruction index */
    int64_t offset;
    uint32_t extra_lanes; /* lanes written in addition to the active ones */
    uint32_t straight;    /* number of micro-operations from this one on that need no check of
                           * guards */
    const sass_inst_t *sass;
    const inst_t *inst;
};

typedef enum { SPLIT_RUN, SPLIT_BSYNC, SPLIT_WARPSYNC, SPLIT_BAR } split_state_t;

/* Lanes of a warp at the same pc. */
typedef struct {
    uint32_t pc; /* instruction index */
    uint32_t mask;
    uint8_t state; /* split_state_t */
    uint32_t arg;  /* barrier register, mask, or block barrier, depending on state */
} emu_split_t;

/* The execution of a warp, for the trace. */
typedef struct {
    trace_run_t *runs;
    uint64_t *addrs;
    size_t n_runs, cap_runs, n_addrs, cap_addrs;
    uint64_t n_insts;
    bool fresh; /* the next instruction begins a run */
} emu_record_t;

/* A place in a warp's record. */
typedef struct {
    size_t run, addr;
    uint64_t inst;
} emu_place_in_record_t;

enum { EMU_WAIT_WORDS = 64 };

/* A warp in a loop that only waits; see emu_wait.c. */
typedef struct {
    uint16_t loop;         /* its number; 0: the warp is in none */
    bool repeats;          /* the iteration before was complete */
    bool stuck;            /* its last turn ended because it read again what it had read */
    bool yielded;          /* it has let others look before its next write */
    bool changed;          /* a poll of this iteration has changed memory */
    bool atomic;           /* it polls with atomics */
    bool fenced;           /* a fence of GPU scope was executed since the last store */
    uint32_t mask;         /* lanes in the loop */
    const emu_uop_t *poll; /* begins an iteration */
    emu_place_in_record_t first, now; /* the iteration that is kept, and this one */
    uint64_t seen, seen_before;       /* checksums of what this iteration and the last one read */
    uint64_t dropped;                 /* iterations like the one that is kept */
    uint32_t n_words;
    wait_word_t words[EMU_WAIT_WORDS]; /* that this iteration has read */
} emu_wait_t;

struct emu_warp {
    uint32_t *base[2]; /* [0] registers, [1] constant pool: bases of source offsets */
    uint32_t *r;       /* = base[0] */
    uint32_t p[EMU_PREDS];
    uint32_t alive;
    emu_split_t splits[EMU_MAX_SPLITS]; /* the last one that can run is chosen */
    unsigned n_splits;
    int current; /* index of the running split; -1: to be chosen */
    emu_block_t *block;
    emu_grid_t *grid;
    uint32_t index;             /* number in the block */
    uint32_t threads;           /* lanes that are threads of the block */
    uint32_t tid[3][EMU_LANES]; /* threadIdx */
    uint32_t bar_result;        /* result of the last BAR.RED */
    uint64_t clock;
    bool faulted;
    uint8_t *local;                          /* EMU_LANES * local_bytes; NULL until needed */
    uint32_t b[EMU_BARRIER_REGS][EMU_LANES]; /* convergence barriers, one copy per lane */
    emu_record_t record;
    emu_wait_t wait;
};

/* A block-wide barrier. */
typedef struct {
    uint32_t expected; /* number of threads; 0: all living threads of the block */
    uint32_t arrived;  /* by BAR.ARV */
    uint32_t waiting;
    uint32_t votes, true_votes;
    bool reduces;
} emu_barrier_t;

/* Observations of a block that may be spinning. */
typedef struct {
    uint64_t state;   /* checksum of the block at the last check */
    uint64_t look_at; /* instruction count of the block for the next check */
    bool looked;      /* the next state is to be compared with this one */
    bool counted;     /* in the launch's n_spinning */
} emu_spin_t;

struct emu_block {
    emu_grid_t *grid;
    uint64_t index;
    uint32_t id[3];
    bool active, finished;
    bool fenced; /* in its current turn, a warp has waited for its writes to be visible to all */
    emu_warp_t *warps;
    uint32_t n_warps;
    uint32_t *registers;
    uint8_t *shared;
    uint32_t n_alive, n_waiting; /* threads; those of them that wait at any barrier */
    uint32_t n_together;         /* warps that have not run since a barrier opened */
    uint64_t insts;              /* warp instructions so far */
    emu_spin_t spin;
    emu_barrier_t barriers[EMU_BLOCK_BARRIERS];
    long_block_t *pieces;  /* what the warps no longer hold in their records; NULL: nothing */
    word_counts_t written; /* in shared memory */
    stream_wait_t *waits;  /* owned */
    wait_word_t *wait_words;
    size_t n_waits, cap_waits, n_wait_words, cap_wait_words;
};

/* State shared by the threads that execute a launch. */
typedef struct {
    atomic_uint_fast64_t next;  /* number of the next block to begin */
    atomic_uint_fast64_t insts; /* warp instructions up to each thread's last check */
    atomic_uint fences;         /* incremented by every MEMBAR */
    atomic_bool stop;           /* a thread has failed */
} emu_progress_t;

/*
 * Operands shared by the steps of one HMMA.884: halves of A and B as numbers, by element. For each
 * lane a has its row of A, among the lower [0] and the upper [1] two of its four lanes; for sums of
 * 16 bits a[0] has the lanes' own rows.
 */
typedef struct {
    const emu_uop_t *of; /* the last step that used them, in straight-line code; or NULL */
    double __attribute__((aligned(64))) a[2][4][EMU_LANES], b[4][EMU_LANES];
    double behind; /* read with the last of b, but not used */
} emu_fragments_t;

/* One thread's view of a launch being executed; code and constants are shared. */
struct emu_grid {
    emu_progress_t *progress;
    bool parallel; /* other threads also execute blocks of the launch */
    const emu_launch_t *launch;
    const emu_code_t *code;
    emu_uop_t *uops;
    uint32_t n_uops;
    uint32_t *pool;      /* constants, each broadcast to 32 lanes */
    uint32_t n_vectors;  /* per warp register file */
    uint32_t n_barriers; /* number of convergence barriers used by the code */
    uint32_t local_bytes, shared_bytes;
    uint32_t local_floor; /* local memory below it is beyond the limit of the stack */
    uint8_t *bank0;
    uint64_t bank0_bytes;
    uint64_t bank0_addr; /* of its copy in device memory; 0: none */
    bool tracing;
    stream_store_t *store; /* with tracing: for long records */
    size_t record_bytes;   /* of a warp; what exceeds it is packed */
    double begun;          /* host time at the start, if there is a limit */
    uint32_t watch;        /* WATCH_*; 0: the code has no waiting loops */
    uint32_t stamp;        /* of the last instruction that was counted */
    word_counts_t written; /* in global memory */
    uint32_t n_spinning;   /* blocks that were found to spin */
    bool warps_spin;       /* a warp was */
    emu_totals_t totals;
    uint64_t checked_insts; /* part of the totals that progress already has */
    emu_fragments_t fragments;
    rb_err_t *err;
    rb_code_t rc;
};

/* --- access to operands ---------------------------------------------------------------------- */

/*
 * Writes value, an expression in lane k of registers, to the lanes of mask in the vector at word
 * offset d of the register file.
 */
#define EMU_PUT_EACH(w, d, mask, value)                                                            \
    do {                                                                                           \
        uint32_t *const out_ = (w)->r + (d);                                                       \
        if ((mask) == EMU_ALL) {                                                                   \
            EMU_ANY_ORDER                                                                          \
            for (unsigned k = 0; k < EMU_LANES; k++)                                               \
                out_[k] = (value);                                                                 \
        } else {                                                                                   \
            EMU_ANY_ORDER                                                                          \
            for (unsigned k = 0; k < EMU_LANES; k++)                                               \
                out_[k] = emu_merge(emu_lane((mask), k), (value), out_[k]);                        \
        }                                                                                          \
    } while (0)

EMU_INLINE const uint32_t *emu_ref(const emu_warp_t *w, uint32_t ref)
{
    return w->base[ref >> 31] + (ref & ~EMU_CONST);
}

EMU_INLINE const uint32_t *emu_src(const emu_warp_t *w, const emu_uop_t *u, unsigned i)
{
    return emu_ref(w, u->s[i]);
}

/* Modifiers of a source: the value, or its upper word, becomes ((v & am) ^ xm) + ad. */
typedef struct {
    uint32_t am, xm, ad;
} emu_mods_t;

EMU_INLINE emu_mods_t emu_mods(const emu_uop_t *u, unsigned i)
{
    return (emu_mods_t){u->am[i], u->xm[i], u->ad[i]};
}

EMU_INLINE uint32_t emu_modified(const emu_mods_t *m, uint32_t v)
{
    return ((v & m->am) ^ m->xm) + m->ad;
}

/* Loads source i with its modifiers into v. */
EMU_INLINE void emu_load(const emu_warp_t *w, const emu_uop_t *u, unsigned i, bool mods,
                         uint32_t v[EMU_LANES])
{
    const uint32_t *s = emu_src(w, u, i);
    uint32_t am = u->am[i], xm = u->xm[i], ad = u->ad[i];

    for (int k = 0; k < EMU_LANES; k++)
        v[k] = mods ? ((s[k] & am) ^ xm) + ad : s[k];
}

/* Writes v to the lanes of mask in the vector at word offset d of the register file. */
EMU_INLINE void emu_put(emu_warp_t *w, uint32_t d, const uint32_t v[EMU_LANES], uint32_t mask)
{
    uint32_t *out = w->r + d, m[EMU_LANES];

    if (mask == EMU_ALL) {
        memcpy(out, v, sizeof(m));
        return;
    }
    emu_expand(mask, m);
    for (int k = 0; k < EMU_LANES; k++)
        out[k] = (v[k] & m[k]) | (out[k] & ~m[k]);
}

EMU_INLINE uint32_t emu_pred(const emu_warp_t *w, const emu_uop_t *u, unsigned i)
{
    return w->p[u->ps[i]] ^ u->ps_inv[i];
}

EMU_INLINE void emu_set_pred(emu_warp_t *w, unsigned p, uint32_t value, uint32_t mask)
{
    w->p[p] = (w->p[p] & ~mask) | (value & mask);
}

EMU_INLINE void emu_put_u64(emu_warp_t *w, uint32_t d, const uint64_t v[EMU_LANES], uint32_t mask)
{
    uint32_t low[EMU_LANES], high[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++) {
        low[k] = (uint32_t)v[k];
        high[k] = (uint32_t)(v[k] >> 32);
    }
    emu_put(w, d, low, mask);
    emu_put(w, d + EMU_LANES, high, mask);
}

/* --- the groups of handlers ------------------------------------------------------------------ */

/*
 * Each function sets u->fn (and what fn needs besides operands) for the opcodes it implements;
 * false: it does not implement this opcode or this form of it.
 */
bool emu_bind_int(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_compare(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_bits(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_float(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_mufu(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_double(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_half(const sass_inst_t *in, emu_uop_t *u);
/* Notes in u->imm which halves of each source are read: two bits a source. (emu_half.c) */
void emu_note_halves(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_convert(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_warp(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_special(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_matrix(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_access(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_atomic(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_fetch(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_copy(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_pair(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_deep_matrix(const sass_inst_t *in, emu_uop_t *u);

/* Writes zeros to the places of lanes whose copy to shared memory has no source. */
void emu_copy_zeros(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* Translates a launch into micro-operations and a constant pool. RB_TRACE. */
RB_CHECKED rb_code_t emu_translate(emu_grid_t *g, rb_err_t *err);

/* Creates bank 0 of a launch. */
void emu_make_bank0(emu_grid_t *g);

/* Copies it to device memory if the code asks for its address: for parameters that are given to
 * functions by address (__grid_constant__). RB_NOMEM. */
RB_CHECKED rb_code_t emu_place_bank0(emu_grid_t *g, rb_err_t *err);

void emu_free_bank0(emu_grid_t *g);

/* --- memory ---------------------------------------------------------------------------------- */

/* Addresses of a memory instruction; values of inactive lanes are undefined. */
void emu_addresses(const emu_warp_t *w, const emu_uop_t *u, uint64_t a[EMU_LANES]);

/*
 * Host address of width bytes at addr in a space (mem_space_t) for a lane; NULL after reporting a
 * fault.
 */
uint8_t *emu_resolve(emu_warp_t *w, const emu_uop_t *u, unsigned space, unsigned lane,
                     uint64_t addr, unsigned width);

/*
 * The same for all active lanes of a simple access: returns the lowest host address and sets each
 * lane's distance from it; records the access in the trace. NULL: the access is not simple or may
 * fault; nothing has been done.
 */
uint8_t *emu_span(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, uint32_t rel[EMU_LANES]);

/* Records addresses in the trace. */
void emu_record_addresses(emu_warp_t *w, const emu_uop_t *u, const uint64_t a[EMU_LANES],
                          uint32_t mask);

/* The same for n equidistant addresses, given by the first one. */
void emu_record_affine(emu_warp_t *w, const emu_uop_t *u, uint64_t first, unsigned n,
                       uint32_t stride);

/* Room for one address record; NULL: this instruction is not recorded. */
uint64_t *emu_record_room(emu_warp_t *w, const emu_uop_t *u);

/*
 * Like emu_record_addresses(), given the first of n addresses and the distances of the others from
 * it (rest of d: 0), all below 2^31; affine: they are equidistant.
 */
void emu_record_deltas(emu_warp_t *w, const emu_uop_t *u, uint64_t first,
                       const uint32_t d[EMU_LANES], unsigned n, bool affine);

/* Calls a function of the driver for the lanes of mask, using the ABI of device functions. */
void emu_system_call(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* Reports an error of the program; only the first message of a launch is kept. */
void emu_fault(emu_warp_t *w, const emu_uop_t *u, const char *format, ...) RB_PRINTF(3, 4);

/* --- warps and blocks ------------------------------------------------------------------------ */

/* Runs a warp until it waits, ends, faults, spins, or has executed about budget instructions;
 * returns their number. */
uint64_t emu_warp_run(emu_warp_t *w, uint64_t budget);

/* A checksum of a warp's positions, predicates and registers. */
uint64_t emu_warp_state(const emu_warp_t *w);

/*
 * Whether the last turn left all threads of the block at the same place with the same registers:
 * they wait for a write by another block. Checked only occasionally.
 */
bool emu_spins(emu_block_t *b);

/*
 * Whether the blocks of a launch are known to wait for each other: it is cooperative, or many of
 * them were found to spin (a barrier of all blocks). They then begin together, and are checked more
 * often.
 */
bool emu_blocks_wait(const emu_grid_t *g);

/* Instructions of a block between two checks. */
uint64_t emu_spin_interval(const emu_block_t *b);

/* Finds the loops of a launch's code that only wait, and the instructions that may end them. Sets
 * loop and kind of micro-operations, and g->watch. (emu_wait_loops.c) */
void emu_find_waits(emu_grid_t *g);

/* --- waiting loops (emu_wait.c) --------------------------------------------------------------- */

/* Before the current split goes on: ends the warp's wait if it has left the loop. */
void emu_wait_check(emu_warp_t *w);
void emu_wait_end(emu_warp_t *w);

/* Before a UOP_POLL is executed, and recorded, for lanes. */
void emu_wait_begin(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* Executes it. */
void emu_poll(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* Whether a warp must let others look, before it executes a UOP_SIGNAL, at what that will change. */
bool emu_signal_waits(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_signal(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* Whether all warps of the block that can run have only read again what they had read. */
bool emu_block_is_stuck(const emu_block_t *b);

/* Executes a control instruction of the current split for the lanes of mask (active lanes whose
 * guard holds). */
void emu_control(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

#endif
