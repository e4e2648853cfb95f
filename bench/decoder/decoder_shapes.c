#include "bench/decoder/decoder_shapes.h"

#include <stdlib.h>

#include "frontend/emulator/sass/code_file.h"
#include "frontend/emulator/sass/sass_inst.h"
#include "sim/core/alloc.h"

enum { FIRST_SIZE = 1 << 16, MODIFIER_BITS = 41 };

/* Registers: 0 for the zero register of either file, else 1. */
static uint64_t register_class(uint64_t byte)
{
    return byte != SASS_RZ && byte != SASS_URZ;
}

word_t shape_key(word_t inst)
{
    const uint64_t guard = inst.lo >> 12 & 7;
    const uint64_t modifiers = inst.hi & ((1ull << MODIFIER_BITS) - 1) & ~0xffull;
    word_t key = {inst.lo & 0x8fff, modifiers};

    key.lo |= (uint64_t)(guard == SASS_PT) << 12;
    key.lo |= register_class(inst.lo >> 16 & 255) << 16 | register_class(inst.lo >> 24 & 255) << 17;
    key.lo |= register_class(inst.lo >> 32 & 255) << 18 | register_class(inst.hi & 255) << 19;
    key.lo |= inst.lo >> 58 << 58;
    return key;
}

static shape_t *place_of(shape_t *table, size_t size, word_t key)
{
    uint64_t hash = (key.lo ^ key.hi * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    size_t at = (hash ^ hash >> 29) & (size - 1);

    while (table[at].count != 0 && (table[at].key.lo != key.lo || table[at].key.hi != key.hi))
        at = (at + 1) & (size - 1);
    return &table[at];
}

static void grow(shapes_t *s)
{
    const size_t size = s->size == 0 ? FIRST_SIZE : 2 * s->size;
    shape_t *table = rb_calloc(size, sizeof(*table));

    for (size_t i = 0; i < s->size; i++)
        if (s->table[i].count != 0)
            *place_of(table, size, s->table[i].key) = s->table[i];
    free(s->table);
    s->table = table;
    s->size = size;
}

static void add_sample(shape_t *shape, word_t inst)
{
    for (unsigned i = 0; i < shape->n_samples; i++)
        if (shape->samples[i].lo == inst.lo)
            return;
    shape->samples[shape->n_samples++] = inst;
}

void shapes_add(shapes_t *s, word_t inst)
{
    const word_t key = shape_key(inst);

    if (2 * s->n >= s->size)
        grow(s);
    shape_t *shape = place_of(s->table, s->size, key);
    s->n += shape->count == 0;
    s->n_insts++;
    shape->key = key;
    shape->count++;
    if (shape->n_samples < SHAPE_SAMPLES)
        add_sample(shape, inst);
}

static void add_kernel(shapes_t *s, const cubin_kernel_t *k)
{
    for (uint32_t at = 0; at < k->code_bytes; at += SASS_INST_BYTES)
        shapes_add(s, (word_t){elf_u64(k->code + at), elf_u64(k->code + at + 8)});
}

rb_code_t shapes_add_file(shapes_t *s, const char *path, uint32_t arch, rb_err_t *err)
{
    code_file_t f;

    RB_TRY(code_file_open(&f, path, arch, err));
    for (uint32_t i = 0; i < f.n_cubins; i++)
        for (uint32_t k = 0; f.cubins[i].arch == arch && k < f.cubins[i].n_kernels; k++)
            add_kernel(s, &f.cubins[i].kernels[k]);
    code_file_close(&f);
    return RB_OK;
}

void shapes_free(shapes_t *s)
{
    free(s->table);
}
