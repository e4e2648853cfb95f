/* Whether an instruction that came from outside, a file or another process, can be one. */
#ifndef RUBATO_ISA_INST_CHECK_H
#define RUBATO_ISA_INST_CHECK_H

#include "sim/isa/inst.h"

/* False: a field is outside of what the model may index with it. */
bool inst_is_valid(const inst_t *in);

#endif
