/* Bank 0 of a launch: its properties and parameters, in the driver's layout. */
#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"

/* Offsets in the bank. */
enum {
    BANK0_BLOCK = 0x00,
    BANK0_GRID = 0x0c,
    BANK0_SHARED = 0x18,
    BANK0_LOCAL = 0x20,
    BANK0_STACK = 0x28,
    BANK0_WORKSPACE_HIGH = 0x8c, /* for a cooperative launch */
    BANK0_WORKSPACE_LOW = 0x90,
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
    put32(g, BANK0_WORKSPACE_LOW, (uint32_t)l->workspace);
    put32(g, BANK0_WORKSPACE_HIGH, (uint32_t)(l->workspace >> 32));
    if (l->kernel->param_bytes > 0)
        memcpy(g->bank0 + l->kernel->param_base, l->params, l->kernel->param_bytes);
}
