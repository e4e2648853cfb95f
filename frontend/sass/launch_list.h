/* A choice of launches by number, for where their count is not known: "3-7,12,20-". */
#ifndef RUBATO_SASS_LAUNCH_LIST_H
#define RUBATO_SASS_LAUNCH_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the text is such a list: ascending numbers and ranges from 1 on, the last may be open. */
bool launch_list_valid(const char *text);

/* Whether a valid list has the number; NULL has all. */
bool launch_list_has(const char *text, uint64_t id);

#endif
