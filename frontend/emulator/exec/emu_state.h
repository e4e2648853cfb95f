/*
 * State of the emulator that its instruction handlers see: registers as vectors of 32 lanes,
 * micro-operations made once for each static instruction of a launch, warps and blocks.
 */
#ifndef RUBATO_EMU_STATE_H
#define RUBATO_EMU_STATE_H

#include <stdatomic.h>
#include <string.h>

#include "frontend/emulator/exec/emu_launch.h"
#include "frontend/emulator/exec/emu_vector.h"
#include "frontend/emulator/sass/sass_inst.h"

enum {
    EMU_PREDS = 17,       /* P0-P6, PT, UP0-UP6, UPT, and one that swallows writes */
    EMU_PRED_UNIFORM = 8, /* first uniform predicate */
    EMU_PRED_SINK = 16,
    EMU_BARRIER_REGS = 16,
    EMU_BLOCK_BARRIERS = 16,
    EMU_MAX_SPLITS = 33,
    EMU_MAX_SOURCES = 4,
    EMU_SINK_VECTORS = 4, /* RZ as destination, up to 128 bits */
};

#define EMU_CONST 0x80000000u /* a source in the constant pool, not in the register file */

typedef struct emu_warp emu_warp_t;
typedef struct emu_block emu_block_t;
typedef struct emu_grid emu_grid_t;
typedef struct emu_uop emu_uop_t;
typedef void (*emu_fn_t)(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* What the warp loop does with a micro-operation. */
typedef enum {
    UOP_DATA,    /* runs fn in the active lanes */
    UOP_UNIFORM, /* runs fn once, in all lanes of its vectors */
    UOP_ACCESS,  /* runs fn, which may fault */
    UOP_LOAD,    /* the same; then another warp has its turn */
    UOP_NOP,
    UOP_BRANCH,
    UOP_INDIRECT, /* BRX */
    UOP_RET,
    UOP_ABSOLUTE, /* a jump to an address of code in registers */
    UOP_SYSTEM,   /* a system call */
    UOP_TRAP,
    UOP_EXIT,
    UOP_BSSY,
    UOP_BSYNC,
    UOP_BREAK,
    UOP_WARPSYNC,
    UOP_YIELD,
    UOP_BAR,
    UOP_CLOCK, /* runs fn, before which the instructions so far are counted */
    UOP_UNSUPPORTED,
} uop_kind_t;

struct emu_uop {
    emu_fn_t fn;
    uint8_t kind; /* uop_kind_t */
    uint8_t n_src;
    uint8_t guard;
    uint8_t width, log_width;
    uint8_t scale, log_scale;    /* of the address register */
    uint8_t n_pred;              /* predicates read */
    uint8_t pd[2], ps[3];        /* predicates written, read */
    uint8_t mod;                 /* some source has a modifier */
    bool wide, uwide, is_signed; /* address registers are pairs; of the operation */
    bool ftz, sat;
    bool gated;         /* a load with a predicate: the lanes without it get 0 */
    uint8_t round;      /* rounding mode: RN, RM, RP, RZ */
    uint8_t select;     /* operation within a handler */
    uint32_t guard_inv; /* all ones: the guard is negated */
    uint32_t ps_inv[3];
    uint32_t d;                  /* destination: word offset in the register file */
    uint32_t d2;                 /* second one, of textures */
    uint32_t s[EMU_MAX_SOURCES]; /* sources: word offset, with EMU_CONST in the pool */
    uint32_t am[EMU_MAX_SOURCES], xm[EMU_MAX_SOURCES], ad[EMU_MAX_SOURCES]; /* ((v&am)^xm)+ad */
    uint32_t addr, uaddr; /* address registers, as sources */
    uint32_t imm, imm2;
    uint32_t target; /* instruction index */
    int64_t offset;
    uint32_t extra_lanes; /* lanes that it writes beside the active ones */
    uint32_t straight;    /* micro-operations from this one on that run without a look at guards */
    const sass_inst_t *sass;
    const inst_t *inst;
};

typedef enum { SPLIT_RUN, SPLIT_BSYNC, SPLIT_WARPSYNC, SPLIT_BAR } split_state_t;

/* Lanes of a warp that are at the same pc. */
typedef struct {
    uint32_t pc; /* instruction index */
    uint32_t mask;
    uint8_t state; /* split_state_t */
    uint32_t arg;  /* barrier register, mask, or block barrier */
} emu_split_t;

/* What a warp has executed, for the trace. */
typedef struct {
    trace_run_t *runs;
    uint64_t *addrs;
    size_t n_runs, cap_runs, n_addrs, cap_addrs;
    uint64_t n_insts;
} emu_record_t;

struct emu_warp {
    uint32_t *base[2]; /* [0] registers, [1] constant pool: how sources are addressed */
    uint32_t *r;       /* = base[0] */
    uint32_t p[EMU_PREDS];
    uint32_t alive;
    emu_split_t splits[EMU_MAX_SPLITS]; /* the last that can run, runs */
    unsigned n_splits;
    int current; /* index of the split that runs; -1: to be chosen */
    emu_block_t *block;
    emu_grid_t *grid;
    uint32_t index;             /* in the block */
    uint32_t threads;           /* lanes that the block has */
    uint32_t tid[3][EMU_LANES]; /* threadIdx */
    uint32_t bar_result;        /* of the last BAR.RED */
    uint64_t clock;
    bool faulted;
    uint8_t *local; /* EMU_LANES * local_bytes, or NULL until it is needed */
    uint32_t b[EMU_BARRIER_REGS][EMU_LANES]; /* convergence barriers, one copy per lane */
    emu_record_t record;
};

/* A block-wide barrier. */
typedef struct {
    uint32_t expected; /* threads; 0: all of the block that are alive */
    uint32_t arrived;  /* by BAR.ARV */
    uint32_t waiting;
    uint32_t votes, true_votes;
    bool reduces;
} emu_barrier_t;

/* What was seen of a block that may be spinning. */
typedef struct {
    uint64_t state;   /* checksum of it, when it was last looked at */
    uint64_t look_at; /* instructions of the block before it is looked at */
    bool looked;      /* state is to be compared with the next one */
} emu_spin_t;

struct emu_block {
    emu_grid_t *grid;
    uint64_t index;
    uint32_t id[3];
    bool active, finished;
    emu_warp_t *warps;
    uint32_t n_warps;
    uint32_t *registers;
    uint8_t *shared;
    uint32_t n_alive, n_waiting; /* threads; those that wait at any barrier */
    uint32_t n_together;         /* warps that have not had their turn since a barrier opened */
    uint64_t insts;              /* warp instructions so far */
    emu_spin_t spin;
    emu_barrier_t barriers[EMU_BLOCK_BARRIERS];
};

/* What the threads that execute a launch share. */
typedef struct {
    atomic_uint_fast64_t next;  /* block that begins next */
    atomic_uint_fast64_t insts; /* warp instructions up to each thread's last check */
    atomic_uint fences;         /* executed by all */
    atomic_bool stop;           /* one of them failed */
} emu_progress_t;

/* What the steps of one HMMA.884 share: halves of A and B as numbers, element by element. */
typedef struct {
    const emu_uop_t *of; /* the step that had them last, in straight-line code; or NULL */
    double __attribute__((aligned(64))) a[4][EMU_LANES], b[4][EMU_LANES];
} emu_fragments_t;

/* A launch being executed, as one thread has it: code and constants are shared. */
struct emu_grid {
    emu_progress_t *progress;
    bool parallel; /* other threads execute blocks of the launch too */
    const emu_launch_t *launch;
    const emu_code_t *code;
    emu_uop_t *uops;
    uint32_t n_uops;
    uint32_t *pool;      /* constants, each broadcast to 32 lanes */
    uint32_t n_vectors;  /* of a warp's register file */
    uint32_t n_barriers; /* convergence barriers that the code names */
    uint32_t local_bytes, shared_bytes;
    uint8_t *bank0;
    uint64_t bank0_bytes;
    bool tracing;
    double begun; /* host time, if there is a limit to it */
    emu_totals_t totals;
    uint64_t checked_insts; /* of the totals, those that progress knows of */
    emu_fragments_t fragments;
    rb_err_t *err;
    rb_code_t rc;
};

/* --- access to operands ---------------------------------------------------------------------- */

/*
 * Writes value, an expression in lane k of registers, to the vector at word offset d of the
 * register file, in the lanes of mask.
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

/* Source i with its modifiers into v. */
EMU_INLINE void emu_load(const emu_warp_t *w, const emu_uop_t *u, unsigned i, bool mods,
                         uint32_t v[EMU_LANES])
{
    const uint32_t *s = emu_src(w, u, i);
    uint32_t am = u->am[i], xm = u->xm[i], ad = u->ad[i];

    for (int k = 0; k < EMU_LANES; k++)
        v[k] = mods ? ((s[k] & am) ^ xm) + ad : s[k];
}

/* Writes v to the vector at word offset d of the register file, in the lanes of mask. */
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
 * Each sets u->fn (and what fn needs beyond operands) for the opcodes that it knows; false: it does
 * not know this one, or not in this form.
 */
bool emu_bind_int(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_compare(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_bits(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_float(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_mufu(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_double(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_half(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_convert(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_warp(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_special(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_matrix(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_access(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_atomic(const sass_inst_t *in, emu_uop_t *u);
bool emu_bind_fetch(const sass_inst_t *in, emu_uop_t *u);

/* Makes the micro-operations and the constant pool of a launch. RB_TRACE. */
RB_CHECKED rb_code_t emu_translate(emu_grid_t *g, rb_err_t *err);

/* Makes bank 0 of a launch. */
void emu_make_bank0(emu_grid_t *g);

/* --- memory ---------------------------------------------------------------------------------- */

/* Addresses of a memory instruction; lanes that are not active have any. */
void emu_addresses(const emu_warp_t *w, const emu_uop_t *u, uint64_t a[EMU_LANES]);

/*
 * Host address of width bytes at addr of a space (mem_space_t) for a lane; NULL after reporting a
 * fault.
 */
uint8_t *emu_resolve(emu_warp_t *w, const emu_uop_t *u, unsigned space, unsigned lane,
                     uint64_t addr, unsigned width);

/*
 * The same for all active lanes of a simple access: the host address of the lowest one, and how far
 * above it each is; noted for the trace. NULL: it is not simple, or a fault; nothing has happened.
 */
uint8_t *emu_span(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, uint32_t rel[EMU_LANES]);

/* Notes the addresses for the trace. */
void emu_record_addresses(emu_warp_t *w, const emu_uop_t *u, const uint64_t a[EMU_LANES],
                          uint32_t mask);

/* The same for n addresses of equal steps, the first one of which is given. */
void emu_record_affine(emu_warp_t *w, const emu_uop_t *u, uint64_t first, unsigned n,
                       uint32_t stride);

/* Room for one record of addresses; NULL: the trace has none of this instruction. */
uint64_t *emu_record_room(emu_warp_t *w, const emu_uop_t *u);

/*
 * The same as emu_record_addresses(), from what is known: the first of n addresses and what the
 * others are more (rest of d: 0), all below 2^31; affine: by equal steps.
 */
void emu_record_deltas(emu_warp_t *w, const emu_uop_t *u, uint64_t first,
                       const uint32_t d[EMU_LANES], unsigned n, bool affine);

/* A call of a function of the driver, for the lanes of mask, by the ABI of device functions. */
void emu_system_call(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* Reports that the program is at fault: the first message of a launch is kept. */
void emu_fault(emu_warp_t *w, const emu_uop_t *u, const char *format, ...) RB_PRINTF(3, 4);

/* --- warps and blocks ------------------------------------------------------------------------ */

/* Runs a warp until it waits, ends, faults, or has executed budget instructions; their number. */
uint64_t emu_warp_run(emu_warp_t *w, uint64_t budget);

/*
 * Whether all threads of the block, which have just had a turn, are again where they were before
 * it, with the same registers: they wait for what another block is to write. It is looked at now
 * and then.
 */
bool emu_spins(emu_block_t *b);

/* Instructions of a block before it is looked at (again). */
uint64_t emu_spin_interval(const emu_block_t *b);

/* Executes a control instruction of the current split, whose active lanes under guard are mask. */
void emu_control(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

#endif
