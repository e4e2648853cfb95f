#include "frontend/input/rbt/write/rbt_root_put.h"

#include <stdlib.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "frontend/input/rbt/rbt_format.h"
#include "frontend/input/rbt/rbt_graph.h"
#include "sim/isa/isa.h"

void rbt_root_put_init(rbt_root_put_t *r, const char *producer)
{
    *r = (rbt_root_put_t){.producer = rb_strdup(producer)};
}

void rbt_root_put_free(rbt_root_put_t *r)
{
    for (size_t i = 0; i < r->n_kernels; i++) {
        free(r->kernels[i].name);
        rbt_collect_free(&r->kernels[i].code);
    }
    free(r->kernels);
    hash_map_free(&r->kernel_map);
    free(r->block_pages.p);
    free(r->launch_pages.p);
    free(r->copies.p);
    free(r->graph.p);
    rbt_waits_put_free(&r->waits);
    free(r->producer);
    free(r->plan);
    *r = (rbt_root_put_t){0};
}

static uint64_t hash_kernel(const char *name, uint32_t arch, uint64_t code_id)
{
    return rbt_checksum(name, strlen(name)) + (code_id ^ arch) * 0x9e3779b97f4a7c15u;
}

uint32_t rbt_root_put_kernel(rbt_root_put_t *r, const launch_info_t *info)
{
    const uint64_t hash = hash_kernel(info->name, info->arch, info->code_id);

    for (hash_walk_t w = hash_map_walk(&r->kernel_map, hash); hash_walk_next(&w);) {
        const rbt_kernel_put_t *k = &r->kernels[w.number];

        if (k->arch == info->arch && k->code_id == info->code_id &&
            strcmp(k->name, info->name) == 0)
            return w.number;
    }
    rb_grow(&r->kernels, &r->cap_kernels, r->n_kernels + 1, sizeof(r->kernels[0]));
    rbt_kernel_put_t *k = &r->kernels[r->n_kernels];

    *k = (rbt_kernel_put_t){
        .name = rb_strdup(info->name), .arch = info->arch, .code_id = info->code_id};
    rbt_collect_init(&k->code);
    hash_map_add(&r->kernel_map, hash, (uint32_t)r->n_kernels);
    return (uint32_t)r->n_kernels++;
}

void rbt_root_put_copy(rbt_root_put_t *r, uint64_t launches_before, const memcpy_op_t *op)
{
    rbt_put_varint(&r->copies, launches_before - r->copy_launch);
    rbt_put_signed(&r->copies, op->addr - r->copy_addr);
    rbt_put_varint(&r->copies, op->bytes);
    r->copy_launch = launches_before;
    r->copy_addr = op->addr;
    r->n_copies++;
}

static void put_place(rbt_buf_t *b, const rbt_place_t *place)
{
    rbt_put_varint(b, place->offset);
    rbt_put_varint(b, place->packed);
    rbt_put_varint(b, place->unpacked);
    rbt_put_u32(b, (uint32_t)place->checksum);
}

void rbt_root_put_block_page(rbt_root_put_t *r, const rbt_place_t *place, uint64_t first_frame,
                             uint64_t n_blocks, uint64_t n_frames)
{
    put_place(&r->block_pages, place);
    rbt_put_varint(&r->block_pages, first_frame);
    rbt_put_varint(&r->block_pages, n_blocks);
    rbt_put_varint(&r->block_pages, n_frames);
    r->n_block_pages++;
}

void rbt_root_put_launch_page(rbt_root_put_t *r, const rbt_place_t *place, uint64_t n_launches,
                              uint64_t n_blocks)
{
    put_place(&r->launch_pages, place);
    rbt_put_varint(&r->launch_pages, n_launches);
    rbt_put_varint(&r->launch_pages, n_blocks);
    r->n_launch_pages++;
}

static void put_text(rbt_buf_t *b, const char *text)
{
    size_t n = text != NULL ? strlen(text) : 0;

    rbt_put_varint(b, n);
    rbt_put_bytes(b, text, n);
}

static void put_list(rbt_buf_t *b, uint64_t n, const rbt_buf_t *items)
{
    rbt_put_varint(b, n);
    rbt_put_bytes(b, items->p, items->n);
}

void rbt_root_put_encode(const rbt_root_put_t *r, rbt_buf_t *out)
{
    put_text(out, r->producer);
    rbt_put_varint(out, OP_CLASS_COUNT);
    for (unsigned i = 0; i < OP_CLASS_COUNT; i++)
        put_text(out, isa_class_name((op_class_t)i));
    rbt_put_varint(out, RBT_SPACE_COUNT);
    for (unsigned i = 0; i < RBT_SPACE_COUNT; i++)
        put_text(out, rbt_space_names[i]);
    rbt_put_varint(out, r->n_kernels);
    for (size_t i = 0; i < r->n_kernels; i++) {
        const rbt_kernel_put_t *k = &r->kernels[i];

        put_text(out, k->name);
        rbt_put_varint(out, k->arch);
        rbt_put_u64(out, k->code_id);
        put_place(out, &k->place);
    }
    put_list(out, r->n_block_pages, &r->block_pages);
    put_list(out, r->n_launch_pages, &r->launch_pages);
    put_list(out, r->n_copies, &r->copies);
    put_text(out, r->plan);
    const bool has_waits = r->waits.n_launches > 0;
    if (!r->has_graph && !has_waits)
        return;
    rbt_put_varint(out, (uint64_t)r->has_graph + has_waits);
    if (r->has_graph) {
        put_text(out, RBT_GRAPH_SECTION);
        put_list(out, r->graph.n, &r->graph);
    }
    if (has_waits) {
        rbt_buf_t waits = {0};
        rbt_waits_encode(&r->waits, &waits);
        put_text(out, RBT_WAITS_SECTION);
        put_list(out, waits.n, &waits);
        free(waits.p);
    }
}
