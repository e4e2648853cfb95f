#include "tests/support/emulator/shown_gpu.h"

#include <stdlib.h>

#include "frontend/tool/run/program/program_device.h"
#include "tests/support/test.h"

void show_gpu(const char *gpu)
{
    const setup_options_t options = {.gpu = gpu};
    program_device_t device;
    rb_err_t err = {0};

    if (program_device(&options, NULL, &device, &err) != RB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    setenv("RUBATO_DEVICE_70", device.text[0], 1);
    setenv("RUBATO_DEVICE_75", device.text[1], 1);
    setenv("RUBATO_DEVICE_80", device.text[2], 1);
    setenv("RUBATO_DEVICE_86", device.text[3], 1);
}
