/* The encoding table, for the decoder and the printer. */
#ifndef RUBATO_SASS_TABLE_H
#define RUBATO_SASS_TABLE_H

#include "frontend/emulator/sass/sass_inst.h"

/*
 * A modifier: bits of the encoding and how each value is written; NULL writes nothing. Values whose
 * names begin with "!", which is not printed, are known but not executed; nor are those that begin
 * with "INVALID" or "???", as nvdisasm calls values without a meaning.
 */
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
    SASS_MOD_IDP,    /* type of the first source: of the size that the other field says */
    SASS_MOD_IMAD,   /* MOV, IADD, SHL, X, U32 */
    SASS_MOD_BAR,    /* all barriers; what BAR.RED computes */
    SASS_MOD_DENORM, /* FTZ, FMZ */
    SASS_MOD_HMMA,   /* shape */
    SASS_MOD_IMMA,   /* shape and types */
    SASS_MOD_I2IP,   /* result type */
} sass_special_mod_t;

enum { SASS_MAX_MODS = 9 };

/*
 * The operands of a row: two characters each, first what it is, then where it stands.
 *
 * Registers that are written (general ones, uniform ones in a SASS_ROW_UNIFORM row), at bit 16:
 *   Rd Dd    one, two
 *   rd       one, not printed if it is RZ
 *   Nd       as many as the width of the access says
 *   Zd       one or two, by the result type of a conversion
 *   Vm       those of HMMA
 *   Ud ud    a uniform register in any row; not printed if it is URZ
 *   Xt       all operands of a texture or surface instruction (sass_texture.h)
 *
 * Sources stand in a slot: a (bit 24), b or c. A constant, an immediate or a uniform register in
 * bits 32-63 is slot b or c as the form says, and bits 64-71 are the other one. B is c where the
 * form puts something into bits 32-63 for it, else b:
 *   R K      plain; plain, with immediates that are signed
 *   I J L    integer with a sign; the same, with immediates that are unsigned; of 64 bits
 *   F D H    float, double, two halves
 *   n        with complement
 *   Fs Is    source of a conversion: float, integer
 *   Lh       upper half of the first source of LEA.HI
 *   Wa Wr Ya two registers; two of CALL.REL, if it has any; one or two, as bit 73 says
 *   Wc       target of CALL.ABS
 *   Ma Mb Mc those of HMMA
 *   Ec       half of slot c that I2IP takes
 *   Vb       threads of a quad that MOV moves, not printed if all
 *
 * Predicates:
 *   P0 P1    written, bits 81, 84
 *   p0 p1    the same, not printed if PT
 *   U0       written, bit 81: a uniform one in any row
 *   M0 R0    P0, only of MATCH.ALL; only of R2UR with one, and of B2R.RESULT
 *   y0       P0, of a load that tells whether there was memory
 *   Q0 Q1 Q2 read, bits 87, 77, 68
 *   q0       Q0, not printed if PT
 *   u2       Q2, a uniform one if bit 67 says so
 *   X0 X1    Q0 and Q1, read and printed only with .X
 *   E2       Q2, read only with .EX, printed if it is not PT or with .EX
 *   Qr       Q0, only in BAR.RED
 *   z0       read by a load, bit 64: lanes without it get 0; not printed if PT
 *   Pr Bm    all predicates; slot b of R2P, which selects them, not printed if it is 0xff
 *
 * Memory:
 *   Mg Ms Ml address: global or generic, shared, local
 *   Nb Nc    data of an access, as many registers as its width says, at bit 32, 64
 *   Cl Cu Cz constant of a load: indexed by a general register, by a uniform one, not indexed
 *
 * Control:
 *   Bd Ba    convergence barrier, bits 16, 24
 *   Bi Bc    number and threads of BAR
 *   Br       number of the barrier that B2R reads
 *   Bn       number of BPT
 *   Sr Sb    special register; dependence barriers of DEPBAR
 *   Tl Ts    branch target of 48, of 30 bits
 *   To       offset of an indirect branch
 *
 * Numbers:
 *   Lu Pl    LUT; both LUTs of PLOP3
 *   Ls       shift of LEA
 *   Hl Hm    lane, and bounds, of SHFL
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
