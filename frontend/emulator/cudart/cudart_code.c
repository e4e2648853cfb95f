/*
 * Decides which machine code of the program is executed, and which GPU the program sees, from the
 * environment that "rubato record" and "rubato run" set:
 *
 *   RUBATO_ARCH        the architecture of the code: 70, 75, 80, 86, ...; unset: the program decides
 *   RUBATO_DEVICE_70   the emulated GPU (shown_device.h) for a program whose Volta code is
 *                      executed, or "!" and why there is none
 *   RUBATO_DEVICE_75   the same for Turing code
 *   RUBATO_DEVICE_80   for sm_80
 *   RUBATO_DEVICE_86   for sm_86, 87 and 89
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cudart/cudart_state.h"
#include "sim/core/alloc.h"

static void read_device(cudart_state_t *s, unsigned index, const char *variable)
{
    const char *text = getenv(variable);
    rb_err_t err = {0};

    if (text == NULL)
        s->no_device[index] = "no GPU is configured: start the program with "
                              "'rubato run' or 'rubato record'";
    else if (text[0] == '!')
        s->no_device[index] = text + 1;
    else if (shown_device_read(&s->shown[index], text, &err) != RB_OK)
        cudart_give_up("%s: %s", variable, err.text);
}

static uint32_t read_arch(const char *text)
{
    static const char *const known[] = {"70", "75", "80", "86", "87", "89"};

    for (size_t i = 0; text != NULL && i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(text, known[i]) == 0)
            return (uint32_t)strtoul(text, NULL, 10);
    if (text != NULL)
        cudart_give_up("RUBATO_ARCH: '%s' is neither 70, 75, 80, 86, 87 nor 89", text);
    return 0;
}

void cudart_code_start(cudart_state_t *s)
{
    s->arch = read_arch(getenv("RUBATO_ARCH"));
    read_device(s, 0, "RUBATO_DEVICE_70");
    read_device(s, 1, "RUBATO_DEVICE_75");
    read_device(s, 2, "RUBATO_DEVICE_80");
    read_device(s, 3, "RUBATO_DEVICE_86");
}

const shown_device_t *cudart_device(cudart_state_t *s)
{
    unsigned index = shown_device_of_arch(cudart_arch(s));

    if (s->no_device[index] != NULL)
        cudart_give_up("%s", s->no_device[index]);
    return &s->shown[index];
}

/* --- the choice ------------------------------------------------------------------------------ */

/* The best code for an architecture: its own, or the newest earlier one of the same generation; 0:
 * none. */
static uint32_t best_code(const fatbin_t *f, uint32_t arch)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < f->n_archs; i++)
        if (f->archs[i] <= arch && f->archs[i] / 10 == arch / 10 && f->archs[i] > best)
            best = f->archs[i];
    return best;
}

static void open_unit(cudart_unit_t *u)
{
    rb_err_t err = {0};
    const uint8_t *data = u->wrapper->data;

    if (u->opened)
        return;
    u->opened = true;
    if (fatbin_open(&u->listed, "the program", data, fatbin_container_bytes(data), FATBIN_NONE,
                    &err) != RB_OK)
        cudart_give_up("%s", err.text);
}

/* Turing if any part of the program has code for it, since Volta code runs there, too; without
 * either, the first of the newer ones that a part has code for. */
uint32_t cudart_arch(cudart_state_t *s)
{
    uint32_t newer = 0;
    bool any = false;

    for (size_t i = 0; i < s->n_units && s->arch == 0; i++) {
        const fatbin_t *listed = &s->units[i]->listed;
        open_unit(s->units[i]);
        uint32_t best = best_code(listed, 75);
        any = any || best != 0;
        if (best > 70)
            s->arch = 75;
        if (newer == 0)
            newer = best_code(listed, 80) != 0 ? 80 : best_code(listed, 89);
    }
    if (s->arch == 0)
        s->arch = any ? 70 : newer;
    return s->arch != 0 ? s->arch : 75;
}

/* --- loading --------------------------------------------------------------------------------- */

/* Lists architectures, such as "sm_75, sm_80". */
static void list_archs(const fatbin_t *f, char *text, size_t size)
{
    size_t n = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < f->n_archs && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%ssm_%u", i > 0 ? ", " : "", f->archs[i]);
}

