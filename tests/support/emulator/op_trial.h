/*
 * An instruction under test: its bits in one form, chosen at random unless its case says otherwise,
 * and the state of each lane before it.
 */
#ifndef RUBATO_TESTS_OP_TRIAL_H
#define RUBATO_TESTS_OP_TRIAL_H

#include "frontend/emulator/sass/sass_table.h"
#include "tests/support/emulator/op_lab.h"

/*
 * The kernel: a lane has a line of 16 words (sources a, b, c, then its predicates and what the
 * result's registers hold before) and writes one of 12 (result, predicates, place in memory).
 */
enum {
    LANES = 32,
    WARPS = 2,
    THREADS = WARPS * LANES,
    LINE_IN = 64,
    LINE_OUT = 48,
    IN = 0x160, /* parameters of the kernel that it replaces */
    OUT = 0x168,
    PLACES = OP_CONSTANT, /* of a memory instruction instead: where the places begin */
    OFFSET = 48,          /* in its encoding */
    REG_A = 8,
    REG_B = 12,
    REG_C = 16,
    REG_PREDS = 20,
    REG_D = 24,
    REG_PREDS_OUT = 28,
    SPARE = 29,
    U_SPARE = 30,
    REG_ADDRESS = 32,
    REG_PLACE = 36,
    GUARD = 5, /* predicate that guards */
};

/* An instruction in one form, with all its bits, and its operands. */
typedef struct {
    const sass_row_t *row;
    op_case_t c;
    unsigned form;
    bool uniform, to_uniform; /* all of it; its result only */
    bool no_data;             /* a memory instruction takes zeros instead of source b */
    char field;               /* source in bits 32-63, or 0 */
    unsigned d;               /* number of the result's first register */
    unsigned pd[2];
    uint32_t constant[2]; /* an immediate, or the constant */
    op_in_t in[THREADS];
    uint32_t preset[THREADS][4];
} op_trial_t;

/* Puts registers, immediates, constants, signs, halves and predicates into the encoding. */
void op_trial_choose(op_trial_t *t);

/* The values that the lanes load, and the values that the instruction then sees. */
void op_trial_fill(op_trial_t *t);
void op_trial_settle(op_trial_t *t);

/* Whether the third predicate source is uniform in an instruction that is not uniform. */
bool op_reads_upred(const op_case_t *c);

void op_set_bits(op_case_t *c, unsigned first, unsigned count, uint64_t value);

/* The letter of a source in the row's operands; 0: it has no such source. */
char op_letter_of(const sass_row_t *row, char source);
bool op_has_token(const sass_row_t *row, const char *token);

/* The source that stands in bits 32-63 in a form, or 0. */
char op_field_source(const sass_row_t *row, unsigned form);

/* A random number below sides. */
uint64_t op_dice(uint64_t sides);

#endif
