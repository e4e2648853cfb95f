/* Configurations as users meet them: listed, shown, imported, and settings that have no effect. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"

static void settings_without_effect_say_so(void **state)
{
    (void)state;
    expect(0, "-s l1.mshrs=8 has no effect here: not with l1.perfect = true",
           WORDS("run", TRACE, "-s", "l1.perfect=true", "-s", "l1.mshrs=8"));
    expect(0, "-s sm.scheduler_group=2 has no effect here: it acts only with sm.scheduler",
           WORDS("run", TRACE, "-s", "sm.scheduler_group=2"));
    expect(0, "-s photon_bb.part=0.1 has no effect here: it acts only with --sample photon_bb",
           WORDS("run", TRACE, "-s", "photon_bb.part=0.1"));
    expect(0, "-s photon_bb.part=0.1 has no effect here: it acts only with variant = steady",
           WORDS("run", TRACE, "-s", "photon_bb.part=0.1", "--sample", "photon_bb:variant=paper"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("config", "explain", "l1.mshrs"));
    assert_non_null(strstr(text, "    without effect: with l1.perfect = true\n"));
    free(text);
}

static void gpus_are_listed(void **state)
{
    (void)state;
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("config", "list"));
    assert_non_null(strstr(text, "\nv100         sm_70   80 SMs   1380 MHz     6 MiB L2  "));
    assert_null(strstr(text, "volta.cfg"));
    free(text);
}

static void what_an_import_would_lose_is_refused(void **state)
{
    static const char lost[] = "-gpgpu_cache:dl2 none\n-gpgpu_n_clusters 40\n";
    (void)state;
    cli_write("lost.config", lost, sizeof(lost) - 1);
    expect(2, "lost         -gpgpu_cache:dl2 none: rubato always has an L2",
           WORDS("config", "import", "lost.config", "-o", "lost.cfg"));
    assert_false(cli_exists("lost.cfg"));
    char *text = cli_run_as(
        &rubato, 0, NULL,
        WORDS("config", "import", "lost.config", "-o", "lost.cfg", "--skip-unsupported"));
    assert_non_null(strstr(text, " 1 lost, 0 without effect on results\n"));
    assert_true(cli_exists("lost.cfg"));
    free(text);
}

static void a_gpu_is_shown_by_its_name_or_its_file(void **state)
{
    (void)state;
    char *by_option = cli_run_as(&rubato, 0, NULL, WORDS("config", "show", "--gpu", "t4", "l2"));
    char *by_name = cli_run_as(&rubato, 0, NULL, WORDS("config", "show", "t4", "l2"));
    char *by_file =
        cli_run_as(&rubato, 0, NULL, WORDS("config", "show", RUBATO_ROOT "/configs/t4.cfg", "l2"));
    assert_non_null(strstr(by_option, "l2"));
    assert_string_equal(by_name, by_option);
    assert_string_equal(by_file, by_option);
    free(by_option);
    free(by_name);
    free(by_file);
    expect(0, NULL, WORDS("config", "check", "v100", "titan_v"));
    expect(0, "warning: icnt.request_latency = 4: simulation is slow",
           WORDS("config", "show", "icnt", "-s", "icnt.request_latency=4"));
    expect(2, "-s foo: write it as GROUP.NAME=VALUE", WORDS("config", "show", "-s", "foo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_without_effect_say_so),
        cmocka_unit_test(gpus_are_listed),
        cmocka_unit_test(what_an_import_would_lose_is_refused),
        cmocka_unit_test(a_gpu_is_shown_by_its_name_or_its_file),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
