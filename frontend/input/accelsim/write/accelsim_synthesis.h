/* Composes the fields of an instruction line for an instruction that does not come from a
 * tracer. */
#ifndef RUBATO_ACCELSIM_SYNTHESIS_H
#define RUBATO_ACCELSIM_SYNTHESIS_H

#include <stdbool.h>

#include "sim/isa/inst.h"

enum { ACCELSIM_SYNTHESIS_MAX = 512 };

/*
 * Writes "dest_num [dests] opcode src_num [srcs] mem_width [@] immediate" of *inst, without a
 * newline. mnemonic: text that begins with the full mnemonic, or "" to use the opcode table. typed:
 * format of tracer version 6, with all register files, two immediates and NoVal.
 */
void accelsim_synthesise(const inst_t *inst, const char *mnemonic, bool typed,
                         char text[ACCELSIM_SYNTHESIS_MAX]);

#endif
