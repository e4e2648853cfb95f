#include "tests/support/sim/toy_conf.h"

static const param_choice_t policy_choices[] = {
    {"lru", "used longest ago"}, {"srrip", "predicted"}, {"random", "by chance"}, {NULL, NULL}};

#define PARAM_SPEC_ toy_t
static const param_t toy_rows[] = {PARAM_ROWS(TOY_PARAMS)};
#undef PARAM_SPEC_
static const param_group_t toy_group = PARAM_GROUP("toy", "a toy", toy_t, toy_rows);

#define PARAM_SPEC_ other_t
static const param_t other_rows[] = {PARAM_ROWS(OTHER_PARAMS)};
#undef PARAM_SPEC_
static const param_group_t other_group = PARAM_GROUP("other", "another", other_t, other_rows);

rb_code_t toy_apply(conf_t *c, toy_conf_t *out, rb_err_t *err)
{
    conf_group_t groups[] = {{&toy_group, &out->toy}, {&other_group, &out->other}};
    return conf_apply(c, groups, 2, err);
}
