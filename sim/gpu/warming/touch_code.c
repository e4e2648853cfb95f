#include "sim/gpu/warming/touch_code.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { FIRST_BITS = 8 };

void touch_code_free(touch_code_t *c)
{
    for (size_t i = 0; i < TOUCH_SHAPES; i++)
        free(c->shape[i].op);
    free(c->run);
    free(c->op);
    *c = (touch_code_t){0};
}

/* An empty place for a run. */
static touch_run_t *find_place(touch_code_t *c, const inst_t *first, uint32_t count)
{
    size_t i = touch_code_hash(c, first, count);
    while (c->run[i].first != NULL)
        i = (i + 1) & (((size_t)1 << c->bits) - 1);
    return &c->run[i];
}

/* Makes the table twice as large. */
static void grow(touch_code_t *c)
{
    touch_run_t *before = c->run;
    const size_t n = before == NULL ? 0 : (size_t)1 << c->bits;
    c->bits = before == NULL ? FIRST_BITS : c->bits + 1;
    c->run = rb_calloc((size_t)1 << c->bits, sizeof(*c->run));
    for (size_t i = 0; i < n; i++)
        if (before[i].first != NULL)
            *find_place(c, before[i].first, before[i].count) = before[i];
    free(before);
}

static l2_touch_kind_t kind_of(mem_access_t access)
{
    if (access == ACC_LOAD)
        return L2_TOUCH_READ;
    return access == ACC_STORE ? L2_TOUCH_WRITE : L2_TOUCH_ATOMIC;
}

static bool uses_l1(const inst_t *inst)
{
    return inst->access == ACC_STORE ||
           (inst->access == ACC_LOAD && !(inst->flags & INST_BYPASS_L1));
}

static void add_ops(touch_code_t *c, touch_run_t *r)
{
    r->op = (uint32_t)c->n_ops;
    for (const inst_t *inst = r->first; inst < r->first + r->count; inst++) {
        if (inst->space == MEM_NONE || inst->width == 0)
            continue;
        rb_grow(&c->op, &c->cap_ops, c->n_ops + 1, sizeof(*c->op));
        c->op[c->n_ops++] = (touch_op_t){.space = inst->space,
                                         .kind = (uint8_t)kind_of((mem_access_t)inst->access),
                                         .width = inst->width,
                                         .cached = uses_l1(inst)};
    }
    r->n_ops = (uint32_t)c->n_ops - r->op;
}

touch_run_t *touch_code_add(touch_code_t *c, const trace_run_t *run)
{
    if (c->run == NULL || c->n_runs * 2 >= (size_t)1 << c->bits)
        grow(c);
    touch_run_t *r = find_place(c, run->first, run->count);
    uint32_t last = touch_code_line(run->first), lines = 1;
    bool jumps = false;
    *r = (touch_run_t){.first = run->first, .count = run->count, .line = last};
    for (uint32_t i = 1; i < run->count; i++) {
        const uint32_t line = touch_code_line(&run->first[i]);
        jumps = jumps || (line != last && line != last + LINE_BYTES);
        lines += line != last;
        last = line;
    }
    r->n_lines = jumps ? 0 : lines;
    c->n_runs++;
    add_ops(c, r);
    return r;
}

static void collect(touch_code_t *c, touch_shape_t *s, const warp_stream_t *warp)
{
    for (uint32_t r = 0; r < warp->n_runs; r++) {
        const touch_run_t *run = touch_code_run(c, &warp->runs[r]);
        if (warp->runs[r].mask == 0 || run->n_ops == 0)
            continue;
        rb_grow(&s->op, &s->cap_ops, s->n_ops + run->n_ops, sizeof(*s->op));
        memcpy(s->op + s->n_ops, c->op + run->op, run->n_ops * sizeof(*s->op));
        s->n_ops += run->n_ops;
    }
    s->collected = true;
}

touch_shape_t *touch_code_learn(touch_code_t *c, const warp_stream_t *warp)
{
    touch_shape_t *s = &c->shape[warp->shape % TOUCH_SHAPES];
    if (s->number == warp->shape) {
        collect(c, s, warp);
        return s;
    }
    if (s->users > 0)
        return NULL;
    *s = (touch_shape_t){.number = warp->shape, .op = s->op, .cap_ops = s->cap_ops};
    return NULL;
}
