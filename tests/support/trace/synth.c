#include "tests/support/trace/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/isa/isa.h"

enum { PC_STEP = 16, DEFAULT_REGS = 16, DEFAULT_ARCH = 70 };

typedef struct {
    memcpy_op_t *ops; /* owned */
    size_t n, cap;
} copy_list_t;

struct synth_kernel {
    launch_info_t info;
    char *name;      /* owned */
    inst_t *code;    /* owned */
    char **mnemonic; /* owned, as many as code */
    size_t n_code, cap_code, cap_mnemonic;
    uint32_t n_warps;
    synth_body_fn body;
    const void *ctx;
    copy_list_t before; /* copies that precede the launch */
};

struct synth {
    trace_source_t base;         /* must be first: a pointer to the source is a pointer to this */
    const stream_graph_t *graph; /* borrowed; NULL: one stream */
    synth_kernel_t **kernels;
    size_t n_kernels, cap_kernels;
    copy_list_t pending; /* copies after the last launch created so far */
};

struct trace_launch {
    const synth_kernel_t *kernel;
    made_pool_t blocks;
};

_Noreturn static void synth_die(const char *what, const char *text)
{
    fprintf(stderr, "synth: %s: %s\n", what, text);
    abort();
}

uint64_t synth_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* --- building ------------------------------------------------------------------------------- */

synth_kernel_t *synth_kernel_create(synth_t *s, const char *name, const synth_shape_t *shape)
{
    synth_kernel_t *k = rb_calloc(1, sizeof(*k));
    launch_info_t *info = &k->info;
    uint64_t threads = 1;
    uint64_t hash = 0;

    k->name = rb_strdup(name);
    k->before = s->pending;
    s->pending = (copy_list_t){0};
    info->n_blocks = 1;
    for (int d = 0; d < 3; d++) {
        info->grid[d] = shape->grid[d] ? shape->grid[d] : 1;
        info->block[d] = shape->block[d] ? shape->block[d] : 1;
        info->n_blocks *= info->grid[d];
        threads *= info->block[d];
    }
    k->n_warps = (uint32_t)((threads + 31) / 32);
    info->name = k->name;
    info->file = "(synthetic)";
    info->arch = shape->arch ? shape->arch : DEFAULT_ARCH;
    info->regs = shape->regs ? shape->regs : DEFAULT_REGS;
    info->shared_bytes = shape->shared;
    info->stream = shape->stream;
    for (const char *c = name; *c; c++)
        hash = synth_mix(hash ^ (uint64_t)(unsigned char)*c);
    info->code_id = synth_mix(hash ^ info->arch);
    rb_grow(&s->kernels, &s->cap_kernels, s->n_kernels + 1, sizeof(*s->kernels));
    s->kernels[s->n_kernels++] = k;
    info->id = s->n_kernels;
    info->trace_id = s->n_kernels;
    return k;
}

void synth_memcpy(synth_t *s, uint64_t addr, uint64_t bytes)
{
    copy_list_t *list = &s->pending;

    rb_grow(&list->ops, &list->cap, list->n + 1, sizeof(*list->ops));
    list->ops[list->n++] = (memcpy_op_t){.addr = addr, .bytes = bytes};
}

/* Reads "R4", "P0", "UR2", "UP1" at *text and advances; false at the end of the list. */
static bool operand_next(const char **text, reg_op_t *out)
{
    static const struct {
        const char *prefix;
        reg_file_t file;
        unsigned long limit;
    } files[] = {
        {"UR", REG_UNIFORM, 63}, {"UP", REG_UPRED, 7}, {"R", REG_GPR, 255}, {"P", REG_PRED, 7}};
    const char *p = *text + strspn(*text, " ");

    if (!*p)
        return false;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        size_t len = strlen(files[i].prefix);
        char *end = NULL;

        if (strncmp(p, files[i].prefix, len) != 0 || p[len] < '0' || p[len] > '9')
            continue;
        unsigned long num = strtoul(p + len, &end, 10);
        if (num >= files[i].limit || (*end && *end != ' '))
            break;
        *out = (reg_op_t){.file = (uint8_t)files[i].file, .num = (uint8_t)num, .count = 1};
        *text = end;
        return true;
    }
    synth_die("not an operand", p);
}

