/*
 * An .rbt file open for reading: its root, and access to any frame. It is read with pread(), so
 * that a file that shrinks in the meantime causes an error and not a signal. Everything is checked:
 * positions lie inside the file, sizes are within limits, checksums match.
 */
#ifndef RUBATO_RBT_FILE_H
#define RUBATO_RBT_FILE_H

#include <pthread.h>

#include "frontend/input/rbt/rbt_code.h"
#include "frontend/input/rbt/rbt_launch_row.h"
#include "frontend/input/rbt/rbt_page.h"
#include "frontend/input/rbt/rbt_waits.h"
#include "sim/core/files/sha256.h"
#include "sim/gpu/source/stream_graph.h"

typedef struct ZSTD_DCtx_s rbt_unpacker_t;

typedef struct {
    char *name; /* owned */
    uint32_t arch;
    uint64_t code_id;
    rbt_place_t place;
    bool loaded;
    rbt_code_t code; /* valid once loaded */
} rbt_kernel_t;

typedef struct {
    rbt_place_t place;
    uint64_t first_frame; /* offset */
    uint64_t n_blocks, n_frames;
    uint64_t first_block; /* of the file */
} rbt_block_page_ref_t;

typedef struct {
    rbt_place_t place;
    uint64_t n_launches, n_blocks;
    uint64_t first_launch, first_block; /* of the file */
} rbt_launch_page_ref_t;

typedef struct {
    char *path; /* owned */
    int fd;
    uint64_t bytes;
    uint64_t identity;     /* checksum of the footer, which covers the root, which covers everything
                        * else */
    char *producer, *plan; /* owned */
    uint8_t classes[256];  /* maps the file's class numbers to ours */
    size_t n_classes;
    size_t n_spaces;       /* the first RBT_SPACE_COUNT are the ones we know */
    rbt_kernel_t *kernels; /* owned */
    size_t n_kernels;
    rbt_block_page_ref_t *block_pages; /* owned */
    size_t n_block_pages;
    rbt_launch_page_ref_t *launch_pages; /* owned */
    size_t n_launch_pages;
    uint64_t n_launches, n_blocks;
    memcpy_op_t *copies;   /* owned */
    uint64_t *copy_launch; /* owned; for each copy, the number of launches before it */
    size_t n_copies;
    uint32_t version;
    bool has_graph;
    stream_graph_t graph; /* owned; valid if has_graph */
    bool has_waits;
    rbt_waits_t waits; /* owned */
    rbt_place_t root;
    pthread_mutex_t lock; /* guards the loading of kernels' code */
} rbt_file_t;

/* Whether the file begins like an .rbt. */
bool rbt_file_detect(const char *path);

/* RB_IO, RB_TRACE. The caller closes *f, also after an error. */
RB_CHECKED rb_code_t rbt_file_open(rbt_file_t *f, const char *path, rb_err_t *err);
void rbt_file_close(rbt_file_t *f);

/*
 * Reads a frame into out, replacing its contents. what: its name in messages; max: limit of
 * unpacked bytes. unpacker belongs to the calling thread.
 */
RB_CHECKED rb_code_t rbt_file_read(const rbt_file_t *f, const rbt_place_t *place, uint64_t max,
                                   const char *what, rbt_unpacker_t *unpacker, rbt_buf_t *out,
                                   rb_err_t *err);

/*
 * SHA-256 as text, of the file from the root of its index to its end. The root has checksums of
 * pages and code, and the pages have those of the frames, so this covers everything read later.
 */
RB_CHECKED rb_code_t rbt_file_sha256(const rbt_file_t *f, char text[SHA256_TEXT], rb_err_t *err);

/* The code of a kernel, loaded by the first call; valid as long as f. */
RB_CHECKED rb_code_t rbt_file_code(rbt_file_t *f, size_t kernel, const rbt_code_t **code,
                                   rb_err_t *err);

/* Fails with RB_TRACE "path: at byte offset: the WHAT is damaged: why". */
rb_code_t rbt_file_fail(const rbt_file_t *f, uint64_t offset, const char *what, const char *why,
                        rb_err_t *err);

/* Parses an unpacked root. Returns NULL, or what is wrong. Only for rbt_file.c. */
const char *rbt_root_get(rbt_file_t *f, const rbt_buf_t *bytes);

#endif
