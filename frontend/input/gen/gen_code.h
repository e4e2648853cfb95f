/*
 * The static code of a generated kernel: a listing in the format of nvdisasm, cut into segments at
 * the places where control may arrive.
 *
 * Operands follow the view of an NVBit tracer (operand 0 is the destination if it is a general
 * register; all other general registers are sources), so that generated and recorded traces of the
 * same code agree. Guards (@P0, @!P1) and address operands ([R4+0x10]) are kept for the emitter:
 * gen_emit.h.
 */
#ifndef RUBATO_GEN_CODE_H
#define RUBATO_GEN_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/isa/inst.h"

enum { GEN_GUARD_NONE = 7 }; /* PT */

/* An instruction of a segment that has a guard or addresses memory. */
typedef struct {
    uint16_t at;    /* position in the segment */
    uint8_t guard;  /* predicate; GEN_GUARD_NONE: none */
    bool negated;   /* @!P */
    bool addresses; /* has an address record (stream.h) */
    uint8_t reg;    /* address register */
    int32_t offset; /* offset added to the register */
} gen_step_t;

typedef struct {
    const inst_t *first;
    const gen_step_t *steps; /* ascending */
    uint16_t n, n_steps;
    bool guarded; /* any guard that is not PT */
} gen_segment_t;

typedef struct {
    inst_t *insts;           /* owned, 16 bytes of code apart */
    char **texts;            /* owned; in the format of trace_source.h */
    gen_step_t *steps;       /* owned */
    gen_segment_t *segments; /* owned */
    unsigned n, n_segments;
} gen_code_t;

/*
 * Assembles n_segments listings for an architecture (70, 75). An instruction ends with ";"; one
 * that begins with "70:" or "75:" belongs only to that architecture. Listings are part of this
 * program, so one that cannot be parsed is a bug (panic).
 */
void gen_code_init(gen_code_t *c, const char *const *listing, unsigned n_segments, unsigned arch);

void gen_code_free(gen_code_t *c);

/* Text of an instruction of this code; NULL if it does not belong to it. */
const char *gen_code_text(const gen_code_t *c, const inst_t *inst);

#endif
