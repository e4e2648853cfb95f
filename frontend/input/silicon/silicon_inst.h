/*
 * Parses one line of a listing, a machine instruction in nvdisasm's format after its control word,
 * into a record of the model.
 *
 *   [B01----:R2:W3:Y:S04] @!P0 LDG.E.64.SYS R4, [R2.64+0x10]
 *
 * The parts in brackets are optional and may be in any order: B and the barriers that the
 * instruction waits for, R and the barrier released when its sources are read, W and the barrier
 * released when its result is ready, Y for yield, S and the stall count (at most 15). Without
 * brackets the instruction has no control word. ".reuse" after a source sets its reuse bit.
 */
#ifndef RUBATO_SILICON_INST_H
#define RUBATO_SILICON_INST_H

#include "sim/core/err.h"
#include "sim/isa/inst.h"

/*
 * Parses text[0 .. len), which has no leading or trailing blanks. Sets everything of *out except
 * the pc. *mnemonic and *mnemonic_len give the place of the mnemonic in text. RB_TRACE without file
 * and line.
 */
RB_CHECKED rb_code_t silicon_inst_read(const char *text, size_t len, unsigned arch, inst_t *out,
                                       const char **mnemonic, size_t *mnemonic_len, rb_err_t *err);

#endif
