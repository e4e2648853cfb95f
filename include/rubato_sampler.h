/*
 * Samplers of your own: what a shared object for "--sample plugin:FILE.so" is compiled against.
 * Nothing else of rubato is needed, neither to compile nor to link; C99, or C++11.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I PREFIX/include every_nth.c -o every_nth.so
 *   rubato run app.rbt --sample plugin:./every_nth.so,n=4
 *
 * The object defines one symbol, rubato_sampler (at the end of this file). docs/plugins.md has the
 * rules, and two examples.
 *
 * UNSTABLE: this interface changes without notice until its number is called stable. An object that
 * was compiled against another number is refused; compile it again.
 *
 * Hooks that return int return 0, or anything else after writing into `why` what is wrong: the run
 * ends with that message. What a sampler decides must follow from what it is given and from nothing
 * else: no clock, no addresses, no randomness but that of the seed, no variables that outlive a
 * state. Then the same run gives the same results on any number of threads, and can be resumed.
 */
#ifndef RUBATO_SAMPLER_H
#define RUBATO_SAMPLER_H

#include <stdint.h>

#define RUBATO_SAMPLER_INTERFACE 1

#define RUBATO_WHY_MAX      256 /* bytes of `why`, the NUL included */
#define RUBATO_EVIDENCE_MAX 200 /* bytes of the evidence for a report, the NUL included */

/* ---- Options ---------------------------------------------------------------------------------
 * Declared in a table, read and range-checked by rubato, described by "--sample
 * plugin:FILE.so:help".
 */
typedef enum {
    RUBATO_INTEGER, /* min to max; 0 <= min, max <= 2^53 */
    RUBATO_REAL,    /* min to max; may be written "5%" */
    RUBATO_TRUTH,   /* on, off */
    RUBATO_WORD,    /* one of words */
    RUBATO_TEXT     /* at most 239 characters without a comma; a file's name, for instance */
} rubato_option_kind_t;

typedef struct {
    const char *name; /* letters, digits and '_', in lower case */
    rubato_option_kind_t kind;
    const char *initial; /* what holds if it is not given, as a user would write it */
    double min, max;
    const char *const *words; /* of RUBATO_WORD: ends with NULL */
    const char *help;
} rubato_option_t;

/* The value of an option, in the member of its kind. */
typedef struct {
    uint64_t integer;
    double real;
    int truth;
    unsigned word; /* index in words */
    const char *text;
} rubato_value_t;

/* ---- Samplers that choose launches --------------------------------------------------------- */

