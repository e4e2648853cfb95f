#include <string.h>

#include "frontend/evaluate/evaluate.h"
#include "sim/core/alloc.h"

void text_list_add(text_list_t *list, const char *text)
{
    rb_grow(&list->text, &list->cap, list->n + 1, sizeof(*list->text));
    list->text[list->n++] = text;
}

bool evaluate_all(const evaluate_options_t *o)
{
    return o->samples.n == 0 ? o->plans.n == 0
                             : o->samples.n == 1 && strcmp(o->samples.text[0], "all") == 0;
}
