/*
 * Numbers of a profile. Most have a few digits and are parsed without the C library; the others
 * (exponents, many digits, thousands separators) take the slow path.
 */
#ifndef RUBATO_PROFILE_NUMBER_H
#define RUBATO_PROFILE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

extern const double profile_pow10[23];

/*
 * Parses any number: sign, exponent, "1,234,567.8", surrounding blanks, "nan". False if the text is
 * not a number.
 */
bool profile_number_slow(const char *s, uint32_t len, double *out);

/* Like profile_number_slow(); the result is the double nearest to the text. */
static inline bool profile_number(const char *s, uint32_t len, double *out)
{
    enum { DIGITS_EXACT = 15 }; /* below 2^53; 10^22 is exact as well */
    uint64_t v = 0;
    uint32_t i = 0, fraction = 0;

    if (__builtin_expect(len == 0 || len > DIGITS_EXACT + 1, 0))
        return profile_number_slow(s, len, out);
    for (; i < len && (unsigned)(s[i] - '0') <= 9; i++)
        v = v * 10 + (uint64_t)(s[i] - '0');
    if (i == len && i <= DIGITS_EXACT) {
        *out = (double)v;
        return true;
    }
    if (i == 0 || i == len || s[i] != '.')
        return profile_number_slow(s, len, out);
    for (i++; i < len && (unsigned)(s[i] - '0') <= 9; i++, fraction++)
        v = v * 10 + (uint64_t)(s[i] - '0');
    if (i < len)
        return profile_number_slow(s, len, out);
    *out = (double)v / profile_pow10[fraction];
    return true;
}

#endif
