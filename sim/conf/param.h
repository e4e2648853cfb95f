/*
 * Parameters: declared once, in one X-macro list per module, which gives the struct, the table,
 * defaults, checks, help, the resolved file and the manual.
 *
 *   #define MEM_PARAMS(P, E, T)
 *       P(U32, partitions, "32",  1,   256,   "partitions", "DRAM channels")
 *       P(U32, interleave, "256", 128, 65536, "bytes", "consecutive bytes in one partition")
 *       E(hash, mem_hash_choices, "ipoly", "how addresses choose a partition and slice")
 *   PARAM_STRUCT(mem_spec_t, MEM_PARAMS);          // in the header
 *
 *   #define PARAM_SPEC_ mem_spec_t                 // in one .c file
 *   static const param_t mem_rows[] = {PARAM_ROWS(MEM_PARAMS)};
 *   #undef PARAM_SPEC_
 *   const param_group_t mem_param_group = PARAM_GROUP("mem", "memory", mem_spec_t, mem_rows);
 *
 * Keys are "<group>.<name>". P kinds: U32, U64, SIZE (uint64_t, written with units: "6MiB"), F64,
 * BOOL, SIZES (a list of sizes: param_sizes_t), PATH (text such as the name of a file:
 * param_path_t). E: uint32_t index into a list of choices. T: text, at most 63 characters.
 */
#ifndef RUBATO_CONF_PARAM_H
#define RUBATO_CONF_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARAM_TEXT_MAX = 64, PARAM_PATH_MAX = 240, PARAM_SIZES_MAX = 16 };

typedef struct {
    uint32_t n;
    uint64_t v[PARAM_SIZES_MAX];
} param_sizes_t;

typedef struct {
    char text[PARAM_PATH_MAX];
} param_path_t;

typedef enum {
    PARAM_TYPE_U32,
    PARAM_TYPE_U64,
    PARAM_TYPE_SIZE,
    PARAM_TYPE_F64,
    PARAM_TYPE_BOOL,
    PARAM_TYPE_ENUM,
    PARAM_TYPE_TEXT,
    PARAM_TYPE_PATH,
    PARAM_TYPE_SIZES,
} param_type_t;

/* One value that an ENUM setting may have. help is NULL if the setting's own help explains it.
 * Lists end with a NULL name. */
typedef struct {
    const char *name, *help;
} param_choice_t;

typedef struct {
    const char *name;
    param_type_t type;
    size_t offset;   /* in the spec struct */
    const char *def; /* default, as text */
    double min, max; /* inclusive range (of each element of SIZES) */
    const char *unit, *help;
    const param_choice_t *choices; /* ENUM */
} param_t;

/* What a choice of the setting "variant" gives another setting that nobody has set. Lists end with a
 * NULL choice. */
typedef struct {
    const char *choice, *name, *value;
    const char *source; /* what the value follows: a section of a paper, or a file */
} param_preset_t;

typedef struct {
    const char *name, *help; /* "l2", "level-2 cache" */
    size_t spec_size;
    const param_t *params;
    size_t n_params;
    const param_preset_t *presets; /* NULL: none */
} param_group_t;

#define PARAM_CTYPE_U32   uint32_t
#define PARAM_CTYPE_U64   uint64_t
#define PARAM_CTYPE_SIZE  uint64_t
#define PARAM_CTYPE_F64   double
#define PARAM_CTYPE_BOOL  bool
#define PARAM_CTYPE_SIZES param_sizes_t
#define PARAM_CTYPE_PATH  param_path_t

/* P(kind, field, default, min, max, unit, help); E(field, choices, default, help) */
#define PARAM_FIELD_P_(kind, field, def, lo, hi, unit, help) PARAM_CTYPE_##kind field;
#define PARAM_FIELD_E_(field, choices, def, help)            uint32_t field;
#define PARAM_FIELD_T_(field, def, help)                     char field[PARAM_TEXT_MAX];
#define PARAM_STRUCT(type, LIST)                                                                   \
    typedef struct {                                                                               \
        LIST(PARAM_FIELD_P_, PARAM_FIELD_E_, PARAM_FIELD_T_)                                       \
    } type

#define PARAM_ROW_P_(kind, field, def, lo, hi, unit, help)                                         \
    {#field,                                                                                       \
     PARAM_TYPE_##kind,                                                                            \
     offsetof(PARAM_SPEC_, field),                                                                 \
     def,                                                                                          \
     (double)(lo),                                                                                 \
     (double)(hi),                                                                                 \
     unit,                                                                                         \
     help,                                                                                         \
     NULL},
#define PARAM_ROW_E_(field, choices, def, help)                                                    \
    {#field, PARAM_TYPE_ENUM, offsetof(PARAM_SPEC_, field), def, 0, 0, "", help, choices},
#define PARAM_ROW_T_(field, def, help)                                                             \
    {#field, PARAM_TYPE_TEXT, offsetof(PARAM_SPEC_, field), def, 0, 0, "", help, NULL},
#define PARAM_ROWS(LIST) LIST(PARAM_ROW_P_, PARAM_ROW_E_, PARAM_ROW_T_)
#define PARAM_GROUP(name, help, type, rows)                                                        \
    {                                                                                              \
        name, help, sizeof(type), rows, sizeof(rows) / sizeof((rows)[0]), NULL                     \
    }
#define PARAM_GROUP_VARIANTS(name, help, type, rows, presets)                                      \
    {                                                                                              \
        name, help, sizeof(type), rows, sizeof(rows) / sizeof((rows)[0]), presets                  \
    }

#endif
