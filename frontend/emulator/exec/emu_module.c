#include "frontend/emulator/exec/emu_module.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/exec/memory/emu_texture.h"
#include "sim/core/alloc.h"

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static uint64_t code_address(uint32_t section)
{
    return EMU_CODE_BASE + ((uint64_t)section << EMU_CODE_SECTION_SHIFT);
}

static bool is_code(const elf_section_t *s)
{
    return starts_with(s->name, ".text.") && s->size <= 1u << EMU_CODE_SECTION_SHIFT;
}

/* The bank of __constant__ variables. Kernels may write to it, if they are given its address. */
static bool is_variable_bank(const elf_section_t *s)
{
    return strcmp(s->name, ".nv.constant3") == 0;
}

/* Assigns addresses to code and to the sections of variables; copies their initial values. */
static rb_code_t place_sections(emu_module_t *m, emu_mem_t *mem, rb_err_t *err)
{
    for (uint32_t i = 0; i < m->cubin.elf.n_sections; i++) {
        const elf_section_t *s = &m->cubin.elf.sections[i];
        if (is_code(s) && i < EMU_CODE_SYSTEM)
            m->section_addr[i] = code_address(i);
        const bool constant = is_variable_bank(s);
        if ((!starts_with(s->name, ".nv.global") && !constant) || s->size == 0)
            continue;
        m->section_addr[i] =
            constant ? emu_mem_alloc_apart(mem, s->size) : emu_mem_alloc(mem, s->size);
        if (m->section_addr[i] == 0)
            return rb_fail(err, RB_NOMEM, "%s: no device memory for its %llu bytes of variables",
                           m->cubin.elf.origin, (unsigned long long)s->size);
        if (s->data != NULL)
            memcpy(emu_mem_at(mem, m->section_addr[i], s->size), s->data, s->size);
    }
    return RB_OK;
}

/* Creates handles for texture and surface references; the program binds them later. */
static void make_references(emu_module_t *m, emu_mem_t *mem)
{
    for (uint32_t i = 0; i < m->cubin.elf.n_symbols; i++) {
        uint8_t type = m->cubin.elf.symbols[i].type;
        if (type == CUBIN_SYMBOL_TEXTURE || type == CUBIN_SYMBOL_SURFACE)
            m->handles[i] = emu_texture_add(mem);
    }
}

/* Patches 32 or 64 bits at p with an address. False: unknown relocation type. */
static bool patch(uint8_t *p, uint64_t room, uint32_t type, uint64_t addr)
{
    uint32_t low = (uint32_t)addr, high = (uint32_t)(addr >> 32);

    switch (type) {
    case CUBIN_RELOC_ABS32:
    case CUBIN_RELOC_TEXTURE:
    case CUBIN_RELOC_SURFACE:
        if (room >= 4)
            memcpy(p, &low, 4);
        return room >= 4;
    case CUBIN_RELOC_ABS64:
    case CUBIN_RELOC_GENERIC64:
    case CUBIN_RELOC_DESCRIPTOR64:
        if (room >= 8)
            memcpy(p, &addr, 8);
        return room >= 8;
    case CUBIN_RELOC_LO32:
    case CUBIN_RELOC_DESCRIPTOR_LO32:
        if (room >= 8)
            memcpy(p + 4, &low, 4);
        return room >= 8;
    case CUBIN_RELOC_HI32:
    case CUBIN_RELOC_DESCRIPTOR_HI32:
        if (room >= 8)
            memcpy(p + 4, &high, 4);
        return room >= 8;
    case CUBIN_RELOC_CALL:
        if (room >= 10)
            memcpy(p + 4, &addr, 6);
        return room >= 10;
    default:
        return false;
    }
}

/* Functions that kernels call but no program defines. */
static const char *const system_calls[EMU_CALL_COUNT] = {
    [EMU_CALL_VPRINTF] = "vprintf",
    [EMU_CALL_ASSERTFAIL] = "__assertfail",
    [EMU_CALL_MALLOC] = "malloc",
    [EMU_CALL_FREE] = "free",
};

/*
 * Whether a symbol is a function that neither the program nor the emulator has, such as those of the
 * device runtime that begin launches. Its address is behind those of the system calls; only a call of
 * it is refused.
 */