static inst_t *code_append(synth_kernel_t *k, const char *mnemonic, const char *dst,
                           const char *src)
{
    rb_grow(&k->code, &k->cap_code, k->n_code + 1, sizeof(*k->code));
    rb_grow(&k->mnemonic, &k->cap_mnemonic, k->n_code + 1, sizeof(*k->mnemonic));
    k->mnemonic[k->n_code] = rb_strdup(mnemonic);
    inst_t *in = &k->code[k->n_code];
    size_t len = strlen(mnemonic);
    reg_op_t op;

    *in = (inst_t){.pc = (uint32_t)k->n_code * PC_STEP};
    k->n_code++;
    if (!isa_decode(k->info.arch, mnemonic, len, 0, in))
        synth_die("unknown opcode", mnemonic);
    if (in->access != ACC_NONE && in->width == 0)
        (void)isa_decode(k->info.arch, mnemonic, len, 4, in);
    while (operand_next(&dst, &op)) {
        if (in->n_dst == INST_MAX_DST)
            synth_die("too many destinations", mnemonic);
        in->dst[in->n_dst++] = op;
    }
    while (operand_next(&src, &op)) {
        if (in->n_src == INST_MAX_SRC)
            synth_die("too many sources", mnemonic);
        in->src[in->n_src++] = op;
    }
    return in;
}

unsigned synth_code(synth_kernel_t *k, const char *mnemonic, const char *dst, const char *src)
{
    inst_t *in = code_append(k, mnemonic, dst, src);

    isa_finish(in, mnemonic, strlen(mnemonic));
    return (unsigned)(k->n_code - 1);
}

unsigned synth_code_const(synth_kernel_t *k, const char *mnemonic, const char *dst, unsigned bank,
                          unsigned offset)
{
    inst_t *in = code_append(k, mnemonic, dst, "");

    in->flags |= INST_CONST_ADDR;
    in->const_bank = (uint8_t)bank;
    in->const_offset = (uint16_t)offset;
    isa_finish(in, mnemonic, strlen(mnemonic));
    return (unsigned)(k->n_code - 1);
}

unsigned synth_code_imm(synth_kernel_t *k, const char *mnemonic, int32_t imm)
{
    inst_t *in = code_append(k, mnemonic, "", "");

    in->flags |= INST_IMM;
    in->imm = imm;
    isa_finish(in, mnemonic, strlen(mnemonic));
    return (unsigned)(k->n_code - 1);
}

inst_t *synth_inst(synth_kernel_t *k, unsigned inst)
{
    return &k->code[inst];
}

uint32_t synth_control_word(unsigned stall, bool yield, unsigned write, unsigned read,
                            unsigned wait, unsigned reuse)
{
    return stall | (yield ? 0u : 16u) | write << 5 | read << 8 | wait << 11 | reuse << 17;
}

void synth_control(synth_kernel_t *k, unsigned inst, uint32_t word)
{
    k->code[inst].flags |= INST_CONTROL_WORD | INST_FULL_REGS;
    k->code[inst].ctl = word;
    isa_derive(&k->code[inst]);
}

void synth_control_scramble(synth_t *s, uint64_t seed)
{
    enum { WORD_BITS = 21 };

    for (size_t i = 0; i < s->n_kernels; i++)
        for (size_t n = 0; n < s->kernels[i]->n_code; n++) {
            seed = synth_mix(seed);
            synth_control(s->kernels[i], (unsigned)n, (uint32_t)(seed & ((1u << WORD_BITS) - 1)));
        }
}

void synth_kernel_body(synth_kernel_t *k, synth_body_fn body, const void *ctx)
{
    k->body = body;
    k->ctx = ctx;
    for (size_t n = 0; n < k->n_code; n++) {
        isa_derive(&k->code[n]); /* the caller may have set flags */
        isa_link(&k->code[n], n);
    }
}

