#include "frontend/input/rbt/write/rbt_collect.h"

#include <stdlib.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "frontend/input/rbt/rbt_format.h"
#include "sim/isa/isa.h"

void rbt_collect_init(rbt_collect_t *c)
{
    *c = (rbt_collect_t){0};
}

void rbt_collect_free(rbt_collect_t *c)
{
    free(c->insts);
    free(c->texts.p);
    free(c->bbs);
    free(c->ids);
    hash_map_free(&c->inst_map);
    hash_map_free(&c->bb_map);
    for (size_t i = 0; i < c->n_files; i++)
        free(c->files[i]);
    free(c->files);
    *c = (rbt_collect_t){0};
}

/* --- maps ------------------------------------------------------------------------------------ */

static uint64_t inst_hash(uint32_t pc, const char *text, size_t len)
{
    return rbt_checksum(text, len) + pc * 0x9e3779b97f4a7c15u;
}

/* text_len bytes. */
static const char *text_of(const rbt_collect_t *c, const rbt_static_t *s)
{
    return s->text_len > 0 ? (const char *)c->texts.p + s->text_at : "";
}

/* Compares field by field: padding may differ. */
static bool same_inst(const inst_t *a, const inst_t *b)
{
    return a->pc == b->pc && a->opcode == b->opcode && a->cls == b->cls && a->n_dst == b->n_dst &&
           a->n_src == b->n_src && a->space == b->space && a->access == b->access &&
           a->width == b->width && a->flags == b->flags &&
           memcmp(a->dst, b->dst, sizeof(a->dst)) == 0 &&
           memcmp(a->src, b->src, sizeof(a->src)) == 0 && a->ctl == b->ctl && a->imm == b->imm &&
           a->const_offset == b->const_offset && a->const_bank == b->const_bank &&
           a->n_wait == b->n_wait && a->n_set == b->n_set && a->flops == b->flops &&
           memcmp(a->bank_reads, b->bank_reads, sizeof(a->bank_reads)) == 0 &&
           memcmp(a->dep, b->dep, sizeof(a->dep)) == 0;
}

uint32_t rbt_collect_inst(rbt_collect_t *c, const inst_t *inst, const char *text, uint32_t len)
{
    uint64_t hash = inst_hash(inst->pc, text, text != NULL ? len : 0);

    for (hash_walk_t w = hash_map_walk(&c->inst_map, hash); hash_walk_next(&w);) {
        const rbt_static_t *s = &c->insts[w.number];

        if (s->has_text == (text != NULL) && s->text_len == (text != NULL ? len : 0) &&
            (s->text_len == 0 || memcmp(text_of(c, s), text, len) == 0) &&
            same_inst(&s->inst, inst))
            return w.number;
    }
    rb_grow(&c->insts, &c->cap_insts, c->n_insts + 1, sizeof(c->insts[0]));
    c->insts[c->n_insts] = (rbt_static_t){
        .inst = *inst,
        .text_at = c->texts.n,
        .text_len = text != NULL ? len : 0,
        .has_text = text != NULL,
    };
    if (text != NULL)
        rbt_put_bytes(&c->texts, text, len);
    hash_map_add(&c->inst_map, hash, (uint32_t)c->n_insts);
    return (uint32_t)c->n_insts++;
}

/* Number of a path; instructions of a file follow each other, so the search begins at the end. */
static uint32_t file_number(rbt_collect_t *c, const char *path)
{
    for (size_t i = c->n_files; i > 0; i--)
        if (strcmp(c->files[i - 1], path) == 0)
            return (uint32_t)i - 1;
    rb_grow(&c->files, &c->cap_files, c->n_files + 1, sizeof(c->files[0]));
    c->files[c->n_files] = rb_strdup(path);
    return (uint32_t)c->n_files++;
}

void rbt_collect_line(rbt_collect_t *c, uint32_t number, const source_line_t *line)
{
    if (strlen(line->file) > RBT_NAME_BYTES || c->n_files == RBT_CODE_FILES)
        return; /* no program: the line stays unknown */
    c->insts[number].file = file_number(c, line->file) + 1;
    c->insts[number].line = line->line;
}

