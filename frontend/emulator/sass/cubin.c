#include "frontend/emulator/sass/cubin.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum {
    INST_BYTES = 16,
    SHT_REL = 9,
    SHT_RELA = 4,
    REL_BYTES = 16,
    RELA_BYTES = 24,
    SHF_BARRIERS_SHIFT = 20, /* shift of the number of barriers in sh_flags of .text */
    SHF_BARRIERS_MASK = 127,
    DEFAULT_PARAM_BASE = 0x160,
};

/* Attributes of .nv.info ("EIATTR_..." in the output of cuobjdump -elf). */
enum {
    INFO_FORMAT_SIZED = 4, /* u8 format, u8 attribute, u16 bytes, then the bytes */
    INFO_MAX_THREADS = 0x05,
    INFO_PARAM_CBANK = 0x0a,
    INFO_MIN_STACK_SIZE = 0x12,
    INFO_KPARAM = 0x17,
    INFO_REGCOUNT = 0x2f,
};

static const char text_prefix[] = ".text.";

/* One attribute. */
typedef struct {
    uint8_t id;
    const uint8_t *value;
    uint32_t bytes;
} info_t;

/* Reads the attribute at *at of an .nv.info section; false at the end or if it is truncated. */
static bool next_info(const elf_section_t *s, uint64_t *at, info_t *info)
{
    if (s->data == NULL || s->size - *at < 4)
        return false;
    const uint8_t *p = s->data + *at;
    uint32_t bytes = elf_u16(p + 2);

    info->id = p[1];
    if (p[0] != INFO_FORMAT_SIZED) {
        *info = (info_t){.id = p[1], .value = p + 2, .bytes = 2};
        *at += 4;
        return true;
    }
    if (bytes > s->size - *at - 4)
        return false;
    *info = (info_t){.id = p[1], .value = p + 4, .bytes = bytes};
    *at += 4 + bytes;
    return true;
}

