/* "Did you mean": finds the known word nearest to a mistyped one. */
#ifndef RUBATO_CONF_SUGGEST_H
#define RUBATO_CONF_SUGGEST_H

#include <stddef.h>

/* Keeps the best of the words offered so far. */
typedef struct {
    const char *wanted;
    const char *best; /* borrowed from the caller of suggest_offer(); NULL: no word is near */
    size_t distance;
} suggest_t;

void suggest_begin(suggest_t *s, const char *wanted);

/* word must live as long as s->best is used. */
void suggest_offer(suggest_t *s, const char *word);

#endif
