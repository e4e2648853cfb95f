#include "frontend/tool/run/sampled/run_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/journal.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "sampling/launch/sample_syntax.h"
#include "sampling/launch/sampler_options.h"
#include "sim/conf/param_value.h"
#include "sim/core/log.h"

rb_code_t run_inside_divide(run_inside_t *r, const char *sample, uint64_t seed, rb_err_t *err)
{
    sample_list_t list;
    rb_code_t rc = RB_OK;
    RB_TRY(sample_list_parse(&list, sample, err));
    for (size_t i = 0; i < list.n && rc == RB_OK; i++) {
        bool inside;
        rc = inside_list_take(&r->list, list.items[i], seed, &inside, err);
        if (rc == RB_OK && !inside)
            text_join(&r->launch, list.items[i]);
    }
    sample_list_free(&list);
    return rc;
}

void run_inside_free(run_inside_t *r)
{
    inside_list_free(&r->list);
    free(r->launch);
    r->launch = NULL;
}

/* The place of a sampler in the list; its end: it is not there. */
static size_t place_of(const inside_list_t *list, const char *name)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->methods[i]->ops->name, name) != 0)
        i++;
    return i;
}

void run_inside_tell_idle(const run_inside_t *r, const text_list_t *sets)
{
    for (size_t i = 0; i < sets->n; i++) {
        char group[64], name[64], why[128];
        if (sscanf(sets->text[i], "%63[^.].%63[^= ]", group, name) != 2 || !inside_method_is(group))
            continue;
        const size_t at = place_of(&r->list, group);
        if (at == r->list.n) {
            rb_warn("-s %s has no effect here: it acts only with --sample %s", sets->text[i],
                    group);
            continue;
        }
        const param_group_t *options = r->list.methods[at]->options;
        const param_t *p = param_find(options, name);
        const sampler_options_t o = {group, options, r->list.options[at], NULL};
        if (p != NULL && sampler_option_idle(&o, p, why))
            rb_warn("-s %s has no effect here: it acts %s", sets->text[i], why);
    }
}

uint64_t run_inside_fingerprint(const run_inside_t *r, uint64_t seed)
{
    uint64_t h = 0;
    for (size_t i = 0; i < r->list.n; i++) {
        const uint64_t digest = inside_list_digest(&r->list, i);
        h = journal_checksum(h ^ seed, r->list.texts[i], strlen(r->list.texts[i]));
        if (digest != 0)
            h = journal_checksum(h, &digest, sizeof(digest));
    }
    return h;
}

rb_code_t run_inside_follow(run_inside_t *r, const char *folder, bool *followed, rb_err_t *err)
{
    const size_t at = inside_list_units(&r->list);
    *followed = !out_has(folder, PLAN_FILE_NAME) && out_has(folder, UNIT_FILE_NAME);
    if (!*followed)
        return RB_OK;
    if (at == r->list.n)
        return rb_fail(err, RB_USAGE,
                       "--change-from %s: that run measured parts of launches; say so here, too: "
                       "--sample smarts",
                       folder);
    unit_file_t units;
    char *path = out_path(folder, UNIT_FILE_NAME);
    const rb_code_t rc = unit_file_read(&units, path, err);
    free(path);
    if (rc == RB_OK)
        r->list.methods[at]->follow(r->list.samplers[at].state, &units);
    unit_file_free(&units);
    return rc;
}

rb_code_t run_inside_write(const run_inside_t *r, const char *folder, uint64_t launches,
                           rb_err_t *err)
{
    const size_t at = inside_list_units(&r->list);
    out_file_t file;
    if (at == r->list.n)
        return RB_OK;
    unit_file_t units = *r->list.methods[at]->units(r->list.samplers[at].state);
    units.launches = launches;
    RB_TRY(out_file_open(&file, folder, UNIT_FILE_NAME, err));
    unit_file_write(file.out, &units);
    return out_file_close(&file, RB_OK, err);
}
