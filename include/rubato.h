/*
 * librubato: a cycle-level simulator of NVIDIA GPUs, as a library.
 *
 *     rubato_trace *trace = rubato_trace_open("x.rbt", NULL, NULL, &error);
 *     rubato_config *config = rubato_config_open("v100", NULL, &error);
 *     rubato_config_set(config, "l2.size", "3MiB", &error);
 *     rubato_sim *sim = rubato_sim_create(config, trace, NULL, &error);
 *     while (rubato_sim_next(sim, &launch, &error) == RUBATO_OK && launch != NULL)
 *         printf("%s: %llu cycles\n", launch->name, launch->end - launch->start);
 *     rubato_stats_value(rubato_sim_totals(sim), "metrics.ipc", &ipc, &error);
 *
 * UNSTABLE: the interface may change with every release, and then RUBATO_API_VERSION does. Compare
 * it with rubato_api_version() before anything else.
 *
 * Errors are values. A function that can fail takes a rubato_error, which it fills only when it
 * fails (NULL: the text is not wanted), and returns its code, or NULL where it creates something.
 * The library prints nothing, installs no signal handlers and has no state of its own: handles are
 * independent of each other, also in different threads. One handle may be used by one thread at a
 * time; rubato_sim_stop() is the exception. Two conditions end the process, with a message on
 * standard error: memory that is refused by the system (exit status 1), and a bug of the library
 * (112).
 *
 * Texts are UTF-8 and end with 0. What a function returns belongs to the handle that it was asked
 * of, unless its comment says otherwise.
 */
#ifndef RUBATO_H
#define RUBATO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RUBATO_API __attribute__((visibility("default")))
#else
#define RUBATO_API
#endif

#define RUBATO_API_VERSION 1

/* RUBATO_API_VERSION of the library that is running, and its release, such as "0.1.0". */
RUBATO_API uint32_t rubato_api_version(void);
RUBATO_API const char *rubato_version(void);

/* --- errors and messages ---------------------------------------------------------------------- */

typedef enum {
    RUBATO_OK = 0,
    RUBATO_USAGE = 1,   /* a function was called wrongly, or a value is not legal */
    RUBATO_CONFIG = 2,  /* a configuration file is wrong, or values do not fit each other */
    RUBATO_TRACE = 3,   /* a trace is wrong, or cannot run on this GPU */
    RUBATO_IO = 4,      /* the system's reason: no such file, no permission, disk full */
    RUBATO_NOMEM = 5,   /* more memory than the caller allows would be needed */
    RUBATO_STOPPED = 6, /* by rubato_sim_stop() or a callback */
} rubato_code;

typedef struct {
    rubato_code code;
    char text[1024]; /* what is wrong, where, and what to do */
} rubato_error;

/* Takes warnings (warning = 1) and remarks (0): one line, without a line break. It may be called
 * from any thread, but by one at a time, until the handle that it was given to is destroyed. */
typedef struct {
    void (*say)(void *ctx, int warning, const char *text);
    void *ctx;
} rubato_log;

/* --- configurations --------------------------------------------------------------------------- */

typedef struct rubato_config rubato_config;

/*
 * The configuration of a GPU: a name such as "v100", or the path of a file. Names are looked for in
 * the folder that RUBATO_CONFIGS names, then in those installed with the library. log is copied;
 * NULL: messages are dropped.
 */
RUBATO_API rubato_config *rubato_config_open(const char *gpu, const rubato_log *log,
                                             rubato_error *error);

/* Adds another on top: what it says goes before what is there. If it fails, nothing is changed. */
RUBATO_API rubato_code rubato_config_add(rubato_config *config, const char *gpu,
                                         rubato_error *error);

/* NULL is harmless, here and in the other functions that destroy. */
RUBATO_API void rubato_config_destroy(rubato_config *config);

/*
 * Sets one value, as "-s key=value" does: "l2.size", "3MiB". RUBATO_USAGE for an unknown key or a
 * value that is not legal; nothing is changed then. Whether values fit each other is seen by
 * rubato_config_check() and rubato_sim_create().
 */
RUBATO_API rubato_code rubato_config_set(rubato_config *config, const char *key, const char *value,
                                         rubato_error *error);

/* The value of a key as text: 24, "3MiB" (with its quotes), true. RUBATO_USAGE: unknown key, or
 * no room. */
