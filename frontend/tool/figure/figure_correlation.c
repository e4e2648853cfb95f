#include "frontend/tool/figure/figure.h"

rb_code_t figure_correlation(figure_t *f, rb_err_t *err)
{
    (void)f;
    return rb_fail(err, RB_USAGE, "correlation: --hardware FILE is missing");
}