/* --- generating ----------------------------------------------------------------------------- */

static void emit_run(synth_warp_t *w, unsigned inst, uint32_t count, uint32_t mask)
{
    made_run_put(w->target, &w->kernel->code[inst], count, mask);
}

static uint64_t *emit_words(synth_warp_t *w, size_t n)
{
    uint64_t *words = made_addrs_reserve(w->target, n);

    w->target->n_addrs += n;
    return words;
}

/* Whether the stream has an address record for the instruction (stream.h) */
static bool needs_addresses(const inst_t *in)
{
    return in->space != MEM_NONE && in->width != 0;
}

void synth_emit(synth_warp_t *w, unsigned inst, uint32_t mask)
{
    if (mask && needs_addresses(&w->kernel->code[inst]))
        synth_die("no addresses given for", w->kernel->mnemonic[inst]);
    emit_run(w, inst, 1, mask);
}

static void emit_check_memory(const synth_warp_t *w, unsigned inst)
{
    if (!needs_addresses(&w->kernel->code[inst]))
        synth_die("takes no addresses", w->kernel->mnemonic[inst]);
}

void synth_emit_span(synth_warp_t *w, unsigned first, unsigned count)
{
    emit_run(w, first, count, (uint32_t)SYNTH_FULL_MASK);
}

void synth_emit_affine(synth_warp_t *w, unsigned inst, uint32_t mask, uint64_t base, int32_t stride)
{
    emit_run(w, inst, 1, mask);
    if (!mask)
        return;
    emit_check_memory(w, inst);
    uint64_t *rec = emit_words(w, 2);

    rec[0] = addr_header(ADDR_AFFINE, (unsigned)__builtin_popcount(mask), stride);
    rec[1] = base;
}

void synth_emit_list(synth_warp_t *w, unsigned inst, uint32_t mask, const uint64_t *addrs)
{
    unsigned lanes = (unsigned)__builtin_popcount(mask);

    emit_run(w, inst, 1, mask);
    if (!mask)
        return;
    emit_check_memory(w, inst);
    w->target->n_addrs += addr_pack(addrs, lanes, made_addrs_reserve(w->target, ADDR_RECORD_MAX));
}

static void block_generate(const synth_kernel_t *k, made_block_t *b, uint64_t index)
{
    synth_warp_t w = {.block = index, .target = b, .kernel = k};

    made_block_begin(b, index, k->info.grid);
    memcpy(w.id, b->block.id, sizeof(w.id));
    for (uint32_t i = 0; i < k->n_warps; i++) {
        made_warp_begin(b);
        w.warp = i;
        w.global = index * k->n_warps + i;
        if (k->body)
            k->body(&w, k->ctx);
        made_warp_end(b, i);
    }
    const rb_code_t code = made_block_end(b, NULL);

    RB_INVARIANT(code == RB_OK, "a block that is kept whole cannot fail");
}

/* --- the interface -------------------------------------------------------------------------- */

static synth_t *synth_of(trace_source_t *s)
{
    return (synth_t *)(void *)s;
}

static const synth_t *synth_of_const(const trace_source_t *s)
{
    return (const synth_t *)(const void *)s;
}

static uint64_t op_n_launches(const trace_source_t *s)
{
    return synth_of_const(s)->n_kernels;
}

static rb_code_t op_launch_info(trace_source_t *s, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    synth_t *y = synth_of(s);

    if (id == 0 || id > y->n_kernels)
        return rb_fail(err, RB_TRACE, "synthetic source has no launch %llu",
                       (unsigned long long)id);
    *info = y->kernels[id - 1]->info;
    return RB_OK;
}

static size_t op_copies(const trace_source_t *s, uint64_t id, const memcpy_op_t **ops)
{
    const synth_t *y = synth_of_const(s);
    const copy_list_t *list =
        id >= 1 && id <= y->n_kernels ? &y->kernels[id - 1]->before : &y->pending;

    *ops = list->ops;
    return list->n;
}

void synth_order(synth_t *s, const stream_graph_t *graph)
{
    s->graph = graph;
}

