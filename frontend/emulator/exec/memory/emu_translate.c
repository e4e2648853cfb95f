/* Translates a launch into micro-operations: operands become vectors, constants are broadcast into
 * a pool. */
#include <stdlib.h>

#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"
#include "sim/core/hash_map.h"
#include "sim/isa/isa.h"

/* Layout of a warp's register file, in vectors. */
typedef struct {
    uint32_t uniform, sink, n; /* first uniform register; sink for RZ; total */
} layout_t;

typedef struct {
    emu_grid_t *g;
    layout_t layout;
    size_t n_pool, cap_pool; /* in vectors */
    hash_map_t map;          /* pairs of vectors by value */
    uint64_t *keys;          /* value of each pair of vectors */
    size_t n_keys, cap_keys;
} translator_t;

/* --- the pool of constants ------------------------------------------------------------------- */

/* The pool begins with zeros for RZ and URZ as sources, up to 128 bits. */
enum { ZERO_VECTORS = 4 };

/* A source with this value in all lanes: its low word, followed by its high word. */
static uint32_t pool_ref(translator_t *t, uint64_t value)
{
    hash_walk_t w = hash_map_walk(&t->map, value);
    while (hash_walk_next(&w) && t->keys[w.number] != value)
        ;
    if (w.slot->entry == 0) {
        rb_grow(&t->keys, &t->cap_keys, t->n_keys + 1, sizeof(*t->keys));
        t->keys[t->n_keys] = value;
        w.number = (uint32_t)t->n_keys++;
        hash_map_add(&t->map, value, w.number);
    }
    return EMU_CONST | (ZERO_VECTORS + w.number * 2) * EMU_LANES;
}

static void fill_pool(translator_t *t)
{
    t->g->pool = rb_calloc_aligned((ZERO_VECTORS + t->n_keys * 2) * EMU_LANES, sizeof(uint32_t));
    uint32_t *v = t->g->pool + ZERO_VECTORS * EMU_LANES;
    for (size_t i = 0; i < t->n_keys; i++, v += 2 * EMU_LANES)
        for (size_t k = 0; k < EMU_LANES; k++) {
            v[k] = (uint32_t)t->keys[i];
            v[EMU_LANES + k] = (uint32_t)(t->keys[i] >> 32);
        }
}

/* --- operands -------------------------------------------------------------------------------- */

/* Words of a constant bank; 0 after its end. */
static uint64_t constant(const emu_grid_t *g, unsigned bank, uint64_t offset, unsigned bytes)
{
    uint64_t size = g->bank0_bytes, v = 0;
    const uint8_t *data = g->bank0;

    if (bank != 0)
        data = emu_module_bank(g->launch->module, g->launch->kernel, bank, &size);
    if (offset <= size && bytes <= size - offset)
        memcpy(&v, data + offset, bytes);
    return v;
}

static uint32_t register_ref(translator_t *t, const sass_operand_t *o)
{
    bool uniform = o->kind == SASS_OPERAND_UREG;
    uint32_t zero = uniform ? SASS_URZ : SASS_RZ;

    if (o->num == zero)
        return EMU_CONST;
    return ((uniform ? t->layout.uniform : 0) + o->num) * EMU_LANES;
}

/* Expresses the modifiers of a source as and, xor and add on its (upper) word. */
static void set_modifiers(const sass_inst_t *in, const sass_operand_t *o, emu_uop_t *u, unsigned i)
{
    bool integer = o->style == SASS_INT || o->style == SASS_INT64 || o->style == SASS_BITS;

    u->am[i] = o->abs && o->style != SASS_HALF ? 0x7fffffffu : EMU_ALL;
    if (o->abs && o->style == SASS_HALF)
        u->am[i] = 0x7fff7fffu;
    if (o->inv || (o->neg && integer && in->extended && in->op != SASS_ISETP)) {
        u->xm[i] = EMU_ALL;
    } else if (o->neg && integer) {
        u->xm[i] = EMU_ALL;
        u->ad[i] = 1;
    } else if (o->neg) {
        u->xm[i] = o->style == SASS_HALF ? 0x80008000u : 0x80000000u;
    }
    if (o->neg || o->abs || o->inv)
        u->mod = 1;
}

