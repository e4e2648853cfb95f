/*
 * Instructions as Accel-Sim's NVBit tracer writes them, without what is dynamic:
 *     dest_num [dests] opcode src_num [srcs] mem_width [@] immediate
 * with "@" where addresses stand. The tracer's habits are kept: only the first printed operand can
 * be a destination, and only if it is a general register; so those of instructions that print a
 * predicate first (SHFL, ATOMG, ISETP) stand among the sources. RZ is R255. A pair is its first
 * register. Predicates, uniform registers and constants are not there; of several integer
 * immediates the last one is.
 */
#ifndef RUBATO_SASS_TRACER_TEXT_H
#define RUBATO_SASS_TRACER_TEXT_H

#include "frontend/emulator/exec/emu_module.h"

/*
 * Of an instruction of code (emu_code_t), as rbt_writer_launch() asks for it: *len bytes that hold
 * until the next call from the same thread.
 */
const char *sass_tracer_text(void *code, const inst_t *inst, uint32_t *len);

#endif
