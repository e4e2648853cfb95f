/* Finds out whether the emulator supports a launch, before anything of it is done. */
#ifndef RUBATO_EMU_PROBE_H
#define RUBATO_EMU_PROBE_H

#include "frontend/emulator/exec/emu_launch.h"

/*
 * RB_OK: the launch reaches no instruction that the emulator does not support. RB_TRACE: it does;
 * the message says which. A launch whose code has such an instruction is tried out in a child
 * process, so that neither memory nor output changes. RB_IO: that is not possible.
 */
RB_CHECKED rb_code_t emu_probe(const emu_launch_t *l, rb_err_t *err);

#endif
