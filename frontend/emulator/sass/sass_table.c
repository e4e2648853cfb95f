/*
 * Opcodes, operands and modifiers of sm_70, sm_72 and sm_75.
 *
 * Fields were found by comparing the encoding of compiled programs with their listings; fields that
 * no compiled program uses follow the encoder of Mesa's NAK compiler for the same hardware.
 */
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

const uint8_t sass_size_bytes[8] = {1, 1, 2, 2, 4, 8, 16, 16};
const uint8_t sass_atom_bytes[8] = {4, 4, 8, 4, 4, 8, 8, 0};

/* Sorted by code: sass_find_row() uses binary search. */
static const sass_row_t rows[] = {
    {0x002, SASS_MOV, "MOV", "Rd Rb Vb", 0, {{0}}},
    {0x003, SASS_P2R, "P2R", "Rd Pr Ra Kb", 0, {FIELD(76, 2, NULL, "B1", "B2", "B3")}},
    {0x004, SASS_R2P, "R2P", "Pr Ra Bm", 0, {{0}}},
    {0x005, SASS_CS2R, "CS2R", "Dd Sr", 0, {FIELD(80, 1, "32", NULL)}},
    {0x006, SASS_VOTE, "VOTE", "rd P0 Q0", 0, {FIELD(72, 2, "ALL", "ANY", "EQ", "INVALID3")}},
    {0x007, SASS_SEL, "SEL", "Rd Ra Rb Q0", 0, {{0}}},
    {0x008, SASS_FSEL, "FSEL", "Rd Fa Fb Q0", 0, {FTZ}},
    {0x009, SASS_FMNMX, "FMNMX", "Rd Fa Fb Q0", 0, {FTZ}},
    {0x00a, SASS_FSET, "FSET", "Rd Fa Fb Q0", 0, {ALWAYS("BF"), FCMP, FTZ, BOOL_OP}},
    {0x00b, SASS_FSETP, "FSETP", "P0 P1 Fa Fb Q0", 0, {FCMP, FTZ, BOOL_OP}},
    {0x00c,
     SASS_ISETP,
     "ISETP",
     "P0 P1 Ra Kb Q0 E2",
     SASS_ROW_EX,
     {ICMP, U32_73, BOOL_OP, FLAG(72, "EX")}},
    {0x010, SASS_IADD3, "IADD3", "Rd p0 p1 Ia Ib Ic X0 X1", SASS_ROW_X, {FLAG(74, "X")}},
    {0x011,
     SASS_LEA,
     "LEA",
     "Rd p0 Ia Jb Lh Ls X0",
     SASS_ROW_X,
     {FLAG(80, "HI"), FLAG(74, "X"), FLAG(73, "SX32")}},
    {0x012, SASS_LOP3, "LOP3", "p0 Rd Ra Rb Rc Lu Q0", 0, {ALWAYS("LUT"), FLAG(80, "PAND")}},
    {0x013, SASS_IABS, "IABS", "Rd Kb", 0, {{0}}},
    {0x014, SASS_VABSDIFF, "VABSDIFF", "Rd p0 Ra Rb Rc", 0, {U32_73}},
    {0x015,
     SASS_VABSDIFF4,
     "VABSDIFF4",
     "Rd p0 Ra Rb Rc",
     0,
     {FIELD(73, 1, "U8", NULL), FLAG(75, "ACC")}},
    {0x016,
     SASS_PRMT,
     "PRMT",
     "Rd Ra Rb Rc",
     0,
     {FIELD(72, 3, NULL, "F4E", "B4E", "RC8", "ECL", "ECR", "RC16", "INVALID7")}},
    {0x017, SASS_IMNMX, "IMNMX", "Rd Ra Kb Q0", 0, {U32_73}},
    {0x019,
     SASS_SHF,
     "SHF",
     "Rd Ra Rb Rc",
     0,
     {FIELD(76, 1, "L", "R"), FLAG(75, "W"), SHIFT_TYPE, FLAG(80, "HI")}},
    {0x01a, SASS_SGXT, "SGXT", "Rd Ra Rb", 0, {FLAG(75, "W"), U32_73}},
    {0x01b, SASS_BMSK, "BMSK", "Rd Ra Rb", 0, {FLAG(75, "W")}},
    {0x01c, SASS_PLOP3, "PLOP3", "P0 P1 Q0 Q1 u2 Pl", 0, {ALWAYS("LUT")}},
    {0x020,
     SASS_FMUL,
     "FMUL",
     "Rd Fa Fb",
     0,
     {DENORM, FIELD(84, 3, "INVALID0", "D8", "D4", "D2", NULL, "M2", "M4", "M8"), ROUND, SAT}},
    {0x021, SASS_FADD, "FADD", "Rd Fa FB", 0, {FTZ, ROUND, SAT}},
    {0x023, SASS_FFMA, "FFMA", "Rd Fa Fb Fc", 0, {DENORM, ROUND, SAT}},
    {0x024, SASS_IMAD, "IMAD", "Rd Ra Kb Ic X0", SASS_ROW_X, {SPECIAL(IMAD)}},
    {0x025,
     SASS_IMAD_WIDE,
     "IMAD",
     "Dd p0 Ra Kb Lc X0",
     SASS_ROW_X,
     {ALWAYS("WIDE"), U32_73, FLAG(74, "X")}},
    {0x026,
     SASS_IDP,
     "IDP",
     "Rd Ra Rb Ic",
     0,
     {FIELD(76, 2, "4A", "2A.LO", "INVALID2", "2A.HI"), SPECIAL(IDP), FIELD(74, 1, "U8", "S8")}},
    {0x027,
     SASS_IMAD_HI,
     "IMAD",
     "Rd p0 Ra Kb Lc X0",
     SASS_ROW_X,
     {ALWAYS("HI"), U32_73, FLAG(74, "X")}},
    {0x028, SASS_DMUL, "DMUL", "Dd Da Db", 0, {ROUND}},
    {0x029, SASS_DADD, "DADD", "Dd Da Dc", 0, {ROUND}},
    {0x02a, SASS_DSETP, "DSETP", "P0 P1 Da DB Q0", 0, {DCMP, BOOL_OP}},
    {0x02b, SASS_DFMA, "DFMA", "Dd Da Db Dc", 0, {ROUND}},
    {0x030, SASS_HADD2, "HADD2", "Rd Ha HB", 0, {FLAG(78, "F32"), FTZ, SAT}},
    {0x031, SASS_HFMA2, "HFMA2", "Rd Ha Hb Hc", 0, {FLAG(78, "F32"), DENORM, SAT}},
    {0x032, SASS_HMUL2, "HMUL2", "Rd Ha Hb", 0, {FLAG(78, "F32"), DENORM, SAT}},
    {0x033, SASS_HSET2, "HSET2", "Rd Ha HB Q0", 0, {FLAG(71, "BF"), FCMP, FTZ, BOOL_OPH}},
    {0x034, SASS_HSETP2, "HSETP2", "P0 P1 Ha HB Q0", 0, {FCMP, FTZ, FLAG(71, "H_AND"), BOOL_OPH}},
    {0x035, SASS_HFMA2, "HFMA2", "Rd Ha Hb Hc", 0, {ALWAYS("MMA"), FTZ, SAT}},
    {0x036,
     SASS_HMMA884,
     "HMMA",
     "Vm Ma Mb Mc",
     0,
     {ALWAYS("884"), FIELD(76, 1, "F16", "F32"), FIELD(78, 1, "F16", "F32"),
      FIELD(79, 2, "STEP0", "STEP1", "STEP2", "STEP3"), FLAG(77, "!SATFINITE")}},
    {0x037, SASS_IMMA, "IMMA", "Dd Ra Rb Lc", 0, {SPECIAL(IMMA), FLAG(82, "SAT")}},
    {0x038,
     SASS_I2I,
     "I2I",
     "Rd Kb",
     0,
     {FIELD(76, 2, "U8", "S8", "U16", "S16"), ALWAYS("S32"), ALWAYS("SAT")}},
    {0x039, SASS_I2IP, "I2IP", "Rd Ka Kb Ec", 0, {SPECIAL(I2IP), ALWAYS("S32"), ALWAYS("SAT")}},
    {0x03a,
     SASS_MOVM,
     "MOVM",
     "Rd Ra",
     0,
     {MATRIX_BITS, FIELD(78, 2, "MT88", "M832", "M864", "INVALID3")}},
    {0x03b,
     SASS_LDSM,
     "LDSM",
     "Nd Ms",
     0,
     {MATRIX_BITS, FIELD(78, 2, "M88", "MT88", "!M816", "!M832"),
      FIELD(72, 2, NULL, "2", "4", "INVALID3")}},
    {0x03c,
     SASS_HMMA1688,
     "HMMA",
     "Vm Ma Mb Mc",
     0,
     {SPECIAL(HMMA), FIELD(76, 1, "F16", "F32"), FLAG(77, "!SATFINITE")}},
    {0x03d,
     SASS_BMMA,
     "BMMA",
     "Dd Ra Rb Lc",
     0,
     {FIELD(75, 2, "88128", "???1", "???2", "???3"), FIELD(77, 1, "XOR", "???1"),
      FIELD(80, 1, "???0", "POPC")}},
    {0x03e, SASS_F2FP, "F2FP", "Rd Ra Rb", 0, {ALWAYS("PACK_AB")}},
    {0x082, SASS_MOV, "UMOV", "Rd Rb", SASS_ROW_UNIFORM | SASS_ROW_UGUARD, {{0}}},
    {0x083,
     SASS_P2R,
     "UP2UR",
     "Rd Pr Ra Rb",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD,
     {FIELD(76, 2, NULL, "B1", "B2", "B3")}},
    {0x084, SASS_R2P, "UR2UP", "Pr Ra Bm", SASS_ROW_UNIFORM | SASS_ROW_UGUARD, {{0}}},
    {0x086, SASS_VOTE, "VOTEU", "ud U0 Q0", 0, {FIELD(72, 2, "ALL", "ANY", "EQ", "INVALID3")}},
    {0x087, SASS_SEL, "USEL", "Rd Ra Rb Q0", SASS_ROW_UNIFORM | SASS_ROW_UGUARD, {{0}}},
    {0x08c,
     SASS_ISETP,
     "UISETP",
     "P0 P1 Ra Kb Q0 E2",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD | SASS_ROW_EX,
     {ICMP, U32_73, BOOL_OP, FLAG(72, "EX")}},
    {0x090,
     SASS_IADD3,
     "UIADD3",
     "Rd p0 p1 Ia Ib Ic X0 X1",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD | SASS_ROW_X,
     {FLAG(74, "X")}},
    {0x091,
     SASS_LEA,
     "ULEA",
     "Rd p0 Ia Jb Lh Ls X0",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD | SASS_ROW_X,
     {FLAG(80, "HI"), FLAG(74, "X"), FLAG(73, "SX32")}},
    {0x092,
     SASS_LOP3,
     "ULOP3",
     "p0 Rd Ra Rb Rc Lu Q0",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD,
     {ALWAYS("LUT"), FLAG(80, "PAND")}},
    {0x096,
     SASS_PRMT,
     "UPRMT",
     "Rd Ra Rb Rc",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD,
     {FLAG(72, "???1")}},
    {0x099,
     SASS_SHF,
     "USHF",
     "Rd Ra Rb Rc",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD,
     {FIELD(76, 1, "L", "R"), FLAG(75, "W"), SHIFT_TYPE, FLAG(80, "HI")}},
    {0x09a,
     SASS_SGXT,
     "USGXT",
     "Rd Ra Rb",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD,
     {FLAG(75, "W"), U32_73}},
    {0x09b, SASS_BMSK, "UBMSK", "Rd Ra Rb", SASS_ROW_UNIFORM | SASS_ROW_UGUARD, {FLAG(75, "W")}},
    {0x09c,
     SASS_PLOP3,
     "UPLOP3",
     "P0 P1 Q0 Q1 Q2 Pl",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD,
     {ALWAYS("LUT")}},
    {0x0a4,
     SASS_IMAD,
     "UIMAD",
     "Rd Ra Kb Ic X0",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD | SASS_ROW_X,
     {FIELD(73, 1, "U32", NULL), FLAG(74, "X")}},
    {0x0a5,
     SASS_IMAD_WIDE,
     "UIMAD",
     "Dd p0 Ra Kb Lc X0",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD | SASS_ROW_X,
     {ALWAYS("WIDE"), U32_73, FLAG(74, "X")}},
    {0x0a7,
     SASS_IMAD_HI,
     "UIMAD",
     "Rd p0 Ra Kb Lc X0",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD | SASS_ROW_X,
     {ALWAYS("HI"), U32_73, FLAG(74, "X")}},
    {0x0b9,
     SASS_ULDC,
     "ULDC",
     "Nd Cz",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD | SASS_ROW_SIZE,
     {SIZE_CONST}},
    {0x0bb,
     SASS_ULDC_UR,
     "ULDC",
     "Nd Cu",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD | SASS_ROW_SIZE,
     {SIZE_CONST}},
    {0x0bd,
     SASS_FLO,
     "UFLO",
     "Rd p0 nb",
     SASS_ROW_UNIFORM | SASS_ROW_UGUARD,
     {U32_73, FLAG(74, "SH")}},
    {0x0be, SASS_BREV, "UBREV", "Rd Rb", SASS_ROW_UNIFORM | SASS_ROW_UGUARD, {{0}}},
    {0x0bf, SASS_POPC, "UPOPC", "Rd nb", SASS_ROW_UNIFORM | SASS_ROW_UGUARD, {{0}}},
    {0x100, SASS_FLO, "FLO", "Rd p0 nb", 0, {U32_73, FLAG(74, "SH")}},
    {0x101, SASS_BREV, "BREV", "Rd Rb", 0, {{0}}},
    {0x102, SASS_FCHK, "FCHK", "P0 Fa Fb", 0, {{0}}},
    {0x104, SASS_F2F, "F2F", "Rd Fs", 0, {FTZ, SPECIAL(F2F), ROUND}},
    {0x105, SASS_F2I, "F2I", "Rd Fs", 0, {FTZ, SPECIAL(F2I), ROUND_I, FLAG(77, "NTZ")}},
    {0x106, SASS_I2F, "I2F", "Rd Is", 0, {SPECIAL(I2F), ROUND}},
    {0x107, SASS_FRND, "FRND", "Rd Fs", 0, {FTZ, SPECIAL(FRND), ROUND_I}},
    {0x108,
     SASS_MUFU,
     "MUFU",
     "Rd Fb",
     0,
     {FIELD(74, 4, "COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH",
            "INVALID10", "INVALID11", "INVALID12", "INVALID13", "INVALID14", "INVALID15"),
      FLAG(73, "!F16")}},
    {0x109, SASS_POPC, "POPC", "Rd nb", 0, {{0}}},
    {0x110, SASS_F2F, "F2F", "Zd Fs", 0, {FTZ, SPECIAL(F2F), ROUND}},
    {0x111, SASS_F2I, "F2I", "Zd Fs", 0, {FTZ, SPECIAL(F2I), ROUND_I, FLAG(77, "NTZ")}},
    {0x112, SASS_I2F, "I2F", "Zd Is", 0, {SPECIAL(I2F), ROUND}},
    {0x113, SASS_FRND, "FRND", "Zd Fs", 0, {FTZ, SPECIAL(FRND), ROUND_I}},
    {0x118, SASS_NOP, "NOP", "", 0, {{0}}},
    {0x119, SASS_S2R, "S2R", "Rd Sr", 0, {{0}}},
    {0x11a, SASS_DEPBAR, "DEPBAR", "Sb", 0, {FLAG(47, "LE")}},
    {0x11c, SASS_B2R, "B2R", "Rd R0 Br", 0, {FIELD(78, 2, NULL, "RESULT", "!WARP", "INVALID3")}},
    {0x11d,
     SASS_BAR,
     "BAR",
     "Bi Bc Qr",
     0,
     {FIELD(77, 2, "SYNC", "ARV", "RED", "SCAN"), SPECIAL(BAR), FLAG(80, "DEFER_BLOCKING")}},
    {0x141, SASS_BSYNC, "BSYNC", "q0 Bd", 0, {{0}}},
    {0x142, SASS_BREAK, "BREAK", "q0 Bd", 0, {{0}}},
    {0x143, SASS_CALL_ABS, "CALL", "q0 Wc", 0, {ALWAYS("ABS"), FLAG(86, "NOINC")}},
    {0x144, SASS_CALL_REL, "CALL", "q0 Wr Tl", 0, {ALWAYS("REL"), FLAG(86, "NOINC")}},
    {0x145, SASS_BSSY, "BSSY", "q0 Bd Ts", 0, {{0}}},
    {0x146, SASS_YIELD, "YIELD", "q0", 0, {{0}}},
    {0x147, SASS_BRA, "BRA", "q0 Tl", 0, {FIELD(32, 2, NULL, "U", "DIV", "CONV"), DEPTH}},
    {0x148, SASS_WARPSYNC, "WARPSYNC", "q0 Rb", 0, {{0}}},
    {0x149, SASS_BRX, "BRX", "q0 Wa To", 0, {DEPTH}},
    {0x14d,
     SASS_EXIT,
     "EXIT",
     "q0",
     0,
     {FIELD(84, 2, NULL, "!KEEPREFCOUNT", "!PREEMPTED", "INVALID3"), FLAG(86, "!NO_ATEXIT")}},
    {0x14e, SASS_LEPC, "LEPC", "Dd", 0, {{0}}},
    {0x150, SASS_RET, "RET", "q0 Wa Tl", 0, {FIELD(85, 1, "REL", "ABS"), FLAG(86, "NODEC")}},
    {0x155, SASS_BMOV_R, "BMOV", "Rd Ba", 0, {ALWAYS("32"), FLAG(84, "CLEAR")}},
    {0x156, SASS_BMOV_B, "BMOV", "Ba Rb", 0, {ALWAYS("32"), FLAG(84, "!PQUAD")}},
    {0x15b, SASS_KILL, "KILL", "q0", 0, {{0}}},
    {0x15c,
     SASS_BPT,
     "BPT",
     "Bn",
     0,
     {FIELD(84, 3, "DRAIN", "CAL", "PAUSE", "TRAP", "INT", "INVALID5", "INVALID6", "INVALID7")}},
    {0x15d, SASS_NANOSLEEP, "NANOSLEEP", "q0 Rb", 0, {FLAG(85, "WARP")}},
    {0x160, SASS_TEX, "TEX", "p0 Xt", 0, {SCR, F16, TEX_LEVEL, AOFFI, NDV, DC, EVICT, NODEP}},
    {0x161,
     SASS_TEX,
     "TEX",
     "p0 Xt",
     0,
     {SCR, BINDLESS, F16, TEX_LEVEL, AOFFI, NDV, DC, EVICT, NODEP}},
    {0x163, SASS_TLD4, "TLD4", "p0 Xt", 0, {SCR, GATHER, F16, AOFFI, PTP, DC, EVICT, NODEP}},
    {0x164,
     SASS_TLD4,
     "TLD4",
     "p0 Xt",
     0,
     {SCR, GATHER, BINDLESS, F16, AOFFI, PTP, DC, EVICT, NODEP}},
    {0x166, SASS_TLD, "TLD", "p0 Xt", 0, {SCR, F16, TLD_LEVEL, AOFFI, CL, MS, EVICT, NODEP}},
    {0x167,
     SASS_TLD,
     "TLD",
     "p0 Xt",
     0,
     {SCR, BINDLESS, F16, TLD_LEVEL, AOFFI, CL, MS, EVICT, NODEP}},
    {0x16c, SASS_TXD, "TXD", "p0 Xt", 0, {F16, AOFFI, EVICT, FLAG(87, "LC"), NODEP}},
    {0x16d, SASS_TXD, "TXD", "p0 Xt", 0, {BINDLESS, F16, AOFFI, EVICT, FLAG(87, "LC"), NODEP}},
    {0x16f, SASS_TXQ, "TXQ", "Xt", 0, {NODEP}},
    {0x170, SASS_TXQ, "TXQ", "Xt", 0, {BINDLESS, NODEP}},
    {0x180,
     SASS_LD,
     "LD",
     "y0 Nd Mg z0",
     SASS_ROW_SIZE,
     {E72, EVICT, PREFETCH, SIZE_LOAD, ORDER, SCOPE, PRIVATE, ZD}},
    {0x181,
     SASS_LDG,
     "LDG",
     "y0 Nd Mg z0",
     SASS_ROW_SIZE,
     {E72, EVICT, PREFETCH, SIZE_LOAD, ORDER, SCOPE, PRIVATE, ZD}},
    {0x182,
     SASS_LDC,
     "LDC",
     "Nd Cl",
     SASS_ROW_SIZE,
     {SIZE_CONST, FIELD(78, 2, NULL, "IL", "IS", "ISL")}},
    {0x183, SASS_LDL, "LDL", "Nd Ml", SASS_ROW_SIZE, {EVICT, SIZE}},
    {0x184, SASS_LDS, "LDS", "y0 Nd Ms", SASS_ROW_SIZE, {FLAG(76, "U"), SIZE, ZD}},
    {0x185,
     SASS_ST,
     "ST",
     "Mg Nb",
     SASS_ROW_SIZE,
     {E72, EVICT, SIZE_STORE, ORDER_STORE, SCOPE, PRIVATE}},
    {0x186,
     SASS_STG,
     "STG",
     "Mg Nb",
     SASS_ROW_SIZE,
     {E72, EVICT, SIZE_STORE, ORDER_STORE, SCOPE, PRIVATE}},
    {0x187, SASS_STL, "STL", "Ml Nb", SASS_ROW_SIZE, {EVICT, SIZE}},
    {0x188, SASS_STS, "STS", "Ms Nb", SASS_ROW_SIZE, {SIZE}},
    {0x189, SASS_SHFL, "SHFL", "P0 Rd Ra Hl Hm", 0, {FIELD(58, 2, "IDX", "UP", "DOWN", "BFLY")}},
    {0x18a,
     SASS_ATOM,
     "ATOM",
     "P0 Nd Mg Nb",
     SASS_ROW_ATOM,
     {E72, ATOM_OP("INVALID9"), EVICT, ATOM_TYPE, ORDER_ATOM, SCOPE, PRIVATE}},
    {0x18b,
     SASS_ATOM_CAS,
     "ATOM",
     "P0 Nd Mg Nb Nc",
     SASS_ROW_ATOM,
     {E72, CAS, EVICT, CAS_TYPE, ORDER_ATOM, SCOPE, PRIVATE}},
    {0x18c, SASS_ATOMS, "ATOMS", "Nd Ms Nb", SASS_ROW_ATOM, {ATOM_OP("INVALID9"), ATOMS_TYPE}},
    {0x18d,
     SASS_ATOMS_CAS,
     "ATOMS",
     "Nd Ms Nb Nc",
     SASS_ROW_ATOM,
     {FIELD(87, 2, "CAS", "CAST", "CAS", "CAST.SPIN"), ATOMS_TYPE}},
    {0x18e,
     SASS_RED,
     "RED",
     "Mg Nb",
     SASS_ROW_ATOM,
     {E72, RED_OP, EVICT, ATOM_TYPE, ORDER_ATOM, SCOPE, PRIVATE}},
    {0x18f,
     SASS_CCTL,
     "CCTL",
     "Mg",
     0,
     {E72, FIELD(78, 3, NULL, "U", "C", "???3", "???4", "???5", "???6", "???7"),
      FIELD(87, 4, "PF1", "PF2", "WB", "IV", "IVALL", "RS", "IVALLP", "WBALL", "WBALLP", "INVALID9",
            "INVALID10", "INVALID11", "INVALID12", "INVALID13", "INVALID14", "INVALID15")}},
    {0x192,
     SASS_MEMBAR,
     "MEMBAR",
     "",
     0,
     {FIELD(79, 2, "SC", "ALL", NULL, "INVALID3"),
      FIELD(76, 3, "CTA", "SM", "GPU", "SYS", "INVALID4", "VC", "INVALID6", "INVALID7"),
      FLAG(72, "MMIO")}},
    {0x199, SASS_SULD, "SULD", "p0 Xt", SASS_ROW_SIZE, {SURFACE}},
    {0x19a, SASS_SULD, "SULD", "p0 Xt", SASS_ROW_SIZE, {SURFACE}},
    {0x19b,
     SASS_SUST_P,
     "SUST",
     "Xt",
     0,
     {ALWAYS("P"), SURFACE_DIM, EVICT, ORDER_STORE, SCOPE, PRIVATE, MASK, OUTSIDE}},
    {0x19c,
     SASS_SUST_P,
     "SUST",
     "Xt",
     0,
     {ALWAYS("P"), SURFACE_DIM, EVICT, ORDER_STORE, SCOPE, PRIVATE, MASK, OUTSIDE}},
    {0x19d, SASS_SUST, "SUST", "Xt", SASS_ROW_SIZE, {SURFACE}},
    {0x19e, SASS_SUST, "SUST", "Xt", SASS_ROW_SIZE, {SURFACE}},
    {0x1a1, SASS_MATCH, "MATCH", "M0 Rd Ya", 0, {FIELD(79, 1, "ALL", "ANY"), FLAG(73, "U64")}},
    {0x1a8,
     SASS_ATOMG,
     "ATOMG",
     "P0 Nd Mg Nb",
     SASS_ROW_ATOM,
     {E72, ATOM_OP("SAFEADD"), EVICT, ATOM_TYPE, ORDER_ATOM, SCOPE, PRIVATE}},
    {0x1a9,
     SASS_ATOMG_CAS,
     "ATOMG",
     "P0 Nd Mg Nb Nc",
     SASS_ROW_ATOM,
     {E72, ALWAYS("CAS"), EVICT, CAS_TYPE, ORDER_ATOM, SCOPE, PRIVATE}},
    {0x1aa, SASS_QSPC, "QSPC", "P0 Rd Mg", 0, {E72, FIELD(73, 2, "G", "L", "S", "INVALID3")}},
    {0x1ab, SASS_ERRBAR, "ERRBAR", "", 0, {{0}}},
    {0x1c2, SASS_R2UR, "R2UR", "R0 Ud Ra", 0, {FLAG(84, "!OR")}},
    {0x1c3, SASS_S2R, "S2UR", "Ud Sr", SASS_ROW_UGUARD, {{0}}},
};

const sass_row_t *sass_find_row(uint64_t lo)
{
    uint16_t code = lo & 0x1ff;
    size_t low = 0, high = sizeof(rows) / sizeof(rows[0]);

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle].code == code)
            return &rows[middle];
        if (rows[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
