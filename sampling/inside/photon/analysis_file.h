/*
 * Stores in a file what read_ahead.h found out about launches, so that a program traced as text is
 * read ahead once and then simulated under any configuration.
 *
 * Text, one launch after another; fractions are written in C's hexadecimal format:
 *   rubato-analysis 2
 *   launch ID CODE GRID-BLOCKS LOOKED-AT WARPS WHOLE MISSING INSTS-PER-BLOCK TYPES SHARE INSTS
 *          BASIC-BLOCKS                               (one line)
 *   bb PC INSTS SHARE EXECUTIONS-BY-DOMINANT-WARP KNOWN
 *   i CLASS FLAGS SETS DEPENDENCES...                 (KNOWN lines for each basic block)
 */
#ifndef RUBATO_ANALYSIS_FILE_H
#define RUBATO_ANALYSIS_FILE_H

#include "sampling/inside/read_ahead.h"

/* Loads the analysis of a launch from the file at path. *found: whether the file has it. RB_IO;
 * RB_TRACE if the file is damaged or belongs to another trace. *out must be freed in any case. */
RB_CHECKED rb_code_t analysis_load(const char *path, const launch_info_t *launch, read_ahead_t *out,
                                   bool *found, rb_err_t *err);

/* Appends an analysis to the file, or starts a new file if fresh. RB_IO. */
RB_CHECKED rb_code_t analysis_save(const char *path, bool fresh, const launch_info_t *launch,
                                   const read_ahead_t *ahead, rb_err_t *err);

#endif
