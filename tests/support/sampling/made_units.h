/* Made-up units of smarts, and what follows from them. */
#ifndef RUBATO_TESTS_MADE_UNITS_H
#define RUBATO_TESTS_MADE_UNITS_H

#include "sampling/inside/smarts/smarts_estimate.h"

enum { UNITS = 10, INSTS = 1000000 };

typedef struct {
    smarts_unit_t unit[UNITS];
    smarts_question_t q;
} made_t;

/* A unit at `sectors` DRAM sectors per 1000 instructions, with that many cycles per 1000. */
smarts_unit_t made_unit(double sectors, double cycles);

/* Asks for 50 times INSTS instructions, with left_sectors DRAM sectors per 1000. */
void made_ask(made_t *m, double left_sectors);

/* The estimate of nothing but what was left out, and its replicates. */
void made_complete(made_t *m, launch_estimate_t *whole, launch_estimate_t list[UNITS]);

/* A counter by its offset. */
double made_counter(const launch_estimate_t *e, size_t offset);

/* Half the interval of a counter, or of its ratio to another one, that the replicates give. among: 0: none. */
double made_half(const launch_estimate_t list[UNITS], size_t offset, size_t among);

#endif
