/* Decodes operands from the fields of an encoding. Each function appends one operand. */
#ifndef RUBATO_SASS_OPERANDS_H
#define RUBATO_SASS_OPERANDS_H

#include "frontend/emulator/sass/sass_inst.h"

int64_t sass_sign_extend(uint64_t value, unsigned bits);

/* Appends an empty operand of a kind. */
sass_operand_t *sass_put(sass_inst_t *in, sass_operand_kind_t kind);

/* Appends a register of the row's file with its number at a bit; the destination. */
sass_operand_t *sass_put_reg(sass_inst_t *in, unsigned bit, unsigned count);
sass_operand_t *sass_put_dst(sass_inst_t *in, unsigned count);

/* Sets the operand slot to which reuse flags refer. */
void sass_set_slot(const sass_inst_t *in, sass_operand_t *o, unsigned slot);

/* Appends a predicate; not_bit: the bit that inverts it, or 0 if it is written. */
sass_operand_t *sass_put_pred(sass_inst_t *in, unsigned bit, unsigned not_bit, bool uniform);

/* Appends the operand in bits 32-63: the second or third source. */
void sass_put_field(sass_inst_t *in, sass_style_t style, bool third);

/* Appends source a, b or c; 'B': bits 32-63, its third one. */
void sass_put_source(sass_inst_t *in, sass_style_t style, char slot);

/* Decodes 1, 2, 4 or 8 bytes in a conversion; appends the source of a conversion. */
unsigned sass_conversion_size(const sass_inst_t *in, unsigned bit);
void sass_put_conversion_source(sass_inst_t *in, bool is_float);

/* Number of registers that a memory instruction moves; appends those at a bit; appends its address
 * in a space ('g' global, 's' shared, others). */
unsigned sass_data_registers(const sass_inst_t *in);
void sass_put_data(sass_inst_t *in, unsigned bit);
void sass_put_address(sass_inst_t *in, char space);

/* Generic loads and stores without a uniform register have an offset of 32 bits. */
bool sass_has_long_offset(const sass_inst_t *in);

/* Appends a number that is printed unchanged. */
void sass_put_value(sass_inst_t *in, int64_t value);

/* Appends a convergence barrier with its number at a bit. */
void sass_put_barrier(sass_inst_t *in, unsigned bit);

/* Appends a branch target with this many bits; if not absolute, an offset added to registers. */
void sass_put_target(sass_inst_t *in, unsigned bits, bool absolute);

/* Appends registers a, one or two; those of CALL and RET, which may be uniform; the target of
 * CALL.ABS. */
void sass_put_pair(sass_inst_t *in, bool wide);
void sass_put_call_target(sass_inst_t *in);

/* Appends the number or the threads of BAR; appends the barriers of DEPBAR. */
void sass_put_block_barrier(sass_inst_t *in, bool number);
void sass_put_dependence_barriers(sass_inst_t *in);

/* Whether it is ATOMS, whose type field has two bits. */
bool sass_is_shared_atomic(const sass_inst_t *in);

/* Appends a constant of LDC, with or without an index register. */
void sass_put_indexed_const(sass_inst_t *in, bool indexed);

/* Whether its halves are of type bf16. */
bool sass_is_bf16(const sass_inst_t *in);

/* The shape of HMMA, IMMA or BMMA: 0 is the only one of Turing's, or the smaller one of IMMA's. */
unsigned sass_matrix_shape(const sass_inst_t *in);

/* Whether it is a matrix instruction of which A holds only elements that are not 0. */
bool sass_is_sparse(const sass_inst_t *in);

/* What Ampere's F2FP packs. */
typedef enum {
    SASS_F2FP_PAIR,        /* floats to two halves or bf16 values */
    SASS_F2FP_TO_FP8,      /* floats to two eight-bit floats, below the lower half of c */
    SASS_F2FP_HALF_TO_FP8, /* two halves, in the same way */
    SASS_F2FP_FROM_FP8,    /* eight-bit floats in one half of a register to two halves */
    SASS_F2FP_UNKNOWN
} sass_f2fp_t;

sass_f2fp_t sass_f2fp(const sass_inst_t *in);

/* Appends the result ('m') or the source 'a', 'b' or 'c' of a matrix instruction; what a sparse one
 * has in addition. */
void sass_put_matrix(sass_inst_t *in, char slot);
void sass_put_sparsity(sass_inst_t *in);

/* Appends the address in shared memory to which LDGSTS copies. */
void sass_put_copy_target(sass_inst_t *in);

#endif
