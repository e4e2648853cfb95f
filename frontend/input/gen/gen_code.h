/*
 * The static code of a generated kernel: a listing as nvdisasm prints it, cut into segments that
 * run from one place where control may arrive to the next.
 *
 * Operands are kept as an NVBit tracer sees them (operand 0 if it is a general register is the
 * destination, all other general registers are sources), so that generated and recorded traces of
 * the same code are alike. Guards (@P0, @!P1) and address operands ([R4+0x10]) are kept for the
 * emitter: gen_emit.h.
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
    uint8_t guard;  /* predicate, GEN_GUARD_NONE without */
    bool negated;   /* @!P */
    bool addresses; /* has an address record (stream.h) */
    uint8_t reg;    /* address register */
    int32_t offset; /* added to it */
} gen_step_t;

typedef struct {
    const inst_t *first;
    const gen_step_t *steps; /* ascending */
    uint16_t n, n_steps;
    bool guarded; /* any guard that is not PT */
} gen_segment_t;

typedef struct {
    inst_t *insts;           /* owned, 16 bytes of code apart */
    char **texts;            /* owned: as trace_source.h spells them */
    gen_step_t *steps;       /* owned */
    gen_segment_t *segments; /* owned */
    unsigned n, n_segments;
} gen_code_t;

/*
 * Assembles n_segments listings for an architecture (70, 75). An instruction ends with ";"; one
 * that begins with "70:" or "75:" is left out for the other architecture. The text belongs to this
 * program: anything that cannot be read is our bug (panic).
 */
void gen_code_init(gen_code_t *c, const char *const *listing, unsigned n_segments, unsigned arch);

void gen_code_free(gen_code_t *c);

/* Text of an instruction of this code, or NULL if it is none of its own. */
const char *gen_code_text(const gen_code_t *c, const inst_t *inst);

#endif
