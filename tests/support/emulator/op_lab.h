/*
 * Runs one instruction on the emulator, in every form and with every modifier that its case names,
 * on random and special operands, and compares the result with what a C function expects for each
 * lane.
 */
#ifndef RUBATO_TESTS_OP_LAB_H
#define RUBATO_TESTS_OP_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct op_case op_case_t;
typedef struct op_in op_in_t;

/*
 * State of a lane before the instruction: source registers, predicates P0 to P6, the constant at
 * OP_CONSTANT. A memory instruction has a place of 16 bytes, which holds a.
 */
struct op_in {
    uint32_t a[4], b[4], c[4];
    uint32_t preds;
    uint64_t constant;
    unsigned thread;
    uint32_t active; /* lanes of the warp that execute the instruction */
    unsigned lane;
    const op_in_t *warp; /* all 32 of them */
};

/* State afterwards: result registers, predicates, its place in memory. */
typedef struct {
    uint32_t d[4];
    uint32_t preds;
    uint32_t place[4];
} op_out_t;

/* Bits of the encoding that are tried with all values, or with those that a mask allows. */
typedef struct {
    uint8_t bit, width;
    uint32_t allowed; /* 0: all */
} op_field_t;

enum { OP_MAX_FIELDS = 10, OP_CONSTANT = 0x170 };

/* Kind of the operands. */
typedef enum { OP_INTS, OP_FLOATS, OP_DOUBLES, OP_HALVES, OP_ALIKE } op_values_t;

/* Memory space of the lane's place. */
typedef enum { OP_NO_MEMORY, OP_GLOBAL, OP_SHARED, OP_LOCAL } op_memory_t;

struct op_case {
    uint64_t lo, hi; /* opcode and fixed bits; for expect(), the whole encoding */
    op_values_t values;
    unsigned words; /* of the result */
    void (*expect)(const op_case_t *c, const op_in_t *in, op_out_t *out);
    op_field_t fields[OP_MAX_FIELDS];
    uint8_t forms;    /* bit f: form f; 0: as operands say */
    bool whole_warps; /* no guards */
    op_memory_t memory;
    bool no_signs;                                               /* of sources */
    bool (*same)(const op_out_t *expected, const op_out_t *got); /* NULL: bit for bit */
};

/* Fails the test if the emulator does not do what a case expects. */
void op_lab_check(const op_case_t *c);
void op_lab_check_all(const op_case_t *cases, size_t n);

/* --- for expectations ------------------------------------------------------------------------ */

uint32_t op_bits(const op_case_t *c, unsigned first, unsigned count);

/* Modifiers of source 'a', 'b' or 'c' in the form that is being tried. */
bool op_neg(const op_case_t *c, char source);
bool op_abs(const op_case_t *c, char source);
unsigned op_half(const op_case_t *c, char source); /* 0 H1_H0, 1 F32, 2 H0_H0, 3 H1_H1 */

/* Predicate source 0, 1, 2, its inversion applied; predicate result 0, 1. */
bool op_pred(const op_case_t *c, const op_in_t *in, unsigned i);
void op_put_pred(const op_case_t *c, op_out_t *out, unsigned i, bool value);

static inline uint64_t op_u64(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

static inline void op_put_u64(op_out_t *out, uint64_t v)
{
    out->d[0] = (uint32_t)v;
    out->d[1] = (uint32_t)(v >> 32);
}

/* --- what has been tried --------------------------------------------------------------------- */

/* Records an instruction that was tried by other means. */
void op_lab_note(uint64_t lo, uint64_t hi);

/* Whether an opcode (bits 0-8) was tried. */
bool op_lab_tried(unsigned opcode);

/* Fails unless every named value of its modifiers was tried or is refused by the emulator. */
void op_lab_check_modifiers(unsigned opcode);

/* Whether the emulator refuses an encoding as not supported. */
bool op_lab_refused(uint64_t lo, uint64_t hi);

#endif
