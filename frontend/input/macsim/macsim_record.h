/* The records of a warp: 64 bytes each, little-endian, in a gzip file (or a plain one). */
#ifndef RUBATO_MACSIM_RECORD_H
#define RUBATO_MACSIM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

enum { MACSIM_REGS = 4 };

/* Layout of the file; the names are the tracer's without their m_. */
typedef struct {
    uint8_t opcode; /* macsim_opcode.h */
    uint8_t is_fp;  /* for a memory instruction: this is a further line of the previous record */
    uint8_t is_load;
    uint8_t cf_type;
    uint8_t num_read_regs; /* may exceed MACSIM_REGS; 255: none */
    uint8_t num_dest_regs; /* only dst[0] is used */
    uint16_t src[MACSIM_REGS];
    uint16_t dst[MACSIM_REGS];
    uint8_t size;
    uint8_t pad_size;
    uint32_t active_mask;
    uint32_t br_taken_mask; /* always 0 */
    uint64_t inst_addr;
    uint64_t br_target_addr;
    uint64_t mem_addr;
    uint8_t mem_access_size;
    uint8_t pad_access;
    uint16_t num_barrier_threads;
    uint8_t addr_space;
    uint8_t cache_level;
    uint8_t cache_operator;
    uint8_t pad_end;
} macsim_record_t;

_Static_assert(sizeof(macsim_record_t) == 64, "the layout of the tracer's structure");
_Static_assert(offsetof(macsim_record_t, active_mask) == 24, "the layout of the tracer");
_Static_assert(offsetof(macsim_record_t, mem_access_size) == 56, "the layout of the tracer");

typedef struct macsim_reader macsim_reader_t;

/* Returns NULL with *err set (RB_IO) if the file cannot be opened. path is borrowed while it is
 * open. */
macsim_reader_t *macsim_reader_open(const char *path, rb_err_t *err);

/*
 * Reads the next record, valid until the next call; *out is NULL at the end. RB_TRACE with the
 * number of the record for damaged or truncated data.
 */
RB_CHECKED rb_code_t macsim_reader_next(macsim_reader_t *r, const macsim_record_t **out,
                                        rb_err_t *err);

/* Records read so far. */
uint64_t macsim_reader_count(const macsim_reader_t *r);

void macsim_reader_close(macsim_reader_t *r);

#endif
