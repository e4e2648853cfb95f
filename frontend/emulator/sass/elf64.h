/*
 * Bounds-checked view of a little-endian ELF64 image in memory: sections, symbols, relocations.
 * Used for cubins (machine EM_CUDA) and for host programs that contain them. Only the section and
 * symbol tables are copied; the image must outlive the view.
 */
#ifndef RUBATO_SASS_ELF64_H
#define RUBATO_SASS_ELF64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

enum { ELF_MACHINE_X86_64 = 62, ELF_MACHINE_CUDA = 190 };
enum { ELF_SECTION_NOBITS = 8 };
enum { ELF_SYMBOL_OBJECT = 1, ELF_SYMBOL_FUNC = 2 };
enum { ELF_OTHER_CUDA_ENTRY = 0x10 }; /* in st_other: the symbol is a kernel */

typedef struct {
    const char *name;    /* borrowed from the image */
    const uint8_t *data; /* NULL for NOBITS */
    uint64_t size;
    uint64_t flags;
    uint32_t type;
    uint32_t link, info;
} elf_section_t;

typedef struct {
    const char *name;
    uint64_t value, size;
    uint16_t section; /* index; 0: undefined; 0xfff0 and above: special */
    uint8_t type, other;
} elf_symbol_t;

typedef struct {
    const char *origin; /* for messages; borrowed */
    const uint8_t *data;
    size_t size;
    uint16_t machine;
    uint8_t abi_version;
    uint32_t flags;
    elf_section_t *sections; /* owned */
    uint32_t n_sections;
    uint32_t *by_name;     /* owned; section indices sorted by name */
    elf_symbol_t *symbols; /* owned */
    uint32_t n_symbols;
} elf_file_t;

/* Whether the bytes begin with the ELF magic. */
bool elf_is(const uint8_t *data, size_t size);

/*
 * Reads the tables of the image. origin is its name in messages and is borrowed. Errors: RB_TRACE
 * with the offset of the error; *f then needs no close.
 */
RB_CHECKED rb_code_t elf_open(elf_file_t *f, const char *origin, const uint8_t *data, size_t size,
                              rb_err_t *err);
void elf_close(elf_file_t *f);

/* The section with that name, or NULL. */
const elf_section_t *elf_section(const elf_file_t *f, const char *name);

/* The first section whose name is prefix followed by name, or NULL. */
const elf_section_t *elf_section_of(const elf_file_t *f, const char *prefix, const char *name);

/* Little-endian loads of any alignment; the caller checks the bounds. */
uint16_t elf_u16(const uint8_t *p);
uint32_t elf_u32(const uint8_t *p);
uint64_t elf_u64(const uint8_t *p);

#endif
