/*
 * Parses the words of a line. Every line ends in '
 * ', which no word contains: a loop over a word needs no other bound.
 */
#ifndef RUBATO_ACCELSIM_TEXT_H
#define RUBATO_ACCELSIM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Value of a hexadecimal digit, 16 for other characters. */
extern const uint8_t accelsim_hex[256];

static inline bool text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *text_skip_blanks(const char *p)
{
    while (text_is_blank(*p))
        p++;
    return p;
}

static inline const char *text_skip_word(const char *p)
{
    while (*p != '\n' && !text_is_blank(*p))
        p++;
    return p;
}

/* Length of the word at p, limited for use in a message. */
static inline int text_shown(const char *p)
{
    enum { SHOWN = 40 };
    size_t len = (size_t)(text_skip_word(p) - p);

    return len < SHOWN ? (int)len : SHOWN;
}

static inline const char *text_skip_line(const char *p)
{
    return (const char *)memchr(p, '\n', PTRDIFF_MAX / 2) + 1;
}

static inline bool text_starts(const char *p, const char *word)
{
    return strncmp(p, word, strlen(word)) == 0;
}

/* Whether register values follow (tracer version 6, or the store data of a fork). */
static inline bool text_is_values(const char *p)
{
    return text_starts(p, "NoVal") || text_starts(p, "Val") || text_starts(p, "STORE_DATA");
}

/* Whether only blanks are left in the line. */
static inline bool text_ends(const char *p)
{
    return *text_skip_blanks(p) == '\n';
}

/* Reads an unsigned decimal number at *p and moves past it; false without a digit or above 64
 * bits. */
static inline bool text_u64(const char **p, uint64_t *value)
{
    const char *s = *p;
    uint64_t v = 0;

    while ((unsigned)(*s - '0') <= 9) {
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return false;
        s++;
    }
    if (s == *p)
        return false;
    *p = s;
    *value = v;
    return true;
}

/* Reads a signed decimal number of at most 18 digits; longer ones are refused, not wrapped. */
static inline bool text_i64(const char **p, int64_t *value)
{
    const char *s = *p, *digits;
    bool negative = *s == '-';
    uint64_t v = 0;

    s += negative;
    digits = s;
    while ((unsigned)(*s - '0') <= 9)
        v = v * 10 + (uint64_t)(*s++ - '0');
    if (s == digits || s - digits > 18)
        return false;
    *p = s;
    *value = negative ? -(int64_t)v : (int64_t)v;
    return true;
}

/*
 * Like text_i64(), but fast for numbers of up to 7 digits: handles eight characters at once,
 * without a branch on the number of digits. Reads up to 9 characters from *p, whatever they are.
 */
static inline bool text_short_i64(const char **p, int64_t *value)
{
    const uint64_t zeros = 0x3030303030303030u, above_9 = 0x7676767676767676u;
    const uint64_t tops = 0x8080808080808080u, low_bytes = 0x000000ff000000ffu;
    const char *s = *p;
    bool negative = *s == '-';
    uint64_t v, other;

    s += negative;
    memcpy(&v, s, sizeof(v));
    v ^= zeros;
    other = ((v + above_9) | v) & tops; /* carries go upwards, so the lowest set bit is exact */
    unsigned digits = other != 0 ? (unsigned)__builtin_ctzll(other) / 8 : 8;

    if (__builtin_expect(digits - 1 > 6, 0))
        return text_i64(p, value);
    v <<= 8 * (8 - digits); /* leading zeros: the first character is the lowest byte */
    v = v * 10 + (v >> 8);
    v = ((v & low_bytes) * (100 + (1000000ull << 32)) +
         (v >> 16 & low_bytes) * (1 + (10000ull << 32))) >>
        32;
    *value = negative ? -(int64_t)v : (int64_t)v;
    *p = s + digits;
    return true;
}

/* Reads a hexadecimal number of at most max digits without prefix. */
static inline bool text_hex(const char **p, unsigned max, uint64_t *value)
{
    const char *s = *p;
    uint64_t v = 0;
    unsigned digit;

    while ((digit = accelsim_hex[(uint8_t)*s]) < 16) {
        v = v << 4 | digit;
        s++;
    }
    if (s == *p || s - *p > (long)max)
        return false;
    *p = s;
    *value = v;
    return true;
}

/* Reads 0x and at most 16 digits. */
static inline bool text_address(const char **p, uint64_t *value)
{
    if ((*p)[0] != '0' || (*p)[1] != 'x')
        return false;
    const char *s = *p + 2;

    if (!text_hex(&s, 16, value))
        return false;
    *p = s;
    return true;
}

#endif
