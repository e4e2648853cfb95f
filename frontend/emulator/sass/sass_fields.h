/* Fields of the encoding that several opcodes share, for the tables of each architecture. */
#ifndef RUBATO_SASS_FIELDS_H
#define RUBATO_SASS_FIELDS_H

#include "frontend/emulator/sass/sass_table.h"

#define NAMES(...) ((const char *const[]){__VA_ARGS__})
#define FIELD(first, count, ...)                                                                   \
    {                                                                                              \
        first, count, SASS_MOD_FIELD, NAMES(__VA_ARGS__)                                           \
    }
#define FLAG(first, text) FIELD(first, 1, NULL, text)
#define ALWAYS(text)                                                                               \
    {                                                                                              \
        0, 0, SASS_MOD_FIELD, NAMES(text)                                                          \
    }
#define SPECIAL(kind)                                                                              \
    {                                                                                              \
        0, 0, SASS_MOD_##kind, NULL                                                                \
    }

#define FTZ      FLAG(80, "FTZ")
#define DENORM   SPECIAL(DENORM)
#define SAT      FLAG(77, "SAT")
#define ROUND    FIELD(78, 2, NULL, "RM", "RP", "RZ")
#define ROUND_I  FIELD(78, 2, NULL, "FLOOR", "CEIL", "TRUNC")
#define BOOL_OP  FIELD(74, 2, "AND", "OR", "XOR", "INVALID3")
#define BOOL_OPH FIELD(69, 2, "AND", "OR", "XOR", "INVALID3")
#define FCMP                                                                                       \
    FIELD(76, 4, "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU",       \
          "GTU", "NEU", "GEU", "T")
#define DCMP                                                                                       \
    FIELD(76, 4, "MIN", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU",     \
          "GTU", "NEU", "GEU", "MAX")
#define ICMP        FIELD(76, 3, "F", "LT", "EQ", "LE", "GT", "NE", "GE", "T")
#define U32_73      FIELD(73, 1, "U32", NULL)
#define SIZE        FIELD(73, 3, "U8", "S8", "U16", "S16", NULL, "64", "128", "INVALID7")
#define SIZE_LOAD   FIELD(73, 3, "U8", "S8", "U16", "S16", NULL, "64", "128", "U.128")
#define SIZE_STORE  FIELD(73, 3, "U8", "S8", "U16", "S16", NULL, "64", "128", "!U.128")
#define SIZE_CONST  FIELD(73, 3, "U8", "S8", "U16", "S16", NULL, "64", "INVALID6", "INVALID7")
#define ORDER       FIELD(79, 2, "CONSTANT", NULL, "STRONG", "MMIO")
#define ORDER_STORE FIELD(79, 2, "INVALID0", NULL, "STRONG", "MMIO")
#define ORDER_ATOM  FIELD(79, 2, "INVALID0", NULL, "STRONG", "INVALID3")
#define PRIVATE     FLAG(76, "!PRIVATE")
#define PREFETCH    FIELD(68, 2, NULL, "LTC64B", "LTC128B", "INVALID3")
#define ZD          FLAG(87, "!ZD")
#define SCOPE       FIELD(77, 2, "CTA", "SM", "GPU", "SYS")
#define EVICT       FIELD(84, 3, "EF", NULL, "EL", "LU", "EU", "NA", "INVALID6", "INVALID7")
#define E72         FLAG(72, "E")

/* Textures and surfaces. */
#define SCR      FLAG(60, "SCR")
#define BINDLESS ALWAYS("B")
#define F16      FIELD(79, 2, NULL, "F16.RN", "F16.RZ", "INVALID3")
#define AOFFI    FLAG(76, "AOFFI")
#define NDV      FLAG(77, "NDV")
#define PTP      FLAG(77, "PTP")
#define CL       FLAG(77, "CL")
#define DC       FLAG(78, "DC")
#define MS       FLAG(78, "MS")
#define NODEP    FLAG(90, "NODEP")
#define GATHER   FIELD(87, 2, "R", "G", "B", "A")
#define TEX_LEVEL                                                                                  \
    FIELD(87, 3, NULL, "LZ", "LB", "LL", "INVALID4", "INVALID5", "INVALID6", "INVALID7")
#define TLD_LEVEL                                                                                  \
    FIELD(87, 3, "INVALID0", "LZ", "INVALID2", "LL", "INVALID4", "INVALID5", "INVALID6", "INVALID7")
#define SURFACE_DIM                                                                                \
    FIELD(61, 3, "1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D", "INVALID6", "INVALID7")
#define OUTSIDE FIELD(59, 2, "IGN", NULL, "TRAP", "INVALID3")
#define MASK                                                                                       \
    FIELD(72, 4, "INVALID0", "R", "INVALID2", "RG", "INVALID4", "INVALID5", "INVALID6",            \
          "INVALID7", "INVALID8", "INVALID9", "INVALID10", "INVALID11", "INVALID12", "INVALID13",  \
          "INVALID14", NULL)
#define SURFACE                                                                                    \
    ALWAYS("D"), FLAG(72, "BA"), SURFACE_DIM, EVICT, SIZE, ORDER_STORE, SCOPE, PRIVATE, OUTSIDE
#define ATOM_OP(ninth)                                                                             \
    FIELD(87, 4, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", ninth,             \
          "INVALID10", "INVALID11", "INVALID12", "INVALID13", "INVALID14", "INVALID15")
#define RED_OP FIELD(87, 3, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR")
#define ATOM_TYPE                                                                                  \
    FIELD(73, 3, NULL, "S32", "64", "F32.FTZ.RN", "F16x2.RN", "S64", "F64.RN", "INVALID7")
#define ATOMS_TYPE FIELD(73, 2, NULL, "S32", "64", "INVALID3")
#define CAS_TYPE                                                                                   \
    FIELD(73, 3, NULL, "S32", "64", "INVALID3", "INVALID4", "INVALID5", "INVALID6", "INVALID7")
#define CAS FIELD(87, 2, "CAS", "!CAST", "CAS", "!CAST.SPIN")
#define MATRIX_BITS                                                                                \
    FIELD(75, 3, "16", "INVALID1", "INVALID2", "INVALID3", "INVALID4", "INVALID5", "INVALID6",     \
          "INVALID7")
#define DEPTH      FIELD(85, 2, NULL, "!INC", "!DEC", "INVALID3") /* call depth */
#define SHIFT_TYPE FIELD(73, 2, "S64", "U64", "S32", "U32")

#endif
