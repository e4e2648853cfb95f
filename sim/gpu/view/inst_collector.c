#include "sim/gpu/view/inst_collector.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/source/inst_listing.h"
#include "sim/stats/stats.h"

/* What remains known of an instruction when its launch is closed. */
typedef struct {
    uint16_t opcode;
    uint8_t cls;
    uint32_t line;
    char *text, *file; /* owned; may be NULL */
} description_t;

/* A launch on the chip. */
typedef struct {
    inst_sites_t sites;
    description_t *description; /* owned; by number of the instruction; the texts too */
    size_t n_described, cap_described;
} place_t;

struct inst_collector {
    int threads;
    uint32_t launches;
    place_t *place;        /* owned; by index of the launch */
    inst_table_t *table;   /* owned; by thread and index */
    inst_table_t **tables; /* owned; of each thread */
};

inst_collector_t *inst_collector_create(int threads, uint32_t launches)
{
    inst_collector_t *c = rb_calloc(1, sizeof(*c));
    c->threads = threads;
    c->launches = launches;
    c->place = rb_calloc(launches, sizeof(*c->place));
    c->table = rb_calloc((size_t)threads * launches, sizeof(*c->table));
    c->tables = rb_calloc((size_t)threads, sizeof(*c->tables));
    for (uint32_t i = 0; i < launches; i++)
        inst_sites_init(&c->place[i].sites);
    for (int t = 0; t < threads; t++) {
        c->tables[t] = &c->table[(size_t)t * launches];
        for (uint32_t i = 0; i < launches; i++)
            inst_table_init(&c->tables[t][i], &c->place[i].sites);
    }
    return c;
}

static void forget_descriptions(place_t *p)
{
    for (size_t i = 0; i < p->n_described; i++) {
        free(p->description[i].text);
        free(p->description[i].file);
    }
    p->n_described = 0;
}

void inst_collector_destroy(inst_collector_t *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < (size_t)c->threads * c->launches; i++)
        inst_table_free(&c->table[i]);
    for (uint32_t i = 0; i < c->launches; i++) {
        forget_descriptions(&c->place[i]);
        free(c->place[i].description);
        inst_sites_free(&c->place[i].sites);
    }
    free(c->place);
    free(c->table);
    free(c->tables);
    free(c);
}

inst_table_t *const *inst_collector_tables(const inst_collector_t *c)
{
    return c == NULL ? NULL : c->tables;
}

void inst_collector_begin(inst_collector_t *c, uint32_t launch)
{
    forget_descriptions(&c->place[launch]);
    for (int t = 0; t < c->threads; t++)
        inst_table_clear(&c->tables[t][launch]);
    inst_sites_clear(&c->place[launch].sites);
}

static description_t describe(const trace_source_t *source, trace_launch_t *launch,
                              const inst_t *inst)
{
    description_t d = {.opcode = inst->opcode, .cls = inst->cls};
    char text[INST_LISTING_MAX];
    source_line_t line = {0};
    inst_listing_text(source, launch, inst, text);
    d.text = rb_strdup(text);
    if (inst_listing_line(source, launch, inst, &line)) {
        d.line = line.line;
        d.file = line.file == NULL ? NULL : rb_strdup(line.file);
    }
    return d;
}

void inst_collector_describe(inst_collector_t *c, uint32_t index, const trace_source_t *source,
                             trace_launch_t *launch)
{
    place_t *p = &c->place[index];
    rb_grow(&p->description, &p->cap_described, p->sites.n, sizeof(*p->description));
    p->description[0] = (description_t){0};
    for (size_t i = 1; i < p->sites.n; i++)
        p->description[i] = describe(source, launch, p->sites.site[i].inst);
    p->n_described = p->sites.n;
}

/* The number of an instruction, for sorting. */
typedef struct {
    uint32_t pc, number;
} ordered_t;

