/* Configurations in files: inheritance, the origin of values, and files that are not
 * configurations. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/conf/conf.h"
#include "sim/conf/conf_scan.h"
#include "sim/conf/gpu_family.h"
#include "tests/support/sim/toy_conf.h"
#include "tests/support/test.h"

static char folder[] = "rubato-conf-XXXXXX";

static char *write_file(const char *name, const char *text)
{
    static char path[2][300];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof(path[0]), "%s/%s", folder, name);
    FILE *f = fopen(path[turn], "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path[turn];
}

static void a_file_wins_over_what_it_inherits_and_every_value_knows_its_origin(void **state)
{
    (void)state;
    toy_conf_t b;
    rb_err_t err = {0};
    write_file("base.cfg", "toy : {\n  ways = 2;\n  size = \"8KiB\";\n  clock = 5;\n};\n");
    write_file("mid.cfg", "toy : { ways = 3; size = \"16KiB\"; };\n\ninherit = \"base.cfg\";\n");
    conf_t *c = conf_create();
    char *top = write_file("top.cfg", "inherit = \"mid.cfg\";\n toy : {\n ways = 4; };");
    if (conf_load_file(c, top, &err) != RB_OK || conf_set(c, "other.depth=7", &err) != RB_OK ||
        toy_apply(c, &b, &err) != RB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(conf_overrides(c), 1);
    assert_int_equal(b.toy.ways, 4);
    assert_int_equal(b.toy.size, 16384);
    assert_true(b.toy.clock == 5);
    assert_int_equal(b.other.depth, 7);
    assert_string_equal(conf_origin(c, "toy.ways"), "top.cfg:3");
    assert_string_equal(conf_origin(c, "toy.size"), "mid.cfg:1");
    assert_string_equal(conf_origin(c, "toy.clock"), "base.cfg:4");
    assert_string_equal(conf_origin(c, "other.depth"), "command line");
    assert_string_equal(conf_origin(c, "toy.policy"), "default");
    assert_null(conf_origin(c, "toy.nothing"));
    assert_null(conf_origin(c, "nothing.ways"));
    assert_null(conf_origin(c, "nothing"));
    conf_destroy(c);
}

static void an_error_in_an_inherited_file_names_that_file(void **state)
{
    (void)state;
    toy_conf_t b;
    rb_err_t err = {0};
    conf_t *c = conf_create();
    write_file("wrong.cfg", "toy : {\n ways = 65; };");
    assert_int_equal(conf_load_file(c, write_file("user.cfg", "inherit=\"wrong.cfg\";"), &err),
                     RB_OK);
    assert_int_equal(toy_apply(c, &b, &err), RB_CONFIG);
    assert_non_null(strstr(err.text, "/wrong.cfg:2: toy.ways"));
    conf_destroy(c);
}

static void assert_unloadable(const char *path, rb_code_t code, const char *message)
{
    rb_err_t err = {0};
    conf_t *c = conf_create();
    assert_int_equal(conf_load_file(c, path, &err), code);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in: %s", message, err.text);
    conf_destroy(c);
}

static void circles_and_missing_parents_are_refused(void **state)
{
    (void)state;
    assert_unloadable(write_file("self.cfg", "inherit = \"self.cfg\";"), RB_CONFIG,
                      "inherits itself");
    write_file("a.cfg", "inherit = \"b.cfg\";");
    write_file("b.cfg", "\ninherit = \"./a.cfg\";");
    char path[300];
    snprintf(path, sizeof(path), "%s/a.cfg", folder);
    assert_unloadable(path, RB_CONFIG, "inherits itself");
    assert_unloadable(write_file("orphan.cfg", "\ninherit = \"nowhere.cfg\";"), RB_CONFIG,
                      "orphan.cfg:2: inherit: 'nowhere.cfg'");
    assert_unloadable(write_file("odd.cfg", "inherit = 3;"), RB_CONFIG, "odd.cfg:1: inherit needs");
    assert_unloadable(write_file("odd.cfg", "inherit : { a = 1; };"), RB_CONFIG, "inherit needs");
}

static void a_chain_of_too_many_files_is_refused(void **state)
{
    (void)state;
    char name[32], text[64], path[300];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "chain%d.cfg", i);
        snprintf(text, sizeof(text), "inherit = \"chain%d.cfg\";", i + 1);
        write_file(name, i < 39 ? text : "");
    }
    snprintf(path, sizeof(path), "%s/chain0.cfg", folder);
    assert_unloadable(path, RB_CONFIG, "inherited through more than");
    snprintf(path, sizeof(path), "%s/chain30.cfg", folder);
    conf_t *c = conf_create();
    assert_int_equal(conf_load_file(c, path, NULL), RB_OK);
    conf_destroy(c);
}

static void what_is_no_file_is_refused_without_hanging(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof(path), "%s/missing.cfg", folder);
    assert_unloadable(path, RB_IO, "No such file");
    assert_unloadable(folder, RB_CONFIG, "not a regular file");
    assert_unloadable("/dev/zero", RB_CONFIG, "not a regular file");
    snprintf(path, sizeof(path), "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_unloadable(path, RB_CONFIG, "not a regular file");
    char *big = write_file("big.cfg", "");
    assert_int_equal(truncate(big, CONF_MAX_BYTES + 1), 0);
    assert_unloadable(big, RB_CONFIG, "larger than");
    assert_unloadable(write_file("binary.cfg", "\177ELF\1"), RB_CONFIG,
                      "binary.cfg:1: this is not a text file");
}

/* The name of another generation is not a typing error. */
static void generations_that_are_not_modelled_are_named(void **state)
{
    static const struct {
        const char *name, *family;
    } cases[] = {
        {"a30", "Ampere"},
        {"A100-SXM4-80GB", "Ampere"},
        {"rtx3060", "Ampere"},
        {"RTX 3080 Ti", "Ampere"},
        {"NVIDIA RTX A6000", "Ampere"},
        {"sm_86", "Ampere"},
        {"h100", "Hopper"},
        {"gh200", "Hopper"},
        {"rtx_4090", "Ada"},
        {"L40S", "Ada"},
        {"sm_89", "Ada"},
        {"b200", "Blackwell"},
        {"rtx5090", "Blackwell"},
        {"Tesla P100", "Pascal"},
        {"gtx1080ti", "Pascal"},
        {"k80", "Kepler"},
        {"v10", NULL},
        {"rtx2080", NULL},
        {"rtx4000", NULL},
        {"Quadro RTX 5000", NULL},
        {"a10000", NULL},
        {"adaptive", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *family = gpu_family_not_modelled(cases[i].name);
        if (cases[i].family == NULL ? family != NULL
                                    : family == NULL || strcmp(family, cases[i].family) != 0)
            fail_msg("'%s' is said to be %s", cases[i].name, family != NULL ? family : "unknown");
        if (cases[i].family == NULL)
            continue;
        rb_err_t err = {0};
        conf_t *c = conf_create();
        assert_int_equal(conf_load_gpu(c, cases[i].name, &err), RB_USAGE);
        assert_non_null(strstr(err.text, cases[i].family));
        assert_null(strstr(err.text, "did you mean"));
        conf_destroy(c);
    }
}

static void gpus_are_found_in_the_folder_of_the_environment_first(void **state)
{
    (void)state;
    toy_conf_t b;
    rb_err_t err = {0};
    write_file("mine.cfg", "gpu : { name = \"mine\"; };\n");
    write_file("v100.cfg", "toy : { ways = 33; };\n");
    assert_int_equal(setenv("RUBATO_CONFIGS", folder, 1), 0);
    conf_t *c = conf_create();
    assert_int_equal(conf_load_gpu(c, "v100", &err), RB_OK);
    assert_int_equal(toy_apply(c, &b, &err), RB_OK);
    assert_int_equal(b.toy.ways, 33);
    assert_int_equal(conf_load_gpu(c, "mime", &err), RB_USAGE);
    assert_non_null(strstr(err.text, "did you mean 'mine'?"));
    conf_destroy(c);

    c = conf_create();
    err = (rb_err_t){0};
    assert_int_equal(conf_load_gpu(c, "", &err), RB_USAGE);
    conf_destroy(c);

    char path[300];
    c = conf_create();
    err = (rb_err_t){0};
    snprintf(path, sizeof(path), "%s/v100.cfg", folder);
    assert_int_equal(conf_load_gpu(c, path, &err), RB_OK);
    snprintf(path, sizeof(path), "%s/no-such.cfg", folder);
    assert_int_equal(conf_load_gpu(c, path, &err), RB_IO);
    conf_destroy(c);
    unsetenv("RUBATO_CONFIGS");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_wins_over_what_it_inherits_and_every_value_knows_its_origin),
        cmocka_unit_test(an_error_in_an_inherited_file_names_that_file),
        cmocka_unit_test(circles_and_missing_parents_are_refused),
        cmocka_unit_test(a_chain_of_too_many_files_is_refused),
        cmocka_unit_test(what_is_no_file_is_refused_without_hanging),
        cmocka_unit_test(generations_that_are_not_modelled_are_named),
        cmocka_unit_test(gpus_are_found_in_the_folder_of_the_environment_first),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