static bool is_missing_function(const emu_module_t *m, uint32_t index)
{
    const elf_symbol_t *symbol = &m->cubin.elf.symbols[index];

    return symbol->section == 0 && symbol->type == ELF_SYMBOL_FUNC;
}

/* The address of a symbol; 0: unknown. */
static uint64_t symbol_base(const emu_module_t *m, uint32_t index)
{
    const elf_symbol_t *symbol = &m->cubin.elf.symbols[index];

    if (m->handles[index] != 0)
        return m->handles[index];
    for (unsigned i = 0; i < EMU_CALL_COUNT && symbol->section == 0; i++)
        if (strcmp(symbol->name, system_calls[i]) == 0)
            return code_address(EMU_CODE_SYSTEM) + i * SASS_INST_BYTES;
    if (is_missing_function(m, index))
        return code_address(EMU_CODE_SYSTEM) + (EMU_CALL_COUNT + (uint64_t)index) * SASS_INST_BYTES;
    return symbol->section < m->cubin.elf.n_sections ? m->section_addr[symbol->section] : 0;
}

const char *emu_module_missing(const emu_module_t *m, uint64_t addr)
{
    const uint64_t index =
        (addr - code_address(EMU_CODE_SYSTEM)) / SASS_INST_BYTES - EMU_CALL_COUNT;

    return index < m->cubin.elf.n_symbols && is_missing_function(m, (uint32_t)index)
               ? m->cubin.elf.symbols[index].name
               : NULL;
}

static rb_code_t relocate(const emu_module_t *m, uint32_t section, uint8_t *bytes, rb_err_t *err)
{
    const cubin_t *c = &m->cubin;

    for (uint32_t i = 0; i < c->n_relocs; i++) {
        const cubin_reloc_t *r = &c->relocs[i];
        if (r->section != section)
            continue;
        const elf_symbol_t *symbol = &c->elf.symbols[r->symbol];
        uint64_t size = c->elf.sections[section].size;
        uint64_t base = symbol_base(m, r->symbol);
        if (base == 0 || r->offset >= size ||
            !patch(bytes + r->offset, size - r->offset, r->type,
                   base + symbol->value + (uint64_t)r->addend))
            return rb_fail(err, RB_TRACE,
                           "%s: section %s, offset 0x%llx: '%s' (relocation type %u) is not "
                           "supported; if it is a function of the device runtime, avoid it",
                           c->elf.origin, c->elf.sections[section].name,
                           (unsigned long long)r->offset, symbol->name, r->type);
    }
    return RB_OK;
}

/* Sets initial values that are addresses of other variables or of functions. */
static rb_code_t relocate_variables(const emu_module_t *m, const emu_mem_t *mem, rb_err_t *err)
{
    for (uint32_t i = 0; i < m->cubin.elf.n_sections; i++) {
        const elf_section_t *s = &m->cubin.elf.sections[i];
        if (starts_with(s->name, ".nv.global") && m->section_addr[i] != 0)
            RB_TRY(relocate(m, i, emu_mem_at(mem, m->section_addr[i], s->size), err));
    }
    return RB_OK;
}

static rb_code_t copy_banks(emu_module_t *m, const emu_mem_t *mem, rb_err_t *err)
{
    for (uint32_t i = 0; i < m->cubin.elf.n_sections; i++) {
        const elf_section_t *s = &m->cubin.elf.sections[i];
        if (!starts_with(s->name, ".nv.constant"))
            continue;
        if (s->size > UINT16_MAX + 1u)
            return rb_fail(err, RB_TRACE, "%s: section %s is larger than a constant bank",
                           m->cubin.elf.origin, s->name);
        if (m->section_addr[i] != 0) {
            m->section_copy[i] = emu_mem_at(mem, m->section_addr[i], s->size);
        } else {
            m->section_copy[i] = rb_calloc(s->size + 1, 1);
            if (s->data != NULL)
                memcpy(m->section_copy[i], s->data, s->size);
        }
        RB_TRY(relocate(m, i, m->section_copy[i], err));
    }
    return RB_OK;
}

