#include "frontend/emulator/sass/sass_texture.h"

#include "frontend/emulator/sass/sass_operands.h"

/* Number of coordinates for each SASS_TEX_... */
static const uint8_t n_coords[8] = {1, 2, 3, 3, 1, 2, 3, 3};

bool sass_is_texture(const sass_inst_t *in)
{
    return in->op == SASS_TEX || in->op == SASS_TLD || in->op == SASS_TLD4 || in->op == SASS_TXD ||
           in->op == SASS_TXQ;
}

static unsigned population(unsigned bits)
{
    return (unsigned)__builtin_popcount(bits);
}

/* A query has a handle and a level. */
static void query_form(bool bindless, sass_tex_form_t *f)
{
    f->handle = bindless ? 0 : -1;
    f->n = f->n_first = bindless ? 2 : 1;
}

/* Gradients, two per coordinate, are at b; the handle comes first. */
static void gradient_form(bool bindless, bool offsets, sass_tex_form_t *f)
{
    uint8_t at = 0;

    f->handle = bindless ? (int8_t)at++ : -1;
    f->array = f->dim >= SASS_TEX_ARRAY_1D ? (int8_t)at++ : -1;
    f->coords = at;
    f->n_first = (uint8_t)(at + f->n_coords + (offsets ? 1 : 0));
    f->offsets = offsets ? (int8_t)(f->n_first - 1) : -1;
    f->gradients = (int8_t)f->n_first;
    f->n = (uint8_t)(f->n_first + 2 * f->n_coords);
}

static void lookup_form(const sass_inst_t *in, bool bindless, sass_tex_form_t *f)
{
    unsigned level = sass_bits(in, 87, 3);
    bool gather = in->op == SASS_TLD4, has_level = !gather && level > SASS_LEVEL_ZERO;
    bool compares = in->op != SASS_TLD && sass_bits(in, 78, 1);
    uint8_t at = 0;

    f->array = f->dim >= SASS_TEX_ARRAY_1D ? (int8_t)at++ : -1;
    f->coords = at;
    at = (uint8_t)(at + f->n_coords);
    f->n_first = at;
    f->handle = bindless ? (int8_t)at++ : -1;
    f->level = has_level ? (int8_t)at++ : -1;
    f->offsets = sass_bits(in, 76, 1) ? (int8_t)at++ : -1;
    at = (uint8_t)(at + compares);
    f->n = at;
    if (sass_bits(in, 60, 1)) /* .SCR: evenly */
        f->n_first = (uint8_t)((f->n + 1) / 2);
}

void sass_tex_form(const sass_inst_t *in, sass_tex_form_t *f)
{
    bool bindless = in->form == 1;

    *f = (sass_tex_form_t){.dim = (uint8_t)sass_bits(in, 61, 3),
                           .array = -1,
                           .offsets = -1,
                           .level = -1,
                           .gradients = -1};
    f->n_coords = n_coords[f->dim];
    f->n_results = (uint8_t)population(sass_bits(in, 72, 4));
    if (in->op == SASS_TXQ)
        query_form(bindless, f);
    else if (in->op == SASS_TXD)
        gradient_form(bindless, sass_bits(in, 76, 1), f);
    else
        lookup_form(in, bindless, f);
}

/* --- operands of the decoded instruction ------------------------------------------------------ */

enum { NAME_QUERY = 8 }; /* values of a SASS_OPERAND_NAME: SASS_TEX_..., then queries */

static const char *const names[] = {
    "1D",
    "2D",
    "3D",
    "CUBE",
    "ARRAY_1D",
    "ARRAY_2D",
    "ARRAY_3D",
    "ARRAY_CUBE",
    "TEX_HEADER_DIMENSION",
    "TEX_HEADER_TEXTURE_TYPE",
    "TEX_HEADER_SAMPLER_POS",
    "INVALID3",
};

