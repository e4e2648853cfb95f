#include "frontend/emulator/sass/elf64.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

/* Offsets and sizes of the ELF64 structures (System V ABI, "Object Files"). */
enum {
    EHDR_BYTES = 64,
    EHDR_MACHINE = 18,
    EHDR_SHOFF = 40,
    EHDR_FLAGS = 48,
    EHDR_SHENTSIZE = 58,
    EHDR_SHNUM = 60,
    EHDR_SHSTRNDX = 62,
    EHDR_ABI_VERSION = 8,
    SHDR_BYTES = 64,
    SYM_BYTES = 24,
    SHT_SYMTAB = 2,
};

uint16_t elf_u16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

uint32_t elf_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

uint64_t elf_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

bool elf_is(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

static bool inside(const elf_file_t *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset;
}

/* A zero-terminated string of a string table, or NULL. */
static const char *string_at(const elf_section_t *table, uint32_t offset)
{
    if (table->data == NULL || offset >= table->size ||
        memchr(table->data + offset, '\0', table->size - offset) == NULL)
        return NULL;
    return (const char *)table->data + offset;
}

static rb_code_t read_header(elf_file_t *f, uint64_t *table, uint32_t *names, rb_err_t *err)
{
    if (!elf_is(f->data, f->size) || f->size < EHDR_BYTES)
        return rb_fail(err, RB_TRACE, "%s: not an ELF file", f->origin);
    if (f->data[4] != 2 || f->data[5] != 1)
        return rb_fail(err, RB_TRACE, "%s: not a 64-bit little-endian ELF file", f->origin);
    f->machine = elf_u16(f->data + EHDR_MACHINE);
    f->abi_version = f->data[EHDR_ABI_VERSION];
    f->flags = elf_u32(f->data + EHDR_FLAGS);
    f->n_sections = elf_u16(f->data + EHDR_SHNUM);
    *table = elf_u64(f->data + EHDR_SHOFF);
    *names = elf_u16(f->data + EHDR_SHSTRNDX);
    if (f->n_sections == 0)
        return RB_OK;
    if (elf_u16(f->data + EHDR_SHENTSIZE) != SHDR_BYTES ||
        !inside(f, *table, (uint64_t)f->n_sections * SHDR_BYTES) || *names >= f->n_sections)
        return rb_fail(err, RB_TRACE, "%s: offset %d: the section table is outside the file",
                       f->origin, EHDR_SHOFF);
    return RB_OK;
}

static rb_code_t read_section(elf_file_t *f, uint64_t at, elf_section_t *s, uint32_t *name,
                              rb_err_t *err)
{
    const uint8_t *p = f->data + at;
    uint64_t offset = elf_u64(p + 24);

    *name = elf_u32(p);
    *s = (elf_section_t){.type = elf_u32(p + 4),
                         .flags = elf_u64(p + 8),
                         .size = elf_u64(p + 32),
                         .link = elf_u32(p + 40),
                         .info = elf_u32(p + 44)};
    if (s->type == ELF_SECTION_NOBITS || s->type == 0)
        return RB_OK;
    if (!inside(f, offset, s->size))
        return rb_fail(err, RB_TRACE, "%s: offset %llu: a section lies outside the file", f->origin,
                       (unsigned long long)at);
    s->data = f->data + offset;
    return RB_OK;
}

static rb_code_t read_sections(elf_file_t *f, uint64_t table, uint32_t names, rb_err_t *err)
{
    uint32_t *name = rb_calloc(f->n_sections + 1u, sizeof(*name));
    rb_code_t rc = RB_OK;

    f->sections = rb_calloc(f->n_sections + 1u, sizeof(*f->sections));
    for (uint32_t i = 0; i < f->n_sections && rc == RB_OK; i++)
        rc = read_section(f, table + (uint64_t)i * SHDR_BYTES, &f->sections[i], &name[i], err);
    for (uint32_t i = 0; i < f->n_sections && rc == RB_OK; i++) {
        f->sections[i].name = string_at(&f->sections[names], name[i]);
        if (f->sections[i].name == NULL)
            rc = rb_fail(err, RB_TRACE, "%s: section %u has no readable name", f->origin, i);
    }
    free(name);
    return rc;
}

/* Orders section indices by name, then index. */
static int compare_sections(const void *a, const void *b, void *ctx)
{
    const elf_section_t *sections = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(sections[x].name, sections[y].name);

    return order != 0 ? order : x < y ? -1 : x > y;
}

static void sort_names(elf_file_t *f)
{
    f->by_name = rb_calloc(f->n_sections + 1u, sizeof(*f->by_name));
    for (uint32_t i = 0; i < f->n_sections; i++)
        f->by_name[i] = i;
    qsort_r(f->by_name, f->n_sections, sizeof(*f->by_name), compare_sections, f->sections);
}

static rb_code_t read_symbols(elf_file_t *f, const elf_section_t *table, rb_err_t *err)
{
    if (table->data == NULL || table->link >= f->n_sections || table->size % SYM_BYTES != 0 ||
        table->size / SYM_BYTES > UINT32_MAX)
        return rb_fail(err, RB_TRACE, "%s: section %s is not a symbol table", f->origin,
                       table->name);
    f->n_symbols = (uint32_t)(table->size / SYM_BYTES);
    f->symbols = rb_calloc(f->n_symbols + 1u, sizeof(*f->symbols));
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const uint8_t *p = table->data + (size_t)i * SYM_BYTES;
        f->symbols[i] = (elf_symbol_t){.name = string_at(&f->sections[table->link], elf_u32(p)),
                                       .type = p[4] & 15,
                                       .other = p[5],
                                       .section = elf_u16(p + 6),
                                       .value = elf_u64(p + 8),
                                       .size = elf_u64(p + 16)};
        if (f->symbols[i].name == NULL)
            return rb_fail(err, RB_TRACE, "%s: symbol %u has no readable name", f->origin, i);
    }
    return RB_OK;
}