uint32_t rbt_collect_bb(rbt_collect_t *c, const uint32_t *ids, uint32_t n)
{
    uint64_t hash = rbt_checksum(ids, n * sizeof(*ids));

    for (hash_walk_t w = hash_map_walk(&c->bb_map, hash); hash_walk_next(&w);) {
        const rbt_collected_bb_t *bb = &c->bbs[w.number];

        if (bb->n == n && memcmp(c->ids + bb->at, ids, n * sizeof(*ids)) == 0)
            return w.number;
    }
    rb_grow(&c->bbs, &c->cap_bbs, c->n_bbs + 1, sizeof(c->bbs[0]));
    rb_grow(&c->ids, &c->cap_ids, c->n_ids + n, sizeof(c->ids[0]));
    memcpy(c->ids + c->n_ids, ids, n * sizeof(*ids));
    c->bbs[c->n_bbs] = (rbt_collected_bb_t){.at = c->n_ids, .n = n};
    c->n_ids += n;
    hash_map_add(&c->bb_map, hash, (uint32_t)c->n_bbs);
    return (uint32_t)c->n_bbs++;
}

void rbt_pointers_clear(rbt_pointers_t *m)
{
    hash_map_clear(&m->map);
    m->n = 0;
}

void rbt_pointers_free(rbt_pointers_t *m)
{
    hash_map_free(&m->map);
    free(m->pairs);
    *m = (rbt_pointers_t){0};
}

void rbt_pointers_add(rbt_pointers_t *m, const inst_t *inst, uint32_t id)
{
    rb_grow(&m->pairs, &m->cap, m->n + 1, sizeof(*m->pairs));
    m->pairs[m->n].inst = inst;
    m->pairs[m->n].id = id;
    hash_map_add(&m->map, (uintptr_t)inst, (uint32_t)m->n++);
}

/* --- writing --------------------------------------------------------------------------------- */

typedef struct {
    uint32_t pc, copy, id;
} place_t;