static _Noreturn void no_code(const fatbin_t *f, uint32_t arch)
{
    char there[128];

    list_archs(f, there, sizeof(there));
    if (f->n_archs == 0)
        cudart_give_up("the program has no machine code; compile it with nvcc -arch=sm_%u", arch);
    cudart_give_up(
        "the program has no machine code for sm_%u, only for %s; compile it with nvcc "
        "-arch=sm_%u%s",
        arch, there, arch,
        best_code(f, 79) != 0 || best_code(f, 89) != 0 ? ", or choose another GPU with --gpu" : "");
}

/* --- PTX ------------------------------------------------------------------------------------- */

/* Compiles one text of PTX. */
static rb_code_t compile_image(cudart_unit_t *u, const fatbin_image_t *image, size_t *size,
                               rb_err_t *err)
{
    const size_t n = strnlen((const char *)image->data, image->size);

    return ptx_compile((const char *)image->data, n, &u->jit, &u->compiled, size, err);
}

/* Compiles the newest PTX of a unit that is for the GPU or an earlier one. */
static rb_code_t compile_unit(cudart_unit_t *u, uint32_t arch, size_t *size, rb_err_t *err)
{
    const uint8_t *data = u->wrapper->data;
    const fatbin_image_t *best = NULL;
    uint32_t earliest = UINT32_MAX;
    fatbin_t texts;

    RB_TRY(fatbin_open_ptx(&texts, "the program", data, fatbin_container_bytes(data), err));
    for (uint32_t i = 0; i < texts.n_images; i++) {
        const fatbin_image_t *image = &texts.images[i];
        earliest = image->arch < earliest ? image->arch : earliest;
        if (image->arch <= arch && (best == NULL || image->arch > best->arch))
            best = image;
    }
    u->jit.arch = arch;
    rb_code_t rc = best != NULL
                       ? compile_image(u, best, size, err)
                       : rb_fail(err, RB_IO,
                                 "the program has no machine code for sm_%u, and its PTX is for "
                                 "sm_%u and later; compile it with nvcc -arch=sm_%u",
                                 arch, earliest, arch);
    fatbin_close(&texts);
    return rc;
}

bool cudart_unit_compiles(cudart_state_t *s, cudart_unit_t *u)
{
    open_unit(u);
    return best_code(&u->listed, cudart_arch(s)) == 0 && u->listed.n_ptx > 0;
}

/* --------------------------------------------------------------------------------------------- */

static rb_code_t load_compiled(cudart_state_t *s, cudart_unit_t *u, rb_err_t *err)
{
    size_t size = 0;

    RB_TRY(compile_unit(u, cudart_arch(s), &size, err));
    RB_TRY(emu_module_open(&u->module, &s->mem, "the program", u->compiled, size, err));
    u->loaded = true;
    return RB_OK;
}

rb_code_t cudart_unit_load(cudart_state_t *s, cudart_unit_t *u, rb_err_t *err)
{
    const uint8_t *data = u->wrapper->data;
    uint32_t arch = cudart_arch(s);

    open_unit(u);
    if (cudart_unit_compiles(s, u))
        return load_compiled(s, u, err);
    uint32_t code = best_code(&u->listed, arch);
    if (code == 0)
        no_code(&u->listed, arch);
    RB_TRY(fatbin_open(&u->fatbin, "the program", data, fatbin_container_bytes(data), code, err));
    rb_code_t rc = emu_module_open(&u->module, &s->mem, "the program", u->fatbin.images[0].data,
                                   u->fatbin.images[0].size, err);
    if (rc != RB_OK)
        fatbin_close(&u->fatbin);
    u->loaded = rc == RB_OK;
    return rc;
}

cudart_unit_t *cudart_unit_add(cudart_state_t *s, const cuda_fatbin_wrapper_t *wrapper)
{
    cudart_unit_t *u = rb_calloc(1, sizeof(*u));

    u->wrapper = wrapper;
    rb_grow(&s->units, &s->cap_units, s->n_units + 1, sizeof(*s->units));
    s->units[s->n_units++] = u;
    return u;
}

void cudart_unit_remove(cudart_state_t *s)
{
    cudart_unit_t *u = s->units[--s->n_units];

    fatbin_close(&u->listed);
    free(u->compiled);
    free(u);
}

bool cudart_unit_fits(cudart_state_t *s, cudart_unit_t *u)
{
    open_unit(u);
    return best_code(&u->listed, cudart_arch(s)) != 0 || u->listed.n_ptx > 0;
}

const emu_module_t *cudart_unit_module(cudart_state_t *s, cudart_unit_t *unit)
{
    rb_err_t err = {0};

    if (!unit->loaded && cudart_unit_load(s, unit, &err) != RB_OK)
        cudart_give_up("%s", err.text);
    return &unit->module;
}
