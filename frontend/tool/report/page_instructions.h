/* The profile of a run's instructions as its CSV files hold it: for the section of the page. */
#ifndef RUBATO_REPORT_PAGE_INSTRUCTIONS_H
#define RUBATO_REPORT_PAGE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/* Counters of an instruction, in the order of page_counter_names. */
enum { PAGE_COUNTERS = 17, PAGE_STATES_MAX = 32, PAGE_NO_FILE = -1 };
extern const char *const page_counter_names[PAGE_COUNTERS];

typedef struct {
    double pc;
    char *text;   /* owned */
    int64_t file; /* index, or PAGE_NO_FILE */
    double line;  /* 0: unknown */
    double counter[PAGE_COUNTERS];
    double state[PAGE_STATES_MAX]; /* warp cycles */
} page_inst_t;

/* Warp cycles in which an instruction waited for another one. */
typedef struct {
    double kernel, pc, for_pc, cycles; /* for_pc < 0: unknown */
    uint32_t state;
} page_wait_t;

typedef struct {
    char *name; /* owned */
    double number, arch, launches;
    bool estimated;
    size_t first, n; /* instructions, by pc */
    double cycles;   /* of all states of its instructions */
    size_t wait, n_waits;
} page_inst_kernel_t;

typedef struct {
    char *states[PAGE_STATES_MAX]; /* owned; without "state_"; no_warp is left out */
    uint32_t n_states;
    char **files; /* owned */
    size_t n_files, cap_files;
    page_inst_t *insts; /* owned */
    size_t n_insts, cap_insts;
    page_inst_kernel_t *kernels; /* owned; most cycles first */
    size_t n_kernels, cap_kernels;
    page_wait_t *waits; /* owned */
    size_t n_waits, cap_waits;
} page_insts_t;

/* Reads instructions.csv and, where waits is not NULL, instruction_waits.csv. Free p also after an
 * error. RB_TRACE, RB_IO. */
RB_CHECKED rb_code_t page_insts_read(page_insts_t *p, const char *path, const char *waits,
                                     rb_err_t *err);
void page_insts_free(page_insts_t *p);

/* The instruction of a kernel at pc; NULL: none. */
const page_inst_t *page_insts_at(const page_insts_t *p, const page_inst_kernel_t *k, double pc);

#endif
