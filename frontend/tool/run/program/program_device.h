/*
 * Decides which GPU a program sees, and therefore which of its machine code is executed, from the
 * configuration with which its launches are simulated.
 */
#ifndef RUBATO_RUN_PROGRAM_DEVICE_H
#define RUBATO_RUN_PROGRAM_DEVICE_H

#include "frontend/emulator/record/shown_device.h"
#include "frontend/tool/run/run_setup.h"

typedef struct {
    unsigned arch; /* architecture of the code to execute: 70, 75, 80, 86; 0: the program decides */
    /* Text for the program's environment, for code of each architecture of shown_device_archs. "!"
     * and a message if that configuration is not possible. */
    char text[SHOWN_DEVICE_ARCHS][SHOWN_DEVICE_TEXT + 1];
} program_device_t;

/*
 * Resolves the configuration of o or, if it names no GPU, the default ones. arch: "sm_70", "sm_86",
 * or NULL: the GPU decides. Errors of conf_load_gpu() and setup_resolve().
 */
RB_CHECKED rb_code_t program_device(const setup_options_t *o, const char *arch,
                                    program_device_t *device, rb_err_t *err);

#endif