static void add_source(translator_t *t, const sass_inst_t *in, const sass_operand_t *o,
                       emu_uop_t *u)
{
    unsigned i = u->n_src;
    bool wide = o->style == SASS_DOUBLE || o->style == SASS_INT64;

    if (i == EMU_MAX_SOURCES)
        return;
    u->n_src++;
    u->am[i] = EMU_ALL;
    if (o->kind == SASS_OPERAND_IMM) {
        u->s[i] = pool_ref(t, (uint64_t)o->value);
        return;
    }
    if (o->kind == SASS_OPERAND_CONST)
        u->s[i] = pool_ref(t, constant(t->g, o->bank, (uint64_t)o->value, wide ? 8 : 4));
    else
        u->s[i] = register_ref(t, o);
    set_modifiers(in, o, u, i);
}

static void add_pred(const sass_operand_t *o, emu_uop_t *u, unsigned *n_written)
{
    unsigned file = o->kind == SASS_OPERAND_UPRED ? EMU_PRED_UNIFORM : 0;

    if (o->write) {
        if (*n_written < 2)
            u->pd[(*n_written)++] =
                (uint8_t)(o->num == SASS_PT ? (unsigned)EMU_PRED_SINK : file + o->num);
    } else if (u->n_pred < 3) {
        u->ps[u->n_pred] = (uint8_t)(file + o->num);
        u->ps_inv[u->n_pred++] = o->inv ? EMU_ALL : 0;
    }
}

/* log2 of a power of two; 0 for 0. */
static unsigned log2_of(unsigned v)
{
    return v > 1 ? (unsigned)__builtin_ctz(v) : 0;
}

static void set_address(translator_t *t, const sass_inst_t *in, const sass_operand_t *o,
                        emu_uop_t *u)
{
    sass_operand_t general = *o, uniform = {.kind = SASS_OPERAND_UREG, .num = o->ureg};

    general.kind = SASS_OPERAND_REG;
    u->addr = register_ref(t, &general);
    u->uaddr = register_ref(t, &uniform);
    u->offset = o->value;
    u->scale = o->scale;
    u->log_scale = (uint8_t)log2_of(o->scale);
    u->wide = o->wide;
    u->uwide = in->op == SASS_LDGSTS
                   ? o->ureg != SASS_URZ
                   : o->ureg != SASS_URZ && in->op != SASS_LDSM && in->op != SASS_LDS &&
                         in->op != SASS_STS && in->op != SASS_LDL && in->op != SASS_STL &&
                         in->op != SASS_ATOMS && in->op != SASS_ATOMS_CAS && sass_bits(in, 72, 1);
}

/* Where LDGSTS copies to. */
static void set_copy_target(translator_t *t, const sass_operand_t *o, emu_uop_t *u)
{
    sass_operand_t general = *o, uniform = {.kind = SASS_OPERAND_UREG, .num = o->ureg};

    general.kind = SASS_OPERAND_REG;
    u->s[0] = register_ref(t, &general);
    u->s[1] = register_ref(t, &uniform);
    u->imm = (uint32_t)o->value;
    u->n_src = 2;
}

