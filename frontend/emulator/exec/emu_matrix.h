/*
 * The parts of HMMA that most of the time goes to, for any host and for those with AVX-512: both
 * give the same bits.
 */
#ifndef RUBATO_EMU_MATRIX_H
#define RUBATO_EMU_MATRIX_H

#include "frontend/emulator/exec/emu_state.h"

/* Whether this host can execute the functions that end in avx512. */
bool emu_has_avx512(void);

/* HMMA.1688; sums have 32 bits if u->select, as those of the other must. */
void emu_hmma1688(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_hmma1688_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* A step, u->select, of an HMMA.884 of usual form, with the fragments of the grid. */
void emu_hmma884(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
void emu_hmma884_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* What the steps of an HMMA.884 work on, from A and B of the first. */
void emu_fragments(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to);
void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to);

#endif