rb_code_t emu_module_open(emu_module_t *m, emu_mem_t *mem, const char *origin, const uint8_t *data,
                          size_t size, rb_err_t *err)
{
    *m = (emu_module_t){0};
    RB_TRY(cubin_open(&m->cubin, origin, data, size, err));
    m->section_addr = rb_calloc(m->cubin.elf.n_sections + 1u, sizeof(*m->section_addr));
    m->section_copy = rb_calloc(m->cubin.elf.n_sections + 1u, sizeof(*m->section_copy));
    m->code = rb_calloc(m->cubin.n_kernels + 1u, sizeof(*m->code));
    m->handles = rb_calloc(m->cubin.elf.n_symbols + 1u, sizeof(*m->handles));
    make_references(m, mem);
    rb_code_t rc = place_sections(m, mem, err);
    if (rc == RB_OK)
        rc = relocate_variables(m, mem, err);
    if (rc == RB_OK)
        rc = copy_banks(m, mem, err);
    if (rc != RB_OK)
        emu_module_close(m);
    return rc;
}

void emu_module_close(emu_module_t *m)
{
    for (uint32_t i = 0; i < m->cubin.n_kernels && m->code != NULL; i++) {
        free(m->code[i].code);
        free(m->code[i].insts);
        free(m->code[i].static_code);
        free(m->code[i].starts);
    }
    for (uint32_t i = 0; i < m->cubin.elf.n_sections && m->section_copy != NULL; i++)
        if (m->section_addr[i] == 0)
            free(m->section_copy[i]);
    free(m->code);
    free(m->section_addr);
    free(m->section_copy);
    free(m->handles);
    if (m->lines != NULL)
        line_table_free(m->lines);
    free(m->lines);
    cubin_close(&m->cubin);
    *m = (emu_module_t){0};
}

/* --- code ------------------------------------------------------------------------------------ */

/* Whether a section holds a function that is not a kernel. */
static bool is_function(const cubin_t *c, uint32_t section)
{
    if (!is_code(&c->elf.sections[section]))
        return false;
    for (uint32_t i = 0; i < c->elf.n_symbols; i++) {
        const elf_symbol_t *s = &c->elf.symbols[i];
        if (s->section == section && s->type == ELF_SYMBOL_FUNC &&
            (s->other & ELF_OTHER_CUDA_ENTRY))
            return false;
    }
    return true;
}

/* Appends the code of a section. */
static rb_code_t append_code(const emu_module_t *m, uint32_t section, emu_code_t *c, rb_err_t *err)
{
    const elf_section_t *s = &m->cubin.elf.sections[section];
    uint32_t bytes = c->n_insts * SASS_INST_BYTES;

    c->code = rb_realloc(c->code, bytes + s->size, 1);
    memcpy(c->code + bytes, s->data, s->size);
    c->starts[section] = c->n_insts;
    c->n_insts += (uint32_t)(s->size / SASS_INST_BYTES);
    return relocate(m, section, c->code + bytes, err);
}

static rb_code_t gather_code(const emu_module_t *m, const cubin_kernel_t *k, emu_code_t *c,
                             rb_err_t *err)
{
    c->n_sections = m->cubin.elf.n_sections;
    c->starts = rb_calloc(c->n_sections, sizeof(*c->starts));
    for (uint32_t i = 0; i < c->n_sections; i++)
        c->starts[i] = UINT32_MAX;
    RB_TRY(append_code(m, k->section, c, err));
    for (uint32_t i = 0; i < m->cubin.n_kernels; i++) {
        uint32_t section = m->cubin.kernels[i].section;
        if (section != k->section && is_function(&m->cubin, section))
            RB_TRY(append_code(m, section, c, err));
    }
    return RB_OK;
}

/* Whether an instruction reads the address of bank 0. */
static bool addresses_params(const sass_inst_t *in)
{
    for (unsigned i = 0; i < in->n_operands; i++)
        if (in->operand[i].kind == SASS_OPERAND_CONST && in->operand[i].bank == 0 &&
            !in->operand[i].indexed && in->operand[i].value == EMU_BANK0_ADDRESS)
            return true;
    return false;
}

