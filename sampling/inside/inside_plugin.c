#include "sampling/inside/inside_plugin.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/plugin/plugin.h"
#include "sim/core/alloc.h"

/* The records are passed without conversion. */
#define SAME(a, b)                                                                                 \
    (offsetof(rubato_record_t, a) == offsetof(retired_t, b) &&                                     \
     sizeof(((rubato_record_t *)0)->a) == sizeof(((retired_t *)0)->b))
_Static_assert(sizeof(rubato_record_t) == sizeof(retired_t) && SAME(start, start) &&
                   SAME(retire, retire) && SAME(block, block) && SAME(insts, n_insts) &&
                   SAME(pc, pc) && SAME(sm, sm) && SAME(warp, warp),
               "rubato_record_t must equal retired_t: if it changes, change the interface number");
_Static_assert((int)RUBATO_WARPS == (int)RETIRED_WARP && (int)RUBATO_BLOCKS == (int)RETIRED_BLOCK &&
                   (int)RUBATO_BASIC_BLOCKS == (int)RETIRED_BASIC_BLOCK,
               "rubato_record_kind_t must equal retired_kind_t");
_Static_assert((int)RUBATO_SIMULATE == (int)BLOCK_SIMULATE &&
                   (int)RUBATO_HOLD == (int)BLOCK_HOLD_SLOT && (int)RUBATO_SKIP == (int)BLOCK_SKIP,
               "rubato_action_t must equal block_action_t");
_Static_assert((int)RUBATO_HOLD_SLOTS == (int)FORWARD_HOLD_SLOT &&
                   (int)RUBATO_ADD_CYCLES == (int)FORWARD_REGION_IPC &&
                   (int)RUBATO_DRAIN == (int)RESIDENTS_DRAIN &&
                   (int)RUBATO_PREDICT == (int)RESIDENTS_PREDICT &&
                   (int)RUBATO_CUT == (int)RESIDENTS_CUT,
               "rubato_model_t and rubato_residents_t must equal those of sampler.h");
_Static_assert((int)RUBATO_EVIDENCE_MAX == (int)SAMPLER_EVIDENCE_MAX,
               "the same room for the evidence");

/* A method of a plugin. The method is the first member, so a pointer to it is a pointer to both. */
typedef struct {
    inside_method_t method;
    sampler_ops_t ops;
    plugin_t *plugin;
} inside_plugin_t;

/* Invalid return values of hooks. Atomic, because block() is called on any thread. */
enum { TROUBLE_NONE, TROUBLE_ACTION };

typedef struct {
    const inside_plugin_t *of;
    void *options; /* owned copy; values borrows its texts */
    rubato_value_t *values;
    rubato_launch_t launch;
    bool begun;
    void *state;
    atomic_int trouble;
    char wrong[RUBATO_WHY_MAX]; /* error of the other hooks; "": none */
} session_t;

static const rubato_inside_sampler_t *hooks(const session_t *s)
{
    return s->of->plugin->sampler->inside;
}

static void end_launch(session_t *s)
{
    if (s->begun && hooks(s)->end != NULL && s->state != NULL)
        hooks(s)->end(s->state);
    s->begun = false;
    s->state = NULL;
}

static void *create_session(const inside_method_t *m, const void *options, uint64_t seed,
                            rb_err_t *err)
{
    session_t *s = rb_calloc(1, sizeof(*s));
    (void)err;
    s->of = (const inside_plugin_t *)m;
    s->options = rb_calloc(1, m->options->spec_size);
    memcpy(s->options, options, m->options->spec_size);
    s->values = plugin_values(s->of->plugin, s->options);
    s->launch.options = s->values;
    s->launch.seed = seed;
    return s;
}

static void destroy_session(void *state)
{
    session_t *s = state;
    end_launch(s);
    free(s->values);
    free(s->options);
    free(s);
}

static uint64_t digest_of(const inside_method_t *m, const void *state)
{
    (void)state;
    return ((const inside_plugin_t *)m)->plugin->digest;
}

static void close_method(const inside_method_t *m)
{
    inside_plugin_t *of = (inside_plugin_t *)m;
    plugin_close(of->plugin);
    free(of);
}

/* The hooks of sampler.h. */

static rb_code_t open_launch(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    session_t *s = sampler->state;
    char why[RUBATO_WHY_MAX] = "";
    end_launch(s);
    s->wrong[0] = '\0';
    atomic_store(&s->trouble, TROUBLE_NONE);
    s->launch.id = l->info->id;
    s->launch.kernel = l->info->name;
    memcpy(s->launch.grid, l->info->grid, sizeof(s->launch.grid));
    memcpy(s->launch.block, l->info->block, sizeof(s->launch.block));
    s->launch.blocks = l->info->n_blocks;
    s->launch.slots = l->slots;
    s->launch.interval = l->spec->sampling.interval;
    s->launch.launch_latency = l->spec->gpu.launch_latency;
    if (hooks(s)->begin != NULL && hooks(s)->begin(&s->launch, &s->state, why) != 0)
        return plugin_failed(s->of->plugin, "begin", why, err);
    s->begun = true;
    return RB_OK;
}

static void show_progress(rubato_progress_t *p, const interval_records_t *r)
{
    *p = (rubato_progress_t){.cycle = r->cycle,
                             .warp_insts = r->warp_insts,
                             .blocks_done = r->blocks_done,
                             .next_block = r->next_block,
                             .resident = r->resident,
                             .oldest = r->oldest,
                             .l2_taken = r->l2_taken,
                             .l2_touched = r->l2_touched,
                             .dram_moved = r->dram_moved};
    for (unsigned kind = 0; kind < RUBATO_RECORDS; kind++) {
        p->records[kind].list = (const rubato_record_t *)(const void *)r->retired[kind].list;
        p->records[kind].n = r->retired[kind].n;
    }
}

