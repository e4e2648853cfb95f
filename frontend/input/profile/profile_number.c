#include "frontend/input/profile/profile_number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* All of these are exact. */
const double profile_pow10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/*
 * Copies a number without its thousands separators. False if a separator does not separate groups
 * of three digits: it may be a decimal comma.
 */
static bool without_separators(const char *s, uint32_t len, char *text)
{
    uint32_t n = 0, since = 0, digits = 0;
    bool separated = false, whole = true;
    for (uint32_t i = 0; i < len; i++) {
        if (s[i] == ',') {
            if (!whole || digits == 0 || (separated ? since != 3 : since > 3))
                return false;
            separated = true;
            since = 0;
            continue;
        }
        if (isdigit((unsigned char)s[i])) {
            digits++;
            since++;
        } else if (whole && digits > 0) {
            whole = false;
            if (separated && since != 3)
                return false;
        }
        text[n++] = s[i];
    }
    text[n] = '\0';
    return !(whole && separated && since != 3);
}

bool profile_number_slow(const char *s, uint32_t len, double *out)
{
    enum { LONGEST = 63 };
    char text[LONGEST + 1], *end;
    while (len > 0 && (*s == ' ' || *s == '\t')) {
        s++;
        len--;
    }
    while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t'))
        len--;
    if (len == 0 || len > LONGEST || !without_separators(s, len, text))
        return false;
    /* strtod() also accepts hexadecimal numbers and words; only "nan" and "inf" are allowed
     * here. */
    const char *digits = text + (*text == '-' || *text == '+');
    if (strcasecmp(digits, "nan") != 0 && strcasecmp(digits, "inf") != 0 &&
        digits[strspn(digits, "0123456789.eE+-")] != '\0')
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && end != text;
}
