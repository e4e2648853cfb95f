#include "frontend/tool/study/study_suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/archive/trace_archive.h"
#include "frontend/tool/library/trace_tree.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

/* A suite that is being expanded. */
typedef struct {
    study_t *study;
    const study_trace_t *suite;
    const text_list_t *match;
    const char *folder;
} expansion_t;

static bool is_archive(const char *path)
{
    struct stat st;
    return trace_archive_stem(path) > 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Unpacks an archive, remembers the folder, and finds its traces. */
static rb_code_t find_in_archive(const expansion_t *e, const char *path, const char *prefix,
                                 trace_tree_t *tree, rb_err_t *err)
{
    study_t *s = e->study;
    char *unpacked = NULL;
    bool made = false;
    rb_code_t rc = study_unpack(path, e->folder, &unpacked, &made, err);
    if (rc == RB_OK)
        rc = trace_tree_find(tree, unpacked, prefix, NULL, err);
    if (!made) {
        free(unpacked);
        return rc;
    }
    rb_grow(&s->unpacked, &s->cap_unpacked, s->n_unpacked + 1, sizeof(*s->unpacked));
    s->unpacked[s->n_unpacked++] = unpacked;
    return rc;
}

/* Finds the traces of a suite, those of archives after the others. */
static rb_code_t find_all(const expansion_t *e, const char *prefix, trace_tree_t *tree,
                          rb_err_t *err)
{
    if (is_archive(e->suite->path))
        return find_in_archive(e, e->suite->path, prefix, tree, err);
    /* An earlier sweep may have left unpacked archives in the folder. */
    char *except = study_unpacked_folder(e->folder);
    rb_code_t rc = trace_tree_find(tree, e->suite->path, prefix, except, err);
    free(except);
    RB_TRY(rc);
    for (size_t i = 0; i < tree->n; i++) {
        if (!tree->items[i].archive)
            continue;
        char *below = rb_format("%s/", tree->items[i].name);
        char *path = rb_strdup(tree->items[i].path); /* the list may move */
        rc = find_in_archive(e, path, below, tree, err);
        free(below);
        free(path);
        RB_TRY(rc);
    }
    return RB_OK;
}

static bool is_wanted(const expansion_t *e, const trace_tree_item_t *item)
{
    const char *const *own = (const char *const *)&e->suite->match;
    return !item->archive && trace_tree_match(item->name, e->match->text, e->match->n) &&
           trace_tree_match(item->name, own, e->suite->match != NULL);
}

static rb_code_t add_item(const expansion_t *e, const trace_tree_item_t *item, rb_err_t *err)
{
    const study_trace_t *suite = e->suite;
    char *profile = suite->profile != NULL ? study_name_pattern(suite->profile, item->name) : NULL;
    rb_code_t rc = study_add_trace(e->study, item->path, item->name, profile, suite->line, err);
    free(profile);
    return rc;
}

static rb_code_t add_items(const expansion_t *e, const trace_tree_t *tree, rb_err_t *err)
{
    size_t found = 0, wanted = 0;
    const char *first = NULL;
    for (size_t i = 0; i < tree->n; i++) {
        found += !tree->items[i].archive;
        first = first == NULL && !tree->items[i].archive ? tree->items[i].name : first;
        if (!is_wanted(e, &tree->items[i]))
            continue;
        wanted++;
        RB_TRY(add_item(e, &tree->items[i], err));
    }
    if (found == 0)
        return study_fail(e->study, e->suite->line, err,
                          "%.300s: there is no trace below: no native file (*.rbt), kernelslist, "
                          ".traceg file, folder of MacSim or archive of traces",
                          e->suite->path);
    if (wanted == 0)
        return study_fail(e->study, e->suite->line, err,
                          "%.300s: none of its %zu traces matches; the first is %.100s",
                          e->suite->path, found, first);
    if (wanted > 1 && e->suite->profile != NULL && strstr(e->suite->profile, "{trace}") == NULL)
        return study_fail(e->study, e->suite->line, err,
                          "%.200s: a profile belongs to one program: write {trace} in its path, "
                          "which is replaced by the name of each of the %zu traces",
                          e->suite->profile, wanted);
    rb_info("%s: %zu of %zu traces", e->suite->path, wanted, found);
    return RB_OK;
}

static rb_code_t expand(const expansion_t *e, rb_err_t *err)
{
    trace_tree_t tree = {0};
    char *prefix = e->suite->named ? rb_format("%s/", e->suite->name) : rb_strdup("");
    rb_code_t rc = find_all(e, prefix, &tree, err);
    if (rc == RB_OK)
        rc = add_items(e, &tree, err);
    trace_tree_free(&tree);
    free(prefix);
    return rc;
}

/* Keeps a trace that is no suite as it is. */
static rb_code_t keep(study_t *s, const study_trace_t *trace, const text_list_t *match,
                      rb_err_t *err)
{
    if (trace->match != NULL || match->n > 0)
        return study_fail(s, trace->line, err,
                          "%s chooses among the traces of a folder or an archive; %.300s is "
                          "neither",
                          trace->match != NULL ? "match" : "--match", trace->path);
    return study_add_trace(s, trace->path, trace->named ? trace->name : NULL, trace->profile,
                           trace->line, err);
}

rb_code_t study_expand(study_t *s, const text_list_t *match, const char *folder, rb_err_t *err)
{
    study_trace_t *old = s->traces;
    const size_t n = s->n_traces;
    rb_code_t rc = RB_OK;
    s->traces = NULL;
    s->n_traces = s->cap_traces = 0;
    for (size_t i = 0; i < n; i++) {
        const expansion_t e = {s, &old[i], match, folder};
        if (rc == RB_OK)
            rc = is_archive(old[i].path) || trace_tree_detect(old[i].path)
                     ? expand(&e, err)
                     : keep(s, &old[i], match, err);
        study_trace_free(&old[i]);
    }
    free(old);
    return rc;
}
