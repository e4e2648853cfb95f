/*
 * Determinism on the bundled traces, read from text: threads, windows and decoding ahead have no
 * effect.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/accelsim.h"
#include "sim/core/sanitizer.h"
#include "tests/support/sim/lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/real_traces.h"

enum { MAX_TRACES = 32, PATH_BYTES = 1024 };

typedef struct {
    size_t n;
    char path[MAX_TRACES][PATH_BYTES];
} traces_t;

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

static traces_t find_traces(const char *root)
{
    traces_t t = {0};
    DIR *dir = opendir(root);

    if (!dir)
        return t;
    for (struct dirent *e; t.n < MAX_TRACES && (e = readdir(dir));) {
        snprintf(t.path[t.n], PATH_BYTES, "%s/%s", root, e->d_name);
        if (e->d_name[0] != '.' && accelsim_detect(t.path[t.n]))
            t.n++;
    }
    closedir(dir);
    qsort(t.path, t.n, PATH_BYTES, compare_paths);
    return t;
}

static void hash_of(const gpu_spec_t *spec, const char *path, int threads, cycle_t window,
                    char text[SHA256_TEXT])
{
    static lab_results_t r;
    rb_err_t err = {0};
    trace_source_t *source = accelsim_open(path, NULL, &err);

    if (!source)
        fail_msg("%s", err.text);
    lab_run(spec, source, threads, window, &r);
    source->ops->destroy(source);
    assert_true(r.n > 0);
    lab_hash(&r, text);
}

typedef struct {
    int threads;
    cycle_t window;
} way_t;

static void check_trace(const char *path, const way_t *ways, size_t n)
{
    const char *name = strrchr(path, '/') + 1;
    gpu_spec_t spec = lab_spec(strstr(name, "sm75") ? "t4" : "v100", NULL);
    char want[SHA256_TEXT], got[SHA256_TEXT];

    hash_of(&spec, path, 1, 0, want);
    for (size_t i = 0; i < n; i++) {
        hash_of(&spec, path, ways[i].threads, ways[i].window, got);
        if (strcmp(got, want) != 0)
            fail_msg("%s: %d threads with window %llu differ from one thread", name,
                     ways[i].threads, (unsigned long long)ways[i].window);
    }
}

/* Every trace in the two ways that differ most from one thread with the full window. */
static void bundled_traces_give_the_same_in_every_way(void **state)
{
    static const way_t ways[] = {{8, 3}, {2, 0}};
    const size_t n = RB_THREAD_SANITIZER ? 1 : sizeof(ways) / sizeof(ways[0]);
    traces_t t = find_traces(RUBATO_ROOT "/traces");

    (void)state;
    assert_true(t.n > 0);
    for (size_t i = 0; i < t.n; i++)
        check_trace(t.path[i], ways, n);
}

/* A trace of several launches with divergence, in all ways. */
static void levels_of_a_search_give_the_same_in_all_ways(void **state)
{
    static const way_t ways[] = {{1, 1}, {1, 3}, {2, 0}, {2, 1}, {3, 0}, {3, 3}, {8, 0}, {8, 1}};

    (void)state;
    check_trace(native_trace_as_text("bfs-sm70"), ways, sizeof(ways) / sizeof(ways[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_traces_give_the_same_in_every_way),
        cmocka_unit_test(levels_of_a_search_give_the_same_in_all_ways),
    };

    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
