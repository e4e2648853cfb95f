/*
 * Converts parameter values from text or a config file into a spec struct, with checks, and
 * back.
 */
#ifndef RUBATO_CONF_PARAM_VALUE_H
#define RUBATO_CONF_PARAM_VALUE_H

#include "sim/conf/param.h"
#include "sim/core/err.h"

enum { PARAM_VALUE_TEXT = 512 }; /* room for any value as text, quotes and escapes included */

/* A value of a config file or a command line, before its type is checked. */
typedef enum {
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_BOOL,
    VALUE_STRING, /* a string of a config file: text, a name, or a number with its unit */
    VALUE_WORD,   /* text of a command line: any type */
    VALUE_LIST,
} value_kind_t;

typedef struct value {
    value_kind_t kind;
    int64_t i;
    double f;
    bool b;
    char *s;            /* owned: STRING, WORD */
    struct value *item; /* owned: LIST */
    size_t n;
} value_t;

void value_free(value_t *v);

/* Stores v in the field of p in spec. On failure the field is unchanged, the result is false and
 * why says what is wrong and what is allowed ("must be 1 to 64 ways, not 99"). */
bool param_assign(const param_t *p, const value_t *v, void *spec, char *why, size_t size);

/* Fills spec with the defaults of the table. */
void param_group_defaults(const param_group_t *group, void *spec);

/* Gives the parameters that are not `given` (by number; NULL: none is) what the group's presets say
 * for its variant; the others that presets name get their defaults. */
void param_group_preset(const param_group_t *group, void *spec, const bool *given);

/* The value as a config file would write it: 24, "6MiB", [ "0", "8KiB" ], 850.0, true, "lru". */
void param_format(const param_t *p, const void *spec, char text[PARAM_VALUE_TEXT]);

/* The allowed values: "1 to 64 ways", "lru | random", "true | false", "text of at most 63
 * characters". */
void param_range(const param_t *p, char text[PARAM_VALUE_TEXT]);

/* "6MiB": in the largest binary unit that divides n. */
void size_format(uint64_t n, char text[32]);

/* Reads "6MiB", "1.5 MiB", "96K", "4096". NULL on success, else what is wrong. */
const char *size_parse(const char *text, uint64_t *n);

const param_t *param_find(const param_group_t *group, const char *name);

#endif
