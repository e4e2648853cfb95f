#include "sampling/inside/smarts/smarts_options.h"

#define PARAM_SPEC_ smarts_options_t
static const param_t smarts_rows[] = {PARAM_ROWS(SMARTS_OPTIONS)};
#undef PARAM_SPEC_
const param_group_t smarts_group = PARAM_GROUP("smarts", "units of whole waves with a stated error",
                                               smarts_options_t, smarts_rows);
