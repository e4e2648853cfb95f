/*
 * From the text of a launch to decoded blocks (sim/isa/stream.h). A block is parsed at once and
 * packed as it is parsed: straight-line code under one mask costs one run for many instructions,
 * regular addresses two words for an instruction.
 */
#ifndef RUBATO_ACCELSIM_BLOCK_H
#define RUBATO_ACCELSIM_BLOCK_H

#include <pthread.h>

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/accelsim_code.h"
#include "frontend/input/accelsim/accelsim_header.h"
#include "frontend/input/accelsim/accelsim_lines.h"
#include "frontend/input/accelsim/accelsim_seen.h"
#include "sim/isa/stream.h"

enum { BLOCK_THREADS_MAX = 1024, BLOCK_WARPS_MAX = BLOCK_THREADS_MAX / 32 };

typedef struct accelsim_block accelsim_block_t;

/* The blocks of a launch. Any thread may give one back. */
typedef struct {
    pthread_mutex_t lock;
    accelsim_block_t *first; /* given back, for the next ones */
    accelsim_block_t *made;  /* all: a run that ends early keeps some */
} block_pool_t;

typedef struct {
    accelsim_lines_t *lines;         /* borrowed; behind the header */
    const accelsim_header_t *header; /* borrowed; raw: lines are those of accelsim_group.h */
    const launch_info_t *info;       /* of the header */
    accelsim_code_t code;
    block_pool_t pool;
    unsigned prefix;      /* numbers before the pc: ids of old versions, lines */
    uint64_t source_line; /* of the line last read; CODE_NO_LINE: the trace does not say */
    uint64_t n_seen;      /* blocks begun so far, skipped ones included */
    accelsim_seen_t seen; /* which they were */
    rb_err_t failed;      /* the first error; nothing is read after it */
    bool told_missing;
} block_reader_t;

/* The header need not be read yet; block_reader_start() follows when it is. machine: borrowed,
 * NULL: none. */
void block_reader_init(block_reader_t *r, accelsim_lines_t *lines, const accelsim_header_t *header);
void block_reader_start(block_reader_t *r, const accelsim_machine_t *machine);
void block_reader_free(block_reader_t *r);

/*
 * The index-th block of the text (0, 1, ...; not below one that was read or skipped before); *out
 * is NULL behind the last one. RB_TRACE naming file and line for what is malformed.
 */
RB_CHECKED rb_code_t block_reader_get(block_reader_t *r, uint64_t index, trace_block_t **out,
                                      rb_err_t *err);

/* Takes a block back. */
void block_reader_give_back(block_reader_t *r, trace_block_t *b);

#endif
