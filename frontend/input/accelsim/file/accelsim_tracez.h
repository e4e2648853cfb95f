/*
 * A .tracez file of Accel-Sim 2.0 (one kernel) as the text of a grouped trace. Written from a description of
 * the format; where a file differs from it, the file is refused. All numbers are little-endian:
 *
 *   header text, NUL
 *   u32 bytes of the dictionary, u32 instructions in a piece, the dictionary (zstd)
 *   each warp: u32 instructions, u32 pieces, each piece: u32 bytes, a zstd frame of lines
 *   index: u32 blocks
 *     each block: u32 x 11: block x y z, cluster x y z, block in the cluster x y z, rank, warps
 *       each warp: u32 instructions, u32 pieces, u64 offset of the warp, u32 bytes of each piece
 *   u64 offset of the index
 */
#ifndef RUBATO_ACCELSIM_TRACEZ_H
#define RUBATO_ACCELSIM_TRACEZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct tracez tracez_t;

/* Whether the first bytes of a file are those of a .tracez file: header lines, then a NUL. */
bool tracez_detect(const uint8_t *p, size_t n);

/* Returns NULL with *err set: RB_TRACE with the offset; RB_IO. fd and path are borrowed. */
tracez_t *tracez_open(int fd, const char *path, rb_err_t *err);

/* Reads up to cap bytes of the text; *got is 0 only at the end. Memory does not grow with what the
 * file claims. RB_TRACE with the offset; RB_IO. */
RB_CHECKED rb_code_t tracez_read(tracez_t *z, char *buf, size_t cap, size_t *got, rb_err_t *err);

/* Bytes of the file read so far. */
uint64_t tracez_consumed(const tracez_t *z);

void tracez_close(tracez_t *z); /* NULL is allowed */

#endif