RUBATO_API rubato_code rubato_config_get(const rubato_config *config, const char *key, char *value,
                                         size_t size, rubato_error *error);

/* Whether all values fit each other. */
RUBATO_API rubato_code rubato_config_check(rubato_config *config, rubato_error *error);

/*
 * All values, with unit and origin, as the text of a configuration file; group ("l2"): only these
 * settings; NULL: all. The caller frees the text with rubato_free(). NULL: values do not fit.
 */
RUBATO_API char *rubato_config_text(rubato_config *config, const char *group, rubato_error *error);

RUBATO_API void rubato_free(void *text);

/* --- traces ----------------------------------------------------------------------------------- */

typedef struct rubato_trace rubato_trace;

/*
 * Opens a trace of any kind: a native file (.rbt), an Accel-Sim folder, list or kernel file, a
 * MacSim folder. tmpdir is for temporary files of some kinds; NULL: $TMPDIR, or /tmp. log is
 * copied; NULL: messages are dropped.
 */
RUBATO_API rubato_trace *rubato_trace_open(const char *path, const char *tmpdir,
                                           const rubato_log *log, rubato_error *error);

/* After the simulation that uses it. */
RUBATO_API void rubato_trace_destroy(rubato_trace *trace);

typedef struct {
    uint64_t id;       /* 1, 2, ... in the order of the trace */
    uint64_t trace_id; /* the trace's own number */
    const char *name;  /* mangled kernel name; valid while the trace is open */
    uint32_t grid[3], block[3];
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* per block */
    uint32_t arch;         /* 70, 75, ...: compute capability of the code */
    uint64_t stream;
} rubato_launch_info;

RUBATO_API uint64_t rubato_trace_launches(const rubato_trace *trace);
RUBATO_API rubato_code rubato_trace_launch(rubato_trace *trace, uint64_t id,
                                           rubato_launch_info *info, rubato_error *error);

/* The GPU that the command line would choose for the trace: "v100" or "rtx2060". */
RUBATO_API const char *rubato_trace_gpu(rubato_trace *trace);

/* --- traces made by the caller ---------------------------------------------------------------- */

#define RUBATO_NO_CONTROL UINT32_MAX

/* A static instruction; instruction i of a kernel is at byte 16 x i of its code. */
typedef struct {
    const char *opcode;    /* with its modifiers: "LDG.E.64" */
    const char *dst, *src; /* registers, separated by blanks: "R4 P0 UR2 UP1"; NULL: none */
    uint32_t control;      /* bits 105..125 of the encoding, or RUBATO_NO_CONTROL; all instructions
                              of a kernel have a control word, or none does */
} rubato_inst;

typedef struct {
    uint64_t address, bytes;
} rubato_copy;

/* A launch. What it points to stays valid until the trace is destroyed. */
typedef struct {
    const char *name;
    uint32_t grid[3], block[3]; /* at least 1 each; a block has at most 1024 threads */
    uint32_t registers, shared_bytes;
    uint32_t arch; /* 70 or 75 */
    const rubato_inst *code;
    size_t n_code;
    const rubato_copy *copies; /* from the host, just before the launch: they are in the L2 */
    size_t n_copies;
} rubato_kernel;

/* The dynamic instructions of a warp, in program order, as they are put. */
typedef struct rubato_warp rubato_warp;

/* count instructions from number first on, none of which takes addresses, executed by the lanes of
 * mask. */
RUBATO_API void rubato_warp_run(rubato_warp *warp, uint32_t first, uint32_t count, uint32_t mask);

/* One memory instruction: a byte address for each lane of mask, in lane order. */
RUBATO_API void rubato_warp_access(rubato_warp *warp, uint32_t inst, uint32_t mask,
                                   const uint64_t *addresses);

/*
 * Where launches come from. Functions return RUBATO_OK, or another code after filling *error,
 * which ends the simulation with it. They are called by one thread at a time, which need not be the
 * one that runs the simulation, and for the same arguments must tell the same. None may use the
 * trace or its simulation.
 */
typedef struct {
    void *ctx;
    uint64_t n_launches;
    rubato_code (*launch)(void *ctx, uint64_t id, rubato_kernel *kernel, rubato_error *error);
    /* Warp number warp of block number block (x fastest) of launch id. Blocks come in ascending
     * order, some may be left out. Puts nothing: the warp does nothing. */
    rubato_code (*warp)(void *ctx, uint64_t id, uint64_t block, uint32_t warp, rubato_warp *out,
                        rubato_error *error);
    void (*destroy)(void *ctx); /* with the trace; NULL: nothing to do */
} rubato_source;

