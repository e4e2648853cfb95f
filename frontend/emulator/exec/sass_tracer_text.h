/*
 * Instructions in the format of Accel-Sim's NVBit tracer, without dynamic fields:
 *     dest_num [dests] opcode src_num [srcs] mem_width [@] immediate
 * with "@" in place of addresses. The tracer's conventions are kept: only the first printed operand
 * can be a destination, and only if it is a general register, so destinations of instructions that
 * print a predicate first (SHFL, ATOMG, ISETP) are among the sources. RZ is R255. A register pair
 * is written as its first register. Predicates, uniform registers and constants are omitted; of
 * several integer immediates, only the last one is written.
 */
#ifndef RUBATO_SASS_TRACER_TEXT_H
#define RUBATO_SASS_TRACER_TEXT_H

#include "frontend/emulator/exec/emu_module.h"

/*
 * The text of an instruction of code (emu_code_t), for rbt_writer_launch(): *len bytes, valid until
 * the next call from the same thread.
 */
const char *sass_tracer_text(void *code, const inst_t *inst, uint32_t *len);

#endif
