#include "frontend/emulator/sass/code_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"

/* Libraries contain some hundred MiB of code for each architecture. */
#define FILE_BYTES_MAX (INT64_C(4) << 30)

static rb_code_t read_bytes(code_file_t *f, const char *path, FILE *in, rb_err_t *err)
{
    struct stat st;

    if (fstat(fileno(in), &st) != 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    if (st.st_size > FILE_BYTES_MAX)
        return rb_fail(err, RB_TRACE, "%s: larger than 4 GiB: neither a cubin nor a program", path);
    f->size = (size_t)st.st_size;
    f->data = rb_calloc(f->size + 1, 1);
    if (fread(f->data, 1, f->size, in) != f->size)
        return rb_fail(err, RB_IO, "%s: %s", path,
                       ferror(in) ? strerror(errno) : "the file became shorter while it was read");
    return RB_OK;
}

static rb_code_t read_file(code_file_t *f, const char *path, rb_err_t *err)
{
    rb_err_t why = {0};
    FILE *in = in_file_open(path, &why);

    if (in == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    rb_code_t rc = read_bytes(f, path, in, err);
    fclose(in);
    return rc;
}

static rb_code_t add_cubin(code_file_t *f, const char *path, const uint8_t *data, size_t size,
                           rb_err_t *err)
{
    f->cubins = rb_realloc(f->cubins, f->n_cubins + 1u, sizeof(*f->cubins));
    RB_TRY(cubin_open(&f->cubins[f->n_cubins], path, data, size, err));
    f->n_cubins++;
    return RB_OK;
}

static rb_code_t add_fatbin(code_file_t *f, const char *path, const uint8_t *data, size_t size,
                            uint32_t arch, rb_err_t *err)
{
    RB_TRY(fatbin_open(&f->fatbin, path, data, size, arch, err));
    for (uint32_t i = 0; i < f->fatbin.n_images; i++)
        RB_TRY(add_cubin(f, path, f->fatbin.images[i].data, f->fatbin.images[i].size, err));
    if (f->n_cubins > 0)
        return RB_OK;
    if (arch != 0)
        return rb_fail(err, RB_TRACE,
                       "%s: no machine code for sm_%u; compile it with nvcc -arch=sm_%u", path,
                       arch, arch);
    return rb_fail(err, RB_TRACE, "%s: no machine code, only PTX; compile it with nvcc -arch=sm_70",
                   path);
}

static rb_code_t add_program(code_file_t *f, const char *path, uint32_t arch, rb_err_t *err)
{
    elf_file_t elf;

    RB_TRY(elf_open(&elf, path, f->data, f->size, err));
    const elf_section_t *s = elf_section(&elf, ".nv_fatbin");
    const uint8_t *data = s != NULL ? s->data : NULL;
    size_t size = s != NULL ? s->size : 0;
    elf_close(&elf);
    if (data == NULL)
        return rb_fail(err, RB_TRACE, "%s: the program has no CUDA code (no section .nv_fatbin)",
                       path);
    return add_fatbin(f, path, data, size, arch, err);
}

static rb_code_t add_all(code_file_t *f, const char *path, uint32_t arch, rb_err_t *err)
{
    if (fatbin_is(f->data, f->size))
        return add_fatbin(f, path, f->data, f->size, arch, err);
    if (!elf_is(f->data, f->size))
        return rb_fail(err, RB_TRACE, "%s: neither a cubin, a fat binary nor a program", path);
    if (f->size >= 20 && elf_u16(f->data + 18) == ELF_MACHINE_CUDA)
        return add_cubin(f, path, f->data, f->size, err);
    return add_program(f, path, arch, err);
}

rb_code_t code_file_open(code_file_t *f, const char *path, uint32_t arch, rb_err_t *err)
{
    *f = (code_file_t){0};
    rb_code_t rc = read_file(f, path, err);
    if (rc == RB_OK)
        rc = add_all(f, path, arch, err);
    if (rc != RB_OK)
        code_file_close(f);
    return rc;
}

void code_file_close(code_file_t *f)
{
    for (uint32_t i = 0; i < f->n_cubins; i++)
        cubin_close(&f->cubins[i]);
    free(f->cubins);
    fatbin_close(&f->fatbin);
    free(f->data);
    *f = (code_file_t){0};
}
