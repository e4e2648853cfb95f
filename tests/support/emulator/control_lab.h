/*
 * Programs of instructions with control words that read the clock, for law tests of control words.
 */
#ifndef RUBATO_TESTS_CONTROL_LAB_H
#define RUBATO_TESTS_CONTROL_LAB_H

#include "tests/support/sim/clock_lab.h"

#define ONE_SM "sm.count=1", "icache.perfect=true", "const.perfect=true"

enum { WARP = 32, NONE = CTL_NONE };

/* A line of a program: an instruction with its control word. An empty line ends the program. */
typedef struct {
    const char *mnemonic, *dst, *src;
    unsigned stall;
    bool yield;
    unsigned write, read, wait, reuse;
    int32_t imm; /* DEPBAR */
} control_line_t;

/* A control word with a stall count of n and nothing else. */
#define STALL(n)        n, false, NONE, NONE, 0, 0, 0
#define WAITS(n, mask)  n, false, NONE, NONE, mask, 0, 0
#define WRITES(n, what) n, false, what, NONE, 0, 0, 0
#define READS(n, what)  n, false, NONE, what, 0, 0, 0
#define CLOCK           "CS2R", "R40", ""

/* Adds a launch of one block with this many warps, which all run the program. */
synth_t *control_lab_program(const gpu_spec_t *spec, const control_line_t *line, uint32_t warps);

/* Runs it. */
clock_lab_t control_lab_run(const gpu_spec_t *spec, const control_line_t *line, uint32_t warps);

/* Cycles between the first and the last clock read of a single warp. */
uint64_t control_lab_elapsed(const gpu_spec_t *spec, const control_line_t *line);

#endif
