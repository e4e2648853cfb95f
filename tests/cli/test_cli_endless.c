/* Endless files: every command that reads one reports it and does not use up the memory. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/tool/cli_child.h"

static const cli_child_t hurried = {.binary = RUBATO_BINARY, .hurried = true};

/* Exit status 1 or 2, and a message that names the file. */
static void refuses(const char *file, const char *const *words)
{
    cli_result_t r = cli_run(&hurried, words);

    if ((r.status != 1 && r.status != 2) || strstr(r.err, file) == NULL)
        fail_msg("%s %s: status %d: %s", words[0], words[1], r.status, r.err);
    cli_free(&r);
}

static void all_refuse(const char *file)
{
    char load[64];

    snprintf(load, sizeof(load), "photon_bb:load=%s", file);
    refuses(file, WORDS("run", file));
    refuses(file, WORDS("run", TRACE, "--plan", file));
    refuses(file, WORDS("run", TRACE, "--gpu", file));
    refuses(file, WORDS("run", TRACE, "--sample", load));
    refuses(file, WORDS("info", file));
    refuses(file, WORDS("convert", file, "x.rbt"));
    refuses(file, WORDS("trace", "verify", file));
    refuses(file, WORDS("trace", "cat", file));
    refuses(file, WORDS("trace", "slice", TRACE, "--plan", file, "-o", "x.rbt"));
    refuses(file, WORDS("sweep", file));
    refuses(file, WORDS("evaluate", TRACE, "--plan", file, "-o", "e"));
    refuses(file, WORDS("config", "check", file));
    refuses(file, WORDS("config", "import", file));
    refuses(file, WORDS("sass", file));
}

static void devices_are_refused(void **state)
{
    (void)state;
    all_refuse("/dev/zero");
}

/* No process writes to it, so waiting would never end. */
static void pipes_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    all_refuse("pipe");
}

/* These may be pipes. */
static void tables_without_an_end_are_refused(void **state)
{
    (void)state;
    refuses("/dev/zero", WORDS("plan", "/dev/zero"));
    refuses("/dev/zero", WORDS("evaluate", "/dev/zero"));
    refuses("/dev/zero", WORDS("stats", "diff", "/dev/zero", "/dev/zero"));
    refuses("/dev/zero", WORDS("compare", TRACE, "--hardware", "/dev/zero"));
    refuses("/dev/zero", WORDS("report", "/dev/zero", "-o", "x.html"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_refused),
        cmocka_unit_test(pipes_are_refused),
        cmocka_unit_test(tables_without_an_end_are_refused),
    };

    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
