#include "sim/conf/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 64 };

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance (insert, delete, replace, swap neighbours), without case. */
static size_t distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la >= WORD_MAX || lb >= WORD_MAX)
        return WORD_MAX;
    size_t row[3][WORD_MAX + 1];
    for (size_t j = 0; j <= lb; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t replace = last[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            now[j] = min3(last[j] + 1, now[j - 1] + 1, replace);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]) && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return row[la % 3][lb];
}

void suggest_begin(suggest_t *s, const char *wanted)
{
    // Up to a third of the letters may differ; in a short word, one.
    size_t third = strlen(wanted) / 3, limit = third > 0 ? third : 1;
    *s = (suggest_t){.wanted = wanted, .distance = limit + 1};
}

void suggest_offer(suggest_t *s, const char *word)
{
    size_t d = distance(s->wanted, word);
    if (d < s->distance && d < strlen(word)) {
        s->distance = d;
        s->best = word;
    }
}