static int compare_params(const void *a, const void *b)
{
    const cubin_param_t *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* EIATTR_KPARAM_INFO: u32 index, u16 ordinal, u16 offset, u32 with the size in bits 18-31. */
static void add_param(cubin_kernel_t *k, const info_t *info)
{
    if (info->bytes < 12)
        return;
    k->params = rb_realloc(k->params, k->n_params + 1u, sizeof(*k->params));
    k->params[k->n_params++] = (cubin_param_t){.offset = elf_u16(info->value + 6),
                                               .bytes = elf_u32(info->value + 8) >> 18};
}

static void read_kernel_info(cubin_kernel_t *k, const elf_section_t *s)
{
    uint64_t at = 0;
    info_t info;

    while (next_info(s, &at, &info)) {
        if (info.id == INFO_KPARAM)
            add_param(k, &info);
        else if (info.id == INFO_MAX_THREADS && info.bytes >= 12)
            k->max_threads =
                elf_u32(info.value) * elf_u32(info.value + 4) * elf_u32(info.value + 8);
        else if (info.id == INFO_PARAM_CBANK && info.bytes >= 8) {
            k->param_base = elf_u16(info.value + 4);
            k->param_bytes = elf_u16(info.value + 6);
        }
    }
    if (k->n_params > 0)
        qsort(k->params, k->n_params, sizeof(*k->params), compare_params);
}

static int compare_kernel_section(const void *key, const void *element)
{
    uint32_t x = *(const uint32_t *)key, y = ((const cubin_kernel_t *)element)->section;

    return x < y ? -1 : x > y;
}

/* The kernel of a symbol, or NULL. Kernels are in the order of their sections. */
static cubin_kernel_t *kernel_of_symbol(const cubin_t *c, const elf_symbol_t *symbol)
{
    uint32_t section = symbol->section;
    cubin_kernel_t *k = c->n_kernels == 0 ? NULL
                                          : bsearch(&section, c->kernels, c->n_kernels, sizeof(*k),
                                                    compare_kernel_section);

    return k != NULL && strcmp(k->name, symbol->name) == 0 ? k : NULL;
}

/* Reads attributes that .nv.info stores per symbol: registers and stack of functions. */
static void read_global_info(cubin_t *c)
{
    const elf_section_t *s = elf_section(&c->elf, ".nv.info");
    uint64_t at = 0;
    info_t info;

    while (s != NULL && next_info(s, &at, &info)) {
        if (info.bytes < 8 || elf_u32(info.value) >= c->elf.n_symbols)
            continue;
        cubin_kernel_t *k = kernel_of_symbol(c, &c->elf.symbols[elf_u32(info.value)]);
        if (k != NULL && info.id == INFO_MIN_STACK_SIZE)
            k->stack_bytes = elf_u32(info.value + 4);
        else if (k != NULL && info.id == INFO_REGCOUNT)
            k->regs = elf_u32(info.value + 4);
    }
}

static uint32_t section_index(const cubin_t *c, const elf_section_t *s)
{
    return s != NULL ? (uint32_t)(s - c->elf.sections) : 0;
}

static void find_banks(cubin_t *c, cubin_kernel_t *k)
{
    char prefix[] = ".nv.constant0", own[] = ".nv.constant0.";

    for (uint32_t bank = 0; bank < CUBIN_MAX_BANKS; bank++) {
        prefix[sizeof(prefix) - 2] = own[sizeof(own) - 3] = (char)('0' + bank);
        const elf_section_t *s = elf_section_of(&c->elf, own, k->name);
        k->banks[bank] = section_index(c, s != NULL ? s : elf_section(&c->elf, prefix));
    }
}

static rb_code_t add_kernel(cubin_t *c, uint32_t index, rb_err_t *err)
{
    const elf_section_t *s = &c->elf.sections[index];
    const char *name = s->name + strlen(text_prefix);
    const elf_section_t *info = elf_section_of(&c->elf, ".nv.info.", name);
    const elf_section_t *shared = elf_section_of(&c->elf, ".nv.shared.", name);

    if (s->size == 0 || s->size % INST_BYTES != 0 || s->size > UINT32_MAX || s->data == NULL)
        return rb_fail(err, RB_TRACE, "%s: section %s is not a sequence of %d-byte instructions",
                       c->elf.origin, s->name, INST_BYTES);
    if (shared != NULL && shared->size > UINT32_MAX)
        return rb_fail(err, RB_TRACE, "%s: section %s is too large", c->elf.origin, shared->name);
    c->kernels = rb_realloc(c->kernels, c->n_kernels + 1u, sizeof(*c->kernels));
    cubin_kernel_t *k = &c->kernels[c->n_kernels++];
    *k = (cubin_kernel_t){
        .name = name,
        .code = s->data,
        .code_bytes = (uint32_t)s->size,
        .section = index,
        .regs = s->info >> 24,
        .barriers = (uint32_t)(s->flags >> SHF_BARRIERS_SHIFT) & SHF_BARRIERS_MASK,
        .shared_bytes = shared != NULL ? (uint32_t)shared->size : 0,
        .param_base = DEFAULT_PARAM_BASE,
    };
    if (info != NULL)
        read_kernel_info(k, info);
    find_banks(c, k);
    return RB_OK;
}

/* --- relocations ----------------------------------------------------------------------------- */

static int compare_relocs(const void *a, const void *b)
{
    const cubin_reloc_t *x = a, *y = b;

    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static rb_code_t add_relocs(cubin_t *c, const elf_section_t *s, rb_err_t *err)
{
    uint64_t bytes = s->type == SHT_REL ? REL_BYTES : RELA_BYTES;
    uint64_t n = s->size / bytes;

    if (s->data == NULL || s->info >= c->elf.n_sections)
        return rb_fail(err, RB_TRACE, "%s: section %s does not refer to a section", c->elf.origin,
                       s->name);
    c->relocs = rb_realloc(c->relocs, c->n_relocs + n, sizeof(*c->relocs));
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *p = s->data + i * bytes;
        cubin_reloc_t *r = &c->relocs[c->n_relocs];
        *r = (cubin_reloc_t){.section = s->info,
                             .offset = elf_u64(p),
                             .type = elf_u32(p + 8),
                             .symbol = elf_u32(p + 12),
                             .addend = bytes == RELA_BYTES ? (int64_t)elf_u64(p + 16) : 0};
        if (r->symbol >= c->elf.n_symbols)
            return rb_fail(err, RB_TRACE, "%s: section %s refers to a symbol that does not exist",
                           c->elf.origin, s->name);
        c->n_relocs++;
    }
    return RB_OK;
}

static rb_code_t read_relocs(cubin_t *c, rb_err_t *err)
{
    for (uint32_t i = 0; i < c->elf.n_sections; i++) {
        const elf_section_t *s = &c->elf.sections[i];
        bool debug = strstr(s->name, ".debug") != NULL;
        if ((s->type == SHT_REL || s->type == SHT_RELA) && s->size != 0 && !debug)
            RB_TRY(add_relocs(c, s, err));
    }
    if (c->n_relocs > 0)
        qsort(c->relocs, c->n_relocs, sizeof(*c->relocs), compare_relocs);
    return RB_OK;
}

const cubin_reloc_t *cubin_reloc_at(const cubin_t *c, uint32_t section, uint64_t offset)
{
    cubin_reloc_t key = {.section = section, .offset = offset};

    if (c->n_relocs == 0)
        return NULL;
    return bsearch(&key, c->relocs, c->n_relocs, sizeof(key), compare_relocs);
}

/* --- the file -------------------------------------------------------------------------------- */

uint32_t cubin_arch(uint32_t flags, unsigned abi_version)
{
    return abi_version >= 8 ? flags >> 8 & 0xffu : flags & 0xffu;
}

static rb_code_t read_cubin(cubin_t *c, rb_err_t *err)
{
    if (c->elf.machine != ELF_MACHINE_CUDA)
        return rb_fail(err, RB_TRACE, "%s: an ELF file, but not for NVIDIA GPUs (machine %u)",
                       c->elf.origin, c->elf.machine);
    c->arch = cubin_arch(c->elf.flags, c->elf.abi_version);
    for (uint32_t i = 1; i < c->elf.n_sections; i++)
        if (strncmp(c->elf.sections[i].name, text_prefix, strlen(text_prefix)) == 0)
            RB_TRY(add_kernel(c, i, err));
    read_global_info(c);
    return read_relocs(c, err);
}

rb_code_t cubin_open(cubin_t *c, const char *origin, const uint8_t *data, size_t size,
                     rb_err_t *err)
{
    *c = (cubin_t){0};
    RB_TRY(elf_open(&c->elf, origin, data, size, err));
    rb_code_t rc = read_cubin(c, err);
    if (rc != RB_OK)
        cubin_close(c);
    return rc;
}

void cubin_close(cubin_t *c)
{
    for (uint32_t i = 0; i < c->n_kernels; i++)
        free(c->kernels[i].params);
    free(c->kernels);
    free(c->relocs);
    elf_close(&c->elf);
    *c = (cubin_t){0};
}

const cubin_kernel_t *cubin_find(const cubin_t *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_kernels; i++)
        if (strcmp(c->kernels[i].name, name) == 0)
            return &c->kernels[i];
    return NULL;
}

int64_t cubin_variable(const cubin_t *c, const char *name)
{
    for (uint32_t i = 0; i < c->elf.n_symbols; i++)
        if (c->elf.symbols[i].type == ELF_SYMBOL_OBJECT && c->elf.symbols[i].section != 0 &&
            strcmp(c->elf.symbols[i].name, name) == 0)
            return i;
    return -1;
}