const char *sass_tex_name(unsigned value)
{
    return value < sizeof(names) / sizeof(names[0]) ? names[value] : "INVALID";
}

static sass_operand_t *add_registers(sass_inst_t *in, unsigned bit, unsigned count)
{
    sass_operand_t *o = sass_put(in, SASS_OPERAND_REG);

    o->num = (uint8_t)sass_bits(in, bit, 8);
    o->count = (uint8_t)count;
    return o;
}

static void add_results(sass_inst_t *in, unsigned n)
{
    sass_operand_t *second = add_registers(in, 64, n > 2 ? n - 2 : 1);
    sass_operand_t *first = add_registers(in, 16, n < 2 ? 1 : 2);

    second->write = first->write = true;
    second->slot = 2;
}

/*
 * A handle that is the same for all lanes: in uniform registers (two halves), or in constant memory
 * by bank and offset in words.
 */
static void add_handle(sass_inst_t *in)
{
    sass_operand_t *o;

    if (in->form == SASS_FORM_UREG) {
        o = sass_put(in, SASS_OPERAND_UREG);
        o->num = (uint8_t)sass_bits(in, 40, 6);
        o->count = 2;
        sass_put(in, SASS_OPERAND_IMM)->value = sass_bits(in, 46, 8);
        return;
    }
    o = sass_put(in, SASS_OPERAND_HANDLE);

    o->bank = (uint8_t)sass_bits(in, 54, 5);
    o->value = (int64_t)sass_bits(in, 40, 14) * 4;
}

static void add_name(sass_inst_t *in, unsigned value)
{
    sass_put(in, SASS_OPERAND_NAME)->value = value;
}

/* Adds the rest of the list, if any. */
static void add_second(sass_inst_t *in, int n)
{
    sass_operand_t *o = add_registers(in, 32, n > 0 ? (unsigned)n : 1);

    o->slot = 2;
    o->hidden = n == 0;
}

static void add_texture(sass_inst_t *in)
{
    bool bindless = in->form == 1, query = in->op == SASS_TXQ;
    sass_tex_form_t f;

    sass_tex_form(in, &f);
    add_results(in, f.n_results);
    add_registers(in, 24, f.n_first)->slot = 1;
    if (query)
        add_name(in, NAME_QUERY + sass_bits(in, 62, 2));
    else
        add_second(in, f.n - f.n_first);
    if (!bindless)
        add_handle(in);
    if (!query)
        add_name(in, f.dim);
    sass_operand_t *mask = sass_put(in, SASS_OPERAND_IMM);
    mask->value = sass_bits(in, 72, 4);
    mask->hidden = mask->value == 15;
}

bool sass_is_surface(const sass_inst_t *in)
{
    return in->op == SASS_SULD || in->op == SASS_SUST;
}

static unsigned surface_coords(const sass_inst_t *in)
{
    static const uint8_t n[8] = {1, 1, 2, 2, 3, 3, 3, 3};

    return n[sass_bits(in, 61, 3)];
}

static void add_surface(sass_inst_t *in)
{
    bool bindless = in->form == 4;
    unsigned data = in->width > 4 ? in->width / 4u : 1;

    if (in->op == SASS_SUST_P) /* the components selected by the mask */
        data = population(sass_bits(in, 72, 4));
    if (in->op == SASS_SULD)
        add_registers(in, 16, data)->write = true;
    sass_operand_t *address = sass_put(in, SASS_OPERAND_MEM);
    address->num = (uint8_t)sass_bits(in, 24, 8);
    address->count = (uint8_t)surface_coords(in);
    address->slot = 1;
    if (in->op != SASS_SULD)
        add_registers(in, 32, data)->slot = 2;
    if (bindless)
        add_registers(in, 64, 1)->slot = 3;
    else
        add_handle(in);
}

void sass_tex_operands(sass_inst_t *in)
{
    if (sass_is_surface(in) || in->op == SASS_SUST_P)
        add_surface(in);
    else
        add_texture(in);
}