static int by_pc(const void *a, const void *b)
{
    const ordered_t *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_place(const void *a, const void *b)
{
    const launch_wait_t *x = a, *y = b;
    if (x->inst != y->inst)
        return x->inst < y->inst ? -1 : 1;
    if (x->longer != y->longer)
        return x->longer ? -1 : 1;
    return x->other < y->other ? -1 : x->other > y->other;
}

/* Lists the instructions by pc; the texts are handed over. Sets the place of each number in the list. */
static void list_instructions(place_t *p, const inst_table_t *sum, launch_insts_t *out,
                              uint32_t *place_of)
{
    const size_t n = p->n_described - 1;
    ordered_t *order = rb_calloc(n + 1, sizeof(*order));
    launch_inst_t *list = rb_calloc(n + 1, sizeof(*list));
    for (size_t i = 1; i <= n; i++)
        order[i - 1] = (ordered_t){p->sites.site[i].pc, (uint32_t)i};
    if (n > 1)
        qsort(order, n, sizeof(*order), by_pc);
    for (size_t i = 0; i <= n; i++) {
        const uint32_t number = i < n ? order[i].number : 0;
        const description_t *d = &p->description[number];
        list[i] = (launch_inst_t){.pc = order[i].pc,
                                  .opcode = d->opcode,
                                  .cls = d->cls,
                                  .line = d->line,
                                  .text = d->text,
                                  .file = d->file};
        if (number < sum->n_counts)
            list[i].counts = sum->counts[number];
        place_of[number] = (uint32_t)i;
    }
    free(order);
    p->n_described = 0;
    out->list = list;
    out->n = n;
}

/* Lists who waited for whom, and counts it for those that were waited for. */
static void list_waits(const inst_table_t *sum, const uint32_t *place_of, launch_insts_t *out)
{
    const size_t n = sum->n_waits;
    launch_wait_t *waits = rb_calloc(n + 1, sizeof(*waits));
    for (size_t i = 0; i < n; i++) {
        const inst_wait_t *w = &sum->waits[i];
        const launch_wait_t wait = {place_of[w->site], place_of[w->other], w->longer, w->cycles};
        inst_counts_t *other = &out->list[wait.other].counts;
        *(w->longer ? &other->awaited_long : &other->awaited_short) += w->cycles;
        waits[i] = wait;
    }
    if (n > 1)
        qsort(waits, n, sizeof(*waits), by_place);
    out->waits = waits;
    out->n_waits = n;
}

void launch_insts_total(const sm_stats_t *sm, const l2_stats_t *l2, inst_counts_t *out)
{
    inst_counts_of_sm(sm, out);
    out->l2_sectors = l2->read_sectors + l2->write_sectors + l2->atomic_sectors + l2->red_sectors;
    out->l2_hits = l2->read_hits + l2->write_hits + l2->atomic_hits + l2->red_hits;
}

launch_insts_t inst_collector_take(inst_collector_t *c, uint32_t launch)
{
    launch_insts_t out = {0};
    if (c == NULL)
        return out;
    place_t *p = &c->place[launch];
    inst_table_t *sum = &c->tables[0][launch];
    for (int t = 1; t < c->threads; t++)
        inst_table_add(sum, &c->tables[t][launch]);
    uint32_t *place_of = rb_calloc(p->n_described, sizeof(*place_of));
    list_instructions(p, sum, &out, place_of);
    list_waits(sum, place_of, &out);
    free(place_of);
    return out;
}

void inst_collector_rest(launch_insts_t *insts)
{
    inst_counts_t *rest = &insts->list[insts->n].counts, sum = {0};
    for (size_t i = 0; i < insts->n; i++)
        stats_add((uint64_t *)&sum, (const uint64_t *)&insts->list[i].counts, INST_COUNTS_ALL);
    rest->state[STATE_NO_WARP] = insts->total.state[STATE_NO_WARP];
    rest->l2_sectors = insts->total.l2_sectors - sum.l2_sectors;
    rest->l2_hits = insts->total.l2_hits - sum.l2_hits;
}

void inst_collector_release(launch_insts_t *insts)
{
    for (size_t i = 0; insts->list != NULL && i < insts->n; i++) {
        free((void *)insts->list[i].text);
        free((void *)insts->list[i].file);
    }
    free(insts->list);
    free(insts->waits);
    *insts = (launch_insts_t){0};
}
