/*
 * A program that uses everything at once, for laws that hold for any program: several launches with
 * loads, stores, local memory, shared memory with conflicts, barriers, atomics, reductions, memory
 * barriers, divergence, constants, host copies, and grids that do and do not fill the chip.
 */
#ifndef RUBATO_TESTS_MIX_H
#define RUBATO_TESTS_MIX_H

#include "tests/support/trace/synth.h"

/* Creates the program with a number of blocks proportional to scale (1: a few dozen). Free it
 * with synth_destroy(). */
synth_t *mix_create(uint32_t scale);

/* Dynamic warp instructions of all its launches, counted by generating them. */
uint64_t mix_insts(synth_t *s);

#endif