static void set_operands(translator_t *t, const sass_inst_t *in, emu_uop_t *u)
{
    unsigned n_written = 0;

    for (unsigned i = 0; i < in->n_operands; i++) {
        const sass_operand_t *o = &in->operand[i];
        switch (o->kind) {
        case SASS_OPERAND_REG:
        case SASS_OPERAND_UREG:
            if (!o->write)
                add_source(t, in, o, u);
            else if (o->num != (o->kind == SASS_OPERAND_UREG ? SASS_URZ : SASS_RZ))
                *(o->slot == 2 ? &u->d2 : &u->d) = register_ref(t, o);
            break;
        case SASS_OPERAND_CONST:
            if (o->indexed || in->op == SASS_ULDC) {
                sass_operand_t index = {.kind = in->uniform ? SASS_OPERAND_UREG : SASS_OPERAND_REG,
                                        .num = o->indexed    ? o->num
                                               : in->uniform ? SASS_URZ
                                                             : SASS_RZ};
                u->addr = register_ref(t, &index);
                u->offset = o->value;
            } else {
                add_source(t, in, o, u);
            }
            break;
        case SASS_OPERAND_IMM:
            add_source(t, in, o, u);
            break;
        case SASS_OPERAND_PRED:
        case SASS_OPERAND_UPRED:
            add_pred(o, u, &n_written);
            break;
        case SASS_OPERAND_MEM:
            if (in->op == SASS_LDGSTS && i == 0)
                set_copy_target(t, o, u);
            else
                set_address(t, in, o, u);
            break;
        case SASS_OPERAND_HANDLE:
            u->imm = (uint32_t)constant(t->g, o->bank, (uint64_t)o->value, 4);
            break;
        default:
            break;
        }
    }
}

/* --- which handler --------------------------------------------------------------------------- */

typedef bool (*bind_fn_t)(const sass_inst_t *in, emu_uop_t *u);

static const bind_fn_t binders[] = {
    emu_bind_pair,    emu_bind_deep_matrix, emu_bind_copy,    emu_bind_int,    emu_bind_bits,
    emu_bind_compare, emu_bind_float,       emu_bind_mufu,    emu_bind_double, emu_bind_half,
    emu_bind_convert, emu_bind_warp,        emu_bind_special, emu_bind_matrix, emu_bind_access,
    emu_bind_atomic,  emu_bind_fetch,
};

static const struct {
    uint8_t op, kind;
} control_kinds[] = {
    {SASS_NOP, UOP_NOP},           {SASS_DEPBAR, UOP_NOP},      {SASS_MEMBAR, UOP_LOAD},
    {SASS_ERRBAR, UOP_NOP},        {SASS_CCTL, UOP_NOP},        {SASS_NANOSLEEP, UOP_NOP},
    {SASS_BRA, UOP_BRANCH},        {SASS_CALL_REL, UOP_BRANCH}, {SASS_BRX, UOP_INDIRECT},
    {SASS_CALL_ABS, UOP_ABSOLUTE}, {SASS_RET, UOP_RET},         {SASS_EXIT, UOP_EXIT},
    {SASS_BSSY, UOP_BSSY},         {SASS_BSYNC, UOP_BSYNC},     {SASS_BREAK, UOP_BREAK},
    {SASS_WARPSYNC, UOP_WARPSYNC}, {SASS_YIELD, UOP_YIELD},     {SASS_BAR, UOP_BAR},
    {SASS_BPT, UOP_TRAP},          {SASS_LDGDEPBAR, UOP_NOP},   {SASS_CCTLL, UOP_NOP},
    {SASS_PMTRIG, UOP_NOP},
};

/* MEMBAR: earlier accesses of a host thread become visible to all that execute a later one. */
static void fence(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    (void)mask;
    w->block->fenced = w->block->fenced || (u->inst->flags & INST_MEMBAR_GPU) != 0;
    w->wait.fenced = w->wait.fenced || (u->inst->flags & INST_MEMBAR_GPU) != 0;
    if (w->grid->parallel)
        atomic_fetch_add(&w->grid->progress->fences, 1);
}

static bool set_control(const sass_inst_t *in, emu_uop_t *u)
{
    for (size_t i = 0; i < sizeof(control_kinds) / sizeof(control_kinds[0]); i++)
        if (control_kinds[i].op == in->op) {
            u->kind = control_kinds[i].kind;
            u->fn = in->op == SASS_MEMBAR ? fence : NULL; /* it takes as long as a load */
            return true;
        }
    return false;
}

