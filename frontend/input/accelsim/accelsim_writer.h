/*
 * Writes any trace source as an Accel-Sim trace: a folder with kernelslist.g and a file
 * kernel-<launch>.traceg for each launch.
 *
 * Files are of tracer version 5: it has the line about source lines and an immediate on every line,
 * and simulators have read it since 2024. A launch whose instructions say that they come from
 * version 6 (inst_text() ends in NoVal) is written as version 6, which alone may name uniform and
 * predicate registers.
 *
 * Fields of an instruction that inst_text() of the source knows are written as they are. Others are
 * made up from inst_t: its mnemonic with the modifiers that the model knows (width, .E,
 * .STRONG.GPU, scope of a fence, .ARV), its general registers, each operand by the first one, and
 * its immediate. Addresses are written as the tracer does: base and stride for one run of two or
 * more active lanes, else base and differences.
 *
 * Lost, because a source does not hold it: source line and immediates behind the addresses of a
 * second function whose instruction has the pc and the fields of the first's, register values,
 * clusters of blocks, fields of bulk copies, lists' lines other than copies to the device and
 * kernels, the version of NVBit, and addresses of instructions that the model does not take for
 * memory instructions.
 */
#ifndef RUBATO_ACCELSIM_WRITER_H
#define RUBATO_ACCELSIM_WRITER_H

#include <stdbool.h>

#include "sim/gpu/trace_source.h"

typedef enum { ACCELSIM_PLAIN, ACCELSIM_XZ, ACCELSIM_ZSTD } accelsim_packing_t;

typedef struct {
    accelsim_packing_t packing; /* of the kernel files: .traceg, .traceg.xz, .traceg.zst */
    bool list_addresses;        /* an address for each lane, as the tracer's TOOL_COMPRESS=0 */

    /* Called after each block of a launch, may be NULL; anything but RB_OK ends the writing. */
    rb_code_t (*step)(void *ctx, const launch_info_t *info, const trace_block_t *block,
                      rb_err_t *err);
    void *step_ctx;
} accelsim_writer_options_t;

/* RB_USAGE unless folder does not exist, or is empty; RB_IO. */
RB_CHECKED rb_code_t accelsim_check_target(const char *folder, rb_err_t *err);

/*
 * Writes all launches of source into folder, which must not exist, or be empty. The folder appears
 * under its name when everything is written and synced; after an error nothing is left. opts may be
 * NULL. RB_USAGE for a folder with files in it, RB_IO, or what the source says.
 */
RB_CHECKED rb_code_t accelsim_write(trace_source_t *source, const char *folder,
                                    const accelsim_writer_options_t *opts, rb_err_t *err);

#endif
