/*
 * A streaming JSON writer (RFC 8259). It takes care of commas, indentation and escaping. It does
 * not report write errors: check ferror() at the end.
 */
#ifndef RUBATO_CORE_JSON_WRITE_H
#define RUBATO_CORE_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_MAX_DEPTH = 16 };

typedef struct {
    FILE *out;
    unsigned depth;
    bool used[JSON_MAX_DEPTH];    /* the container at this depth has a member */
    bool inline_[JSON_MAX_DEPTH]; /* it is written on one line */
    char close[JSON_MAX_DEPTH];
} json_t;

void json_init(json_t *j, FILE *out);

/* key: name of the member; NULL inside an array and for the outermost value. */
void json_begin_object(json_t *j, const char *key);
void json_begin_array(json_t *j, const char *key); /* its members on one line */
void json_begin_rows(json_t *j, const char *key);  /* an array with one member per line */
void json_end(json_t *j);

void json_u64(json_t *j, const char *key, uint64_t v);
void json_u32s(json_t *j, const char *key, const uint32_t *v, size_t n); /* an array */
void json_f64(json_t *j, const char *key, double v); /* 17 digits; null if not finite */
void json_bool(json_t *j, const char *key, bool v);
void json_null(json_t *j, const char *key);

/* Any bytes up to the NUL; what is not valid UTF-8 becomes U+FFFD. NULL is written as null. */
void json_text(json_t *j, const char *key, const char *v);

#endif
