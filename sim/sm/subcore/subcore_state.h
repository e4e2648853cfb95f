/*
 * The state of the sub-cores: warps, ready sets, pipes, dependences, register-file ports. Only the
 * files of this folder use it.
 */
#ifndef RUBATO_SM_SUBCORE_STATE_H
#define RUBATO_SM_SUBCORE_STATE_H

#include "sim/core/cycle.h"
#include "sim/isa/isa.h"
#include "sim/isa/stream.h"
#include "sim/sm/sm_limits.h"
#include "sim/sm/sm_params.h"
#include "sim/sm/subcore/wake_ring.h"

enum {
    MAX_RF_BANKS = 4,
    SHORTEST_BUFFER = 3, /* shortest buffer that is refilled as fast as a warp issues, in
                          * instructions */
    OPERAND_SLOTS = INST_OPERAND_SLOTS,
    RESULT_CYCLES = 64, /* longer latencies are not checked for write-port conflicts */
    NOT_ISSUING = -1,
};

/*
 * An entry of the dependence table: when a register is ready.
 *   bits 3-31: cycle (modulo 2^29; a periodic sweep keeps old entries comparable)
 *   bit 2: the cycle is not known yet (a load is in flight)
 *   bits 0-1: what a warp that waits for it is charged to (dep_kind_t)
 */
typedef uint32_t dep_t;
enum { DEP_PENDING = 4, DEP_KIND = 3, DEP_SHIFT = 3 };

/* The dependence tables of a warp: REG_ID_COUNT entries, and one per GPR. */
enum {
    DEP_ENTRIES = REG_ID_COUNT + REG_ID_PRED,
    DEP_WARPS = 8,
    DEP_GROUPS = SM_MAX_WARPS / DEP_WARPS
};
_Static_assert(SM_MAX_WARPS % DEP_WARPS == 0, "the groups have all warps");

/* A dependence counter of the control words: the instructions that it counts now. */
enum { CONTROL_COUNTERS = 6, CONTROL_COUNTER_MAX = 63 };
typedef struct {
    cycle_t until;   /* latest known release cycle */
    uint8_t unknown; /* instructions whose release cycle is not known yet */
    uint8_t known;   /* entries in its list of releases; some may have passed */
    uint8_t kind;    /* dep_kind_t of the latest release */
    uint8_t unknown_kind;
    bool tensor; /* the latest release is an HMMA's */
} counter_t;

/* A group of asynchronous copies of a warp. */
typedef struct {
    cycle_t until;        /* latest known completion of its copies */
    const inst_t *commit; /* the LDGDEPBAR that closed it */
    uint16_t unknown;     /* copies whose completion is not known yet */
} copy_group_t;

/* The groups of a warp: a ring. All before `oldest` are done at cycle `until`. */
enum { COPY_GROUPS = 32 };
typedef struct {
    cycle_t until;
    uint8_t oldest, open;
    copy_group_t group[COPY_GROUPS];
} copies_t;

typedef struct {
    const inst_t *inst; /* next instruction; NULL: no warp, or it has ended */
    const uint64_t *addr;
    const trace_run_t *run;
    struct sub_core *sub; /* its sub-core */
    dep_t *dep; /* by register: when it is ready; part of subcore_t.tables. warp_hold() follows */
    uint32_t mask;
    uint32_t left; /* instructions of the run after inst */
    uint32_t runs_left;
    uint16_t held;         /* instructions whose sources are pending in hold */
    uint8_t lanes;         /* number of bits in mask */
    uint8_t state;         /* sm_state_t charged from since on */
    cycle_t since;         /* charged up to here, if not in a ready set */
    cycle_t base;          /* inst may not issue earlier, dependences apart */
    cycle_t stalled_until; /* control words: end of the stall count of the previous instruction */
    cycle_t pred_ready;    /* when branches see the predicates set last */
    cycle_t issued;        /* with a short instruction buffer: cycle of the last issue */
    cycle_t dep_until;     /* latest entry of its dependence tables, pending ones apart */
    cycle_t held_until;    /* the same of hold alone */
    cycle_t other_until;   /* the same of results of which inst_t.near tells nothing: not of simple
                            * instructions of this run */
    uint8_t base_state;    /* what waiting for base is charged to */
    uint8_t park;          /* park_t */
    uint8_t slot;          /* its number */
    uint8_t sub_core;
    uint8_t place;   /* index among the warps of its sub-core */
    bool control;    /* its dependences are tracked by control words, not by the scoreboard */
    uint8_t more;    /* more_t */
    uint8_t awaited; /* parked for a dependence: one that alone keeps it and its state; an index of
                      * inst->dep, with control words a counter; AWAITS_NO_ONE: look at all */
} warp_t;

enum { AWAITS_NO_ONE = UINT8_MAX };

/* What may follow the runs of a warp: another piece of its stream; what warp_waits.c says. */
typedef enum { MORE_NOTHING, MORE_PIECES, MORE_WAITS } more_t;

/* A place in the stream of a warp: before an instruction of a run. */
typedef struct {
    const trace_run_t *run;
    const uint64_t *addr;
    uint32_t done; /* instructions of the run before it */
    uint32_t runs_left;
    uint64_t inst; /* its number in the warp */
} stream_place_t;