static int by_place(const void *a, const void *b)
{
    const place_t *x = a, *y = b;

    if (x->copy != y->copy)
        return x->copy < y->copy ? -1 : 1;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_pc(const void *a, const void *b)
{
    const place_t *x = a, *y = b;

    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * Returns the order in which instructions are stored: by pc, so that consecutive instructions are
 * adjacent. If pcs have several texts, all first ones come first, then all second ones, and so
 * on.
 */
static place_t *order(const rbt_collect_t *c)
{
    place_t *p = rb_calloc(c->n_insts + 1, sizeof(*p));

    for (size_t i = 0; i < c->n_insts; i++)
        p[i] = (place_t){.pc = c->insts[i].inst.pc, .id = (uint32_t)i};
    qsort(p, c->n_insts, sizeof(*p), by_pc);
    for (size_t i = 1; i < c->n_insts; i++)
        p[i].copy = p[i].pc == p[i - 1].pc ? p[i - 1].copy + 1 : 0;
    qsort(p, c->n_insts, sizeof(*p), by_place);
    return p;
}

static void put_operands(const rbt_collect_t *c, const place_t *p, rbt_buf_t *out)
{
    for (size_t i = 0; i < c->n_insts; i++) {
        const inst_t *in = &c->insts[p[i].id].inst;

        rbt_put_u8(out, in->n_dst);
        rbt_put_u8(out, in->n_src);
        for (unsigned k = 0; k < in->n_dst; k++)
            rbt_put_bytes(out, &in->dst[k], sizeof(in->dst[k]));
        for (unsigned k = 0; k < in->n_src; k++)
            rbt_put_bytes(out, &in->src[k], sizeof(in->src[k]));
        rbt_put_u8(out, in->n_wait);
        rbt_put_u8(out, in->n_set);
        for (unsigned k = 0; k < in->n_wait; k++)
            rbt_put_varint(out, in->dep[k]);
        rbt_put_bytes(out, in->bank_reads, sizeof(in->bank_reads));
    }
}

/* Writes one field of all instructions. */
#define PUT_FIELD(put, type, field)                                                                \
    for (size_t i = 0; i < c->n_insts; i++)                                                        \
    put(out, (type)c->insts[p[i].id].inst.field)

static void put_insts(const rbt_collect_t *c, const place_t *p, rbt_buf_t *out)
{
    uint32_t pc = 0;

    for (size_t i = 0; i < c->n_insts; i++) {
        uint32_t next = c->insts[p[i].id].inst.pc;

        rbt_put_signed(out, (uint64_t)next - pc);
        pc = next;
    }
    for (size_t i = 0; i < c->n_insts; i++) {
        const isa_opcode_t *op = isa_opcode(c->insts[p[i].id].inst.opcode);
        const char *name = op != NULL ? op->mnemonic : "";

        rbt_put_varint(out, strlen(name));
        rbt_put_bytes(out, name, strlen(name));
    }
    PUT_FIELD(rbt_put_u8, uint8_t, cls);
    PUT_FIELD(rbt_put_u8, uint8_t, space);
    PUT_FIELD(rbt_put_u8, uint8_t, access);
    PUT_FIELD(rbt_put_u8, uint8_t, width);
    PUT_FIELD(rbt_put_u8, uint8_t, flops);
    PUT_FIELD(rbt_put_varint, uint32_t, flags);
    PUT_FIELD(rbt_put_varint, uint32_t, ctl);
    PUT_FIELD(rbt_put_varint, uint32_t, imm);
    PUT_FIELD(rbt_put_varint, uint16_t, const_offset);
    PUT_FIELD(rbt_put_u8, uint8_t, const_bank);
    put_operands(c, p, out);
}

static void put_texts(const rbt_collect_t *c, const place_t *p, rbt_buf_t *out)
{
    for (size_t i = 0; i < c->n_insts; i++) {
        const rbt_static_t *s = &c->insts[p[i].id];

        rbt_put_varint(out, s->has_text ? (uint64_t)s->text_len + 1 : 0);
    }
    for (size_t i = 0; i < c->n_insts; i++) {
        const rbt_static_t *s = &c->insts[p[i].id];

        rbt_put_bytes(out, text_of(c, s), s->text_len);
    }
}

/* Writes a basic block as spans of adjacent instructions; place gives the position of an
 * instruction. */
static void put_bb(const rbt_collect_t *c, const rbt_collected_bb_t *bb, const uint32_t *place,
                   rbt_buf_t *out)
{
    const uint32_t *ids = c->ids + bb->at;
    uint32_t spans = 1;

    for (uint32_t i = 1; i < bb->n; i++)
        spans += place[ids[i]] != place[ids[i - 1]] + 1;
    rbt_put_varint(out, spans);
    for (uint32_t i = 0, end; i < bb->n; i = end) {
        for (end = i + 1; end < bb->n && place[ids[end]] == place[ids[end - 1]] + 1;)
            end++;
        rbt_put_varint(out, place[ids[i]]);
        rbt_put_varint(out, end - i);
    }
}

/* Writes the section of source lines, if there are any. */
static void put_lines(const rbt_collect_t *c, const place_t *p, rbt_buf_t *out)
{
    rbt_buf_t b = {0};
    uint32_t line = 0;

    if (c->n_files == 0)
        return;
    rbt_put_varint(&b, c->n_files);
    for (size_t i = 0; i < c->n_files; i++) {
        rbt_put_varint(&b, strlen(c->files[i]));
        rbt_put_bytes(&b, c->files[i], strlen(c->files[i]));
    }
    for (size_t i = 0; i < c->n_insts; i++)
        rbt_put_varint(&b, c->insts[p[i].id].file);
    for (size_t i = 0; i < c->n_insts; i++) {
        const rbt_static_t *s = &c->insts[p[i].id];
        if (s->file == 0)
            continue;
        rbt_put_signed(&b, (uint64_t)s->line - line);
        line = s->line;
    }
    rbt_put_varint(out, RBT_SECTION_LINES);
    rbt_put_varint(out, b.n);
    rbt_put_bytes(out, b.p, b.n);
    free(b.p);
}

void rbt_collect_encode(const rbt_collect_t *c, rbt_buf_t *out)
{
    place_t *p = order(c);
    uint32_t *place = rb_calloc(c->n_insts + 1, sizeof(*place));

    for (size_t i = 0; i < c->n_insts; i++)
        place[p[i].id] = (uint32_t)i;
    rbt_put_varint(out, c->n_insts);
    rbt_put_varint(out, c->n_bbs);
    put_insts(c, p, out);
    put_texts(c, p, out);
    for (size_t i = 0; i < c->n_bbs; i++)
        put_bb(c, &c->bbs[i], place, out);
    put_lines(c, p, out);
    free(place);
    free(p);
}
