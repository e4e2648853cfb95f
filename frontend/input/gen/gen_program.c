#include "frontend/input/gen/gen_program.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/gen/gen_hash.h"
#include "frontend/input/silicon/silicon_program.h"

/* First address of cudaMalloc() in the traces that ship with rubato. */
static const uint64_t first_address = 0x7f0000000200;

const gen_kind_t *gen_find_kind(const char *name)
{
    for (unsigned i = 0; gen_kinds[i] != NULL; i++)
        if (strcmp(gen_kinds[i]->name, name) == 0)
            return gen_kinds[i];
    return NULL;
}

static rb_code_t set_value(gen_program_t *g, unsigned i, uint64_t value, rb_err_t *err)
{
    const gen_param_t *p = &g->kind->param[i];

    if (value < p->min || value > p->max)
        return rb_fail(err, RB_USAGE, "%s: %s = %llu is outside %llu .. %llu (%s)", g->kind->name,
                       p->name, (unsigned long long)value, (unsigned long long)p->min,
                       (unsigned long long)p->max, p->help);
    g->value[i] = value;
    return RB_OK;
}

static rb_code_t set_param(gen_program_t *g, const char *text, rb_err_t *err)
{
    const char *equals = strchr(text, '=');
    uint64_t value;

    if (equals == NULL)
        return rb_fail(err, RB_USAGE, "parameter '%s': NAME=VALUE is needed", text);
    for (unsigned i = 0; i < GEN_MAX_PARAMS && g->kind->param[i].name != NULL; i++) {
        const char *name = g->kind->param[i].name;

        if (strlen(name) != (size_t)(equals - text) || strncmp(name, text, strlen(name)) != 0)
            continue;
        RB_TRY(program_number_of(g->kind->name, name, equals + 1, &value, err));
        return set_value(g, i, value, err);
    }
    return rb_fail(err, RB_USAGE, "%s has no parameter '%.*s'; see rubato gen --list %s",
                   g->kind->name, (int)(equals - text), text, g->kind->name);
}

bool gen_has_blocks(const gen_kind_t *kind)
{
    return kind->per_block != 0 || kind->block_side != 0 || kind->size_of_blocks != NULL;
}

static uint64_t size_of_blocks(const gen_program_t *g, uint64_t blocks)
{
    if (g->kind->per_block != 0)
        return blocks * g->kind->per_block;
    if (g->kind->block_side != 0)
        return g->kind->block_side * gen_square_side(blocks);
    return g->kind->size_of_blocks(g->value, blocks);
}

static rb_code_t set_size(gen_program_t *g, const gen_spec_t *spec, rb_err_t *err)
{
    if (spec->size != 0)
        return set_value(g, 0, spec->size, err);
    if (spec->blocks == 0)
        return RB_OK;
    if (!gen_has_blocks(g->kind))
        return rb_fail(err, RB_USAGE, "%s: its launches differ in their blocks; give a size",
                       g->kind->name);
    return set_value(g, 0, size_of_blocks(g, spec->blocks), err);
}

rb_code_t gen_check_spec(const gen_spec_t *spec, rb_err_t *err)
{
    if (spec->size != 0 && spec->blocks != 0)
        return rb_fail(err, RB_USAGE, "%s: a size and a number of blocks exclude each other",
                       spec->kind);
    if (spec->blocks > INT32_MAX)
        return rb_fail(err, RB_USAGE, "%s: %llu blocks: a grid has at most %d", spec->kind,
                       (unsigned long long)spec->blocks, INT32_MAX);
    if (spec->arch != 0 && spec->arch != 70 && spec->arch != 75)
        return rb_fail(err, RB_USAGE, "code of sm_%u cannot be generated; sm_70 and sm_75 can",
                       spec->arch);
    return RB_OK;
}

rb_code_t gen_program_init(gen_program_t *g, const gen_spec_t *spec, rb_err_t *err)
{
    const gen_kind_t *kind = gen_find_kind(spec->kind);

    RB_TRY(gen_check_spec(spec, err));
    *g = (gen_program_t){.kind = kind,
                         .seed = gen_mix(spec->seed),
                         .arch = spec->arch != 0 ? spec->arch : 70,
                         .n_launches = 1,
                         .top = first_address};
    for (unsigned i = 0; i < GEN_MAX_PARAMS && kind->param[i].name != NULL; i++)
        g->value[i] = kind->param[i].def;
    for (size_t i = 0; i < spec->n_params; i++)
        RB_TRY(set_param(g, spec->params[i], err));
    RB_TRY(set_size(g, spec, err));
    RB_TRY(kind->prepare(g, err));
    if (g->top > GEN_SHARED_WINDOW)
        return rb_fail(err, RB_USAGE,
                       "%s: %llu GiB of device memory are needed; %llu GiB are there", kind->name,
                       (unsigned long long)((g->top - first_address) >> 30),
                       (unsigned long long)((GEN_SHARED_WINDOW - first_address) >> 30));
    return RB_OK;
}

static bool is_valid_shape(const gen_launch_t *l)
{
    return l->grid[0] <= INT32_MAX && l->grid[1] <= UINT16_MAX && l->grid[2] <= UINT16_MAX &&
           (uint64_t)l->block[0] * l->block[1] * l->block[2] <= 1024;
}

void gen_program_launch(const gen_program_t *g, uint64_t id, gen_launch_t *out)
{
    *out = (gen_launch_t){.id = id, .seed = g->seed, .data = g->data};
    g->kind->launch(g, id, out);
    for (unsigned d = 0; d < 3; d++) {
        if (out->grid[d] == 0)
            out->grid[d] = 1;
        if (out->block[d] == 0)
            out->block[d] = 1;
    }
    RB_INVARIANT(is_valid_shape(out), "%s: launch %llu: impossible shape", g->kind->name,
                 (unsigned long long)id);
}
