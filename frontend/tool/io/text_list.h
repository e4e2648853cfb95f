/* A list of borrowed texts, such as the arguments of an option that may be given more than once. */
#ifndef RUBATO_IO_TEXT_LIST_H
#define RUBATO_IO_TEXT_LIST_H

#include <stddef.h>

/* Zeroed: an empty list. */
typedef struct {
    const char **text; /* owned; release with free() */
    size_t n, cap;
} text_list_t;

void text_list_add(text_list_t *list, const char *text);

/* Appends an item to a comma-separated text. *text is owned: free(); NULL: no items yet. */
void text_join(char **text, const char *item);

#endif
