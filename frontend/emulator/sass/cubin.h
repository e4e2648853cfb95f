/*
 * A cubin: the machine code of a translation unit for one architecture, as ptxas writes it (ELF64,
 * machine EM_CUDA). It has one code section per kernel, which also holds the device functions that
 * the kernel calls.
 *
 * Sections read: .text.K (registers in the upper byte of sh_info), .nv.info and .nv.info.K
 * (attributes), .nv.constant0.K (bank 0: launch properties and parameters), .nv.constant2.K
 * (compiler constants), .nv.constant3 (__constant__), .nv.constant4 (addresses of globals),
 * .nv.shared.K, .nv.global and .nv.global.init (__device__ variables), .rel.* (relocations);
 * .debug_line, which line_table.h reads.
 */
#ifndef RUBATO_SASS_CUBIN_H
#define RUBATO_SASS_CUBIN_H

#include "frontend/emulator/sass/elf64.h"

enum { CUBIN_MAX_BANKS = 8 };

typedef struct {
    uint32_t offset; /* relative to the kernel's param_base */
    uint32_t bytes;
} cubin_param_t;

typedef struct {
    const char *name;
    const uint8_t *code; /* before relocation */
    uint32_t code_bytes; /* a multiple of 16 */
    uint32_t section;    /* section of the code */
    uint32_t regs;       /* per thread */
    uint32_t barriers;
    uint32_t shared_bytes;            /* static */
    uint32_t stack_bytes;             /* per thread; UINT32_MAX: recursive, unknown */
    uint32_t param_base, param_bytes; /* in bank 0 */
    cubin_param_t *params;            /* owned, by ordinal */
    uint32_t n_params;
    uint32_t max_threads;            /* __launch_bounds__, 0: none */
    uint32_t banks[CUBIN_MAX_BANKS]; /* section of each constant bank, 0: none */
} cubin_kernel_t;

/* Patches code or data with the address of a symbol. */
typedef struct {
    uint32_t section; /* the patched section */
    uint32_t type;    /* cubin_reloc_type_t, or an unsupported type */
    uint32_t symbol;
    uint64_t offset;
    int64_t addend;
} cubin_reloc_t;

/* Relocation types in linked cubins (numbers of ptxas). */
typedef enum {
    CUBIN_RELOC_ABS32 = 1,         /* 32 bits of data */
    CUBIN_RELOC_ABS64 = 2,         /* 64 bits of data */
    CUBIN_RELOC_GENERIC64 = 4,     /* the same; a generic address, which of a variable is its own */
    CUBIN_RELOC_DESCRIPTOR64 = 35, /* 64 bits of data: a kernel that the device runtime starts */
    CUBIN_RELOC_TEXTURE = 6,       /* 32 bits of data: handle of a texture reference */
    CUBIN_RELOC_SURFACE = 0x34,    /* the same of a surface reference */
    CUBIN_RELOC_LO32 = 0x38,       /* bits 32-63 of an instruction: low half of the address */
    CUBIN_RELOC_HI32 = 0x39,       /* bits 32-63 of an instruction: high half */
    CUBIN_RELOC_CALL = 0x3a,       /* bits 32-79 of an instruction: address of a function */
    CUBIN_RELOC_DESCRIPTOR_LO32 = 62, /* like LO32 and HI32 */
    CUBIN_RELOC_DESCRIPTOR_HI32 = 63,
} cubin_reloc_type_t;

typedef struct {
    elf_file_t elf;
    uint32_t arch;           /* 70, 75, ... */
    cubin_kernel_t *kernels; /* owned */
    uint32_t n_kernels;
    cubin_reloc_t *relocs; /* owned; by section, then offset */
    uint32_t n_relocs;
} cubin_t;

/* Symbol types that only cubins have. */
enum { CUBIN_SYMBOL_TEXTURE = 10, CUBIN_SYMBOL_SURFACE = 12 };

/*
 * Reads a cubin. origin is its name in messages; origin and data must outlive it. Errors: RB_TRACE.
 * *c needs no close after an error.
 */
RB_CHECKED rb_code_t cubin_open(cubin_t *c, const char *origin, const uint8_t *data, size_t size,
                                rb_err_t *err);
void cubin_close(cubin_t *c);

/* The architecture in the ELF header's flags: bits 0-7 up to ABI version 7, bits 8-15 from 8 on (CUDA
 * 13). */
uint32_t cubin_arch(uint32_t flags, unsigned abi_version);

/* The kernel with that (mangled) name, or NULL. */
const cubin_kernel_t *cubin_find(const cubin_t *c, const char *name);

/* The relocation at an offset of a section, or NULL. */
const cubin_reloc_t *cubin_reloc_at(const cubin_t *c, uint32_t section, uint64_t offset);

/* The symbol index of the variable with that name, or -1. */
int64_t cubin_variable(const cubin_t *c, const char *name);

#endif
