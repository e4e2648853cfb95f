#include <string.h>

#include "frontend/tool/evaluate/evaluate.h"

bool evaluate_all(const evaluate_options_t *o)
{
    return o->samples.n == 0 ? o->plans.n == 0
                             : o->samples.n == 1 && strcmp(o->samples.text[0], "all") == 0;
}
