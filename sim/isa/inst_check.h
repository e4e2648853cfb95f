/* Checks an instruction that was read from a file or received from another process. */
#ifndef RUBATO_ISA_INST_CHECK_H
#define RUBATO_ISA_INST_CHECK_H

#include "sim/isa/inst.h"

/* False if a field is out of range for the tables that the model indexes with it. */
bool inst_is_valid(const inst_t *in);

#endif
