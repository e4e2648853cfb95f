#include "frontend/tool/cli/run/plan_regions.h"

#include <stdlib.h>

#include "frontend/tool/cli/trace/launch_position.h"
#include "frontend/tool/io/text_format.h"
#include "sampling/inside/region/region_options.h"
#include "sampling/math/stall_model.h"
#include "sim/gpu/dispatch/occupancy.h"

enum { REGIONS_SHOWN = 24, TRIALS = 2000, NAME_COLUMNS = 60 };

/* A launch with its table. */
typedef struct {
    const setup_t *setup;
    const regions_options_t *options;
    launch_info_t info;
    occupancy_t occupancy;
    region_table_t table;
} shown_t;

static void print_region(const shown_t *s, size_t i, const region_options_t *o, FILE *out)
{
    const region_t *r = &s->table.list[i];
    const uint32_t sub_cores = s->setup->spec->sm.sm.sub_cores;
    const uint32_t warps = s->occupancy.blocks_per_sm * s->occupancy.warps_per_block;
    const stall_spread_t spread = stall_model_spread(
        r->stall, o->stall, (warps + sub_cores - 1) / sub_cores, TRIALS, s->options->seed);
    const double all = (double)block_insts_before(&s->table.insts, s->table.insts.blocks);
    const double insts = (double)(block_insts_before(&s->table.insts, r->end) -
                                  block_insts_before(&s->table.insts, r->first));
    char share[FORMAT_MAX], first[FORMAT_MAX], last[FORMAT_MAX];
    fprintf(out, "%6zu %12s .. %-12s %8.1f", i + 1, format_grouped(first, r->first),
            format_grouped(last, r->end - 1), (double)(r->end - r->first) / (double)s->table.epoch);
    if (r->even)
        fprintf(out, " %7u", r->cluster + 1);
    else
        fprintf(out, " %7s", "uneven");
    fprintf(out, " %9.4f %9.3f %8s %7.2f %8.2f %%\n", r->stall, r->variation,
            format_share(share, all > 0 ? insts / all : 0), sub_cores * spread.ipc,
            100 * spread.cov);
}

static void print_launch(const shown_t *s, bool first, const region_options_t *o, FILE *out)
{
    char name[NAME_COLUMNS], blocks[FORMAT_MAX], slots[FORMAT_MAX];
    format_kernel(name, sizeof(name), s->info.name);
    fprintf(out, "%slaunch %llu, %s: %s blocks, %s on the chip at once, %.1f waves\n",
            first ? "" : "\n", (unsigned long long)s->info.id, name,
            format_grouped(blocks, s->table.insts.blocks), format_grouped(slots, s->table.epoch),
            (double)s->table.insts.blocks / (double)s->table.epoch);
    fprintf(out, "%6s %12s    %-12s %8s %7s %9s %9s %8s %7s %10s\n", "region", "blocks", "",
            "waves", "cluster", "stall", "variation", "insts", "IPC", "spread");
    for (size_t i = 0; i < s->table.n && i < REGIONS_SHOWN; i++)
        print_region(s, i, o, out);
    if (s->table.n > REGIONS_SHOWN)
        fprintf(out, "         ...  and %zu more\n", s->table.n - REGIONS_SHOWN);
}

static rb_code_t show_launch(shown_t *s, uint64_t position, bool first, const region_options_t *o,
                             FILE *out, rb_err_t *err)
{
    const setup_t *setup = s->setup;
    const region_rule_t rule = region_rule(o);
    RB_TRY(setup->source->ops->launch_info(setup->source, position, &s->info, err));
    RB_TRY(occupancy_compute(setup->spec, &s->info, &s->occupancy, err));
    uint64_t slots = (uint64_t)setup->spec->sm.sm.count * s->occupancy.blocks_per_sm;
    if (slots > s->info.n_blocks)
        slots = s->info.n_blocks;
    rb_code_t rc =
        region_table_make(&s->table, setup->source, position, slots == 0 ? 1 : slots, &rule, err);
    if (rc == RB_OK)
        print_launch(s, first, o, out);
    region_table_free(&s->table);
    return rc;
}

static rb_code_t show_all(const setup_t *setup, const regions_options_t *o, FILE *out,
                          rb_err_t *err)
{
    const region_options_t *values = conf_group_values(setup->conf, &region_group);
    uint64_t *positions = NULL;
    size_t n = (size_t)setup->n_launches;
    if (o->launches != NULL)
        RB_TRY(launch_positions(setup->source, o->launches, &positions, &n, err));
    rb_code_t rc = RB_OK;
    for (size_t i = 0; i < n && rc == RB_OK; i++) {
        shown_t s = {.setup = setup, .options = o};
        rc = show_launch(&s, positions != NULL ? positions[i] : i + 1, i == 0, values, out, err);
    }
    free(positions);
    if (rc == RB_OK)
        fprintf(
            out,
            "\nOn %s. stall: requests per warp instruction. variation: largest of an epoch. IPC "
            "of an SM and\nits spread: by TBPoint's model, for stalls of %g cycles.\n",
            setup->gpu, values->stall);
    return rc;
}

rb_code_t plan_regions_print(const regions_options_t *o, FILE *out, rb_err_t *err)
{
    setup_t setup;
    rb_code_t rc = setup_open(&setup, &o->setup, err);
    if (rc == RB_OK)
        rc = show_all(&setup, o, out, err);
    setup_close(&setup);
    return rc;
}
