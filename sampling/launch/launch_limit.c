#include "sampling/launch/launch_limit.h"

#include "sim/core/log.h"

/* Shorter times are not reported. */
static const double said_seconds = 1.0;

rb_code_t launch_limit(const char *method, double vectors, double seconds, double bytes,
                       double max_seconds, double max_gib, rb_err_t *err)
{
    double gib = bytes / (1 << 30);
    if (seconds <= max_seconds && gib <= max_gib) {
        if (seconds >= said_seconds)
            rb_info("%s: about %.3g s and %.3g GiB for %.0f distinct launches", method, seconds,
                    gib, vectors);
        return RB_OK;
    }
    return rb_fail(err, RB_USAGE,
                   "%s would take about %.3g s and %.3g GiB for %.0f distinct launches; raise "
                   "max_seconds (%g) or max_gib (%g), or choose allegro, stem or sieve",
                   method, seconds, gib, vectors, max_seconds, max_gib);
}
