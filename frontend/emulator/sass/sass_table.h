/* The encoding table, for the decoder and the printer. */
#ifndef RUBATO_SASS_TABLE_H
#define RUBATO_SASS_TABLE_H

#include "frontend/emulator/sass/sass_inst.h"

/*
 * A modifier: bits of the encoding and the text for each value; NULL prints nothing. Values whose
 * names begin with "!" (not printed) are known but not executed, like those that begin with
 * "INVALID" or "???", nvdisasm's names for values without a meaning.
 */
typedef struct {
    uint8_t bit, width;
    uint8_t special; /* sass_special_mod_t: written by code; names is then NULL */
    const char *const *names;
} sass_mod_t;

/* Modifiers that depend on several fields. */
typedef enum {
    SASS_MOD_FIELD,
    SASS_MOD_I2F, /* result and source types */
    SASS_MOD_F2I,
    SASS_MOD_F2F,
    SASS_MOD_FRND,
    SASS_MOD_IDP,    /* type of the first source; another field has its size */
    SASS_MOD_IMAD,   /* MOV, IADD, SHL, X, U32 */
    SASS_MOD_BAR,    /* all forms of barriers; operation of BAR.RED */
    SASS_MOD_DENORM, /* FTZ, FMZ */
    SASS_MOD_HMMA,   /* shape */
    SASS_MOD_IMMA,   /* shape and types */
    SASS_MOD_I2IP,   /* result type */
    SASS_MOD_F2FP,   /* types, and how they are packed */
    SASS_MOD_ATOMS,  /* operation of Ampere's ATOMS */
} sass_special_mod_t;

enum { SASS_MAX_MODS = 9 };

/*
 * The operands of a row: two characters each, first the kind, then the position.
 *
 * Destination registers (general ones, or uniform ones in a SASS_ROW_UNIFORM row), at bit 16:
 *   Rd Dd    one, two
 *   rd       one, not printed if it is RZ
 *   Nd       as many as the width of the access requires
 *   Zd       one or two, by the result type of a conversion
 *   Vm       those of a matrix instruction
 *   Ud ud    a uniform register in any row; not printed if it is URZ
 *   Xt       all operands of a texture or surface instruction (sass_texture.h)
 *
 * Sources are in a slot: a (bit 24), b or c. A constant, an immediate or a uniform register in
 * bits 32-63 is slot b or c, depending on the form, and bits 64-71 are the other one. B is slot c
 * if the form uses bits 32-63 for it, otherwise slot b:
 *   R K      plain; plain, with signed immediates
 *   I J L    integer with a sign; the same, with unsigned immediates; with 64 bits
 *   F D H    float, double, two halves
 *   n        with complement
 *   Sa Sx Sc of which only the sign is read; Sx: slot b
 *   Gb Uh    halves, of which the upper one may have another sign; a float or a half of a register
 *   Fs Is    source of a conversion: float, integer
 *   Lh       upper half of the first source of LEA.HI
 *   Wa Wr Ya two registers; two of CALL.REL, if it has any; one or two, depending on bit 73
 *   Wc       target of CALL.ABS
 *   Ma Mb Mc those of a matrix instruction; Md: what a sparse one has in addition
 *   Pa Pb    those of F2FP, which are b and c if it merges
 *   Ea Eb Ec those of F2IP; Ec: half of slot c that I2IP or F2IP reads
 *   Vb       threads of a quad that MOV writes, not printed if all
 *
 * Predicates:
 *   P0 P1    destination, bits 81, 84
 *   p0 p1    the same, not printed if PT
 *   U0       destination, bit 81: a uniform predicate in any row
 *   M0 R0    P0, only for MATCH.ALL; only for R2UR with a predicate and for B2R.RESULT
 *   y0       P0 of a load that reports whether there was memory
 *   Q0 Q1 Q2 read, bits 87, 77, 68
 *   q0       Q0, not printed if PT
 *   u2       Q2, a uniform predicate if bit 67 is set
 *   X0 X1    Q0 and Q1, read and printed only with .X
 *   E2       Q2, read only with .EX, printed if it is not PT or with .EX
 *   Qr       Q0, only in BAR.RED
 *   z0       read by a load, bit 64: lanes without it get 0; not printed if PT
 *   Pr Bm    all predicates; slot b of R2P, which selects them, not printed if it is 0xff
 *
 * Memory:
 *   Mg Ms Ml address: global or generic, shared, local
 *   Mt       address in shared memory to which LDGSTS copies
 *   Nb Nc    data of an access, as many registers as its width requires, at bit 32, 64
 *   Ns       Nb, only for operations of ATOMS with data
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
 *   Tu       uniform register with threads, of BRA
 *
 * Numbers:
 *   Lu Pl    LUT; both LUTs of PLOP3
 *   Lv       second LUT of PLOP3 that reads signs
 *   Pm       mask of PMTRIG
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

/* The row of an instruction for an architecture (70, 75, 80, 86, ...), or NULL. */
const sass_row_t *sass_find_row(uint64_t lo, unsigned arch);

/* Rows that Ampere and Ada add or encode in another way, sorted by code. */
extern const sass_row_t sass_ampere_rows[];
extern const size_t sass_n_ampere_rows;

/* Bytes for each value of an access's width field and of an atomic's type field. */
extern const uint8_t sass_size_bytes[8];
extern const uint8_t sass_atom_bytes[8];

#endif
