/* A list of borrowed texts, such as the arguments of an option that may be given more than once. */
#ifndef RUBATO_IO_TEXT_LIST_H
#define RUBATO_IO_TEXT_LIST_H

#include <stddef.h>

/* Zeroed: empty. */
typedef struct {
    const char **text; /* owned: free() */
    size_t n, cap;
} text_list_t;

void text_list_add(text_list_t *list, const char *text);

/* Appends to a text of items with commas between them. *text is owned: free(); NULL: no items. */
void text_join(char **text, const char *item);

#endif
