/*
 * A cubin loaded into simulated device memory: its variables have addresses, its code and constant
 * banks are relocated, and its instructions are decoded.
 */
#ifndef RUBATO_EMU_MODULE_H
#define RUBATO_EMU_MODULE_H

#include "frontend/emulator/exec/memory/emu_mem.h"
#include "frontend/emulator/sass/cubin.h"
#include "frontend/emulator/sass/line_table.h"
#include "frontend/emulator/sass/sass_inst.h"
#include "sim/gpu/source/trace_source.h"

/*
 * Addresses of code. A kernel of a program made of several linked files (nvcc -rdc=true) calls
 * functions in sections of their own, some through pointers. Functions that the driver provides
 * (system calls) have addresses, too.
 */
#define EMU_CODE_BASE 0x7e0000000000ull
enum { EMU_CODE_SECTION_SHIFT = 24, EMU_CODE_SYSTEM = 0xffff }; /* section of the system calls */

typedef enum {
    EMU_CALL_VPRINTF,
    EMU_CALL_ASSERTFAIL,
    EMU_CALL_MALLOC,
    EMU_CALL_FREE,
    EMU_CALL_COUNT
} emu_system_call_t;

/* The code of a kernel and its functions, created on first use. */
typedef struct {
    uint8_t *code;       /* owned, patched */
    sass_inst_t *insts;  /* owned */
    inst_t *static_code; /* owned; in the simulator's format */
    uint32_t n_insts;
    uint32_t *starts; /* owned; index of the first instruction of each included section */
    uint32_t n_sections;
    const line_table_t *lines; /* of the module */
    bool addresses_params;     /* it asks for the address of the constant bank with them */
} emu_code_t;

/* Offset in bank 0 of the address at which loads see the bank. */
enum { EMU_BANK0_ADDRESS = 0x40 };

typedef struct {
    cubin_t cubin;
    uint64_t *section_addr; /* owned; address of code and of variables, 0 for other sections */
    uint8_t **section_copy; /* owned: patched constant banks; those with an address are there */
    emu_code_t *code;       /* owned; one per kernel */
    uint32_t *handles;      /* owned; handles of texture and surface references by symbol, 0 for
                             * other symbols */
    line_table_t *lines;    /* owned; NULL: no code was requested so far */
} emu_module_t;

/*
 * Loads a cubin. origin and data must outlive the module. RB_TRACE for a damaged cubin or an
 * unsupported relocation, RB_NOMEM if device memory is full.
 */
RB_CHECKED rb_code_t emu_module_open(emu_module_t *m, emu_mem_t *mem, const char *origin,
                                     const uint8_t *data, size_t size, rb_err_t *err);
void emu_module_close(emu_module_t *m);

/* The decoded code of a kernel. */
RB_CHECKED rb_code_t emu_module_code(emu_module_t *m, const cubin_kernel_t *k,
                                     const emu_code_t **code, rb_err_t *err);

/* The index of the instruction at an address; false: it is not in code that the kernel may call. */
bool emu_code_index(const emu_code_t *c, uint64_t addr, uint32_t *index);

/* The address of an instruction, by index. */
uint64_t emu_code_address(const emu_code_t *c, uint32_t index);

/* The source line of an instruction, by index; false: unknown. out->file lives as long as the
 * module. */
bool emu_code_line(const emu_code_t *c, uint32_t index, source_line_t *out);

/* The system call at an address of code; false: it is not one. */
bool emu_code_system_call(uint64_t addr, emu_system_call_t *call);

/* The name of a function of the driver that the emulator does not have, by the address that calls of
 * it have; NULL: there is none. */
const char *emu_module_missing(const emu_module_t *m, uint64_t addr);

/* A constant bank of a kernel (*size 0: the kernel has none). */
const uint8_t *emu_module_bank(const emu_module_t *m, const cubin_kernel_t *k, unsigned bank,
                               uint64_t *size);

/* Its address in device memory; 0: it has none. */
uint64_t emu_module_bank_address(const emu_module_t *m, const cubin_kernel_t *k, unsigned bank);

typedef struct {
    uint64_t addr, bytes; /* in device memory */
    bool constant;
} emu_variable_t;

/* False: there is none with that name. */
bool emu_module_variable(const emu_module_t *m, const char *name, emu_variable_t *v);

/* The handle of a texture or surface reference (emu_texture.h); 0: none with that name. */
uint32_t emu_module_reference(const emu_module_t *m, const char *name);

#endif
