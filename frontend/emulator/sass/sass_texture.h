/*
 * Operands of texture instructions form a list: array index, coordinates, handle (of .B), level,
 * offsets. The first registers are at operand a, the others at operand b.
 */
#ifndef RUBATO_SASS_TEXTURE_H
#define RUBATO_SASS_TEXTURE_H

#include "frontend/emulator/sass/sass_inst.h"

/* The form with its handle in uniform registers. */
enum { SASS_FORM_UREG = 7 };

/* Bits 61-63: the kind of texture. */
enum {
    SASS_TEX_1D,
    SASS_TEX_2D,
    SASS_TEX_3D,
    SASS_TEX_CUBE,
    SASS_TEX_ARRAY_1D,
    SASS_TEX_ARRAY_2D,
    SASS_TEX_ARRAY_3D, /* not in use */
    SASS_TEX_ARRAY_CUBE
};

/* Bits 87-89: the level of detail. */
enum { SASS_LEVEL_AUTO, SASS_LEVEL_ZERO, SASS_LEVEL_BIAS, SASS_LEVEL_GIVEN };

typedef struct {
    uint8_t dim;     /* SASS_TEX_... */
    uint8_t n_first; /* number of registers at operand a; the rest of the list is at b */
    uint8_t n;       /* length of the list in registers */
    uint8_t coords;  /* position of the first coordinate */
    uint8_t n_coords;
    int8_t array, handle, offsets; /* positions; -1: none */
    int8_t level, gradients;       /* position of a level of detail or its bias; position of the
                                    * gradients: for each coordinate, its changes in x and in y */
    uint8_t n_results;             /* registers written: the first two at bit 16, the others at bit
                                    * 64 */
} sass_tex_form_t;

/* The operand list of an instruction for which sass_is_texture() holds. */
void sass_tex_form(const sass_inst_t *in, sass_tex_form_t *form);

bool sass_is_texture(const sass_inst_t *in);

/* Bits 61-63 of a surface access: the kind of surface. */
enum {
    SASS_SURFACE_1D,
    SASS_SURFACE_BUFFER,
    SASS_SURFACE_ARRAY_1D,
    SASS_SURFACE_2D,
    SASS_SURFACE_ARRAY_2D,
    SASS_SURFACE_3D
};

bool sass_is_surface(const sass_inst_t *in);

/* Appends the operands of a texture or surface instruction. */
void sass_tex_operands(sass_inst_t *in);

/* nvdisasm's text for the value of a SASS_OPERAND_NAME. */
const char *sass_tex_name(unsigned value);

#endif
