/* The fields of an instruction line for an instruction that no tracer has written down. */
#ifndef RUBATO_ACCELSIM_SYNTHESIS_H
#define RUBATO_ACCELSIM_SYNTHESIS_H

#include <stdbool.h>

#include "sim/isa/inst.h"

enum { ACCELSIM_SYNTHESIS_MAX = 512 };

/*
 * "dest_num [dests] opcode src_num [srcs] mem_width [@] immediate" of *inst, without a newline.
 * mnemonic: text that begins with the full mnemonic, or "" to make one from the opcode table.
 * typed: as tracer version 6 has it, with all register files, two immediates and NoVal.
 */
void accelsim_synthesise(const inst_t *inst, const char *mnemonic, bool typed,
                         char text[ACCELSIM_SYNTHESIS_MAX]);

#endif
