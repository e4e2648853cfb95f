#include "frontend/sass/launch_list.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* A range at *text, which is moved behind it and its comma. False: something else stands there. */
static bool next_range(const char **text, uint64_t *first, uint64_t *last)
{
    char *end;

    errno = 0;
    if (**text < '0' || **text > '9')
        return false;
    *first = *last = strtoull(*text, &end, 10);
    if (*end == '-') {
        *text = end + 1;
        *last = UINT64_MAX;
        if (**text >= '0' && **text <= '9')
            *last = strtoull(*text, &end, 10);
        else
            end++;
    }
    *text = end + (*end == ',');
    bool comma_at_end = *end == ',' && end[1] == '\0';
    return errno == 0 && *first >= 1 && *last >= *first && !comma_at_end &&
           (*end == ',' || *end == '\0');
}

bool launch_list_valid(const char *text)
{
    uint64_t first, last, before = 0;

    do {
        if (before == UINT64_MAX || !next_range(&text, &first, &last) || first <= before)
            return false;
        before = last;
    } while (*text != '\0');
    return true;
}

bool launch_list_has(const char *text, uint64_t id)
{
    uint64_t first, last;

    if (text == NULL)
        return true;
    while (*text != '\0' && next_range(&text, &first, &last))
        if (id >= first && id <= last)
            return true;
    return false;
}
