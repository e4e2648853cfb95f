/* Real profiles: what is known of them from their tables and from one another. */
#include "tests/support/test.h"

#include <string.h>
#include <unistd.h>

#include "frontend/profile/profile.h"

#define REFERENCE RUBATO_ROOT "/../shared/reference/profiles/"

static profile_t *read_reference(const char *name)
{
    char path[512];
    rb_err_t err = {0};
    profile_t *p = NULL;
    snprintf(path, sizeof(path), REFERENCE "%s", name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: the reference profile %s is not here\n", path);
        skip();
    }
    if (profile_read(&p, path, &err) != RB_OK)
        fail_msg("%s", err.text);
    return p;
}

static void tables_have_the_rows_and_times_that_they_have(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t n;
        uint32_t names;
        double total;
    } cases[] = {
        {"resnet50-v100/run2.kernels.csv.gz", 8868, 62, (594868.0 + 639 * 0.5) * 1e3},
        {"v100-hta/df_index_resolver.kernels.csv.gz", 19370, 49, 977859e3},
        {"v100-hta/ns_resolution.kernels.csv.gz", 4350, 77, 468153602.0},
        {"stem-ae/runtime-example.csv", 85217, 6, 881442651.0},
        {"gpt2-accelsim/per-kernel.tsv", 3421, 41, 59754381.0},
        {"gpt2-accelsim/alexnet-per-kernel.tsv", 38, 15, 2417063.0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        profile_t *p = read_reference(cases[i].name);
        assert_int_equal(p->n, cases[i].n);
        assert_int_equal(p->n_names, cases[i].names);
        double off = profile_total_time(p) / cases[i].total - 1.0;
        if (off > 1e-9 || off < -1e-9)
            fail_msg("%s: %.17g", cases[i].name, profile_total_time(p));
        profile_free(p);
    }
}

/* The same launches in two formats are the same profile. */
static void expect_equal(const char *one, const char *other)
{
    profile_t *a = read_reference(one), *b = read_reference(other);
    assert_int_equal(a->n, b->n);
    for (uint64_t i = 0; i < a->n; i++) {
        assert_string_equal(a->names[a->name[i]], b->names[b->name[i]]);
        assert_true(a->time[i] == b->time[i]);
        assert_memory_equal(a->grid[i], b->grid[i], sizeof(a->grid[i]));
        assert_memory_equal(a->block[i], b->block[i], sizeof(a->block[i]));
    }
    profile_free(a);
    profile_free(b);
}

static void formats_agree(void **state)
{
    (void)state;
    expect_equal("resnet50-v100/run1.kernels.csv.gz", "resnet50-v100/run1.pytorch-trace.json.gz");
#ifdef RUBATO_HAVE_SQLITE
    expect_equal("nerf-a100/output-file.kernels.csv.gz", "nerf-a100/output-file.sqlite");
    expect_equal("rtx2080-sheet/tile_16x16.kernels.csv.gz", "rtx2080-sheet/tile_16x16.sqlite");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_the_rows_and_times_that_they_have),
        cmocka_unit_test(formats_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
