#include "tests/support/sampling/online_replay.h"

#include <math.h>

#include "sampling/launch/launch_features.h"
#include "sampling/launch/online/stem_online.h"

replay_t online_replay(const population_t *pop, const double *cycles, const char *method,
                       uint64_t replays)
{
    launch_choice_t choice;
    rb_err_t err = {0};
    replay_t r = {0};
    double total = 0, cost = 0, work = 0, all_work = 0, printed = 0, covered = 0,
           each = 1 / (double)replays;
    if (launch_choice_parse(&choice, method, &err) != RB_OK)
        rb_panic("%s", err.text);
    for (uint64_t i = 0; i < pop->n; i++) {
        total += cycles[i];
        all_work += launch_cost(pop, (uint32_t)i);
    }
    stem_online_t *s = stem_online_create(choice.options, pop, 1, &err);
    if (s == NULL)
        rb_panic("%s", err.text);
    for (uint64_t seed = 1; seed <= replays; seed++) {
        const uint64_t *ids;
        stem_online_restart(s, seed);
        for (uint64_t n; (n = stem_online_round(s, &ids)) > 0;) {
            r.samples += each * (double)n;
            for (uint64_t i = 0; i < n; i++) {
                cost += each * cycles[ids[i] - 1];
                work += each * launch_cost(pop, (uint32_t)(ids[i] - 1));
                stem_online_result(s, i, cycles[ids[i] - 1], 0);
            }
        }
        estimate_t e = stem_online_estimate(s);
        double rounding = 1e-9 * total;
        bool covers = e.low <= total + rounding && total <= e.high + rounding;
        double half = fmax(e.high - e.value, e.value - e.low);
        covered += covers;
        printed += isfinite(e.low);
        r.silent += fabs(e.value - total) > 2 * half + rounding ? each : 0;
        r.half += isfinite(e.low) ? half / e.value : 0;
        r.error += each * fabs(e.value / total - 1);
        r.error_max = fmax(r.error_max, fabs(e.value / total - 1));
        r.inside += fabs(e.value / total - 1) <= 0.05 ? each : 0;
        r.met += stem_online_met(s) ? each : 0;
    }
    r.refused = 1 - printed * each;
    r.coverage = covered / printed;
    r.half /= printed;
    stem_online_free(s);
    r.speedup = total / cost;
    r.gain = all_work / work;
    launch_choice_free(&choice);
    return r;
}
