/*
 * The parts of a full mnemonic: "LDG.E.64" is LDG, then the modifiers E and 64. For the files of
 * this folder.
 */
#ifndef RUBATO_ISA_TEXT_H
#define RUBATO_ISA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A modifier; not terminated. */
typedef struct {
    const char *text;
    size_t len;
} isa_token_t;

static inline bool isa_token_is(isa_token_t token, const char *text)
{
    return token.len == strlen(text) && memcmp(token.text, text, token.len) == 0;
}

/* Length of the base mnemonic. */
static inline size_t isa_base_len(const char *text, size_t len)
{
    const char *dot = memchr(text, '.', len);

    return dot != NULL ? (size_t)(dot - text) : len;
}

/* The next modifier behind position *pos (start with isa_base_len()); false at the end. */
static inline bool isa_next_token(const char *text, size_t len, size_t *pos, isa_token_t *token)
{
    if (*pos >= len)
        return false;
    size_t begin = *pos + 1;

    *token = (isa_token_t){.text = text + begin, .len = isa_base_len(text + begin, len - begin)};
    *pos = begin + token->len;
    return true;
}

/* Whether the mnemonic has this modifier. */
static inline bool isa_has_token(const char *text, size_t len, const char *wanted)
{
    size_t pos = isa_base_len(text, len);
    isa_token_t token;

    while (isa_next_token(text, len, &pos, &token))
        if (isa_token_is(token, wanted))
            return true;
    return false;
}

/* Bytes per thread that a memory mnemonic states ("LDG.E.U8" 1, "LDS.U.128" 16, "ATOMG.ADD.F64" 8);
 * 0 if it states none (then they are 4). LDSM and STSM move one, two or four 8x8 matrices of 16-bit
 * elements, 4 bytes per thread each. */
unsigned isa_text_width(const char *text, size_t len);

#endif
