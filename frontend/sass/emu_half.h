/* Half precision (IEEE binary16) as doubles, which hold every sum and product of two exactly. */
#ifndef RUBATO_EMU_HALF_H
#define RUBATO_EMU_HALF_H

#include <stdint.h>

double emu_half_to_double(uint32_t bits);

/* Rounded in a mode of emu_round.h; NaN is 0x7fff. */
uint32_t emu_double_to_half(double v, unsigned mode);

#endif
