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

enum {
    MAX_RF_BANKS = 4,
    SHORTEST_BUFFER = 3, /* instructions of a buffer that is refilled as fast as a warp issues */
    OPERAND_SLOTS = 3,
    RESULT_CYCLES = 64, /* longer latencies are not looked at */
    NOT_ISSUING = -1,
};

/*
 * An entry of the dependence table says when a register is ready:
 *   bits 3-31: cycle (modulo 2^29; a periodic sweep keeps old entries comparable)
 *   bit 2: the cycle is not known yet (a load is under way)
 *   bits 0-1: what a warp waiting for it is charged to (dep_kind_t)
 */
typedef uint32_t dep_t;
enum { DEP_PENDING = 4, DEP_KIND = 3, DEP_SHIFT = 3 };

/* A dependence counter of the control words: the instructions that it counts at the moment. */
enum { CONTROL_COUNTERS = 6, CONTROL_COUNTER_MAX = 63 };
typedef struct {
    cycle_t until;   /* the latest of the releases whose cycle is known */
    uint8_t unknown; /* instructions that release it at a cycle not known yet */
    uint8_t known;   /* entries of its list of releases; some may have passed */
    uint8_t kind;    /* dep_kind_t of the latest release */
    uint8_t unknown_kind;
    bool tensor; /* the latest release is an HMMA's */
} counter_t;

typedef struct {
    const inst_t *inst; /* next instruction; NULL: slot free or warp at its end */
    const uint64_t *addr;
    const trace_run_t *run;
    uint32_t mask;
    uint32_t left; /* instructions of the run after inst */
    uint32_t runs_left;
    cycle_t since;         /* charged up to here, if not in a ready set */
    cycle_t base;          /* inst may not issue earlier, dependences apart */
    cycle_t stalled_until; /* with control words: stall count of the instruction before */
    cycle_t pred_ready;    /* predicates of the last set-predicate instruction reach branches */
    cycle_t issued;        /* with a short instruction buffer: its last issue */
    cycle_t dep_until;     /* the latest entry of its dependence tables, those pending apart */
    uint8_t state;         /* sm_state_t charged from since on */
    uint8_t base_state;    /* what waiting for base is charged to */
    uint8_t park;          /* park_t */
    uint8_t sub_core;
    uint8_t place; /* among the warps of its sub-core */
    bool ready;    /* in a ready set */
    bool control;  /* control words, not the scoreboard, hold it back */
} warp_t;

typedef struct {
    uint32_t
        ready[PIPE_COUNT]; /* bit i: i-th warp of the sub-core, next instruction on this pipe */
    uint32_t ready_pipes;  /* bit p: ready[p] != 0 */
    uint32_t pending;      /* bits of warps in any ready set */
    cycle_t free_at[PIPE_COUNT];   /* pipe takes the next instruction */
    cycle_t free_base[PIPE_COUNT]; /* the same without register-file conflicts */
    cycle_t charged;               /* ready warps are charged up to here */
    uint32_t free_slots;           /* warp slots without a warp */
    uint32_t last;                 /* warp issued last (bit number) */
    uint32_t scheduler_word;       /* what its policy remembers */
    uint32_t age[32];              /* start order of each warp, adjacent for the scheduler */
    cycle_t allocate_free;         /* operand stage takes the next instruction */
    cycle_t issue_free;            /* control stage takes the next instruction */
    cycle_t port_base;             /* cycle of the lowest entry of ports */
    uint64_t ports[MAX_RF_BANKS];  /* four bits a cycle: reads of a bank promised */
    uint32_t operand_cache[MAX_RF_BANKS][OPERAND_SLOTS]; /* warp and register, 0: nothing */
    uint32_t operands_held;                              /* entries in use */
    uint64_t results[RESULT_CYCLES]; /* fixed latency: per cycle modulo RESULT_CYCLES the latest
                                      * cycle with a result and the banks written in it */
} sub_core_t;

typedef struct {
    cycle_t issue_next; /* next cycle at which some sub-core may issue */
    int32_t issuing;    /* sub-core that is issuing: its ready sets of this cycle are decided */
    uint32_t next_age;
    uint32_t short_buffer; /* places of a buffer too short to be refilled in time; 0: it is not */
    bool cut_warps;
    warp_t warp[SM_MAX_WARPS];
    sub_core_t sub[SM_MAX_SUB_CORES];
    dep_t *dep;         /* owned; REG_ID_COUNT per warp: results */
    dep_t *hold;        /* owned; 256 per warp: GPRs that a memory instruction has yet to read */
    counter_t *counter; /* owned; CONTROL_COUNTERS per warp; made when needed */
    cycle_t *release;   /* owned; CONTROL_COUNTER_MAX per counter */
    struct control_check *check; /* owned; one per warp, NULL: not asked for */
    cycle_t sweep_at;
} subcore_t;

#endif
