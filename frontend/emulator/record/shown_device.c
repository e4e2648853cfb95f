#include "frontend/emulator/record/shown_device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gpu/dispatch/occupancy.h"

/* Limits per block in every compute capability: threads; bytes of shared memory without opt-in. */
enum { THREADS_MAX = 1024, PLAIN_SHARED = 48 << 10 };

const unsigned shown_device_archs[SHOWN_DEVICE_ARCHS] = {70, 75, 80, 86};

unsigned shown_device_of_arch(unsigned arch)
{
    unsigned i = SHOWN_DEVICE_ARCHS - 1;

    while (i > 0 && shown_device_archs[i] > arch)
        i--;
    return i;
}

static uint64_t fp64_ratio(const sm_spec_t *sm)
{
    uint64_t single = (uint64_t)sm->fp32_lanes * sm->sub_cores;
    uint64_t twice = (uint64_t)sm->fp64_lanes * (sm->fp64_shared ? 1 : sm->sub_cores);

    return twice == 0 || single < twice ? 1 : single / twice;
}

/* Code for chips after 8.9 is not decoded. Programs see such a chip as 8.0, so that they and libraries
 * choose code that is. */
static uint32_t shown_arch(uint32_t arch)
{
    enum { LAST_DECODED = 89, DATA_CENTRE = 80 };

    return arch > LAST_DECODED ? DATA_CENTRE : arch;
}

static uint64_t khz(double mhz)
{
    return mhz < 0.001 ? 1 : (uint64_t)(mhz * 1000 + 0.5);
}

void shown_device_of(const gpu_spec_t *spec, shown_device_t *d)
{
    const sm_spec_t *sm = &spec->sm.sm;
    const l1_spec_t *l1 = &spec->sm.l1;
    const dram_spec_t *dram = &spec->mem.dram;

    *d = (shown_device_t){
        .arch = shown_arch(spec->gpu.arch),
        .clock_khz = khz(spec->gpu.clock_mhz),
        .sms = sm->count,
        .sub_cores = sm->sub_cores,
        .warps = sm->max_warps,
        .blocks = sm->max_blocks,
        .registers = sm->registers,
        .register_unit = sm->register_unit,
        .shared = occupancy_largest_carveout(l1),
        .shared_unit = l1->shared_unit,
        .shared_reserved = l1->shared_reserved,
        .l1_enabled = l1->enabled,
        .fp64_ratio = fp64_ratio(sm),
        .l2 = spec->mem.l2.size,
        .memory = dram->size,
        .memory_khz = khz(dram->clock_mhz * dram->data_rate / 2),
        .memory_bits = (uint64_t)spec->mem.mem.partitions * dram->bus_bytes * 8,
    };
    snprintf(d->name, sizeof(d->name), "%s", spec->gpu.name);
    for (char *c = d->name; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

/* --- as text --------------------------------------------------------------------------------- */

#define ROW_(field, least, most) {#field, offsetof(shown_device_t, field), least, most},
static const struct {
    const char *name;
    size_t offset;
    uint64_t least, most;
} rows[] = {SHOWN_DEVICE_NUMBERS(ROW_)};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

void shown_device_write(const shown_device_t *d, char text[SHOWN_DEVICE_TEXT])
{
    size_t n = 0;

    for (size_t i = 0; i < N_ROWS; i++) {
        uint64_t value;
        memcpy(&value, (const char *)d + rows[i].offset, sizeof(value));
        n += (size_t)snprintf(text + n, SHOWN_DEVICE_TEXT - n, "%s=%" PRIu64 " ", rows[i].name,
                              value);
    }
    snprintf(text + n, SHOWN_DEVICE_TEXT - n, "name=%s", d->name);
}

/* Moves *text past "name="; false: something else is there. */
static bool take_key(const char **text, const char *name)
{
    size_t n = strlen(name);

    if (strncmp(*text, name, n) != 0 || (*text)[n] != '=')
        return false;
    *text += n + 1;
    return true;
}

static bool take_number(const char **text, uint64_t *value)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *value = strtoull(*text, &end, 10);
    if (errno != 0 || *end != ' ')
        return false;
    *text = end + 1;
    return true;
}

rb_code_t shown_device_read(shown_device_t *d, const char *text, rb_err_t *err)
{
    *d = (shown_device_t){0};
    for (size_t i = 0; i < N_ROWS; i++) {
        uint64_t value;
        if (!take_key(&text, rows[i].name) || !take_number(&text, &value))
            return rb_fail(err, RB_CONFIG, "'%.40s' is found where '%s=' and a number are expected",
                           text, rows[i].name);
        if (value < rows[i].least || value > rows[i].most)
            return rb_fail(err, RB_CONFIG, "%s=%" PRIu64 " is outside %" PRIu64 "..%" PRIu64,
                           rows[i].name, value, rows[i].least, rows[i].most);
        memcpy((char *)d + rows[i].offset, &value, sizeof(value));
    }
    if (!take_key(&text, "name") || strlen(text) >= sizeof(d->name))
        return rb_fail(err, RB_CONFIG,
                       "'%.40s' is found where 'name=' and a short name are expected", text);
    snprintf(d->name, sizeof(d->name), "%s", text);
    return RB_OK;
}

/* --- limits ---------------------------------------------------------------------------------- */

uint32_t shown_device_threads(const shown_device_t *d)
{
    return d->warps * 32 < THREADS_MAX ? (uint32_t)d->warps * 32 : THREADS_MAX;
}

uint64_t shown_device_block_shared(const shown_device_t *d)
{
    return d->shared > d->shared_reserved ? d->shared - d->shared_reserved : 0;
}

uint64_t shown_device_plain_shared(const shown_device_t *d)
{
    uint64_t all = shown_device_block_shared(d);

    return all < PLAIN_SHARED ? all : PLAIN_SHARED;
}

/* Sets the parameters that occupancy_compute() reads. */
static void to_spec(const shown_device_t *d, gpu_spec_t *spec)
{
    *spec = (gpu_spec_t){0};
    spec->sm.sm.sub_cores = (uint32_t)d->sub_cores;
    spec->sm.sm.max_warps = (uint32_t)d->warps;
    spec->sm.sm.max_blocks = (uint32_t)d->blocks;
    spec->sm.sm.registers = (uint32_t)d->registers;
    spec->sm.sm.register_unit = (uint32_t)d->register_unit;
    spec->sm.l1.shared_unit = (uint32_t)d->shared_unit;
    spec->sm.l1.shared_reserved = (uint32_t)d->shared_reserved;
    spec->sm.l1.carveouts = (param_sizes_t){.n = 1, .v = {d->shared}};
}

uint32_t shown_device_blocks(const shown_device_t *d, uint32_t threads, uint32_t regs,
                             uint64_t shared)
{
    gpu_spec_t spec;
    occupancy_t o;
    launch_info_t launch = {.name = "",
                            .file = "",
                            .block = {threads, 1, 1},
                            .regs = regs,
                            .shared_bytes = (uint32_t)shared};

    if (shared > shown_device_block_shared(d))
        return 0;
    to_spec(d, &spec);
    return occupancy_compute(&spec, &launch, &o, NULL) == RB_OK ? o.blocks_per_sm : 0;
}
