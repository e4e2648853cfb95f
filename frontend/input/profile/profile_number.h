/*
 * Numbers of a profile. Most have a few digits: they are read without the C library; the rest
 * (exponents, many digits, thousands separators) the slow way.
 */
#ifndef RUBATO_PROFILE_NUMBER_H
#define RUBATO_PROFILE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

extern const double profile_pow10[23];

/*
 * Any number: sign, exponent, "1,234,567.8", blanks around it, "nan". False if the text is none.
 */
bool profile_number_slow(const char *s, uint32_t len, double *out);

/* As profile_number_slow(); the result is the double nearest to the text. */
static inline bool profile_number(const char *s, uint32_t len, double *out)
{
    enum { DIGITS_EXACT = 15 }; /* below 2^53, as is 10^22 */
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
