/*
 * The time-critical parts of HMMA, for any host and for hosts with AVX-512. Both versions give
 * identical bits.
 */
#ifndef RUBATO_EMU_MATRIX_H
#define RUBATO_EMU_MATRIX_H

#include "frontend/emulator/exec/emu_state.h"

/* Whether this host supports the functions whose names end in avx512. */
bool emu_has_avx512(void);

/* HMMA.1688; sums have 32 bits if u->select is set, which the AVX-512 version requires. */
void emu_hmma1688(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_hmma1688_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* A step (u->select) of an HMMA.884 in the usual form, with the fragments of the grid. */
void emu_hmma884(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_hmma884_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* Converts A and B of the first step to the operands of all steps of an HMMA.884. */
void emu_fragments(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to);
void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to);

#endif