static rb_code_t op_graph(trace_source_t *s, const stream_graph_t **out, rb_err_t *err)
{
    (void)err;
    *out = synth_of(s)->graph;
    return RB_OK;
}

static rb_code_t op_open(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    launch_info_t info;

    RB_TRY(op_launch_info(s, id, &info, err));
    trace_launch_t *l = rb_calloc(1, sizeof(*l));

    l->kernel = synth_of(s)->kernels[id - 1];
    made_pool_init(&l->blocks);
    *out = l;
    return RB_OK;
}

static trace_block_t *make_block(trace_launch_t *l, uint64_t index)
{
    made_block_t *b = made_pool_take(&l->blocks, l->kernel->n_warps);

    block_generate(l->kernel, b, index);
    return &b->block;
}

static rb_code_t op_get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    (void)err;
    *out = index < l->kernel->info.n_blocks ? make_block(l, index) : NULL;
    return RB_OK;
}

enum { CLAIM_BLOCKS = 4 };
struct trace_claim {
    uint64_t index; /* of its first block */
};

static rb_code_t op_claim(trace_launch_t *l, uint64_t index, uint64_t max, claim_status_t *status,
                          trace_claim_t **out, uint64_t *n, rb_err_t *err)
{
    const uint64_t end = l->kernel->info.n_blocks;

    (void)err;
    if (index >= end) {
        *status = CLAIM_END;
        return RB_OK;
    }
    *status = CLAIM_MADE;
    *n = max < CLAIM_BLOCKS ? max : CLAIM_BLOCKS;
    *n = end - index < *n ? end - index : *n;
    *out = rb_calloc(1, sizeof(**out));
    (*out)->index = index;
    return RB_OK;
}

static rb_code_t op_decode(trace_launch_t *l, trace_claim_t *claim, trace_block_t **out,
                           uint64_t *n, rb_err_t *err)
{
    (void)err;
    for (uint64_t i = 0; i < *n; i++)
        out[i] = make_block(l, claim->index + i);
    free(claim);
    return RB_OK;
}

static void op_free_block(trace_launch_t *l, trace_block_t *block)
{
    made_pool_give_back(&l->blocks, block);
}

static void op_close(trace_launch_t *l)
{
    made_pool_free(&l->blocks);
    free(l);
}

static const char *op_inst_text(trace_launch_t *l, const inst_t *in, uint32_t *len)
{
    const synth_kernel_t *k = l->kernel;

    if (in < k->code || in >= k->code + k->n_code)
        return NULL;
    *len = (uint32_t)strlen(k->mnemonic[in - k->code]);
    return k->mnemonic[in - k->code];
}

static void op_progress(const trace_source_t *s, uint64_t *done, uint64_t *total)
{
    (void)s;
    *done = *total = 0;
}

static void op_destroy(trace_source_t *s)
{
    synth_destroy(synth_of(s));
}

static const trace_source_ops_t synth_ops = {
    .name = "synthetic",
    .n_launches = op_n_launches,
    .launch_info = op_launch_info,
    .copies = op_copies,
    .graph = op_graph,
    .open = op_open,
    .get_block = op_get_block,
    .claim = op_claim,
    .decode = op_decode,
    .free_block = op_free_block,
    .close = op_close,
    .inst_text = op_inst_text,
    .progress = op_progress,
    .destroy = op_destroy,
};

synth_t *synth_create(void)
{
    synth_t *s = rb_calloc(1, sizeof(*s));

    s->base.ops = &synth_ops;
    return s;
}

trace_source_t *synth_source(synth_t *s)
{
    return &s->base;
}

void synth_destroy(synth_t *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_kernels; i++) {
        synth_kernel_t *k = s->kernels[i];

        for (size_t c = 0; c < k->n_code; c++)
            free(k->mnemonic[c]);
        free(k->mnemonic);
        free(k->code);
        free(k->name);
        free(k->before.ops);
        free(k);
    }
    free(s->kernels);
    free(s->pending.ops);
    free(s);
}
