/* Proposes settings of a configuration from the tables of a card (rubato config fit). */
#ifndef RUBATO_SILICON_CARD_FIT_H
#define RUBATO_SILICON_CARD_FIT_H

#include <stdbool.h>
#include <stdio.h>

#include "frontend/tool/silicon/card_tables_read.h"
#include "include/rubato.h"

typedef struct {
    char key[48];
    char base[512]; /* the base's value */
    char value[512];
    char source[200]; /* the rows and the computation, or why there is no value */
    bool proposed;    /* false: the base's value stays */
} fit_setting_t;

typedef struct {
    fit_setting_t *settings;
    size_t n, cap;
    const card_tables_t *tables; /* borrowed */
} card_fit_t;

/*
 * Computes each setting that a row determines; for the others says what is missing.
 * base: the configuration to start from; it is left with the proposed values. simulated: tables of the same
 * program in a simulation of the base, or NULL. With them a latency is the base's value plus what
 * the card takes longer than the simulation; otherwise the base's other latencies on the way are
 * subtracted. RB_USAGE. The caller frees f with card_fit_free().
 */
RB_CHECKED rb_code_t card_fit(card_fit_t *f, rubato_config *base, const card_tables_t *tables,
                              const card_tables_t *simulated, rb_err_t *err);
void card_fit_free(card_fit_t *f);

/* Writes the proposed values as a configuration that inherits base, a name or a path. */
void card_fit_write(const card_fit_t *f, const char *base, FILE *out);

/* Lists all settings, the values before and after, and their rows. */
void card_fit_print(const card_fit_t *f, FILE *out);

#endif