rb_code_t emu_module_code(emu_module_t *m, const cubin_kernel_t *k, const emu_code_t **out,
                          rb_err_t *err)
{
    emu_code_t *c = &m->code[k - m->cubin.kernels];

    *out = c;
    if (c->insts != NULL)
        return RB_OK;
    rb_code_t rc = gather_code(m, k, c, err);
    if (rc != RB_OK) {
        free(c->code);
        free(c->starts);
        *c = (emu_code_t){0};
        return rc;
    }
    if (m->lines == NULL) {
        m->lines = rb_calloc(1, sizeof(*m->lines));
        line_table_read(m->lines, &m->cubin.elf);
    }
    c->lines = m->lines;
    c->insts = rb_calloc(c->n_insts, sizeof(*c->insts));
    c->static_code = rb_calloc(c->n_insts, sizeof(*c->static_code));
    for (uint32_t i = 0; i < c->n_insts; i++) {
        sass_decode(&c->insts[i], c->code + (size_t)i * SASS_INST_BYTES, i * SASS_INST_BYTES,
                    m->cubin.arch);
        sass_to_inst(&c->insts[i], m->cubin.arch, &c->static_code[i]);
        c->addresses_params |= addresses_params(&c->insts[i]);
    }
    return RB_OK;
}

bool emu_code_index(const emu_code_t *c, uint64_t addr, uint32_t *index)
{
    uint64_t section = (addr - EMU_CODE_BASE) >> EMU_CODE_SECTION_SHIFT;
    uint64_t offset = (addr - EMU_CODE_BASE) & ((1u << EMU_CODE_SECTION_SHIFT) - 1);

    if (section >= c->n_sections || c->starts[section] == UINT32_MAX ||
        offset % SASS_INST_BYTES != 0)
        return false;
    *index = c->starts[section] + (uint32_t)(offset / SASS_INST_BYTES);
    return *index < c->n_insts;
}

/* The section of an instruction, and the index of the section's first one. */
static uint32_t section_of(const emu_code_t *c, uint32_t index, uint32_t *start)
{
    uint32_t section = 0;

    *start = 0;
    for (uint32_t i = 0; i < c->n_sections; i++)
        if (c->starts[i] <= index && c->starts[i] >= *start) {
            section = i;
            *start = c->starts[i];
        }
    return section;
}

uint64_t emu_code_address(const emu_code_t *c, uint32_t index)
{
    uint32_t start, section = section_of(c, index, &start);

    return code_address(section) + (uint64_t)(index - start) * SASS_INST_BYTES;
}

bool emu_code_line(const emu_code_t *c, uint32_t index, source_line_t *out)
{
    uint32_t start, section;

    if (c->lines->n_rows == 0)
        return false;
    section = section_of(c, index, &start);
    const line_row_t *row = line_table_at(c->lines, section, (index - start) * SASS_INST_BYTES);
    if (row != NULL)
        *out = (source_line_t){.file = c->lines->files[row->file], .line = row->line};
    return row != NULL;
}

bool emu_code_system_call(uint64_t addr, emu_system_call_t *call)
{
    uint64_t offset = addr - code_address(EMU_CODE_SYSTEM);

    *call = (emu_system_call_t)(offset / SASS_INST_BYTES);
    return offset % SASS_INST_BYTES == 0 && offset / SASS_INST_BYTES < EMU_CALL_COUNT;
}

const uint8_t *emu_module_bank(const emu_module_t *m, const cubin_kernel_t *k, unsigned bank,
                               uint64_t *size)
{
    uint32_t section = bank < CUBIN_MAX_BANKS ? k->banks[bank] : 0;

    *size = section != 0 ? m->cubin.elf.sections[section].size : 0;
    return section != 0 ? m->section_copy[section] : NULL;
}

uint64_t emu_module_bank_address(const emu_module_t *m, const cubin_kernel_t *k, unsigned bank)
{
    return k->banks[bank] != 0 ? m->section_addr[k->banks[bank]] : 0;
}

bool emu_module_variable(const emu_module_t *m, const char *name, emu_variable_t *v)
{
    int64_t index = cubin_variable(&m->cubin, name);

    if (index < 0)
        return false;
    const elf_symbol_t *s = &m->cubin.elf.symbols[index];
    if (s->section >= m->cubin.elf.n_sections ||
        s->value > m->cubin.elf.sections[s->section].size || m->section_addr[s->section] == 0)
        return false;
    *v = (emu_variable_t){.addr = m->section_addr[s->section] + s->value,
                          .bytes = s->size,
                          .constant = is_variable_bank(&m->cubin.elf.sections[s->section])};
    return true;
}

uint32_t emu_module_reference(const emu_module_t *m, const char *name)
{
    for (uint32_t i = 0; i < m->cubin.elf.n_symbols; i++)
        if (m->handles[i] != 0 && strcmp(m->cubin.elf.symbols[i].name, name) == 0)
            return m->handles[i];
    return 0;
}
