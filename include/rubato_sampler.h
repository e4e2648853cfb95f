/*
 * The interface for your own samplers: a shared object for "--sample plugin:FILE.so" is compiled
 * against this header. Nothing else of rubato is needed to compile or to link it. C99 or C++11.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I PREFIX/include every_nth.c -o every_nth.so
 *   rubato run app.rbt --sample plugin:./every_nth.so,n=4
 *
 * The object defines one symbol, rubato_sampler (see the end of this file). docs/plugins.md has the
 * rules and two examples.
 *
 * UNSTABLE: this interface changes without notice until its number is called stable. An object
 * compiled against another number is refused; compile it again.
 *
 * Hooks that return int return 0 on success. For an error they write a message to `why` and return
 * another value; the run ends with that message. The decisions of a sampler must depend only on
 * what it is given: not on clocks, addresses, other random numbers than those of the seed, or
 * variables that outlive a state. Then a run gives the same results on any number of threads, and
 * can be resumed.
 */
#ifndef RUBATO_SAMPLER_H
#define RUBATO_SAMPLER_H

#include <stdint.h>

#define RUBATO_SAMPLER_INTERFACE 1

#define RUBATO_WHY_MAX      256 /* bytes of `why`, the NUL included */
#define RUBATO_EVIDENCE_MAX 200 /* bytes of the evidence for a report, the NUL included */

/* ---- Options ---------------------------------------------------------------------------------
 * Declared in a table; rubato reads them, checks their ranges and describes them with "--sample
 * plugin:FILE.so:help". */
typedef enum {
    RUBATO_INTEGER, /* min to max; 0 <= min, max <= 2^53 */
    RUBATO_REAL,    /* min to max; may also be written as "5%" */
    RUBATO_TRUTH,   /* on, off */
    RUBATO_WORD,    /* one of words */
    RUBATO_TEXT     /* at most 239 characters, no comma; for example a file name */
} rubato_option_kind_t;

typedef struct {
    const char *name; /* at most 32 lower-case letters, digits and '_', starting with a letter */
    rubato_option_kind_t kind;
    const char *initial; /* default value, as a user would write it */
    double min, max;
    const char *const *words; /* RUBATO_WORD: the allowed words, terminated by NULL */
    const char *help;
} rubato_option_t;

/* The value of an option; its kind determines the member. */
typedef struct {
    uint64_t integer;
    double real;
    int truth;
    unsigned word; /* index into words */
    const char *text;
} rubato_value_t;

/* ---- Samplers that choose launches --------------------------------------------------------- */

/* Counters of a launch; each is a column. */
typedef enum {
    RUBATO_WARP_INSTS,
    RUBATO_THREAD_INSTS,
    RUBATO_REQUESTS, /* requests of 128 bytes to global and local memory */
    RUBATO_GLOBAL_LD_SECTORS,
    RUBATO_GLOBAL_ST_SECTORS,
    RUBATO_LOCAL_LD_SECTORS,
    RUBATO_GLOBAL_LD_INSTS,
    RUBATO_GLOBAL_ST_INSTS,
    RUBATO_LOCAL_LD_INSTS,
    RUBATO_SHARED_LD_INSTS,
    RUBATO_SHARED_ST_INSTS,
    RUBATO_GLOBAL_ATOMICS,
    RUBATO_BLOCK_COV, /* coefficient of variation of the blocks' thread instructions */
    RUBATO_COUNTERS
} rubato_counter_t;

/*
 * The launches of the program, one row each, from 0. Unknown columns are NULL.
 *
 * Basic-block vectors are sparse and stored once: vector v has the pairs bbv_block/bbv_count
 * [bbv_begin[v] .. bbv_begin[v + 1]), and row i has vector bbv_of[i]. If mix_of is not NULL, a
 * vector is that of one warp, and row i has the pairs mix_bbv/mix_warps[mix_begin[m] .. mix_begin[m
 * + 1]) with m = mix_of[i]: a vector, and the number of warps that have it.
 */