/* Counters of a launch, each a column. */
typedef enum {
    RUBATO_WARP_INSTS,
    RUBATO_THREAD_INSTS,
    RUBATO_REQUESTS, /* of 128 bytes to global and local memory */
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
 * The launches of the program, one row each, from 0. A column that is not known is NULL.
 *
 * Basic-block vectors are sparse, and kept once: vector v has the pairs bbv_block/bbv_count
 * [bbv_begin[v] .. bbv_begin[v + 1]). Row i has vector bbv_of[i]. Where mix_of is there, a vector
 * is that of one warp, and row i has the pairs mix_bbv/mix_warps[mix_begin[m] .. mix_begin[m + 1])
 * of m = mix_of[i]: vector, and number of warps that have it.
 */
typedef struct {
    uint64_t n;
    const uint64_t *id;         /* launch ids, ascending; NULL: 1, 2, ... */
    const uint32_t *kernel;     /* row -> index in kernels */
    const char *const *kernels; /* names */
    uint32_t n_kernels;
    const double *time; /* of a profile: nanoseconds, or core cycles if time_is_cycles */
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

/* What a sampler is to do; valid from create() to destroy(). */
typedef struct {
    const rubato_launches_t *launches;
    const rubato_value_t *options; /* in the order of the table */
    uint64_t seed;                 /* of --seed */
} rubato_task_t;

/* What the launches count for. Arrays of one element per row, all zero when weigh() is called. */
typedef struct {
    uint32_t *group; /* launches that stand for each other have one number, below n */
    double
        *weight; /* 0: not simulated; else what the launch counts for in every sum, at most 1e12 */
    /*
     * 1: those with a weight were drawn at random within their group, each launch equally likely,
     * and no launch twice. Then all weights of a group must be its size over its draws, and rubato
     * computes a confidence interval from the groups. 0: there is none, unless interval() gives it.
     */
    int random;
} rubato_choice_t;

/* Of the total cycles of all launches. */
typedef struct {
    double low, high;  /* the estimate lies within */
    double confidence; /* between 0 and 1 */
} rubato_interval_t;

/* Sets of what the sampler needs to know of every launch; rubato says so where it is missing. */
#define RUBATO_NEEDS_TIME       1u
#define RUBATO_NEEDS_WARP_INSTS 2u
#define RUBATO_NEEDS_COUNTERS   4u
#define RUBATO_NEEDS_BBV        8u
#define RUBATO_NEEDS_GRID       16u

typedef struct {
    unsigned needs;

    /* The sampler's state, for the other hooks. Both may be NULL. */
    int (*create)(const rubato_task_t *task, void **state, char *why);
    void (*destroy)(void *state);

    /*
     * Of samplers that choose as the run goes; NULL: weigh() chooses before it. Sets next[row] to 1
     * for the launches to simulate next; none: it is done. cycles[row] is NaN if the launch was not
     * simulated yet. A launch is simulated once. Each round walks through the trace: ask for many
     * at once. With --resume, what was simulated before is not simulated again, but round() is
     * asked again for each of its rounds, and must choose as it did.
     */
    int (*round)(const rubato_task_t *task, void *state, const double *cycles, unsigned char *next,
                 char *why);

    /*
     * What each launch counts for. Without round(): the choice; cycles is NULL. With it: called
     * once, after the last round; a launch has a weight if, and only if, it was simulated.
     */
    int (*weigh)(const rubato_task_t *task, void *state, const double *cycles,
                 rubato_choice_t *choice, char *why);

    /* Together with round(): a confidence interval, after weigh(). NULL: there is none. */
    int (*interval)(const rubato_task_t *task, void *state, const double *cycles,
                    rubato_interval_t *interval, char *why);
} rubato_launch_sampler_t;

/* ---- Samplers inside launches --------------------------------------------------------------
 * Times are core cycles since the launch began. Blocks count from 0 in the order of dispatch.
 */
typedef struct {
    uint64_t id;
    const char *kernel;
    uint32_t grid[3], block[3];
    uint64_t blocks;         /* of the launch */
    uint64_t slots;          /* blocks that the chip holds at once */
    uint64_t interval;       /* cycles between two calls of interval() */
    uint64_t launch_latency; /* cycles before the first block */
    const rubato_value_t *options;
    uint64_t seed;
} rubato_launch_t;

/* Something retired. */
typedef struct {
    uint64_t start, retire;
    uint64_t block;
    uint64_t insts; /* warp instructions */
    uint32_t pc;    /* of a basic block: its first instruction */
    uint16_t sm;
    uint16_t warp; /* of the block */
} rubato_record_t;

typedef enum {
    RUBATO_WARPS,
    RUBATO_BLOCKS,
    RUBATO_BASIC_BLOCKS,
    RUBATO_RECORDS
} rubato_record_kind_t;

/* What the launch has done up to the end of an interval. */
typedef struct {
    uint64_t cycle; /* end of the interval */
    uint64_t warp_insts, blocks_done;
    uint64_t next_block; /* the first that is not dispatched yet */
    uint64_t resident;   /* blocks dispatched and not done */
    uint64_t oldest;     /* first block that is on an SM; next_block: there is none */
    uint64_t l2_taken;   /* sectors read into the L2, or written anew there */
    uint64_t l2_touched; /* sectors looked up in it */
    uint64_t dram_moved; /* sectors read and written by the DRAM */
    /* What retired in the interval, of the kinds asked for, in the order (cycle, SM, sequence). */
    struct {
        const rubato_record_t *list;
        uint64_t n;
    } records[RUBATO_RECORDS];
} rubato_progress_t;

typedef enum {
    RUBATO_HOLD_SLOTS, /* each block holds its place for the cycles that block() says */
    RUBATO_ADD_CYCLES  /* the blocks are left out; forward_end() says how long they take */
} rubato_model_t;

typedef enum {
    RUBATO_DRAIN,   /* blocks on the chip are simulated to their end, which counts */
    RUBATO_PREDICT, /* HOLD_SLOTS: they hold their places as predicted instead. ADD_CYCLES: the
                     * clock stands still meanwhile; only to the launch's end */
    RUBATO_CUT      /* as PREDICT, and they are ended at once; only to the launch's end */
} rubato_residents_t;

/* Leaves out the blocks from the next one to `until`. */
typedef struct {
    uint64_t until; /* first block to be simulated again; at or past the last: none is */
    rubato_model_t model;
    rubato_residents_t residents;
    double warp_insts; /* of the whole launch, to scale counters by; 0: by blocks */
    char evidence[RUBATO_EVIDENCE_MAX]; /* why now, for the report */
} rubato_forward_t;

typedef enum { RUBATO_SIMULATE, RUBATO_HOLD, RUBATO_SKIP } rubato_action_t;

/*
 * The state is made anew for each launch: nothing passes from one launch to the next. Every hook
 * may be NULL, but one of interval() and block() must be there.
 */
typedef struct {
    unsigned records; /* set of 1u << rubato_record_kind_t that it wants to see */

    int (*begin)(const rubato_launch_t *l, void **state, char *why);
    void (*end)(void *state);

    /* 1: fast-forwards as *out says (zeroed before). 0: goes on. Not asked during one. */
    int (*interval)(const rubato_launch_t *l, void *state, const rubato_progress_t *p,
                    rubato_forward_t *out);

    /*
     * What is done with a block (a rubato_action_t); HOLD: for *cycles. Called on any thread, at
     * any time and more than once: the answer must follow from the state as interval() left it. It
     * may change from SIMULATE to another, never back. SKIP outside of a fast-forward: the launch's
     * time and counters are scaled by the number of blocks. At least one block of each launch must
     * be simulated.
     */
    int (*block)(const rubato_launch_t *l, const void *state, uint64_t block, uint64_t *cycles);

    /* A fast-forward with ADD_CYCLES is over and has left out so many blocks: cycles that they
     * take. */
    double (*forward_end)(const rubato_launch_t *l, void *state, uint64_t blocks);

    /* The launch is over and was not stopped by interval(): what to say of it in the report. */
    void (*verdict)(const rubato_launch_t *l, const void *state, char *evidence);
} rubato_inside_sampler_t;

/* ---- The sampler --------------------------------------------------------------------------- */
typedef struct {
    uint32_t interface_number; /* RUBATO_SAMPLER_INTERFACE; stays first */
    const char *name;          /* 1 to 20 letters, digits and '_', in lower case */
    const char *help;          /* one line */
    const rubato_option_t *options;
    uint32_t n_options; /* at most 64 */
    /* One of these; the other is NULL. */
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
