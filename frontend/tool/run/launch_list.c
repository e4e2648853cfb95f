#include "frontend/tool/run/launch_list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tool/io/kernel_name.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/library/open_trace.h"
#include "frontend/tool/report/run_data.h"
#include "frontend/tool/run/run_setup.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

/* The counters of a profile, in the order of the counters of a population. */
static const pop_counter_t counter_of[PROFILE_COUNTERS] = {
    [PROFILE_WARP_INSTS] = POP_WARP_INSTS,
    [PROFILE_THREAD_INSTS] = POP_THREAD_INSTS,
    [PROFILE_REQUESTS] = POP_REQUESTS,
    [PROFILE_GLOBAL_LD_SECTORS] = POP_GLOBAL_LD_SECTORS,
    [PROFILE_GLOBAL_ST_SECTORS] = POP_GLOBAL_ST_SECTORS,
    [PROFILE_LOCAL_LD_SECTORS] = POP_LOCAL_LD_SECTORS,
    [PROFILE_GLOBAL_LD_INSTS] = POP_GLOBAL_LD_INSTS,
    [PROFILE_GLOBAL_ST_INSTS] = POP_GLOBAL_ST_INSTS,
    [PROFILE_LOCAL_LD_INSTS] = POP_LOCAL_LD_INSTS,
    [PROFILE_SHARED_LD_INSTS] = POP_SHARED_LD_INSTS,
    [PROFILE_SHARED_ST_INSTS] = POP_SHARED_ST_INSTS,
    [PROFILE_GLOBAL_ATOMICS] = POP_GLOBAL_ATOMICS,
};

/* Takes ownership of a profile and lists its launches. */
static void list_profile(launch_list_t *l, profile_t *profile)
{
    population_t *pop = &l->pop;
    *l = (launch_list_t){.profile = profile, .format = profile->format};
    pop->n = profile->n;
    pop->id = profile->id;
    pop->name = profile->name;
    pop->names = (const char *const *)profile->names;
    pop->n_names = profile->n_names;
    pop->time = profile->time;
    pop->time_is_cycles = profile->time_is_cycles;
    pop->grid = (const uint32_t(*)[3])profile->grid;
    pop->block = (const uint32_t(*)[3])profile->block;
    for (int i = 0; i < PROFILE_COUNTERS; i++)
        pop->counter[counter_of[i]] = profile->counter[i];
}

/* Index of name among the names so far. Linear search: traces have few kernels. */
static uint32_t name_index(launch_list_t *l, size_t *cap, const char *name)
{
    uint32_t n = l->pop.n_names;
    for (uint32_t i = n; i-- > 0;) {
        if (strcmp(l->names[i], name) == 0)
            return i;
    }
    rb_grow(&l->names, cap, (size_t)n + 1, sizeof(*l->names));
    l->names[n] = rb_strdup(name);
    l->pop.n_names++;
    return n;
}

rb_code_t launch_list_of_launches(launch_list_t *l, trace_source_t *source, rb_err_t *err)
{
    population_t *pop = &l->pop;
    uint64_t n = source->ops->n_launches(source);
    size_t cap = 0;
    *l = (launch_list_t){.format = source->ops->name};
    l->id = rb_calloc(n, sizeof(*l->id));
    l->name = rb_calloc(n, sizeof(*l->name));
    l->grid = rb_calloc(n, sizeof(*l->grid));
    l->block = rb_calloc(n, sizeof(*l->block));
    for (uint64_t i = 0; i < n; i++) {
        launch_info_t info;
        RB_TRY(source->ops->launch_info(source, i + 1, &info, err));
        l->id[i] = info.id;
        l->name[i] = name_index(l, &cap, info.name);
        memcpy(l->grid[i], info.grid, sizeof(info.grid));
        memcpy(l->block[i], info.block, sizeof(info.block));
    }
    pop->n = n;
    pop->id = l->id;
    pop->name = l->name;
    pop->names = (const char *const *)l->names;
    pop->grid = (const uint32_t(*)[3])l->grid;
    pop->block = (const uint32_t(*)[3])l->block;
    return RB_OK;
}

rb_code_t launch_list_of_trace(launch_list_t *l, trace_source_t *source, rb_err_t *err)
{
    RB_TRY(launch_list_of_launches(l, source, err));
    return rbt_is_source(source) ? launch_index_read(&l->index, &l->pop, source, err) : RB_OK;
}

void launch_list_add_walls(launch_list_t *l, const char *folder)
{
    static const char *const path[] = {"host_seconds"};
    run_data_t run;
    rb_err_t ignored = {0};
    if (!out_has(folder, "launches.csv"))
        return;
    free(l->wall);
    bool good =
        run_data_read(&run, folder, path, 1, &ignored) == RB_OK && run.n_launches == l->pop.n;
    l->wall = rb_calloc(l->pop.n, sizeof(*l->wall));
    for (uint64_t i = 0; good && i < l->pop.n; i++) {
        l->wall[i] = run.launches[i].values[0];
        good = isfinite(l->wall[i]);
    }
    run_data_free(&run);
    if (good)
        return;
    free(l->wall);
    l->wall = NULL;
}

static rb_code_t open_profile(launch_list_t *l, const char *path, rb_err_t *err)
{
    profile_t *profile;
    RB_TRY(profile_read(&profile, path, err));
    list_profile(l, profile);
    return RB_OK;
}

/* Whether a text occurs near the start of a file: run.json has its totals there. */
static bool has_text(const char *path, const char *text)
{
    enum { LOOK = 1 << 16 };
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return false;
    char *head = rb_calloc(LOOK, 1);
    size_t n = fread(head, 1, LOOK - 1, in);
    head[n] = '\0';
    bool found = strstr(head, text) != NULL;
    free(head);
    fclose(in);
    return found;
}

