/*
 * Operands of an instruction that is being decoded, from the fields of its encoding. Each function
 * appends one.
 */
#ifndef RUBATO_SASS_OPERANDS_H
#define RUBATO_SASS_OPERANDS_H

#include "frontend/emulator/sass/sass_inst.h"

int64_t sass_sign_extend(uint64_t value, unsigned bits);

/* One of a kind, with nothing in it yet. */
sass_operand_t *sass_put(sass_inst_t *in, sass_operand_kind_t kind);

/* A register of the row's file, whose number stands at a bit; the destination. */
sass_operand_t *sass_put_reg(sass_inst_t *in, unsigned bit, unsigned count);
sass_operand_t *sass_put_dst(sass_inst_t *in, unsigned count);

/* The operand slot by which the reuse flags know a register. */
void sass_set_slot(const sass_inst_t *in, sass_operand_t *o, unsigned slot);

/* A predicate; not_bit: where it is inverted, or 0: it is written. */
sass_operand_t *sass_put_pred(sass_inst_t *in, unsigned bit, unsigned not_bit, bool uniform);

/* What bits 32-63 hold in this form: the second or third source. */
void sass_put_field(sass_inst_t *in, sass_style_t style, bool third);

/* Source a, b or c; 'B': bits 32-63, which are its third. */
void sass_put_source(sass_inst_t *in, sass_style_t style, char slot);

/* 1, 2, 4 or 8 bytes as conversions encode them; what they convert. */
unsigned sass_conversion_size(const sass_inst_t *in, unsigned bit);
void sass_put_conversion_source(sass_inst_t *in, bool is_float);

/* Registers that a memory instruction moves; those at a bit; its address in a space ('g' global,
 * 's' shared, others). */
unsigned sass_data_registers(const sass_inst_t *in);
void sass_put_data(sass_inst_t *in, unsigned bit);
void sass_put_address(sass_inst_t *in, char space);

/* Loads and stores of generic memory without a uniform register have an offset of 32 bits. */
bool sass_has_long_offset(const sass_inst_t *in);

/* A number that is printed as it is. */
void sass_put_value(sass_inst_t *in, int64_t value);

/* A convergence barrier whose number stands at a bit. */
void sass_put_barrier(sass_inst_t *in, unsigned bit);

/* The target of a branch, of so many bits; if not absolute: what is added to registers. */
void sass_put_target(sass_inst_t *in, unsigned bits, bool absolute);

/* Registers a, one or two; those of CALL and RET may be uniform. What CALL.ABS calls. */
void sass_put_pair(sass_inst_t *in, bool wide);
void sass_put_call_target(sass_inst_t *in);

/* The number or the threads of BAR; the barriers of DEPBAR. */
void sass_put_block_barrier(sass_inst_t *in, bool number);
void sass_put_dependence_barriers(sass_inst_t *in);

/* ATOMS: its types have two bits. */
bool sass_is_shared_atomic(const sass_inst_t *in);

/* A constant of LDC, with or without a register that is added to its place. */
void sass_put_indexed_const(sass_inst_t *in, bool indexed);

#endif
