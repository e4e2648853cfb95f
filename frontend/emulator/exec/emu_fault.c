/* Faults: errors of the program that end a kernel with a message. */
#include <stdarg.h>
#include <stdio.h>

#include "frontend/emulator/exec/emu_state.h"

void emu_fault(emu_warp_t *w, const emu_uop_t *u, const char *format, ...)
{
    char why[256], text[SASS_TEXT_MAX];
    const emu_block_t *b = w->block;
    va_list ap;

    va_start(ap, format);
    vsnprintf(why, sizeof(why), format, ap);
    va_end(ap);
    sass_text(u->sass, text);
    w->faulted = true;
    w->grid->rc =
        rb_fail(w->grid->err, RB_TRACE, "kernel %s, block (%u,%u,%u), warp %u, pc 0x%x: %s: %s",
                w->grid->launch->kernel->name, b->id[0], b->id[1], b->id[2], w->index, u->sass->pc,
                text, why);
}
