#include "sim/gpu/inst_collector.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/inst_listing.h"

/* What remains known of an instruction when its launch is closed. */
typedef struct {
    uint16_t opcode;
    uint8_t cls;
    uint32_t line;
    char *text, *file; /* owned; may be NULL */
} description_t;

struct inst_collector {
    inst_sites_t sites;
    int n_tables;
    inst_table_t *table;        /* owned; n_tables */
    inst_table_t **tables;      /* owned; pointers to them */
    description_t *description; /* owned; by number of the instruction */
    size_t n_described, cap_described;
    launch_inst_t *list; /* owned */
    size_t cap_list;
    launch_wait_t *waits; /* owned */
    size_t cap_waits;
    uint32_t *index_of; /* owned; place in list by number of the instruction */
    size_t cap_index;
};

inst_collector_t *inst_collector_create(int threads)
{
    inst_collector_t *c = rb_calloc(1, sizeof(*c));
    inst_sites_init(&c->sites);
    c->n_tables = threads;
    c->table = rb_calloc((size_t)threads, sizeof(*c->table));
    c->tables = rb_calloc((size_t)threads, sizeof(*c->tables));
    for (int t = 0; t < threads; t++) {
        inst_table_init(&c->table[t], &c->sites);
        c->tables[t] = &c->table[t];
    }
    return c;
}

static void forget_descriptions(inst_collector_t *c)
{
    for (size_t i = 0; i < c->n_described; i++) {
        free(c->description[i].text);
        free(c->description[i].file);
    }
    c->n_described = 0;
}

void inst_collector_destroy(inst_collector_t *c)
{
    if (c == NULL)
        return;
    forget_descriptions(c);
    for (int t = 0; t < c->n_tables; t++)
        inst_table_free(&c->table[t]);
    inst_sites_free(&c->sites);
    free(c->table);
    free(c->tables);
    free(c->description);
    free(c->list);
    free(c->waits);
    free(c->index_of);
    free(c);
}

inst_table_t *const *inst_collector_tables(const inst_collector_t *c)
{
    return c->tables;
}

void inst_collector_begin(inst_collector_t *c)
{
    forget_descriptions(c);
    for (int t = 0; t < c->n_tables; t++)
        inst_table_clear(&c->table[t]);
    inst_sites_clear(&c->sites);
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

void inst_collector_describe(inst_collector_t *c, const trace_source_t *source,
                             trace_launch_t *launch)
{
    rb_grow(&c->description, &c->cap_described, c->sites.n, sizeof(*c->description));
    c->description[0] = (description_t){0};
    for (size_t i = 1; i < c->sites.n; i++)
        c->description[i] = describe(source, launch, c->sites.site[i].inst);
    c->n_described = c->sites.n;
}

static int by_pc(const void *a, const void *b)
{
    const inst_site_t *x = a, *y = b;
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

/* Lists the instructions by pc. Returns how many there are. */
static size_t list_instructions(inst_collector_t *c, const inst_table_t *sum)
{
    const size_t n = c->n_described - 1;
    inst_site_t *order = rb_calloc(n + 1, sizeof(*order));
    rb_grow(&c->list, &c->cap_list, n + 1, sizeof(*c->list));
    rb_grow(&c->index_of, &c->cap_index, n + 1, sizeof(*c->index_of));
    for (size_t i = 1; i <= n; i++)
        order[i - 1] = (inst_site_t){.launch = (uint32_t)i, .pc = c->sites.site[i].pc};
    if (n > 1)
        qsort(order, n, sizeof(*order), by_pc);
    for (size_t i = 0; i <= n; i++) {
        const uint32_t number = i < n ? order[i].launch : 0;
        const description_t *d = &c->description[number];
        c->list[i] = (launch_inst_t){.pc = order[i].pc,
                                     .opcode = d->opcode,
                                     .cls = d->cls,
                                     .line = d->line,
                                     .text = d->text,
                                     .file = d->file};
        if (number < sum->n_counts)
            c->list[i].counts = sum->counts[number];
        c->index_of[number] = (uint32_t)i;
    }
    free(order);
    return n;
}

/* Lists who waited for whom, and counts it for those that were waited for. Returns how many. */
static size_t list_waits(inst_collector_t *c, const inst_table_t *sum)
{
    const size_t slots = sum->wait == NULL ? 0 : (size_t)1 << sum->wait_bits;
    size_t n = 0;
    rb_grow(&c->waits, &c->cap_waits, sum->n_waits, sizeof(*c->waits));
    for (size_t i = 0; i < slots; i++) {
        const inst_wait_t *w = &sum->wait[i];
        if (w->cycles == 0)
            continue;
        const launch_wait_t wait = {c->index_of[w->site], c->index_of[w->other], w->longer,
                                    w->cycles};
        inst_counts_t *other = &c->list[wait.other].counts;
        *(w->longer ? &other->awaited_long : &other->awaited_short) += w->cycles;
        c->waits[n++] = wait;
    }
    if (n > 1)
        qsort(c->waits, n, sizeof(*c->waits), by_place);
    return n;
}

void launch_insts_total(const sm_stats_t *sm, const l2_stats_t *l2, inst_counts_t *out)
{
    inst_counts_of_sm(sm, out);
    out->l2_sectors = l2->read_sectors + l2->write_sectors + l2->atomic_sectors + l2->red_sectors;
    out->l2_hits = l2->read_hits + l2->write_hits + l2->atomic_hits + l2->red_hits;
}

launch_insts_t inst_collector_take(inst_collector_t *c, const launch_result_t *r)
{
    launch_insts_t out = {0};
    if (c == NULL)
        return out;
    for (int t = 1; t < c->n_tables; t++)
        inst_table_add(&c->table[0], &c->table[t]);
    out.n = list_instructions(c, &c->table[0]);
    out.n_waits = list_waits(c, &c->table[0]);
    out.list = c->list;
    out.waits = c->waits;
    launch_insts_total(&r->sm, &r->l2, &out.total);
    return out;
}
