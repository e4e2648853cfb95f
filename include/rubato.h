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
 * UNSTABLE: the interface may change with every release; RUBATO_API_VERSION then changes too.
 * Compare it with rubato_api_version() before anything else.
 *
 * Errors are values. A function that can fail takes a rubato_error, which it fills only if it fails
 * (NULL: the text is not needed). Other pointers may be NULL only where that is said; otherwise the
 * call is refused with RUBATO_USAGE. It returns the error code, or NULL if it creates something. The
 * library prints nothing, installs no signal handlers and has no global state: handles are
 * independent of each other, also in different threads. One thread at a time may use a handle,
 * except for rubato_sim_stop(). Two conditions end the process with a message on standard error:
 * the system refuses memory (exit status 1), and a bug of the library (112).
 *
 * Texts are UTF-8 and NUL-terminated. What a function returns belongs to the handle that it was
 * called with, unless its comment says otherwise.
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

#define RUBATO_API_VERSION 2

/* RUBATO_API_VERSION of the library that is running, and its release, such as "0.1.0". */
RUBATO_API uint32_t rubato_api_version(void);
RUBATO_API const char *rubato_version(void);

/* --- errors and messages ---------------------------------------------------------------------- */

typedef enum {
    RUBATO_OK = 0,
    RUBATO_USAGE = 1,   /* wrong use of a function, or an invalid value */
    RUBATO_CONFIG = 2,  /* a configuration file is wrong, or values are inconsistent */
    RUBATO_TRACE = 3,   /* a trace is wrong, or cannot run on this GPU */
    RUBATO_IO = 4,      /* the system's reason: no such file, no permission, disk full, ... */
    RUBATO_NOMEM = 5,   /* more memory would be needed than the caller allows */
    RUBATO_STOPPED = 6, /* by rubato_sim_stop() or a callback */
} rubato_code;

typedef struct {
    rubato_code code;
    char text[1024]; /* what is wrong, where, and what to do */
} rubato_error;

/* Receives warnings (warning = 1) and information (0): one line, without a line break. Called from
 * any thread, one call at a time, until the handle that it was given to is destroyed. */
typedef struct {
    void (*say)(void *ctx, int warning, const char *text);
    void *ctx;
} rubato_log;

/* --- configurations --------------------------------------------------------------------------- */

typedef struct rubato_config rubato_config;

/* Opens the configuration of a GPU: a name such as "v100", or the path of a file. Names are
 * searched in the folder $RUBATO_CONFIGS, then in those installed with the library. log is copied;
 * NULL: messages are dropped. */
RUBATO_API rubato_config *rubato_config_open(const char *gpu, const rubato_log *log,
                                             rubato_error *error);

/* Adds another configuration, which overrides values. On failure nothing is changed. */
RUBATO_API rubato_code rubato_config_add(rubato_config *config, const char *gpu,
                                         rubato_error *error);

/* NULL is allowed, here and in the other destroy functions. */
RUBATO_API void rubato_config_destroy(rubato_config *config);

/* Sets one value, as "-s key=value" does: "l2.size", "3MiB". RUBATO_USAGE for an unknown key or an
 * invalid value; then nothing is changed. rubato_config_check() and rubato_sim_create() check
 * whether the values are consistent. */
RUBATO_API rubato_code rubato_config_set(rubato_config *config, const char *key, const char *value,
                                         rubato_error *error);

/* The value of a key as text: 24, "3MiB" (with the quotes), true. RUBATO_USAGE: unknown key, or
 * size is too small. */
RUBATO_API rubato_code rubato_config_get(const rubato_config *config, const char *key, char *value,
                                         size_t size, rubato_error *error);

/* Checks whether the values are consistent. */
RUBATO_API rubato_code rubato_config_check(rubato_config *config, rubato_error *error);

/* All values, with unit and origin, as the text of a configuration file. group ("l2"): only these
 * settings; NULL: all. Free the text with rubato_free(). NULL: the values are inconsistent. */