rb_code_t elf_open(elf_file_t *f, const char *origin, const uint8_t *data, size_t size,
                   rb_err_t *err)
{
    uint64_t table = 0;
    uint32_t names = 0;
    rb_code_t rc;

    *f = (elf_file_t){.origin = origin, .data = data, .size = size};
    RB_TRY(read_header(f, &table, &names, err));
    rc = read_sections(f, table, names, err);
    if (rc == RB_OK)
        sort_names(f);
    for (uint32_t i = 0; i < f->n_sections && rc == RB_OK; i++)
        if (f->sections[i].type == SHT_SYMTAB && f->symbols == NULL)
            rc = read_symbols(f, &f->sections[i], err);
    if (rc != RB_OK)
        elf_close(f);
    return rc;
}

void elf_close(elf_file_t *f)
{
    free(f->sections);
    free(f->by_name);
    free(f->symbols);
    *f = (elf_file_t){0};
}

const elf_section_t *elf_section(const elf_file_t *f, const char *name)
{
    return elf_section_of(f, "", name);
}

/* Like strcmp() of name with the concatenation of prefix and rest. */
static int compare_joined(const char *name, const char *prefix, const char *rest)
{
    int order = strncmp(name, prefix, strlen(prefix));

    return order != 0 ? order : strcmp(name + strlen(prefix), rest);
}

const elf_section_t *elf_section_of(const elf_file_t *f, const char *prefix, const char *name)
{
    size_t i;

    FIND_FIRST(i, 0, f->n_sections,
               compare_joined(f->sections[f->by_name[i]].name, prefix, name) >= 0);
    if (i == f->n_sections)
        return NULL;
    const elf_section_t *s = &f->sections[f->by_name[i]];
    return compare_joined(s->name, prefix, name) == 0 ? s : NULL;
}
