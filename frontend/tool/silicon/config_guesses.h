/* Settings of a configuration that have no source. */
#ifndef RUBATO_HARDWARE_CONFIG_GUESSES_H
#define RUBATO_HARDWARE_CONFIG_GUESSES_H

#include <stddef.h>

#include "sim/conf/conf.h"

typedef struct {
    char *key;  /* owned: "l2.mshr_merge" */
    char *text; /* owned; the line of the setting and its comment */
} config_guess_t;

typedef struct {
    config_guess_t *list; /* owned, in the order of the tables */
    size_t n, cap;
} config_guesses_t;

/* Finds the settings of c, after conf_apply(), whose line in the configuration contains "guess". */
void config_guesses_find(config_guesses_t *g, const conf_t *c);
void config_guesses_free(config_guesses_t *g);

#endif
