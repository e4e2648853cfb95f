/*
 * Functions that the driver provides for kernels: printf, assert, malloc, free. They are executed
 * natively, not as instructions. Arguments and results are in registers from R4 on ("CUDA C++
 * Programming Guide" and PTX ISA, "System calls").
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"

enum { FIRST_ARGUMENT = 4, MAX_TEXT = 4096, MAX_PIECE = 64 };

/* Guards device memory and the output, which threads that execute blocks share. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t word_argument(const emu_warp_t *w, unsigned r, unsigned lane)
{
    return w->r[(FIRST_ARGUMENT + r) * EMU_LANES + lane];
}

static uint64_t long_argument(const emu_warp_t *w, unsigned r, unsigned lane)
{
    return emu_u64(w->r + (size_t)(FIRST_ARGUMENT + r) * EMU_LANES, (int)lane);
}

static void put_result(emu_warp_t *w, unsigned lane, uint32_t low)
{
    w->r[FIRST_ARGUMENT * EMU_LANES + lane] = low;
}

/* --- values in memory ------------------------------------------------------------------------ */

static bool read_value(emu_warp_t *w, const emu_uop_t *u, unsigned lane, uint64_t addr,
                       unsigned width, void *value)
{
    const uint8_t *p = emu_resolve(w, u, MEM_GENERIC, lane, addr, width);

    if (p != NULL)
        memcpy(value, p, width);
    return p != NULL;
}

/* Reads a string of the device, truncated to the room; false after a fault. */
static bool read_string(emu_warp_t *w, const emu_uop_t *u, unsigned lane, uint64_t addr,
                        char text[MAX_TEXT])
{
    for (unsigned i = 0; i + 1 < MAX_TEXT; i++) {
        if (!read_value(w, u, lane, addr + i, 1, &text[i]))
            return false;
        if (text[i] == '\0')
            return true;
    }
    text[MAX_TEXT - 1] = '\0';
    return true;
}

/* --- printf ---------------------------------------------------------------------------------- */

/* The output of one lane: arguments are contiguous in memory, each one aligned to its size. */
typedef struct {
    emu_warp_t *w;
    const emu_uop_t *u;
    unsigned lane;
    uint64_t next; /* address of the next argument */
    uint32_t n_arguments;
    FILE *out;
} printer_t;

static bool next_argument(printer_t *p, unsigned width, uint64_t *value)
{
    *value = 0;
    p->next = (p->next + width - 1) / width * width;
    if (!read_value(p->w, p->u, p->lane, p->next, width, value))
        return false;
    p->next += width;
    p->n_arguments++;
    return true;
}

static bool print_string(printer_t *p, const char *piece, uint64_t addr)
{
    char *text = rb_calloc(MAX_TEXT, 1);
    bool ok = read_string(p->w, p->u, p->lane, addr, text);

    if (ok)
        fprintf(p->out, piece, text);
    free(text);
    return ok;
}

/* Prints one conversion, rewritten for the host: its flags and the type of its value. False: a
 * fault. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static bool print_conversion(printer_t *p, char piece[MAX_PIECE], size_t n, char kind, bool wide)
{
    uint64_t value;
    double real;

    switch (kind) {
    case 's':
    case 'p':
        piece[n++] = kind;
        piece[n] = '\0';
        if (!next_argument(p, 8, &value))
            return false;
        if (kind == 's')
            return print_string(p, piece, value);
        fprintf(p->out, piece, (void *)(uintptr_t)value);
        return true;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        snprintf(piece + n, MAX_PIECE - n, "ll%c", kind);
        if (!next_argument(p, wide ? 8 : 4, &value))
            return false;
        if (!wide && (kind == 'd' || kind == 'i'))
            value = (uint64_t)(int64_t)(int32_t)value;
        fprintf(p->out, piece, (long long)value);
        return true;
    case 'c':
        piece[n++] = kind;
        piece[n] = '\0';
        if (!next_argument(p, 4, &value))
            return false;
        fprintf(p->out, piece, (int)value);
        return true;
    default: /* a, e, f, g */
        piece[n++] = kind;
        piece[n] = '\0';
        if (!next_argument(p, 8, &value))
            return false;
        memcpy(&real, &value, sizeof(real));
        fprintf(p->out, piece, real);
        return true;
    }
}
#pragma GCC diagnostic pop

/* Copies flags, width and precision of the conversion at *format to piece, replacing '*'; 0: a
 * fault. */