/* A warp whose stream has waits (stream_wait_t); see warp_waits.c. */
typedef struct {
    stream_place_t at, begin;        /* of the next instruction after warp_t.left; of the wait */
    const stream_wait_t *next, *end; /* waits that it has not reached */
    const stream_wait_t *now;        /* NULL: it is in none */
    cycle_t since;                   /* when it reached that */
    bool tail;                       /* its test has failed */
    bool pieces;
} warp_waits_t;

/* By GPR: when memory instructions of the warp have read it. */
static inline dep_t *warp_hold(const warp_t *warp)
{
    return warp->dep + REG_ID_COUNT;
}

_Static_assert(sizeof(warp_t) == 128, "two lines of the host's cache");

/* A pipe of a sub-core. */
typedef struct {
    cycle_t free_at;    /* when the pipe takes the next instruction */
    uint64_t busy;      /* cycles before free_base in which it was busy, conflicts apart; only
                         * differences have a meaning */
    cycle_t free_base;  /* free_at without register-file conflicts */
    uint64_t throttled; /* see ready.c */
} pipe_state_t;

typedef struct sub_core {
    cycle_t next;       /* nothing happens earlier; CYCLE_NEVER: no warp is ready or will be soon */
    cycle_t issue_free; /* when the control stage takes the next instruction */
    cycle_t looked;     /* last cycle in which a warp was picked */
    cycle_t ahead;      /* it has run ahead up to this cycle */
    uint64_t waited;    /* see ready.c */
    uint64_t passed_over; /* the same */
    uint32_t ready_pipes; /* bit p: ready[p] != 0 */
    uint32_t last;        /* warp issued last (bit number) */
    uint16_t at_barrier;  /* its warps that wait at a barrier */
    uint16_t dry;         /* those of them whose instruction buffer is not filled yet */
    bool picked;          /* `last` is the pick of cycle `next`; it has not issued yet */
    wake_ring_t wakes;
    uint32_t
        ready[PIPE_COUNT]; /* by pipe: warps whose next instruction is ready for it; bit i: i-th
                                 * warp of the sub-core */
    pipe_state_t pipe[PIPE_COUNT];
    warp_t *warp; /* its first warp; the others follow at a distance of the number of sub-cores */
    uint32_t free_slots;             /* warp slots without a warp */
    uint32_t scheduler_word;         /* state of the scheduler */
    uint32_t age[SM_SUB_CORE_WARPS]; /* start order of each warp; contiguous for the scheduler */
    cycle_t allocate_free;           /* when the operand stage takes the next instruction */
    cycle_t port_base;               /* cycle of the lowest entry of ports */
    uint64_t ports[MAX_RF_BANKS];    /* four bits per cycle: reserved reads of a bank */
    uint32_t operand_cache[MAX_RF_BANKS][OPERAND_SLOTS]; /* key of warp and register; 0: empty */
    uint32_t operands_held;                              /* entries in use */
    uint64_t threads, pred_off; /* see tally.h: thread instructions, instructions without lanes */
    uint64_t issued[OP_CLASS_COUNT]; /* instructions, */
    uint64_t flops[OP_CLASS_COUNT];  /* and their floating-point operations */
    uint64_t results[RESULT_CYCLES]; /* fixed latency, per cycle modulo RESULT_CYCLES: a cycle, and
                                      * the banks written in it */
} sub_core_t;

typedef struct {
    cycle_t issue_next; /* next cycle at which something happens in a sub-core */
    int32_t issuing;    /* sub-core that is issuing now: its ready sets of this cycle are fixed */
    uint32_t next_age;
    uint32_t short_buffer; /* instructions in a warp's buffer if it is too short to be refilled in
                            * time, else 0 */
    uint32_t last_bank;    /* number of the last register-file bank */
    uint16_t simple; /* INST_SIMPLE if the configuration makes nothing special of these, else 0 */
    bool plain; /* arithmetic depends on nothing but registers, pipes and the instruction cache */
    bool any_delays; /* warp_delay() is for every instruction: a short buffer, an ideal core */
    bool cut_warps;
    bool greedy;           /* scheduler_is_greedy() */
    uint32_t shared_pipes; /* bit set of the pipes that the sub-cores share: FP64 or none */
    /* By isa_class_speed(), a byte each: the longest latency, to compare with inst_t.near. */
    uint32_t far;
    uint64_t
        port_window; /* with two banks of one read port each: a port in each cycle of the window,
                           * as in ports; else 0 */
    warp_t warp[SM_MAX_WARPS];
    sub_core_t sub[SM_MAX_SUB_CORES];
    dep_t *tables[DEP_GROUPS]; /* owned; with a scoreboard, the dependence tables of DEP_WARPS warps
                                  * each; allocated when first needed, because clearing them takes
                                  * longer than a small launch */
    counter_t *counter;        /* owned; CONTROL_COUNTERS per warp; allocated when first needed */
    cycle_t *release;          /* owned; CONTROL_COUNTER_MAX per counter, see control.c */
    warp_waits_t *waits;       /* owned; one per warp; allocated when first needed */
    copies_t *copies;          /* owned; one per warp; allocated when first needed */
    struct written *written;   /* owned; REG_ID_COUNT per warp; NULL: see stall_stretch.c */
    struct control_check *check; /* owned; one per warp; NULL: sm.control_check is off */
    cycle_t sweep_at;
} subcore_t;

#endif
