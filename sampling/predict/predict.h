/*
 * Predicts the cycles of launches without simulating them: an interval model of a warp that is alone,
 * bounds of all that its fellows share, and hit rates that are assumed (level 0) or come from one walk
 * over the addresses (level 1). docs/predict.md has the equations and their sources.
 *
 *   predictor_t *p = predictor_create(specs, n_specs, 1);
 *   for (id = 1; id <= n; id++)
 *       predictor_launch(p, source, id, out, &err);    out[i]: on specs[i]
 *   predictor_destroy(p);
 *
 * A prediction is not a result of the model and must not be shown as one.
 */
#ifndef RUBATO_PREDICT_H
#define RUBATO_PREDICT_H

#include "sampling/predict/predict_profile.h"
#include "sim/gpu/gpu_params.h"

/* What may bound a launch: X(id, name, text). The stations are shared by the warps of a sub-core, of an
 * SM, or of the chip. */
#define PREDICT_BOUNDS(X)                                                                          \
    X(LAUNCH, "launch_latency", "launch latency")                                                  \
    X(LATENCY, "latency", "a warp's dependences and latencies, times the waves of blocks")         \
    X(ISSUE, "issue", "issue slots")                                                               \
    X(FMA, "fma", "FMA pipe")                                                                      \
    X(ALU, "alu", "ALU pipe")                                                                      \
    X(FP, "fp16_fp64_tensor", "FP16, FP64 and tensor pipes")                                       \
    X(XU, "xu", "XU pipe")                                                                         \
    X(BRANCH, "branch", "branch unit")                                                             \
    X(CONST, "const", "constant loads and uniform instructions")                                   \
    X(QUEUE, "queue", "memory queues of the sub-cores")                                            \
    X(MIO, "mio", "shared memory, shuffles and other instructions of the MIO")                     \
    X(L1, "l1", "tags and data of the L1")                                                         \
    X(PORT, "port", "crossbar ports of the SMs")                                                   \
    X(L2, "l2", "ports of the L2")                                                                 \
    X(DRAM, "dram", "data buses and rows of the DRAM")                                             \
    X(ATOMIC, "atomic", "atomics in the L2")

#define PREDICT_BOUND_ENUM_(id, name, text) PREDICT_##id,
typedef enum { PREDICT_BOUNDS(PREDICT_BOUND_ENUM_) PREDICT_BOUND_COUNT } predict_bound_t;

const char *predict_bound_name(predict_bound_t bound);
const char *predict_bound_text(predict_bound_t bound);

/* Why a prediction is not to be trusted: bits, with a text for each. */
enum {
    PREDICT_FEW_WAVES = 1 << 0, /* blocks end unevenly: less than one wave on the SMs */
    PREDICT_SPINS = 1 << 1,     /* warps wait in loops for others */
    PREDICT_UNKNOWN = 1 << 2,   /* instructions of an unknown class */
    PREDICT_DOUBTS = 3          /* number of bits */
};
const char *predict_doubt_text(unsigned bit);

/* What a launch moves, and how much of it hits. */
typedef struct {
    double load_sectors, store_sectors, atomic_sectors; /* of 32 bytes, of the launch */
    double load_lines;                                  /* of 128 bytes; of loads */
    double l1_hit;                                      /* share of the sectors of loads */
    double l1_late; /* of them, share whose line is on its way: they wait as long as a miss */
    double l2_hit;  /* share of the sectors that loads and stores bring to the L2 */
    double dram_reads, dram_writes; /* sectors */
    double partial; /* share of the modified sectors of which only some bytes were written */
    double ahead;   /* share of the loads whose line a stride prefetcher has fetched before, */
    double wasted;  /* and sectors that it fetches and nobody loads */
    double passes[OP_CLASS_COUNT];   /* of an instruction, through the banks */
    double lines[OP_CLASS_COUNT];    /* of an instruction */
    double sectors[OP_CLASS_COUNT];  /* of an instruction */
    double conflict[OP_CLASS_COUNT]; /* of an atomic, operations on the word with the most */
    double words[OP_CLASS_COUNT];    /* of an atomic, words of a line that it works on */
    double hot_atomics; /* requests of atomics to the slice with the most; 0: spread evenly */
    /* Of the blocks that may be the slowest, without those on their way. */
    double slow_l1_hit[PROFILE_SLOW];
} predict_traffic_t;

typedef struct {
    double cycles;                    /* launch latency included */
    double part[PREDICT_BOUND_COUNT]; /* cycles that each would take alone */
    predict_bound_t bound;            /* the largest of them */
    double waves;                     /* of blocks */
    predict_traffic_t traffic;
    unsigned doubts; /* PREDICT_FEW_WAVES ... */
} predicted_t;

/* Level 0 of a launch, or level 1 with the traffic of a walk (NULL: assumed). cold: its code has not
 * run before. Errors: the launch does not fit the SM. */
RB_CHECKED rb_code_t predict_launch(const predict_profile_t *p, const gpu_spec_t *spec,
                                    const predict_traffic_t *traffic, bool cold, predicted_t *out,
                                    rb_err_t *err);

/* The traffic that level 0 assumes. */
predict_traffic_t predict_assume(const predict_profile_t *p, const gpu_spec_t *spec);

typedef struct predictor predictor_t;

/* level 0 or 1. The specifications are copied. Level 1 keeps what the caches hold from launch to
 * launch, so launches must come in their order, all of them. */
predictor_t *predictor_create(const gpu_spec_t *const *specs, size_t n, unsigned level);
void predictor_destroy(predictor_t *p); /* NULL is allowed */

/* Predicts launch `id` for each specification. Errors of the source, RB_USAGE if level 0 has no index,
 * RB_TRACE if the launch does not fit. */
RB_CHECKED rb_code_t predictor_launch(predictor_t *p, trace_source_t *source, uint64_t id,
                                      predicted_t *out, rb_err_t *err);

#endif