/* What is wrong with a fast-forward; NULL if nothing is. */
static const char *forward_trouble(const session_t *s, const rubato_forward_t *f)
{
    const bool to_end = f->until >= s->launch.blocks;
    if ((unsigned)f->model > RUBATO_ADD_CYCLES || (unsigned)f->residents > RUBATO_CUT)
        return "unknown model or residents";
    if (f->model == RUBATO_HOLD_SLOTS && hooks(s)->block == NULL)
        return "HOLD_SLOTS requires the hook block()";
    if (f->model == RUBATO_ADD_CYCLES && hooks(s)->forward_end == NULL)
        return "ADD_CYCLES requires the hook forward_end()";
    if ((f->residents == RUBATO_CUT ||
         (f->residents == RUBATO_PREDICT && f->model == RUBATO_ADD_CYCLES)) &&
        !to_end)
        return "CUT, and PREDICT with ADD_CYCLES, require a fast-forward to the end of the launch";
    if (!isfinite(f->warp_insts) || f->warp_insts < 0)
        return "warp_insts is not a valid number of instructions";
    return NULL;
}

static bool end_interval(const sampler_t *sampler, const interval_records_t *r, fast_forward_t *out)
{
    session_t *s = sampler->state;
    rubato_progress_t progress;
    rubato_forward_t f = {0};
    show_progress(&progress, r);
    if (hooks(s)->interval(&s->launch, s->state, &progress, &f) == 0)
        return false;
    const char *wrong = forward_trouble(s, &f);
    if (wrong != NULL) {
        snprintf(s->wrong, sizeof(s->wrong), "interval(): %s", wrong);
        return false;
    }
    *out = (fast_forward_t){.until = f.until,
                            .model = (forward_model_t)f.model,
                            .residents = (forward_residents_t)f.residents,
                            .warp_insts = f.warp_insts};
    snprintf(out->evidence, sizeof(out->evidence), "%.*s", RUBATO_EVIDENCE_MAX - 1, f.evidence);
    return true;
}

static block_action_t dispatch(const sampler_t *sampler, uint64_t block, cycle_t *cycles)
{
    session_t *s = sampler->state;
    uint64_t hold = 0;
    const int action = hooks(s)->block(&s->launch, s->state, block, &hold);
    if (action < RUBATO_SIMULATE || action > RUBATO_SKIP || hold > UINT32_MAX) {
        atomic_store(&s->trouble, TROUBLE_ACTION);
        return BLOCK_SIMULATE;
    }
    *cycles = hold;
    return (block_action_t)action;
}

static double end_forward(const sampler_t *sampler, uint64_t skipped, const left_moves_t *moves)
{
    session_t *s = sampler->state;
    (void)moves;
    const double cycles = hooks(s)->forward_end(&s->launch, s->state, skipped);
    if (cycles >= 0 && cycles < 0x1p62)
        return cycles;
    snprintf(s->wrong, sizeof(s->wrong), "forward_end(): %g is not a valid number of cycles",
             cycles);
    return 0;
}

static void say_verdict(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const session_t *s = sampler->state;
    hooks(s)->verdict(&s->launch, s->state, evidence);
    evidence[SAMPLER_EVIDENCE_MAX - 1] = '\0';
}

static rb_code_t check(const sampler_t *sampler, rb_err_t *err)
{
    session_t *s = sampler->state;
    const char *name = s->of->plugin->name;
    const unsigned long long id = s->launch.id;
    if (atomic_load(&s->trouble) == TROUBLE_ACTION)
        return rb_fail(err, RB_USAGE,
                       "%s: launch %llu: block(): an unknown action, or a hold of more "
                       "than 2^32 cycles",
                       name, id);
    return s->wrong[0] != '\0' ? rb_fail(err, RB_USAGE, "%s: launch %llu: %s", name, id, s->wrong)
                               : RB_OK;
}

/* Sets the hooks that the object has. */
static void fill_ops(inside_plugin_t *of)
{
    const rubato_inside_sampler_t *h = of->plugin->sampler->inside;
    of->ops = (sampler_ops_t){.name = of->plugin->name,
                              .retired = h->records,
                              .launch_open = open_launch,
                              .interval_end = h->interval != NULL ? end_interval : NULL,
                              .block_dispatch = h->block != NULL ? dispatch : NULL,
                              .fast_forward_end = end_forward,
                              .launch_verdict = h->verdict != NULL ? say_verdict : NULL,
                              .check = check};
}

rb_code_t inside_plugin_open(const inside_method_t **method, const char *item, rb_err_t *err)
{
    plugin_t *plugin;
    *method = NULL;
    RB_TRY(plugin_open(&plugin, item, err));
    if (plugin->sampler->inside == NULL) {
        plugin_close(plugin);
        return RB_OK;
    }
    inside_plugin_t *of = rb_calloc(1, sizeof(*of));
    of->plugin = plugin;
    fill_ops(of);
    of->method = (inside_method_t){.help = plugin->sampler->help,
                                   .options = &plugin->options,
                                   .ops = &of->ops,
                                   .create = create_session,
                                   .destroy = destroy_session,
                                   .digest = digest_of,
                                   .item = plugin->item,
                                   .close = close_method};
    *method = &of->method;
    return RB_OK;
}
