/*
 * Constants of the native trace file that writer and reader share. rbt_writer.c begins with an
 * overview of the layout; rbt.5 describes it byte by byte.
 */
#ifndef RUBATO_RBT_FORMAT_H
#define RUBATO_RBT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/isa/basic_block.h"

/* The header's version; the footer's is RBT_VERSION_SECTIONS if the root or code has sections. */
enum { RBT_VERSION = 2, RBT_VERSION_SECTIONS = 3, RBT_SECTIONS_MAX = 64 };

/* Sections behind the basic blocks of the static code. Unknown ones are skipped. */
enum { RBT_SECTION_LINES = 1 };

/* Skippable frames of zstd: magic number, length of the payload, payload. */
enum {
    RBT_SKIP_HEADER = 0x184d2a5b, /* magic number of the frame at the beginning */
    RBT_SKIP_FOOTER = 0x184d2a5c, /* and of the frame at the end */
    RBT_HEADER_BYTES = 8 + 32,
    RBT_FOOTER_BYTES = 8 + 72,
    RBT_MAGIC_BYTES = 16,
};

extern const char rbt_header_magic[RBT_MAGIC_BYTES], rbt_footer_magic[RBT_MAGIC_BYTES];

/*
 * Columns of a frame of blocks, in this order. All but the masks and the lane bytes hold
 * variable-length integers; rbt_frame_put.h and rbt_refs.h say what is in each.
 */
typedef enum {
    RBT_COL_HEAD,
    RBT_COL_BLOCK,
    RBT_COL_PATH,
    RBT_COL_STEP,
    RBT_COL_REPEAT,
    RBT_COL_SHAPE,
    RBT_COL_MASK_AT,
    RBT_COL_MASK,
    RBT_COL_PIECE,
    RBT_COL_PIECE_SHAPE,
    RBT_COL_RUN,
    RBT_COL_MODE,
    RBT_COL_BASE,
    RBT_COL_STRIDE,
    RBT_COL_LANES,
    RBT_COL_PLANE, /* eight columns: byte 0, byte 1, ... of lane values */
    RBT_COL_COUNT = RBT_COL_PLANE + 8,
} rbt_column_t;

/* Where a frame is. */
typedef struct {
    uint64_t offset;
    uint64_t packed, unpacked; /* bytes */
    uint64_t checksum;         /* of the packed bytes; where only 32 bits are stored, its lower
                                * half */
} rbt_place_t;

/* Limits of the format. A file that exceeds them is damaged or malicious. */
enum {
    RBT_PIECE_INSTS = 1 << 16, /* warp instructions per piece of a warp */
    RBT_BB_INSTS = BASIC_BLOCK_INSTS,
    RBT_FRAME_INSTS = 1 << 19,  /* warp instructions per frame */
    RBT_FRAME_BYTES = 4 << 20,  /* unpacked bytes per frame of blocks */
    RBT_PAGE_BYTES = 32 << 20,  /* bytes per page of the index */
    RBT_CODE_BYTES = 256 << 20, /* bytes of a kernel's static code */
    RBT_CODE_INSTS = 1 << 20,
    RBT_ROOT_BYTES = 64 << 20,
    RBT_PAGE_ROWS = 1 << 20, /* blocks or launches per page */
    RBT_NAME_BYTES = 64 << 10,
    RBT_CODE_FILES = 1 << 16, /* source files of a kernel */
    RBT_WARPS_MAX = 32,       /* per block */
};

/* Address spaces of the summaries; generic accesses count for the space that their addresses are
 * in. */
#define RBT_SPACE_MAP(X)                                                                           \
    X(GLOBAL, "global") X(LOCAL, "local") X(SHARED, "shared") X(CONST, "const") X(TEX, "tex")

#define RBT_SPACE_ENUM_(id, text) RBT_SPACE_##id,
typedef enum { RBT_SPACE_MAP(RBT_SPACE_ENUM_) RBT_SPACE_COUNT } rbt_space_t;

extern const char *const rbt_space_names[RBT_SPACE_COUNT];

/* Whether a dynamic instruction with active lanes has an address record (stream.h). */
static inline bool rbt_has_addresses(const inst_t *in)
{
    return in->space != MEM_NONE && in->width != 0;
}

#endif
