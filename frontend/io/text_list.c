#include "frontend/io/text_list.h"

#include "sim/core/alloc.h"

void text_list_add(text_list_t *list, const char *text)
{
    rb_grow(&list->text, &list->cap, list->n + 1, sizeof(*list->text));
    list->text[list->n++] = text;
}
