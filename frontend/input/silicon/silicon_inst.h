/*
 * One line of a listing: a machine instruction as nvdisasm writes it, with its control word before
 * it, as the record that the model takes.
 *
 *   [B01----:R2:W3:Y:S04] @!P0 LDG.E.64.SYS R4, [R2.64+0x10]
 *
 * In the brackets, each part optional and in any order: B and the barriers that the instruction
 * waits for, R the barrier that it releases when its sources are read, W the one when its result is
 * there, Y for yield, S the stall count (15 at most). Without brackets the instruction has no
 * control word. ".reuse" behind a source sets its bit.
 */
#ifndef RUBATO_SILICON_INST_H
#define RUBATO_SILICON_INST_H

#include "sim/core/err.h"
#include "sim/isa/inst.h"

/*
 * Reads text[0 .. len) (no leading or trailing blanks). Sets everything of *out but the pc.
 * *mnemonic and *mnemonic_len tell where in the text the mnemonic stands. RB_TRACE without file and
 * line.
 */
RB_CHECKED rb_code_t silicon_inst_read(const char *text, size_t len, unsigned arch, inst_t *out,
                                       const char **mnemonic, size_t *mnemonic_len, rb_err_t *err);

#endif
