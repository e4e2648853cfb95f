#include "sampling/launch/launch_leaf.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

/* Limit of the draws of a plan: more than any simulation could use, and it fits in memory. */
#define MOST_DRAWS 100000000ull

void leaf_add(leaf_list_t *list, leaf_t leaf)
{
    rb_grow(&list->leaf, &list->cap, list->n + 1, sizeof(*list->leaf));
    list->leaf[list->n++] = leaf;
}

void leaf_list_free(leaf_list_t *list)
{
    free(list->leaf);
    *list = (leaf_list_t){0};
}

rb_code_t leaves_draw(const leaf_list_t *list, const uint32_t *rows, bool replacement,
                      plan_build_t *b, rb_err_t *err)
{
    uint64_t draws = 0;
    for (size_t i = 0; i < list->n; i++) {
        uint64_t m = list->leaf[i].m;
        draws = m > MOST_DRAWS ? m : draws + m;
        if (draws > MOST_DRAWS)
            return rb_fail(err, RB_USAGE,
                           "the plan would draw more than %llu launches; choose a larger epsilon",
                           MOST_DRAWS);
    }
    b->plan->random = true;
    b->plan->replacement = replacement;
    for (size_t i = 0; i < list->n; i++) {
        const leaf_t *leaf = &list->leaf[i];
        uint64_t size = leaf->end - leaf->begin;
        uint32_t cluster = build_cluster(b, leaf->name, size, leaf->times.mean, leaf->times.sd);
        for (uint64_t k = leaf->begin; k < leaf->end; k++)
            b->cluster_of[rows[k]] = cluster;
        if (leaf->m > 0)
            build_draw(b, cluster, rows + leaf->begin, size, leaf->m, replacement);
    }
    return RB_OK;
}

double samples_needed(double mean, double sd, double epsilon, double z)
{
    if (!(sd > 0))
        return 0;
    double root = z * sd / (epsilon * mean);
    return root * root;
}

double samples_needed_finite(double mean, double sd, double epsilon, double z, uint64_t size)
{
    double m = samples_needed(mean, sd, epsilon, z);
    return m / (1 + m / (double)size);
}
