/* Textures for tests of the emulator, and the expected value of reading one of two dimensions. */
#ifndef RUBATO_TEST_TEXTURE_LAB_H
#define RUBATO_TEST_TEXTURE_LAB_H

#include "frontend/emulator/exec/memory/emu_texture.h"
#include "tests/support/emulator/sass_lab.h"

/* A texture of floats, copied to device memory; set its address modes and filter. */
emu_texture_t texture_lab_image(sass_lab_t *lab, const float *texels, uint32_t width,
                                uint32_t height, uint32_t depth);

/* The handle of a texture that kernels get. */
uint64_t texture_lab_bind(sass_lab_t *lab, const emu_texture_t *t);

/*
 * The value of the first layer at a position, from contiguous texels v, by the formulas of the
 * programming guide in double precision.
 */
double texture_lab_expected(const emu_texture_t *t, const float *v, double x, double y);

#endif
