#include "frontend/tool/io/text_list.h"

#include <string.h>

#include "sim/core/alloc.h"

void text_list_add(text_list_t *list, const char *text)
{
    rb_grow(&list->text, &list->cap, list->n + 1, sizeof(*list->text));
    list->text[list->n++] = text;
}

void text_join(char **text, const char *item)
{
    size_t had = *text == NULL ? 0 : strlen(*text), n = strlen(item);
    *text = rb_realloc(*text, had + n + 2, 1);
    if (had > 0)
        (*text)[had++] = ',';
    memcpy(*text + had, item, n + 1);
}