RUBATO_API char *rubato_config_text(rubato_config *config, const char *group, rubato_error *error);

RUBATO_API void rubato_free(void *text);

/* --- traces ----------------------------------------------------------------------------------- */

typedef struct rubato_trace rubato_trace;

/* Opens a trace of any kind: a native file (.rbt), an Accel-Sim folder, list or kernel file, or a
 * MacSim folder. Temporary files are made in tmpdir; NULL: $TMPDIR, or /tmp. log is copied;
 * NULL: messages are dropped. */
RUBATO_API rubato_trace *rubato_trace_open(const char *path, const char *tmpdir,
                                           const rubato_log *log, rubato_error *error);

/* Call it after the simulation that uses the trace was destroyed. */
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

/* The GPU that the command line would choose for this trace: "v100" or "rtx2060". */
RUBATO_API const char *rubato_trace_gpu(rubato_trace *trace);

/* --- traces made by the caller ---------------------------------------------------------------- */

#define RUBATO_NO_CONTROL UINT32_MAX

/* A static instruction. Instruction i of a kernel is at byte 16 * i of its code. */
typedef struct {
    const char *opcode;    /* with modifiers: "LDG.E.64" */
    const char *dst, *src; /* registers, separated by spaces: "R4 P0 UR2 UP1"; NULL: none */
    uint32_t control;      /* bits 105..125 of the encoding, or RUBATO_NO_CONTROL; either all
                            * instructions of a kernel have a control word, or none */
} rubato_inst;

typedef struct {
    uint64_t address, bytes;
} rubato_copy;

/* A launch. Its pointers must stay valid until the trace is destroyed. */
typedef struct {
    const char *name;
    uint32_t grid[3], block[3]; /* at least 1 each; a block has at most 1024 threads */
    uint32_t registers, shared_bytes;
    uint32_t arch; /* 70 or 75 */
    const rubato_inst *code;
    size_t n_code;
    const rubato_copy *copies; /* host copies just before the launch; they fill the L2 */
    size_t n_copies;
} rubato_kernel;

/* The dynamic instructions of a warp, to be added in program order. */
typedef struct rubato_warp rubato_warp;

/* Adds count instructions, starting with instruction `first`, executed by the lanes of mask. None
 * of them may need addresses. */
RUBATO_API void rubato_warp_run(rubato_warp *warp, uint32_t first, uint32_t count, uint32_t mask);

/* Adds a memory instruction, with a byte address for each lane of mask, in lane order. */
RUBATO_API void rubato_warp_access(rubato_warp *warp, uint32_t inst, uint32_t mask,
                                   const uint64_t *addresses);

/*
 * Where launches come from. The functions return RUBATO_OK; any other code, after filling *error,
 * ends the simulation with that error. They are called by one thread at a time, not necessarily the
 * one that runs the simulation, and must give the same results for the same arguments. They must
 * not use the trace or its simulation.
 */
typedef struct {
    void *ctx;
    uint64_t n_launches;
    rubato_code (*launch)(void *ctx, uint64_t id, rubato_kernel *kernel, rubato_error *error);
    /* Adds the instructions of warp `warp` of block `block` (x fastest) of launch id. Blocks come
     * in ascending order; some may be left out. A warp without instructions does nothing. */
    rubato_code (*warp)(void *ctx, uint64_t id, uint64_t block, uint32_t warp, rubato_warp *out,
                        rubato_error *error);
    void (*destroy)(void *ctx); /* called when the trace is destroyed; may be NULL */
} rubato_source;

/* Creates a trace from the caller's functions. source and log are copied. On failure destroy() is
 * not called. */
RUBATO_API rubato_trace *rubato_trace_create(const rubato_source *source, const rubato_log *log,
                                             rubato_error *error);

/* --- statistics ------------------------------------------------------------------------------- */

