/* Values of Nsight Compute as text: numbers of either decimal mark, and their units. */
#ifndef RUBATO_HARDWARE_UNIT_H
#define RUBATO_HARDWARE_UNIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The factor that makes a value plain: 0.01 for "%", 1e-9 for "nsecond", 1e3 for "Ksector", 1e9 for
 * "cycle/nsecond". False if the unit is not known. An empty unit is 1.
 */
bool hardware_unit(const char *unit, double *scale);

/* A number read with a decimal point and with a decimal comma; NAN: it is none in that reading. */
typedef struct {
    double point, comma;
    const char *rest; /* what follows the number, without blanks: a unit, or "" */
} hardware_number_t;

/*
 * Reads a number with thousands separators ("1,234.5", "1.234,5", "1 234,5", "1'234.5"). False if the
 * text does not begin with one. The values of instances in parentheses behind it are left out.
 */
bool hardware_number(const char *text, hardware_number_t *out);

#endif
