/* The counts of a run per instruction (run --per-instruction), beside a listing. */
#ifndef RUBATO_CLI_SASS_COUNTERS_H
#define RUBATO_CLI_SASS_COUNTERS_H

#include "frontend/tool/report/page_instructions.h"

/* Reads the counts from the folder of a run. Free p with page_insts_free(), also after an error.
 * RB_USAGE: the run did not count. */
RB_CHECKED rb_code_t sass_counters_read(page_insts_t *p, const char *folder, rb_err_t *err);

/* The kernel of that name and compute capability; NULL: none. */
const page_inst_kernel_t *sass_counters_kernel(const page_insts_t *p, const char *name,
                                               uint32_t arch);

/* Prints the titles of the columns, what the columns of one kernel mean, and the columns of the
 * instruction at pc, which are empty if it was not issued. None ends the line. */
void sass_counters_titles(void);
void sass_counters_about(const page_inst_kernel_t *k);
void sass_counters_print(const page_insts_t *p, const page_inst_kernel_t *k, uint32_t pc);

/* Prints the instructions that were issued, of all kernels or of one; NULL: all. RB_TRACE: no such
 * kernel. */
RB_CHECKED rb_code_t sass_counters_list(const page_insts_t *p, const char *folder,
                                        const char *kernel, rb_err_t *err);

#endif
