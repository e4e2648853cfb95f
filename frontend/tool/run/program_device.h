/*
 * Which GPU a program is shown, and so which of its machine code is executed: both follow from the
 * configuration that its launches are simulated with.
 */
#ifndef RUBATO_RUN_PROGRAM_DEVICE_H
#define RUBATO_RUN_PROGRAM_DEVICE_H

#include "frontend/emulator/record/shown_device.h"
#include "frontend/tool/run/run_setup.h"

typedef struct {
    unsigned arch; /* of the code to execute: 70, 75; 0: the program decides */
    /* For the environment of the program: of Volta code, of Turing code. "!" and a message if the
     * configuration of that one cannot be. */
    char text[2][SHOWN_DEVICE_TEXT + 1];
} program_device_t;

/*
 * Resolves the configuration of o, or, if it names no GPU, those of the default ones. arch:
 * "sm_70", "sm_75", or NULL: the GPU decides. The errors of conf_load_gpu() and setup_resolve().
 */
RB_CHECKED rb_code_t program_device(const setup_options_t *o, const char *arch,
                                    program_device_t *device, rb_err_t *err);

#endif
