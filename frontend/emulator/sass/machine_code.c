#include "frontend/emulator/sass/machine_code.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/emulator/sass/code_file.h"
#include "frontend/emulator/sass/sass_inst.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"
#include "sim/isa/isa.h"

struct machine_kernel {
    const cubin_kernel_t *kernel; /* borrowed from a file */
    unsigned arch;
    inst_t *insts; /* owned */
    uint32_t n_insts;
    machine_kernel_t *next;
};

typedef struct {
    char *path;       /* owned */
    code_file_t code; /* path must outlive it */
} file_t;

struct machine_code {
    file_t *files; /* owned */
    size_t n_files;
    pthread_mutex_t lock;
    machine_kernel_t *kernels; /* owned; the kernels requested so far */
};

static int is_cubin(const struct dirent *e)
{
    size_t len = strlen(e->d_name);
    return len > 6 && strcmp(e->d_name + len - 6, ".cubin") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static char *join_path(const char *folder, const char *name)
{
    size_t len = strlen(folder) + strlen(name) + 2;
    char *path = rb_calloc(len, 1);
    snprintf(path, len, "%s/%s", folder, name);
    return path;
}

/* Whether a file is a link to one that is not there: copies of folders may have such. Warns. */
static bool is_dangling(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode) || stat(path, &st) == 0 || errno != ENOENT)
        return false;
    rb_warn("%s: a link to a file that is not there: the trace is read without this machine code, "
            "so without its control codes and hidden operands; copy the file, or remove the link",
            path);
    return true;
}

static rb_code_t add_file(machine_code_t *m, char *path, rb_err_t *err)
{
    if (is_dangling(path)) {
        free(path);
        return RB_OK;
    }
    file_t *f = &m->files[m->n_files++];
    f->path = path;
    return code_file_open(&f->code, path, 0, err);
}

rb_code_t machine_code_open(const char *folder, machine_code_t **out, rb_err_t *err)
{
    struct dirent **found = NULL;
    int n = scandir(folder, &found, is_cubin, by_name);
    rb_code_t rc = RB_OK;

    *out = NULL;
    if (n < 0)
        return rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
    machine_code_t *m = NULL;
    if (n > 0) {
        m = rb_calloc(1, sizeof(*m));
        pthread_mutex_init(&m->lock, NULL);
        m->files = rb_calloc((size_t)n, sizeof(*m->files));
    }
    for (int i = 0; i < n; i++) {
        if (rc == RB_OK)
            rc = add_file(m, join_path(folder, found[i]->d_name), err);
        free(found[i]);
    }
    free(found);
    if (rc != RB_OK || (m != NULL && m->n_files == 0)) {
        machine_code_close(m);
        return rc;
    }
    *out = m;
    return RB_OK;
}

void machine_code_close(machine_code_t *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->n_files; i++) {
        code_file_close(&m->files[i].code);
        free(m->files[i].path);
    }
    while (m->kernels != NULL) {
        machine_kernel_t *next = m->kernels->next;
        free(m->kernels->insts);
        free(m->kernels);
        m->kernels = next;
    }
    free(m->files);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

void machine_code_files(const machine_code_t *m, void (*visit)(void *ctx, const char *path),
                        void *ctx)
{
    for (size_t i = 0; i < m->n_files; i++)
        visit(ctx, m->files[i].path);
}

static const cubin_kernel_t *find_kernel(const machine_code_t *m, const char *name, unsigned arch)
{
    for (size_t i = 0; i < m->n_files; i++) {
        const code_file_t *code = &m->files[i].code;
        for (uint32_t c = 0; c < code->n_cubins; c++) {
            const cubin_kernel_t *k =
                code->cubins[c].arch == arch ? cubin_find(&code->cubins[c], name) : NULL;
            if (k != NULL)
                return k;
        }
    }
    return NULL;
}

static machine_kernel_t *decode(const cubin_kernel_t *k, unsigned arch)
{
    machine_kernel_t *d = rb_calloc(1, sizeof(*d));

    *d = (machine_kernel_t){.kernel = k, .arch = arch, .n_insts = k->code_bytes / SASS_INST_BYTES};
    d->insts = rb_calloc(d->n_insts, sizeof(*d->insts));
    for (uint32_t i = 0; i < d->n_insts; i++) {
        sass_inst_t in;
        sass_decode(&in, k->code + (size_t)i * SASS_INST_BYTES, i * SASS_INST_BYTES, arch);
        sass_to_inst(&in, arch, &d->insts[i]);
    }
    return d;
}

const machine_kernel_t *machine_code_kernel(machine_code_t *m, const char *name, unsigned arch)
{
    const cubin_kernel_t *k = find_kernel(m, name, arch);

    if (k == NULL)
        return NULL;
    pthread_mutex_lock(&m->lock);
    machine_kernel_t *d = m->kernels;
    while (d != NULL && d->kernel != k)
        d = d->next;
    if (d == NULL) {
        d = decode(k, arch);
        d->next = m->kernels;
        m->kernels = d;
    }
    pthread_mutex_unlock(&m->lock);
    return d;
}

bool machine_kernel_complete(const machine_kernel_t *k, inst_t *in)
{
    uint32_t i = in->pc / SASS_INST_BYTES;

    if (in->pc % SASS_INST_BYTES != 0 || i >= k->n_insts || k->insts[i].opcode != in->opcode)
        return false;
    uint8_t width = in->width;
    bool accesses = in->space != MEM_NONE && width != 0;
    if (accesses && k->insts[i].space != in->space)
        return false;
    *in = k->insts[i];
    /* The width of an access comes from the trace, since addresses belong to it. */
    in->width = width;
    isa_derive(in);
    return true;
}
