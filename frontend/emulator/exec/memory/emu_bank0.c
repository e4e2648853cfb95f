/* Bank 0 of a launch: its properties and parameters, in the driver's layout. */
#include <stdlib.h>

#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"

/* Offsets in the bank. */
enum {
    BANK0_BLOCK = 0x00,
    BANK0_GRID = 0x0c,
    BANK0_SHARED = 0x18,
    BANK0_LOCAL = 0x20,
    BANK0_STACK = 0x28,
    BANK0_DYNAMIC_SHARED = 0x2c,
    BANK0_NUMBER = 0x30,         /* %gridid */
    BANK0_VARIABLES = 0x50,      /* address of bank 3 */
    BANK0_WORKSPACE_HIGH = 0x8c, /* for a cooperative launch */
    BANK0_WORKSPACE_LOW = 0x90,
    BANK0_SMS = 0x10c,
    BANK0_RESERVED_END = 0x120, /* of shared memory, from Ampere on; we reserve none */
};

static void put32(emu_grid_t *g, uint64_t at, uint32_t v)
{
    if (at + sizeof(v) <= g->bank0_bytes)
        memcpy(g->bank0 + at, &v, sizeof(v));
}

static void put64(emu_grid_t *g, uint64_t at, uint64_t v)
{
    put32(g, at, (uint32_t)v);
    put32(g, at + 4, (uint32_t)(v >> 32));
}

uint32_t emu_shared_bytes(const emu_launch_t *l)
{
    return l->kernel->shared_bytes + l->dynamic_shared;
}

uint32_t emu_shared_units(const emu_launch_t *l)
{
    const uint32_t unit = l->module->cubin.arch < 80 ? 256 : 128;

    return (emu_shared_bytes(l) + unit - 1) / unit * unit;
}

void emu_make_bank0(emu_grid_t *g)
{
    const emu_launch_t *l = g->launch;
    uint64_t size, end = (uint64_t)l->kernel->param_base + l->kernel->param_bytes;
    const uint8_t *section = emu_module_bank(l->module, l->kernel, 0, &size);

    g->bank0_bytes = size > end ? size : end;
    g->bank0 = rb_calloc(g->bank0_bytes + 1, 1);
    if (section != NULL)
        memcpy(g->bank0, section, size);
    for (unsigned i = 0; i < 3; i++) {
        put32(g, BANK0_BLOCK + 4 * i, l->block[i]);
        put32(g, BANK0_GRID + 4 * i, l->grid[i]);
    }
    put64(g, BANK0_SHARED, EMU_SHARED_BASE);
    put64(g, BANK0_LOCAL, EMU_LOCAL_BASE);
    put32(g, BANK0_STACK, g->local_bytes);
    put32(g, BANK0_DYNAMIC_SHARED, l->dynamic_shared);
    put64(g, BANK0_NUMBER, l->number);
    put64(g, BANK0_VARIABLES, emu_module_bank_address(l->module, l->kernel, 3));
    put32(g, BANK0_SMS, l->sms > 0 ? l->sms : 1);
    if (l->module->cubin.arch >= 80)
        put32(g, BANK0_RESERVED_END, emu_shared_units(l));
    put32(g, BANK0_WORKSPACE_LOW, (uint32_t)l->workspace);
    put32(g, BANK0_WORKSPACE_HIGH, (uint32_t)(l->workspace >> 32));
    if (l->kernel->param_bytes > 0)
        memcpy(g->bank0 + l->kernel->param_base, l->params, l->kernel->param_bytes);
}

rb_code_t emu_place_bank0(emu_grid_t *g, rb_err_t *err)
{
    emu_mem_t *mem = g->launch->mem;

    if (!g->code->addresses_params)
        return RB_OK;
    g->bank0_addr = emu_mem_alloc_apart(mem, g->bank0_bytes);
    if (g->bank0_addr == 0)
        return rb_fail(err, RB_NOMEM, "kernel %s: no device memory for its parameters",
                       g->launch->kernel->name);
    put64(g, EMU_BANK0_ADDRESS, g->bank0_addr);
    memcpy(emu_mem_at(mem, g->bank0_addr, g->bank0_bytes), g->bank0, g->bank0_bytes);
    return RB_OK;
}

void emu_free_bank0(emu_grid_t *g)
{
    if (g->bank0_addr != 0)
        emu_mem_release(g->launch->mem, g->bank0_addr);
    free(g->bank0);
}
