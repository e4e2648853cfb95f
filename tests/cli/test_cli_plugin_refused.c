/* Plugin samplers that are refused: the object, its options, and the results of its hooks. */
#include "tests/support/test.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"

#define PLUGIN(name) "plugin:" RUBATO_PLUGINS "/" name ".so"

static unsigned char object[1 << 21];

static size_t read_object(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const size_t n = fread(object, 1, sizeof(object), in);
    fclose(in);
    assert_true(n > sizeof(Elf64_Ehdr) && n < sizeof(object));
    return n;
}

static void expect_object(const char *says, const char *item)
{
    expect(2, says, WORDS("run", TRACE, "--sample", item));
    expect(2, says, WORDS("plan", TRACE, "--sample", item));
}

static void objects_that_cannot_be_loaded_are_named(void **state)
{
    (void)state;
    expect_object("plugin:not-there.so: No such file", "plugin:not-there.so");
    expect_object("plugin:: No such file", "plugin:");
    expect_object("is not a shared object", "plugin:.");
    expect_object("is not a shared object", "plugin:/dev/null");
    cli_write("text.so", "#include <rubato_sampler.h>, and so on, for more than a header\n", 63);
    expect_object("text.so: is not a shared object", "plugin:text.so");
    cli_write("empty.so", "", 0);
    expect_object("empty.so: is not a shared object", "plugin:empty.so");
    expect_object("does not define the symbol rubato_sampler", PLUGIN("no_symbol"));
    expect_object("compile it again", PLUGIN("other_interface"));
    expect_object("interface 2, but this rubato has 1", PLUGIN("other_interface"));
    expect_object("row 0 (n): the initial value", PLUGIN("bad_option"));
}

static void an_object_for_another_machine_is_refused(void **state)
{
    const size_t n = read_object(RUBATO_PLUGINS "/every_nth.so");
    Elf64_Ehdr *h = (Elf64_Ehdr *)(void *)object;
    const Elf64_Half machine = h->e_machine;
    (void)state;
    h->e_machine = machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
    cli_write("other.so", object, n);
    expect_object("other.so: was built for another architecture", "plugin:other.so");
    h->e_machine = machine;
    h->e_ident[EI_CLASS] = ELFCLASS32;
    cli_write("other.so", object, n);
    expect_object("other.so: was built for another architecture", "plugin:./other.so");
    h->e_ident[EI_CLASS] = ELFCLASS64;
    h->e_type = ET_REL;
    cli_write("other.so", object, n);
    expect_object("other.so: is not a shared object", "plugin:other.so");
}

/* The dynamic loader would crash on some of them. */
static void an_object_that_is_cut_off_is_refused(void **state)
{
    const size_t n = read_object(RUBATO_PLUGINS "/every_nth.so");
    (void)state;
    for (size_t part = 1; part < 8; part++) {
        cli_write("cut.so", object, n * part / 16);
        cli_result_t r = cli_run(&rubato, WORDS("run", TRACE, "--sample", "plugin:cut.so"));
        if (r.status != 2)
            fail_msg("%zu of 16: status %d: %s", part, r.status, r.err);
        cli_free(&r);
    }
    cli_write("cut.so", object, sizeof(Elf64_Ehdr) + 8);
    expect_object("cut.so: is truncated", "plugin:cut.so");
}

static void options_are_checked_by_the_table(void **state)
{
    (void)state;
    expect_object("must be 1 to 1000000000, not 0", PLUGIN("every_nth") ",n=0");
    expect_object("has no option 'm'", PLUGIN("every_nth") ",m=1");
    expect_object("did you mean 'share'", PLUGIN("odd_launch") ",shard=1");
    expect_object("did you mean 'half'", PLUGIN("odd_launch") ",do=halv");
    expect(2, "is named twice",
           WORDS("run", TRACE, "--sample", PLUGIN("first_blocks"), "--sample",
                 PLUGIN("first_blocks")));
    expect(2, "only one can",
           WORDS("run", TRACE, "--sample", PLUGIN("every_nth") ",n=2," PLUGIN("drawn")));
    expect(2, "works inside launches", WORDS("plan", TRACE, "--sample", PLUGIN("first_blocks")));
    expect(2, "no configuration may name",
           WORDS("run", TRACE, "-s", "sampling.samplers=plugin:a.so"));
    char *help =
        cli_run_as(&rubato, 0, NULL, WORDS("plan", "--sample", PLUGIN("odd_launch") ":help"));
    assert_non_null(strstr(help, "plugin:odd_launch: what a launch sampler may do"));
    assert_non_null(strstr(help, "half | fail | repeat"));
    assert_non_null(strstr(help, "legal: 0 to 1\n"));
    free(help);
    help = cli_run_as(&rubato, 0, NULL, WORDS("plan", "--sample", "help"));
    assert_non_null(strstr(help, "plugin:FILE.so"));
    free(help);
}

static void what_hooks_do_wrong_ends_the_run(void **state)
{
    static const struct {
        const char *sampler, *says;
    } cases[] = {
        {PLUGIN("odd_launch") ",do=fail,label=a b", "round(): was told to fail, as 'a b'"},
        {PLUGIN("odd_launch") ",do=repeat", "launch 1 was already simulated"},
        {PLUGIN("odd_launch") ",do=unknown", "has a weight but was not simulated"},
        {PLUGIN("odd_launch") ",do=outside", "its group number is not below"},
        {PLUGIN("odd_launch") ",do=negative", "its weight is not greater than 0"},
        {PLUGIN("odd_launch") ",do=wrong", "is not a confidence interval"},
        {PLUGIN("drawn") ",honest=off", "the size of its group divided by"},
        {PLUGIN("odd_inside") ",do=fail", "begin(): does not like"},
        {PLUGIN("odd_inside") ",do=none", "left out every block"},
        {PLUGIN("odd_inside") ",do=action", "an unknown action"},
        {PLUGIN("odd_inside") ",do=model,after=1", "unknown model or residents"},
        {PLUGIN("odd_inside") ",do=cycles,after=1", "-1 is not a valid number of cycles"},
    };
    (void)state;
    cli_make_many(TRACE, 5);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(
            2, cases[i].says,
            WORDS("run", "many", "-s", "sm.count=1", "--sample", cases[i].sampler, "-o", "wrong"));
        assert_false(cli_exists("wrong/run.json"));
    }
}

/* The file name comes first and may contain other separators. */
static void names_of_files_may_hold_signs(void **state)
{
    const size_t n = read_object(RUBATO_PLUGINS "/first_blocks.so");
    (void)state;
    cli_write("a=b:c d.so", object, n);
    expect(0, NULL,
           WORDS("run", TRACE, "--sample", "plugin:a=b:c d.so,count=5,photon_warp:delta=0.1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_that_cannot_be_loaded_are_named),
        cmocka_unit_test(an_object_for_another_machine_is_refused),
        cmocka_unit_test(an_object_that_is_cut_off_is_refused),
        cmocka_unit_test(options_are_checked_by_the_table),
        cmocka_unit_test(what_hooks_do_wrong_ends_the_run),
        cmocka_unit_test(names_of_files_may_hold_signs),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
