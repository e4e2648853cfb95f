/*
 * Counts per instruction, merged over the launches of each kernel. Counts of launches that were
 * simulated completely and stand for themselves remain exact; the others are scaled.
 */
#ifndef RUBATO_RUN_KERNEL_INSTS_H
#define RUBATO_RUN_KERNEL_INSTS_H

#include "sim/gpu/gpu.h"

/* The pc of what belongs to no instruction; behind all others. */
#define KERNEL_NO_PC UINT64_MAX

typedef struct {
    uint64_t pc;
    uint16_t opcode; /* isa_opcode_t */
    uint8_t cls;     /* op_class_t */
    uint32_t line;   /* of the source; 0: unknown */
    char *text;      /* owned; NULL: unknown */
    char *file;      /* owned; NULL: unknown */
    inst_counts_t exact;
    double *scaled; /* owned; INST_COUNTS_ALL counts to be added; NULL: none */
} kernel_inst_t;

typedef struct {
    uint64_t pc, other; /* KERNEL_NO_PC: unknown */
    uint64_t exact;
    double scaled;
    bool longer; /* long_scoreboard, not short_scoreboard */
} kernel_wait_t;

typedef struct {
    uint64_t code_id;
    char *name; /* owned */
    uint32_t arch;
    uint64_t launches;
    bool estimated;
    kernel_inst_t *list; /* owned; by pc */
    size_t n;
    kernel_wait_t *waits; /* owned; by pc, longer, other */
    size_t n_waits;
} kernel_insts_t;

typedef struct {
    kernel_insts_t *kernel; /* owned; in order of appearance */
    size_t n, cap, latest;
} kernel_list_t;

/* Adds a launch that stands for `weight` launches. */
void kernel_list_add(kernel_list_t *k, const launch_result_t *r, const launch_insts_t *insts,
                     double weight);
void kernel_list_free(kernel_list_t *k);

/* A count, rounded if it is scaled. */
uint64_t kernel_inst_count(const kernel_inst_t *i, size_t column);
uint64_t kernel_wait_cycles(const kernel_wait_t *w);

#endif
