/*
 * Writes the lines of instructions. The static part is composed once per instruction of an open
 * launch.
 */
#ifndef RUBATO_ACCELSIM_LINE_H
#define RUBATO_ACCELSIM_LINE_H

#include "frontend/input/accelsim/write/accelsim_out.h"
#include "sim/core/hash_map.h"

typedef struct {
    const inst_t *inst;
    char *source_line; /* owned; "57 " or NULL */
    char *head;        /* owned; "1 R4 LDG.E.SYS 1 R2 4 " */
    char *tail;        /* owned; the text after the addresses: "0 " */
    uint32_t source_line_len, head_len, tail_len;
    bool has_addresses; /* the line has an address mode */
} line_text_t;

typedef struct {
    trace_source_t *source; /* borrowed */
    trace_launch_t *launch; /* borrowed */
    unsigned version;       /* of the tracer: 5 or 6 */
    bool source_lines;      /* announced in the header */
    bool list_addresses;
    line_text_t *lines; /* owned */
    size_t n, cap;
    hash_map_t map; /* lines by inst */
} line_writer_t;

/* first: an instruction of the launch, whose text decides the version; NULL: the launch has
 * none. */
void line_writer_init(line_writer_t *w, trace_source_t *source, trace_launch_t *launch,
                      const inst_t *first, bool list_addresses);
void line_writer_free(line_writer_t *w);

/* Writes a line. *addrs points to the next address record and is advanced if the line uses it. */
void line_writer_put(line_writer_t *w, accelsim_out_t *out, const inst_t *inst, uint32_t mask,
                     const uint64_t **addrs);

#endif