/* Statistics of a launch, an interval or a whole run. */
typedef struct rubato_stats rubato_stats;

/* A statistic. Numbers start at 0 and are the same in all simulations of this library. */
typedef struct {
    char path[96];        /* as in stats.csv: "totals.cycles", "sm.warp_insts", "metrics.ipc" */
    const char *unit;     /* "cycles" */
    const char *hardware; /* the Nsight Compute metric that it mirrors, or "" */
    const char *help;     /* what it counts, or "" if the name says it */
    int ratio;            /* 1: not an integer; NaN if there was nothing to measure */
} rubato_stat;

RUBATO_API size_t rubato_stat_count(void);

/* RUBATO_USAGE if there is no statistic with that number. */
RUBATO_API rubato_code rubato_stat_describe(size_t number, rubato_stat *stat, rubato_error *error);

/* By path. RUBATO_USAGE for an unknown path, with the nearest one; rubato_stats_count() also if the
 * value is not an integer. */
RUBATO_API rubato_code rubato_stats_value(const rubato_stats *stats, const char *path,
                                          double *value, rubato_error *error);
RUBATO_API rubato_code rubato_stats_count(const rubato_stats *stats, const char *path,
                                          uint64_t *count, rubato_error *error);

/* By number; NaN if there is no such statistic. */
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

/* A part of a launch, in core cycles from the launch's start. */
typedef struct {
    uint64_t launch;
    uint64_t start, end;
    const rubato_stats *stats; /* of the interval; valid during the callback */
} rubato_interval;

typedef struct {
    uint32_t threads;         /* 0: one; results do not depend on this */
    uint64_t interval_cycles; /* length of the intervals; the last one of a launch may be shorter */
    /* Samplers inside launches, as the option --sample takes them: "photon_bb,blocks:count=8".
     * NULL: those of the configuration (sampling.samplers). If they leave out part of a launch, its
     * statistics are estimates, and its "totals.estimated" is 1. */
    const char *sample;
    uint64_t seed;  /* for the random numbers of samplers; 0 means 1 */
    rubato_log log; /* say NULL: messages are dropped */
    void *ctx;      /* for the functions below */
    /* May be NULL. Called by the thread that runs the simulation; a return value other than 0 stops
     * it. progress() is called many times per second, with the current cycle. */
    int (*interval)(void *ctx, const rubato_interval *interval);
    int (*progress)(void *ctx, uint64_t launch, uint64_t cycle);
} rubato_sim_options;

/*
 * Creates a simulation: a new chip, at the beginning of the trace. RUBATO_USAGE for samplers that
 * choose launches: the library has none, see rubato_sim_skip(). config is copied, so it may be
 * changed or destroyed afterwards. trace is borrowed, by one simulation at a time. options are
 * copied; NULL: defaults.
 */
RUBATO_API rubato_sim *rubato_sim_create(rubato_config *config, rubato_trace *trace,
                                         const rubato_sim_options *options, rubato_error *error);

RUBATO_API void rubato_sim_destroy(rubato_sim *sim);

/* Simulates the next launch, on the chip as the previous one left it. *launch is valid until the
 * next call for sim; NULL: end of the trace. After an error (RUBATO_STOPPED is one) the simulation
 * has ended and all further calls return that error. */
RUBATO_API rubato_code rubato_sim_next(rubato_sim *sim, const rubato_launch **launch,
                                       rubato_error *error);

/* Skips the next launch; host copies before it are still applied. */
RUBATO_API rubato_code rubato_sim_skip(rubato_sim *sim, rubato_error *error);

/* Makes the current or next rubato_sim_next() return RUBATO_STOPPED soon. Any thread may call
 * it. */
RUBATO_API void rubato_sim_stop(rubato_sim *sim);

/* Sums over all launches so far; updated by each launch. */
RUBATO_API const rubato_stats *rubato_sim_totals(const rubato_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