typedef struct {
    uint64_t n;
    const uint64_t *id;         /* launch ids, ascending; NULL: 1, 2, ... */
    const uint32_t *kernel;     /* row -> index in kernels */
    const char *const *kernels; /* names */
    uint32_t n_kernels;
    const double *time; /* from a profile: nanoseconds, or core cycles if time_is_cycles */
    int time_is_cycles;
    const uint32_t (*grid)[3], (*block)[3];
    const double *counter[RUBATO_COUNTERS]; /* by rubato_counter_t */

    const uint32_t *bbv_of;
    uint64_t n_bbvs;
    const uint64_t *bbv_begin;
    const uint32_t *bbv_block;
    const double *bbv_count;
    const uint32_t *mix_of;
    uint64_t n_mixes;
    const uint64_t *mix_begin;
    const uint32_t *mix_bbv;
    const double *mix_warps;
} rubato_launches_t;

/* The task of a sampler; valid from create() to destroy(). */
typedef struct {
    const rubato_launches_t *launches;
    const rubato_value_t *options; /* in the order of the table */
    uint64_t seed;                 /* value of --seed */
} rubato_task_t;

/* Which launches are simulated, with their weights. Arrays with one element per row, all zero when
 * weigh() is called. */
typedef struct {
    uint32_t *group; /* launches that represent each other have the same number, below n */
    double *weight;  /* 0: not simulated; else its weight in every sum, at most 1e12 */
    /*
     * 1: the launches with a weight were drawn at random within their group, all with equal
     * probability and without replacement. Then every weight must be the size of its group divided
     * by the draws of its group, and rubato computes a confidence interval. 0: no interval, unless
     * interval() gives one.
     */
    int random;
} rubato_choice_t;

/* A confidence interval of the total cycles of all launches. */
typedef struct {
    double low, high;  /* must contain the estimate */
    double confidence; /* between 0 and 1, exclusive */
} rubato_interval_t;

/* What the sampler needs to know about every launch, as a set; rubato reports what is missing. */
#define RUBATO_NEEDS_TIME       1u
#define RUBATO_NEEDS_WARP_INSTS 2u
#define RUBATO_NEEDS_COUNTERS   4u
#define RUBATO_NEEDS_BBV        8u
#define RUBATO_NEEDS_GRID       16u

typedef struct {
    unsigned needs;

    /* Create and free the sampler's state, which the other hooks get. Both may be NULL. */
    int (*create)(const rubato_task_t *task, void **state, char *why);
    void (*destroy)(void *state);

    /*
     * For samplers that choose during the run; NULL: weigh() chooses before it. Sets next[row] to 1
     * for the launches to simulate next; none: finished. cycles[row] is NaN if the launch was not
     * simulated yet. A launch can be simulated only once. Each round is a pass over the trace, so
     * request many launches at once. With --resume, results of earlier rounds are reused, but
     * round() is called again for each of them and must choose the same launches.
     */
    int (*round)(const rubato_task_t *task, void *state, const double *cycles, unsigned char *next,
                 char *why);

    /* Sets the weight of each launch. Without round(): this is the choice; cycles is NULL. With
     * round(): called once, after the last round; a launch must have a weight if and only if it was
     * simulated. */
    int (*weigh)(const rubato_task_t *task, void *state, const double *cycles,
                 rubato_choice_t *choice, char *why);

    /* Only with round(): a confidence interval, after weigh(). May be NULL. */
    int (*interval)(const rubato_task_t *task, void *state, const double *cycles,
                    rubato_interval_t *interval, char *why);
} rubato_launch_sampler_t;

/* ---- Samplers inside launches --------------------------------------------------------------
 * Times are core cycles since the launch began. Blocks are numbered from 0 in the order of
 * dispatch. */
typedef struct {
    uint64_t id;
    const char *kernel;
    uint32_t grid[3], block[3];
    uint64_t blocks;         /* of the launch */
    uint64_t slots;          /* blocks that fit on the chip at once */
    uint64_t interval;       /* cycles between two calls of interval() */
    uint64_t launch_latency; /* cycles before the first block */
    const rubato_value_t *options;
    uint64_t seed;
} rubato_launch_t;

/* A warp, block or basic block that retired. */
typedef struct {
    uint64_t start, retire;
    uint64_t block;
    uint64_t insts; /* warp instructions */
    uint32_t pc;    /* of the first instruction of a basic block */
    uint16_t sm;
    uint16_t warp; /* index within the block */
} rubato_record_t;

typedef enum {
    RUBATO_WARPS,
    RUBATO_BLOCKS,
    RUBATO_BASIC_BLOCKS,
    RUBATO_RECORDS
} rubato_record_kind_t;

