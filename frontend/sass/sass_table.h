/* The encoding table, for the decoder and the printer. */
#ifndef RUBATO_SASS_TABLE_H
#define RUBATO_SASS_TABLE_H

#include "frontend/sass/sass_inst.h"

/* A modifier: bits of the encoding and how each value is written; NULL or "" writes nothing. */
typedef struct {
    uint8_t bit, width;
    uint8_t special; /* sass_special_mod_t: written by code; names is NULL then */
    const char *const *names;
} sass_mod_t;

/* Modifiers that more than one field decides. */
typedef enum {
    SASS_MOD_FIELD,
    SASS_MOD_I2F, /* result and source types */
    SASS_MOD_F2I,
    SASS_MOD_F2F,
    SASS_MOD_FRND,
    SASS_MOD_IDP,  /* type of the first source: of the size that the other field says */
    SASS_MOD_IMAD, /* MOV, IADD, SHL, X, U32 */
    SASS_MOD_BAR,  /* what BAR.RED computes */
} sass_special_mod_t;

enum { SASS_MAX_MODS = 9 };

/*
 * Operands are named by two characters each. First what it is, then where it stands.
 *   Rd Dd          destination of 1, 2 general registers at bit 16; Nd: as many as the width of
 *                  the access; Zd: 1 or 2 by the result type; Vm: HMMA's; rd: left out if RZ;
 *                  Ud: a uniform register; Xt: all of a texture's or surface's
 *   R F I J L D H  source plain, float, integer, bits, 64-bit integer, double, two halves, in slot
 *                  a (bit 24), b, c, or B: c where the form puts a constant or immediate there,
 * else b; Fs Is: source of a conversion; n: with complement; W: pair; Ya: 1 or 2; M: HMMA's; Lh:
 * upper half of LEA.HI's first source P0 P1          predicate written, bits 81, 84; p0 p1: printed
 * only if it is not PT; U0: uniform predicate Q0 Q1 Q2       predicate read, bits 87, 77, 68; q0:
 * printed only if it is not PT; X0 X1: read and printed only with .X, E2 with .EX; Qr: only in
 * BAR.RED Mg Ms Ml       memory operand: global or generic, shared, local Nb Nc          data of an
 * access, as many registers as its width says, at bits 32, 64 Cl Cu Cz       constant of a load:
 * indexed by a general, by a uniform register, not indexed Bd Ba          convergence barrier, bits
 * 16, 24; Bi Bc: number and threads of BAR Sr Sb          special register; dependence barrier of
 * DEPBAR Tl Ts To       branch target of 48, 30 bits; offset of an indirect branch Lu Ls Pl LUT;
 * shift of LEA; both LUTs of PLOP3; Wc: target of an absolute call; Bn: number of BPT Hl Hm Pr lane
 * and bounds of SHFL; all predicates
 */
typedef struct {
    uint16_t code;
    uint8_t op;
    const char *name;
    const char *operands;
    uint8_t flags;
    sass_mod_t mods[SASS_MAX_MODS];
} sass_row_t;

enum {
    SASS_ROW_UNIFORM = 1, /* operands are uniform registers and predicates */
    SASS_ROW_X = 2,       /* bit 74 is .X */
    SASS_ROW_EX = 4,      /* bit 72 is .EX */
    SASS_ROW_SIZE = 8,    /* bits 73-75 are the width of an access */
    SASS_ROW_ATOM = 16,   /* bits 73-75 are the type of an atomic */
    SASS_ROW_UGUARD = 32, /* the guard is a uniform predicate */
};

/* The row of an instruction, or NULL. */
const sass_row_t *sass_find_row(uint64_t lo);

/* Bytes of each value of an access's width field and of an atomic's type field. */
extern const uint8_t sass_size_bytes[8];
extern const uint8_t sass_atom_bytes[8];

#endif
