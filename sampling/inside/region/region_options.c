#include "sampling/inside/region/region_options.h"

const param_choice_t region_variant_choices[] = {{"slope", NULL}, {"paper", NULL}, {NULL, NULL}};

#define PARAM_SPEC_ region_options_t
static const param_t region_rows[] = {PARAM_ROWS(REGION_OPTIONS)};
#undef PARAM_SPEC_
static const param_preset_t region_presets[] = {
    {"paper", "normalise", "false",
     "intra-launch clustering: probabilities as they are, threshold 0.2"},
    {"paper", "check", "false", "not in the paper"},
    {0}};
const param_group_t region_group = PARAM_GROUP_VARIANTS(
    "tbpoint_region", "TBPoint's regions of blocks", region_options_t, region_rows, region_presets);

region_rule_t region_rule(const region_options_t *o)
{
    return (region_rule_t){
        .threshold = o->threshold, .variation = o->variation, .normalise = o->normalise};
}
