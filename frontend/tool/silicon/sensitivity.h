/*
 * What the guessed settings of a configuration decide: the suite is run again with each of them moved.
 * A number is halved and doubled within what the setting allows (0 becomes 1), a choice takes each
 * other value. Text, lists and paths are not moved.
 */
#ifndef RUBATO_HARDWARE_SENSITIVITY_H
#define RUBATO_HARDWARE_SENSITIVITY_H

#include "frontend/tool/silicon/validation.h"

/* A row that a moved setting changes. Errors are those of its rows, see validation_row_t. */
typedef struct {
    size_t row; /* of the validation without changes */
    double error_before, error_after;
    verdict_t before, after;
} sensitivity_change_t;

/* One guess at one other value. */
typedef struct {
    const char *key;               /* borrowed: "l2.latency" */
    char *value, *moved;           /* owned: "65", "130" */
    char *refused;                 /* owned; why the model cannot have this value; NULL: it can */
    sensitivity_change_t *changes; /* owned */
    size_t n, cap;
} sensitivity_move_t;

typedef struct {
    validation_t base;         /* without changes */
    sensitivity_move_t *moves; /* owned, in the order of the guesses */
    size_t n, cap;
} sensitivity_t;

/* A row is changed if a simulated value of it moves by more than this fraction. */
#define SENSITIVITY_CHANGE 0.01

/* Runs the suite once, and once for each move. RB_USAGE if no test is wanted. */
RB_CHECKED rb_code_t sensitivity_run(sensitivity_t *s, const suite_t *suite,
                                     const validation_options_t *o, rb_err_t *err);
void sensitivity_free(sensitivity_t *s);

/* Whether a guess changes no row, with any of its values. */
bool sensitivity_decides_nothing(const sensitivity_t *s, const char *key);

/* Output for people, and a row per change. */
void sensitivity_print(const sensitivity_t *s, FILE *out);
void sensitivity_write_csv(const sensitivity_t *s, size_t n, FILE *out);

#endif