static size_t copy_flags(printer_t *p, const char **format, char piece[MAX_PIECE])
{
    size_t n = 0;

    piece[n++] = '%';
    while (**format != '\0' && strchr("-+ #0123456789.*", **format) != NULL && n < MAX_PIECE / 2) {
        uint64_t value;
        char c = *(*format)++;
        if (c != '*') {
            piece[n++] = c;
            continue;
        }
        if (!next_argument(p, 4, &value))
            return 0;
        n += (size_t)snprintf(piece + n, MAX_PIECE - n, "%d", (int)(int32_t)value);
    }
    return n;
}

static bool print_formatted(printer_t *p, const char *format)
{
    while (*format != '\0') {
        char piece[MAX_PIECE];
        bool wide = false;
        size_t plain = strcspn(format, "%");

        fwrite(format, 1, plain, p->out);
        format += plain;
        if (*format == '\0')
            break;
        format++;
        size_t n = copy_flags(p, &format, piece);
        if (n == 0)
            return false;
        for (; *format != '\0' && strchr("hljztL", *format) != NULL; format++)
            wide = wide || *format != 'h';
        if (*format != '\0' && strchr("sdiuoxXcpaAeEfFgG", *format) != NULL) {
            if (!print_conversion(p, piece, n, *format, wide))
                return false;
        } else if (*format != '\0') {
            fputc(*format, p->out); /* "%%"; unknown conversions are printed unchanged */
        }
        format += *format != '\0';
    }
    return true;
}

static bool print(emu_warp_t *w, const emu_uop_t *u, unsigned lane)
{
    char *format = rb_calloc(MAX_TEXT, 1);
    FILE *out = w->grid->launch->out;
    printer_t p = {.w = w,
                   .u = u,
                   .lane = lane,
                   .next = long_argument(w, 2, lane),
                   .out = out != NULL ? out : stdout};
    bool ok =
        read_string(w, u, lane, long_argument(w, 0, lane), format) && print_formatted(&p, format);

    free(format);
    if (ok)
        put_result(w, lane, p.n_arguments);
    return ok;
}

/* --- assert ---------------------------------------------------------------------------------- */

/* __assertfail(message, file, line, function, bytes per character), in CUDA's format. */
static bool report_assertion(emu_warp_t *w, const emu_uop_t *u, unsigned lane)
{
    char *text = rb_calloc(3 * MAX_TEXT, 1), *file = text + MAX_TEXT, *function = file + MAX_TEXT;
    const uint32_t *block = w->block->id;
    FILE *out = w->grid->launch->out;
    bool ok = read_string(w, u, lane, long_argument(w, 0, lane), text) &&
              read_string(w, u, lane, long_argument(w, 2, lane), file) &&
              read_string(w, u, lane, long_argument(w, 6, lane), function);

    if (ok)
        fprintf(out != NULL ? out : stderr,
                "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                word_argument(w, 4, lane), function, block[0], block[1], block[2], w->tid[0][lane],
                w->tid[1][lane], w->tid[2][lane], text);
    free(text);
    return ok;
}

/* --- memory ---------------------------------------------------------------------------------- */

static bool allocate(emu_warp_t *w, unsigned lane)
{
    uint64_t bytes = long_argument(w, 0, lane);
    const emu_launch_t *l = w->grid->launch;
    uint64_t addr = bytes > 0 ? emu_mem_alloc_heap(l->mem, bytes, l->heap_bytes) : 0;

    put_result(w, lane, (uint32_t)addr);
    w->r[(FIRST_ARGUMENT + 1) * EMU_LANES + lane] = (uint32_t)(addr >> 32);
    return true;
}

static bool release(emu_warp_t *w, const emu_uop_t *u, unsigned lane)
{
    uint64_t addr = long_argument(w, 0, lane);

    if (addr == 0 || emu_mem_release_heap(w->grid->launch->mem, addr))
        return true;
    emu_fault(w, u, "lane %u: free() of 0x%llx, which is not from malloc()", lane,
              (unsigned long long)addr);
    return false;
}

void emu_system_call(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    bool ok = true;

    pthread_mutex_lock(&lock);
    for (uint32_t left = mask; left != 0 && ok; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        switch (u->select) {
        case EMU_CALL_VPRINTF:
            w->grid->totals.printed = true;
            ok = print(w, u, k);
            break;
        case EMU_CALL_MALLOC:
            w->grid->totals.allocated = true;
            ok = allocate(w, k);
            break;
        case EMU_CALL_FREE:
            w->grid->totals.allocated = true;
            ok = release(w, u, k);
            break;
        default:
            ok = report_assertion(w, u, k);
        }
    }
    pthread_mutex_unlock(&lock);
    if (ok && u->select == EMU_CALL_ASSERTFAIL) {
        w->grid->totals.fault = EMU_FAULT_ASSERT;
        emu_fault(w, u, "an assertion of the kernel failed");
    }
}
