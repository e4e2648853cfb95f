#include "sampling/launch/online/online_explain.h"

#include <math.h>
#include <stdio.h>

static void explain_tail(char *note, size_t size, const online_explain_t *e)
{
    snprintf(
        note, size,
        "the longest launches decide: their lengths have no variance (tail index %.2f, below 2), "
        "and %.0f %% of that of the total is one of %llu samples of %.200s; an interval needs "
        "all its %llu launches",
        e->now->tail_index, 100 * e->now->tail_share, (unsigned long long)e->tail_samples,
        e->tail_name, (unsigned long long)e->tail_launches);
}

static void explain_unbounded(char *note, size_t size, const online_explain_t *e)
{
    online_state_t then = *e->now;
    then.share = e->rare;
    then.fixed = true;
    snprintf(note, size,
             "nothing tells how long launches may be that look like the %llu samples: one in a "
             "hundred that is 50 times as long would add 49 %%; an interval needs %.0f samples, a "
             "native trace, whose index says what launches access, or slow=X, if none is X times "
             "as long",
             (unsigned long long)then.looked, ceil(online_looks_for(&then, e->confidence, 0)));
}

static void explain_reach(char *note, size_t size, const online_explain_t *e)
{
    const online_state_t *now = e->now;
    snprintf(note, size,
             "launches that look like the %llu samples may be up to %.3g times as long, as their "
             "requests allow on this chip: one in a hundred would add %.0f %%; an interval needs "
             "%.0f samples",
             (unsigned long long)now->looked, now->reach, now->unseen / now->share / now->total,
             ceil(e->needed));
}

static void explain_interval(char *note, size_t size, const online_explain_t *e)
{
    const online_state_t *now = e->now;
    size_t at = 0;
    if (now->looked > 0)
        at = (size_t)snprintf(
            note, size,
            "allows for slow launches that look like others and that none of %llu samples met: "
            "up to %.3g times as long%s, %.3g %% of all; ",
            (unsigned long long)now->looked, now->reach,
            e->by_chip ? ", as their requests allow on this chip" : "", 100 * now->rare);
    if (e->knows_bias)
        snprintf(note + at, size - at,
                 "%llu launches in sequence took %+.2f +- %.2f %% compared with samples, which is "
                 "part of it",
                 (unsigned long long)e->in_sequence, 100 * e->bias.value, 100 * e->bias.error);
    else
        snprintf(note + at, size - at,
                 "too little is known to say what skipping launches changes in the others");
}

void online_explain(char *note, size_t size, const online_explain_t *e)
{
    if (e->now->heavy)
        explain_tail(note, size, e);
    else if (e->now->unbounded)
        explain_unbounded(note, size, e);
    else if (e->says_nothing)
        explain_reach(note, size, e);
    else
        explain_interval(note, size, e);
}
