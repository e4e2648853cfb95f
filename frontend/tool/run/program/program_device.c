#include "frontend/tool/run/program/program_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

static rb_code_t resolve(const setup_options_t *o, const char *gpu, shown_device_t *shown,
                         rb_err_t *err)
{
    setup_t *setup = rb_calloc(1, sizeof(*setup));

    setup->gpu = gpu;
    rb_code_t rc = setup_resolve(setup, o, err);
    if (rc == RB_OK)
        shown_device_of(setup->spec, shown);
    setup_close(setup);
    free(setup);
    return rc;
}

/* Uses one GPU, and the machine code of its architecture if it can be executed. */
static rb_code_t show_one(const setup_options_t *o, program_device_t *device, rb_err_t *err)
{
    shown_device_t shown;

    RB_TRY(resolve(o, o->gpu, &shown, err));
    for (unsigned i = 0; i < SHOWN_DEVICE_ARCHS; i++)
        shown_device_write(&shown, device->text[i]);
    if (device->arch == 0 && shown.arch < 90)
        device->arch = shown.arch < 75 ? 70 : shown.arch < 80 ? 75 : (unsigned)shown.arch;
    return RB_OK;
}

/* Uses the default GPU of each architecture; the one that is wanted, or any, must be possible. */
static rb_code_t show_defaults(const setup_options_t *o, program_device_t *device, rb_err_t *err)
{
    rb_err_t problem[SHOWN_DEVICE_ARCHS] = {0};
    bool any = false;

    for (unsigned i = 0; i < SHOWN_DEVICE_ARCHS; i++) {
        shown_device_t shown;
        if (resolve(o, library_default_gpu(shown_device_archs[i]), &shown, &problem[i]) == RB_OK)
            shown_device_write(&shown, device->text[i]);
        else
            snprintf(device->text[i], sizeof(device->text[i]), "!%.*s", SHOWN_DEVICE_TEXT - 1,
                     problem[i].text);
        any = any || problem[i].code == RB_OK;
    }
    const unsigned wanted = shown_device_of_arch(device->arch);
    if (problem[wanted].code == RB_OK || (device->arch == 0 && any))
        return RB_OK;
    return rb_fail(err, problem[wanted].code, "%s", problem[wanted].text);
}

rb_code_t program_device(const setup_options_t *o, const char *arch, program_device_t *device,
                         rb_err_t *err)
{
    *device = (program_device_t){0};
    if (arch != NULL)
        device->arch = (unsigned)strtoul(arch + strlen("sm_"), NULL, 10);
    return o->gpu != NULL ? show_one(o, device, err) : show_defaults(o, device, err);
}
