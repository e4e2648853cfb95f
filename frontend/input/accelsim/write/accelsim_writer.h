/*
 * Writes any trace source as an Accel-Sim trace: a folder with kernelslist.g and one file
 * kernel-<launch>.traceg per launch.
 *
 * Files have the format of tracer version 5: it has the header line about source lines and an
 * immediate on every line, and simulators have read it since 2024. A launch whose instructions come
 * from version 6 (inst_text() ends in NoVal) is written as version 6, the only one with uniform and
 * predicate registers.
 *
 * If inst_text() of the source knows the fields of an instruction, they are written unchanged.
 * Otherwise they are derived from inst_t: its mnemonic with the modifiers that the model knows
 * (width, .E, .STRONG.GPU, scope of a fence, .ARV), the first general register of each operand, and
 * its immediate. Addresses are written as the tracer does: base and stride for one run of two or
 * more active lanes, otherwise base and differences.
 *
 * A source does not hold, so these are lost: register values, clusters of blocks, fields of bulk
 * copies, entries of lists other than copies to the device and kernels, the version of NVBit,
 * addresses of instructions that the model does not treat as memory instructions, and, if two
 * functions have an instruction with the same pc and fields, source line and immediates after the
 * addresses of the second.
 */
#ifndef RUBATO_ACCELSIM_WRITER_H
#define RUBATO_ACCELSIM_WRITER_H

#include <stdbool.h>

#include "sim/gpu/source/trace_source.h"

typedef enum { ACCELSIM_PLAIN, ACCELSIM_XZ, ACCELSIM_ZSTD } accelsim_packing_t;

typedef struct {
    accelsim_packing_t packing; /* extension of the kernel files: .traceg, .traceg.xz,
                                 * .traceg.zst */
    bool list_addresses;        /* one address per lane, like the tracer's TOOL_COMPRESS=0 */

    /* Called after each block of a launch; may be NULL. A result other than RB_OK ends the
     * writing. */
    rb_code_t (*step)(void *ctx, const launch_info_t *info, const trace_block_t *block,
                      rb_err_t *err);
    void *step_ctx;
} accelsim_writer_options_t;

/* RB_USAGE if folder exists and is not an empty folder; RB_IO. */
RB_CHECKED rb_code_t accelsim_check_target(const char *folder, rb_err_t *err);

/*
 * Writes all launches of source into folder, which must not exist or be empty. The folder appears
 * under its name once everything is written and synced; after an error nothing is left. opts may be
 * NULL. RB_USAGE for a non-empty folder, RB_IO, or the error of the source.
 */
RB_CHECKED rb_code_t accelsim_write(trace_source_t *source, const char *folder,
                                    const accelsim_writer_options_t *opts, rb_err_t *err);

#endif
