/*
 * Compares a run with measurements on a GPU, counter by counter (hardware_formula.h maps measured
 * columns to statistics).
 *
 * Pairs are made
 *   per launch   the k-th launch of a kernel (of that grid and block) in the run with the k-th such
 *                row of the file
 *   per kernel   the mean over the run's launches of a kernel with the kernel's row
 *   per program  the totals of the run with the program's row
 */
#ifndef RUBATO_HARDWARE_HARDWARE_COMPARE_H
#define RUBATO_HARDWARE_HARDWARE_COMPARE_H

#include "frontend/input/profile/hardware_table.h"
#include "frontend/tool/report/run_data.h"
#include "frontend/tool/silicon/hardware_formula.h"
#include "frontend/tool/silicon/hardware_score.h"

/* A measured value and the simulated one. */
typedef struct {
    const char *kernel; /* borrowed from the table; its program if it has no kernels */
    uint64_t launch;    /* id in the run; 0: several, or all */
    size_t run;         /* number of the run: see hardware_add() */
    double measured, simulated;
} hardware_pair_t;

typedef struct {
    const char *measured; /* column of the file; borrowed */
    char label[80];       /* the column, with the formula's variant */
    size_t column;
    hardware_formula_t formula; /* formula of the simulated value */
    char simulated[160];        /* the formula as text */
    bool share;                 /* errors are differences of fractions, not relative */
    hardware_pair_t *pairs;
    size_t n_pairs, cap_pairs;
    hardware_score_t score;
} hardware_counter_t;

typedef struct {
    hardware_counter_t *counters; /* in the order of the file's columns */
    size_t n_counters;
    const char **unknown; /* columns without a corresponding statistic; list owned, names
                           * borrowed */
    size_t n_unknown;
    size_t rows_matched, rows_unmatched; /* rows of the file, or of its named programs */
    size_t launches_matched, launches_unmatched;
    size_t run;    /* of the pairs that are added */
    bool no_match; /* the run that was added last failed as it has no kernel of the table */
} hardware_comparison_t;

/*
 * Compares runs, operands[0 .. n), with a table, which must outlive c. An operand is RUN (a folder
 * or run.json) or PROGRAM=RUN, where PROGRAM selects the rows of the run (the program's whole name,
 * or a part that only one name contains). RB_USAGE, listing the programs, if PROGRAM is needed but
 * missing; RB_TRACE: nothing matches, or no value can be compared. The caller frees c, also after an error.
 */
RB_CHECKED rb_code_t hardware_compare(hardware_comparison_t *c, const hardware_table_t *t,
                                      char *const *operands, int n, rb_err_t *err);

/*
 * The same in steps: begin, add each run with a number for its pairs and its program (NULL: the
 * table has the rows of this run only), finish. RB_TRACE: a column that is compared has a unit that is not
 * known.
 */
RB_CHECKED rb_code_t hardware_begin(hardware_comparison_t *c, const hardware_table_t *t,
                                    rb_err_t *err);
RB_CHECKED rb_code_t hardware_add(hardware_comparison_t *c, const hardware_table_t *t,
                                  const char *path, const char *program, size_t run, rb_err_t *err);
void hardware_finish(hardware_comparison_t *c);

/* The program of a table that a trace belongs to. */
typedef struct {
    const char *program; /* borrowed; NULL: none */
    bool part;           /* only a part of one name is the other */
} hardware_program_t;

/*
 * Finds the programs of the traces of a suite by their names: the same name; else the same letters
 * and digits, without NO_ARGS at the end ("bfs/graph_1" and "BFS-graph1"); else the only one that
 * has the name as a part, or is a part of it. Of several traces that fit one program, only the best
 * has it; none if several fit alike. found: of n names.
 */
void hardware_find_programs(const hardware_table_t *t, const char *const *names, size_t n,
                            hardware_program_t *found);

void hardware_free(hardware_comparison_t *c);

/* Error of a pair: hardware_relative_error(). */
double hardware_error(const hardware_counter_t *c, const hardware_pair_t *p);

#endif
