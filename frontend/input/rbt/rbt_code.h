/*
 * The static code of a kernel, read from a file.
 *
 * Layout of the unpacked frame (v: variable-length integer, s: signed one, b: byte): v number of
 * instructions, v number of basic blocks; then for all instructions one field after the other:
 * s pc (difference to the one before), v length of the mnemonic in front of the first dot and its
 * characters, b class (number in the root's list), b space, b access, b width, b flops, v flags,
 * v control word, v immediate, v constant offset, b constant bank; then for each instruction
 * b n_dst, b n_src, 3 b for each operand (file, number, count), b n_wait, b n_set, v for each
 * dependence, 4 b bank reads; for each v length of its text + 1 (0: none), then all texts; for each
 * basic block v number of spans, and for each v first instruction, v count. Then sections to the
 * end: v kind, v bytes, bytes. That of source lines: v files; for each v length and path; for each
 * instruction v file + 1 (0: unknown); for each with a file s line (difference to the one before).
 */
#ifndef RUBATO_RBT_CODE_H
#define RUBATO_RBT_CODE_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "frontend/input/rbt/rbt_format.h"
#include "sim/core/err.h"
#include "sim/gpu/source/trace_source.h"

/* The source line of an instruction. */
typedef struct {
    uint32_t file; /* number + 1; 0: unknown */
    uint32_t line;
} rbt_line_t;

/* Instructions first .. first + count - 1. */
typedef struct {
    uint32_t first, count;
} rbt_span_t;

typedef struct {
    uint32_t span, n_spans; /* spans[span ..) */
    uint32_t n_insts;
} rbt_bb_t;

typedef struct {
    inst_t *insts; /* owned; adjacent in pc order */
    size_t n_insts;
    uint32_t *text_at; /* owned, n_insts + 1: texts[text_at[i] .. text_at[i + 1]) */
    uint8_t *has_text; /* owned */
    char *texts;       /* owned */
    rbt_bb_t *bbs;     /* owned */
    rbt_span_t *spans; /* owned */
    size_t n_bbs;
    rbt_line_t *lines; /* owned; n_insts; NULL: no line is known */
    char **files;      /* owned; paths */
    size_t n_files;
} rbt_code_t;

/*
 * Reads the code from an unpacked frame; classes maps the file's class numbers to ours. Returns
 * NULL, or what is wrong. The caller frees *c, also after an error.
 */
const char *rbt_code_read(rbt_code_t *c, const uint8_t *data, size_t n, const uint8_t *classes,
                          size_t n_classes);
void rbt_code_free(rbt_code_t *c);

/* Text of an instruction of c; NULL if it has none or does not belong to c. */
const char *rbt_code_text(const rbt_code_t *c, const inst_t *inst, uint32_t *len);

/* Source line of an instruction of c; false: unknown. out->file lives as long as c. */
bool rbt_code_line(const rbt_code_t *c, const inst_t *inst, source_line_t *out);

#endif
