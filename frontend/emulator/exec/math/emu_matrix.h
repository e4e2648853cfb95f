/*
 * The time-critical parts of HMMA, for any host and for hosts with AVX-512. Both versions give
 * identical bits.
 */
#ifndef RUBATO_EMU_MATRIX_H
#define RUBATO_EMU_MATRIX_H

#include "frontend/emulator/exec/emu_state.h"

/* Whether this host supports the functions whose names end in avx512. */
bool emu_has_avx512(void);

/* HMMA.1688; sums have 32 bits if u->select is set, and so in the first AVX-512 version; in the
 * second they have 16. */
void emu_hmma1688(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_hmma1688_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_hmma1688_half_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/*
 * Bits of u->select of an HMMA.884: the step, and which fragments and types differ from the usual
 * form.
 */
enum { HMMA_STEP = 3, HMMA_A_BY_COLUMNS = 4, HMMA_B_BY_ROWS = 8, HMMA_D_F16 = 16, HMMA_C_F16 = 32 };

/* A step of an HMMA.884 whose sums have 32 bits, with the fragments of the grid. */
void emu_hmma884(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_hmma884_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* A step of any form; and with the fragments of the grid, if all sums have 16 bits. */
void emu_hmma884_any(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_hmma884_half_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/*
 * Converts A and B of the first step to the operands of all steps of an HMMA.884. Fragments in the
 * other layout (A by columns, B by rows) are transposed: element i of lane 4q + k becomes element k
 * of lane 4q + i.
 */
void emu_fragments(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to);
void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to);

#endif