/* CALL.ABS and RET.ABS: to a known address, or to one in registers. */
static void set_absolute(const emu_grid_t *g, const sass_inst_t *in, emu_uop_t *u)
{
    const sass_operand_t *last = &in->operand[in->n_operands - 1];
    emu_system_call_t call;

    if (last->kind != SASS_OPERAND_IMM) { /* address in registers; with RET plus an offset */
        u->offset = last->kind == SASS_OPERAND_TARGET ? last->value : 0;
        return;
    }
    if (emu_code_system_call((uint64_t)last->value, &call)) {
        u->kind = UOP_SYSTEM;
        u->select = (uint8_t)call;
    } else if (emu_code_index(g->code, (uint64_t)last->value, &u->target)) {
        u->kind = UOP_BRANCH;
    } else {
        u->kind = UOP_UNSUPPORTED;
    }
}

/* Sets targets and registers of control instructions. */
static void set_control_operands(const emu_grid_t *g, const sass_inst_t *in, emu_uop_t *u)
{
    for (unsigned i = 0; i < in->n_operands; i++) {
        const sass_operand_t *o = &in->operand[i];
        if (o->kind == SASS_OPERAND_TARGET) {
            bool inside = o->value >= 0 && o->value % SASS_INST_BYTES == 0 &&
                          o->value < (int64_t)g->n_uops * SASS_INST_BYTES;
            if (!inside && u->kind != UOP_RET)
                u->kind = UOP_UNSUPPORTED;
            u->target = (uint32_t)(o->value / SASS_INST_BYTES);
            u->offset = o->value;
        } else if (o->kind == SASS_OPERAND_BARRIER) {
            u->imm = o->num;
        }
    }
    if (u->kind == UOP_INDIRECT) /* relative to the next instruction */
        u->offset = in->operand[in->n_operands - 1].value + in->pc + SASS_INST_BYTES;
    if (u->kind == UOP_BRANCH)
        u->select = in->op == SASS_BRA ? (uint8_t)sass_bits(in, 32, 2) : 0;
}

/* Whether a warp waits hundreds of cycles for the result. */
static bool waits_for_memory(const inst_t *in)
{
    return (in->access == ACC_LOAD || in->access == ACC_ATOMIC) &&
           (in->space == MEM_GLOBAL || in->space == MEM_GENERIC);
}

static void bind(const emu_grid_t *g, const sass_inst_t *in, emu_uop_t *u)
{
    if (in->op == SASS_UNKNOWN || in->foreign) {
        u->kind = UOP_UNSUPPORTED;
        return;
    }
    if (set_control(in, u)) {
        if (in->op == SASS_RET && sass_bits(in, 85, 1))
            u->kind = UOP_ABSOLUTE;
        if (in->op == SASS_CALL_REL && in->form == 1)
            u->kind = UOP_RET; /* the target is relative to registers, as for RET */
        if (u->kind == UOP_ABSOLUTE)
            set_absolute(g, in, u);
        else
            set_control_operands(g, in, u);
        return;
    }
    u->kind = in->uniform ? UOP_UNIFORM : UOP_DATA;
    for (size_t i = 0; i < sizeof(binders) / sizeof(binders[0]); i++) {
        emu_uop_t trial = *u;
        if (binders[i](in, &trial)) {
            *u = trial;
            if (u->kind == UOP_ACCESS && waits_for_memory(u->inst))
                u->kind = UOP_LOAD;
            return;
        }
    }
    u->kind = UOP_UNSUPPORTED;
}