/* The state of a launch at the end of an interval. */
typedef struct {
    uint64_t cycle; /* end of the interval */
    uint64_t warp_insts, blocks_done;
    uint64_t next_block; /* first block that is not dispatched yet */
    uint64_t resident;   /* blocks dispatched and not done */
    uint64_t oldest;     /* lowest block on an SM; next_block if there is none */
    uint64_t l2_taken;   /* sectors filled into the L2, or newly written there */
    uint64_t l2_touched; /* sectors looked up in the L2 */
    uint64_t dram_moved; /* sectors read and written by the DRAM */
    /* What retired in the interval, of the requested kinds, ordered by (cycle, SM, sequence). */
    struct {
        const rubato_record_t *list;
        uint64_t n;
    } records[RUBATO_RECORDS];
} rubato_progress_t;

typedef enum {
    RUBATO_HOLD_SLOTS, /* each block holds its place for the cycles that block() returns */
    RUBATO_ADD_CYCLES  /* the blocks are skipped; forward_end() returns how long they take */
} rubato_model_t;

typedef enum {
    RUBATO_DRAIN,   /* blocks on the chip are simulated to their end, and that time counts */
    RUBATO_PREDICT, /* HOLD_SLOTS: they hold their places for the predicted time instead.
                     * ADD_CYCLES: the launch's time stands still meanwhile; only to the end of the
                     * launch */
    RUBATO_CUT      /* like PREDICT, but they end at once; only to the end of the launch */
} rubato_residents_t;

/* A fast-forward: leaves out the blocks from the next one to `until`. */
typedef struct {
    uint64_t until; /* first block to simulate again; past the last block: none */
    rubato_model_t model;
    rubato_residents_t residents;
    double warp_insts; /* of the whole launch, to scale counters; 0: scaled by blocks */
    char evidence[RUBATO_EVIDENCE_MAX]; /* reason for the decision, for the report */
} rubato_forward_t;

typedef enum { RUBATO_SIMULATE, RUBATO_HOLD, RUBATO_SKIP } rubato_action_t;

/* The state is created anew for each launch: nothing is passed from one launch to the next. Every
 * hook may be NULL, but interval() or block() must exist. */
typedef struct {
    unsigned records; /* set of 1u << rubato_record_kind_t: the records that it needs */

    int (*begin)(const rubato_launch_t *l, void **state, char *why);
    void (*end)(void *state);

    /* 1: fast-forward as *out says (zeroed before the call). 0: continue. Not called during a
     * fast-forward. */
    int (*interval)(const rubato_launch_t *l, void *state, const rubato_progress_t *p,
                    rubato_forward_t *out);

    /*
     * Decides about a block (a rubato_action_t); with HOLD it sets *cycles. Called on any thread,
     * at any time and more than once, so the answer must depend only on the state that interval()
     * left. It may change from SIMULATE to another, never back. SKIP outside a fast-forward: the
     * launch's time and counters are scaled by the number of blocks. At least one block of each
     * launch must be simulated.
     */
    int (*block)(const rubato_launch_t *l, const void *state, uint64_t block, uint64_t *cycles);

    /* A fast-forward with ADD_CYCLES has ended after skipping `blocks` blocks. Returns the cycles
     * that they take. */
    double (*forward_end)(const rubato_launch_t *l, void *state, uint64_t blocks);

    /* The launch has ended and interval() did not stop it: writes a remark for the report. */
    void (*verdict)(const rubato_launch_t *l, const void *state, char *evidence);
} rubato_inside_sampler_t;

/* ---- The sampler --------------------------------------------------------------------------- */
typedef struct {
    uint32_t interface_number; /* RUBATO_SAMPLER_INTERFACE; must stay the first member */
    const char *name;          /* 1 to 20 lower-case letters, digits and '_', starting with a
                                * letter */
    const char *help;          /* one line */
    const rubato_option_t *options;
    uint32_t n_options; /* at most 64 */
    /* Exactly one of these; the other is NULL. */
    const rubato_launch_sampler_t *launch;
    const rubato_inside_sampler_t *inside;
} rubato_sampler_t;

#ifdef __cplusplus
extern "C" {
#endif

/* The one symbol of a sampler: "const rubato_sampler_t rubato_sampler = { ... };". */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const rubato_sampler_t rubato_sampler;

#ifdef __cplusplus
}
#endif

#endif