/* A trace that the caller's functions make. source and log are copied. If it fails, destroy() is
 * not called. */
RUBATO_API rubato_trace *rubato_trace_create(const rubato_source *source, const rubato_log *log,
                                             rubato_error *error);

/* --- statistics ------------------------------------------------------------------------------- */

/* Values of a launch, an interval or a whole run. */
typedef struct rubato_stats rubato_stats;

/* Every statistic, by number from 0 on; the same in all simulations of this library. */
typedef struct {
    char path[96];        /* as in stats.csv: "totals.cycles", "sm.warp_insts", "metrics.ipc" */
    const char *unit;     /* "cycles" */
    const char *hardware; /* the Nsight Compute metric that it mirrors, or "" */
    const char *help;     /* what it counts, or "" where the name says it */
    int ratio;            /* 1: not a whole number; NaN where there was nothing to measure */
} rubato_stat;

RUBATO_API size_t rubato_stat_count(void);

/* RUBATO_USAGE: there is no statistic of that number. */
RUBATO_API rubato_code rubato_stat_describe(size_t number, rubato_stat *stat, rubato_error *error);

/* By path. RUBATO_USAGE with the nearest path if it is unknown; count: if it is no whole number. */
RUBATO_API rubato_code rubato_stats_value(const rubato_stats *stats, const char *path,
                                          double *value, rubato_error *error);
RUBATO_API rubato_code rubato_stats_count(const rubato_stats *stats, const char *path,
                                          uint64_t *count, rubato_error *error);

/* By number; NaN: there is no such statistic. */
RUBATO_API double rubato_stats_at(const rubato_stats *stats, size_t number);

/* --- simulations ------------------------------------------------------------------------------ */

typedef struct rubato_sim rubato_sim;

/* A launch that was simulated. */
typedef struct {
    uint64_t id;
    const char *name;
    uint64_t start, end; /* core cycles of the simulation; launch latency included */
    const rubato_stats *stats;
} rubato_launch;

/* The time from start to end of a launch, in core cycles from its start. */
typedef struct {
    uint64_t launch;
    uint64_t start, end;
    const rubato_stats *stats; /* of the interval; valid during the callback */
} rubato_interval;

typedef struct {
    uint32_t threads;         /* 0: one; results do not depend on it */
    uint64_t interval_cycles; /* of interval(); the last of a launch may be shorter */
    rubato_log log;           /* say NULL: messages are dropped */
    void *ctx;                /* of the functions below */
    /* Each may be NULL, and is called by the thread that runs the simulation. A return value other
     * than 0 stops it. progress: many times a second, with the cycle that was reached. */
    int (*interval)(void *ctx, const rubato_interval *interval);
    int (*progress)(void *ctx, uint64_t launch, uint64_t cycle);
} rubato_sim_options;

/*
 * A chip as new, and the trace at its beginning. Samplers are not part of the library yet: a
 * configuration with sampling.samplers is refused. config is copied: it may be changed or destroyed
 * afterwards. trace is borrowed, by one simulation at a time. options are copied; NULL: defaults.
 */
RUBATO_API rubato_sim *rubato_sim_create(rubato_config *config, rubato_trace *trace,
                                         const rubato_sim_options *options, rubato_error *error);

RUBATO_API void rubato_sim_destroy(rubato_sim *sim);

/*
 * Simulates the next launch, on the chip as the one before left it. *launch is valid until the next
 * call for sim; NULL: the trace is at its end. After an error (RUBATO_STOPPED is one) the
 * simulation is at its end and all further calls fail with it.
 */
RUBATO_API rubato_code rubato_sim_next(rubato_sim *sim, const rubato_launch **launch,
                                       rubato_error *error);

/* Leaves the next launch out; host copies before it take place. */
RUBATO_API rubato_code rubato_sim_skip(rubato_sim *sim, rubato_error *error);

/* Makes the running or next rubato_sim_next() fail with RUBATO_STOPPED, soon. Any thread. */
RUBATO_API void rubato_sim_stop(rubato_sim *sim);

/* Sums over all launches so far; they change with the next launch. */
RUBATO_API const rubato_stats *rubato_sim_totals(const rubato_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