static void translate(translator_t *t, uint32_t index, emu_uop_t *u)
{
    const sass_inst_t *in = &t->g->code->insts[index];

    *u = (emu_uop_t){.sass = in,
                     .inst = &t->g->code->static_code[index],
                     .guard = (uint8_t)((in->guard_uniform ? EMU_PRED_UNIFORM : 0) + in->guard),
                     .guard_inv = in->guard_not ? EMU_ALL : 0,
                     .pd = {EMU_PRED_SINK, EMU_PRED_SINK},
                     .width = in->width,
                     .log_width = (uint8_t)log2_of(in->width),
                     .d = t->layout.sink * EMU_LANES,
                     .d2 = t->layout.sink * EMU_LANES};
    set_operands(t, in, u);
    if (in->op == SASS_LEPC) {
        u->s[0] = pool_ref(t, emu_code_address(t->g->code, index));
        u->n_src = 1;
    }
    bind(t->g, in, u);
    u->gated = u->n_pred > 0 &&
               (in->op == SASS_LD || in->op == SASS_LDG || in->op == SASS_LDGSTS) &&
               (u->ps[0] != SASS_PT || u->ps_inv[0] != 0);
}

/* --- the register file ----------------------------------------------------------------------- */

/* Lays out the registers that the code uses; registers beyond the declared number are an error. */
static rb_code_t plan_layout(translator_t *t, rb_err_t *err)
{
    const emu_launch_t *l = t->g->launch;
    uint32_t gprs = l->kernel->regs, uniforms = 0;

    for (uint32_t i = 0; i < t->g->n_uops; i++) {
        const sass_inst_t *in = &t->g->code->insts[i];
        for (unsigned k = 0; k < in->n_operands; k++) {
            const sass_operand_t *o = &in->operand[k];
            bool uniform = o->kind == SASS_OPERAND_UREG || (o->indexed && in->uniform);
            bool general = o->kind == SASS_OPERAND_REG || o->kind == SASS_OPERAND_MEM ||
                           (o->indexed && !in->uniform);
            uint32_t end = o->num + (o->count > 0 ? o->count : 1u);
            if (o->kind == SASS_OPERAND_BARRIER && o->num < EMU_BARRIER_REGS &&
                o->num >= t->g->n_barriers)
                t->g->n_barriers = o->num + 1u;
            if (general && o->num != SASS_RZ && end > gprs)
                gprs = end;
            if (uniform && o->num != SASS_URZ && end > uniforms)
                uniforms = end;
            if (o->kind == SASS_OPERAND_MEM && o->ureg != SASS_URZ && o->ureg + 2u > uniforms)
                uniforms = o->ureg + 2u;
        }
    }
    if (gprs > SASS_RZ + 4u)
        return rb_fail(err, RB_TRACE, "kernel %s: an instruction names registers past R254",
                       l->kernel->name);
    t->layout = (layout_t){.uniform = gprs + 1, .sink = gprs + 1 + uniforms + 1};
    t->layout.n = t->layout.sink + EMU_SINK_VECTORS;
    t->g->n_vectors = t->layout.n;
    return RB_OK;
}

/* A global load ends straight-line code, since another warp runs next. */
static void measure_straight(emu_grid_t *g)
{
    for (uint32_t i = g->n_uops; i-- > 0;) {
        emu_uop_t *u = &g->uops[i];
        bool more = u->kind != UOP_LOAD && i + 1 < g->n_uops;
        if (u->guard == SASS_PT && u->guard_inv == 0 && u->kind < UOP_NOP && !u->gated)
            u->straight = 1 + (more ? u[1].straight : 0);
        u->extra_lanes = u->kind == UOP_UNIFORM ? EMU_ALL : 0;
    }
}

rb_code_t emu_translate(emu_grid_t *g, rb_err_t *err)
{
    translator_t t = {.g = g};

    g->n_uops = g->code->n_insts;
    RB_TRY(plan_layout(&t, err));
    g->uops = rb_calloc(g->n_uops, sizeof(*g->uops));
    for (uint32_t i = 0; i < g->n_uops; i++)
        translate(&t, i, &g->uops[i]);
    if (g->tracing || g->launch->workers < 2) /* others, on several threads, only take longer */
        emu_find_waits(g);
    measure_straight(g);
    fill_pool(&t);
    hash_map_free(&t.map);
    free(t.keys);
    return RB_OK;
}
