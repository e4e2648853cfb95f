/* Tables of a card: the folder of bench/card (measured.csv, card.csv), see docs/card.md. */
#ifndef RUBATO_SILICON_CARD_TABLES_READ_H
#define RUBATO_SILICON_CARD_TABLES_READ_H

#include <stddef.h>

#include "sim/core/err.h"

/* What was measured at one point of a test: the median of the repeats, and their range. */
typedef struct {
    char *test; /* owned */
    double x, value, low, high;
    double repeats;
} card_row_t;

/* What the driver reports: "sms", "80". */
typedef struct {
    char *key, *value; /* owned */
} card_fact_t;

typedef struct {
    char *folder; /* owned */
    card_row_t *rows;
    size_t n_rows, cap_rows;
    card_fact_t *facts;
    size_t n_facts, cap_facts;
} card_tables_t;

/* RB_TRACE with file and line; RB_IO. The caller frees t, also after an error. */
RB_CHECKED rb_code_t card_tables_read(card_tables_t *t, const char *folder, rb_err_t *err);
void card_tables_free(card_tables_t *t);

/* NULL: there is none. */
const card_row_t *card_tables_find(const card_tables_t *t, const char *test, double x);
const char *card_tables_fact(const card_tables_t *t, const char *key);

#endif
