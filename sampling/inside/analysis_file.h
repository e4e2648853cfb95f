/*
 * What was seen of launches ahead of their simulation (read_ahead.h), in a file: a program that is
 * traced as text is read ahead once and then simulated under any configuration.
 *
 * Text, one launch after another; numbers with fractions as C writes them in hexadecimal:
 *   rubato-analysis 2
 *   launch ID CODE GRID-BLOCKS LOOKED-AT WARPS WHOLE MISSING INSTS-PER-BLOCK TYPES SHARE INSTS
 *          BASIC-BLOCKS                               (one line)
 *   bb PC INSTS SHARE EXECUTIONS-BY-DOMINANT-WARP KNOWN
 *   i CLASS FLAGS SETS DEPENDENCES...                 (KNOWN lines for each basic block)
 */
#ifndef RUBATO_ANALYSIS_FILE_H
#define RUBATO_ANALYSIS_FILE_H

#include "sampling/inside/read_ahead.h"

/*
 * The analysis of a launch in the file at path. *found: it is there; else nothing is. RB_IO;
 * RB_TRACE if the file is damaged, or of another trace. *out is to be freed in any case.
 */
RB_CHECKED rb_code_t analysis_load(const char *path, const launch_info_t *launch, read_ahead_t *out,
                                   bool *found, rb_err_t *err);

/* Adds an analysis to the file, which is begun anew if fresh. RB_IO. */
RB_CHECKED rb_code_t analysis_save(const char *path, bool fresh, const launch_info_t *launch,
                                   const read_ahead_t *ahead, rb_err_t *err);

#endif