/* Refuses a run that simulated only some launches: they are not those of the program. */
static rb_code_t check_complete(const char *folder, rb_err_t *err)
{
    char *run = out_path(folder, "run.json");
    rb_code_t rc = RB_OK;
    if (has_text(run, "\"estimated\": true"))
        rc = rb_fail(err, RB_TRACE, "%s: its totals are estimates: not all launches were simulated",
                     run);
    else if (has_text(run, "\"complete\": false"))
        rc = rb_fail(err, RB_TRACE, "%s: the run was stopped before its end", run);
    free(run);
    return rc;
}

/* A folder that is neither a trace nor a run: reports what a trace lacks, and suggests where one
 * is. */
static rb_code_t check_no_folder(const char *path, rb_err_t *err)
{
    struct stat st;
    rb_err_t why = {0};
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return RB_OK;
    rubato_trace_destroy(library_trace_open(path, NULL, &why));
    return rb_fail(err, RB_USAGE, "%.700s (nor is it the folder of a run: it has no launches.csv)",
                   why.text);
}

rb_code_t launch_list_open(launch_list_t *l, const char *path, const char *tmpdir, rb_err_t *err)
{
    char *results = out_path(path, "launches.csv");
    bool run = access(results, F_OK) == 0;
    rb_code_t rc;
    *l = (launch_list_t){0};
    if (run) {
        rc = check_complete(path, err);
        if (rc == RB_OK)
            rc = open_profile(l, results, err);
    } else if (open_trace_detect(path)) {
        rubato_trace *trace = library_trace_open(path, tmpdir, err);
        rc = trace != NULL ? launch_list_of_trace(l, library_trace_source(trace), err) : err->code;
        rubato_trace_destroy(trace);
    } else {
        rc = check_no_folder(path, err);
        if (rc == RB_OK)
            rc = open_profile(l, path, err);
    }
    free(results);
    return rc;
}

void launch_list_free(launch_list_t *l)
{
    for (uint32_t i = 0; l->names != NULL && i < l->pop.n_names; i++)
        free(l->names[i]);
    free(l->names);
    free(l->id);
    free(l->name);
    free(l->grid);
    free(l->block);
    free(l->wall);
    free(l->extra);
    free(l->predicted);
    launch_index_free(&l->index);
    profile_free(l->profile);
    *l = (launch_list_t){0};
}

uint64_t launch_list_id(const launch_list_t *l, uint64_t row)
{
    return l->pop.id != NULL ? l->pop.id[row] : row + 1;
}

uint64_t launch_list_row(const launch_list_t *l, uint64_t id)
{
    uint64_t row;
    if (l->pop.id == NULL)
        return id >= 1 && id <= l->pop.n ? id - 1 : l->pop.n;
    FIND_FIRST(row, 0, l->pop.n, l->pop.id[row] >= id);
    return row < l->pop.n && l->pop.id[row] == id ? row : l->pop.n;
}

const char *launch_list_name(const launch_list_t *l, uint64_t row)
{
    return l->pop.names[l->pop.name[row]];
}

rb_code_t launch_list_compare(const launch_list_t *a, const launch_list_t *b, rb_err_t *err)
{
    if (a->pop.n != b->pop.n)
        return rb_fail(err, RB_TRACE, "%llu launches in one (%s), %llu in the other (%s)",
                       (unsigned long long)a->pop.n, a->format, (unsigned long long)b->pop.n,
                       b->format);
    for (uint64_t i = 0; i < a->pop.n; i++) {
        if (launch_list_id(a, i) != launch_list_id(b, i))
            return rb_fail(err, RB_TRACE, "row %llu is launch %llu in one and %llu in the other",
                           (unsigned long long)i + 1, (unsigned long long)launch_list_id(a, i),
                           (unsigned long long)launch_list_id(b, i));
        if (kernel_names_differ(launch_list_name(a, i), launch_list_name(b, i)))
            return rb_fail(err, RB_TRACE,
                           "launch %llu is of kernel '%.300s' in one and '%.300s' in the other",
                           (unsigned long long)launch_list_id(a, i), launch_list_name(a, i),
                           launch_list_name(b, i));
    }
    return RB_OK;
}

/* Takes over columns that l lacks from other, with the index to which they belong. */
static void take_index(launch_list_t *l, launch_list_t *other)
{
    population_t *to = &l->pop, own = l->pop;
    const population_t *from = &other->pop;
    *to = *from;
    to->id = own.id;
    to->name = own.name;
    to->names = own.names;
    to->n_names = own.n_names;
    to->time = own.time;
    to->time_is_cycles = own.time_is_cycles;
    to->grid = own.grid;
    to->block = own.block;
    for (int i = 0; i < POP_COUNTERS; i++) {
        if (own.counter[i] != NULL)
            to->counter[i] = own.counter[i];
    }
    l->index = other->index;
    other->index = (launch_index_t){0};
}

void launch_list_take_index(launch_list_t *l, launch_list_t *trace)
{
    rb_err_t other = {0};
    if (l->profile != NULL && launch_list_compare(l, trace, &other) == RB_OK)
        take_index(l, trace);
}

rb_code_t launch_list_add_trace(launch_list_t *l, const char *path, rb_err_t *err)
{
    launch_list_t other = {0};
    if (access(path, R_OK) != 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    if (!rbt_detect(path))
        return rb_fail(err, RB_USAGE,
                       "%s: is no native trace (.rbt): only these have an index to choose by",
                       path);
    rb_code_t rc = launch_list_open(&other, path, NULL, err);
    if (rc == RB_OK)
        rc = launch_list_compare(l, &other, err);
    if (rc == RB_OK && l->profile != NULL)
        take_index(l, &other);
    launch_list_free(&other);
    return rc;
}
