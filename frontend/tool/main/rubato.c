/* rubato: finds the subcommand and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h> /* for __GLIBC__ */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/version.h"

/*
 * Opens closed standard streams, so that no other file gets their descriptors. Reading and writing
 * still fail, since each is opened in the wrong direction.
 */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Launches are opened and closed a hundred times a second. Memory that they give back stays in the
 * program, up to a few MiB; else the host clears its pages again for each. The first MiBs come in huge pages,
 * because each small one costs the host as much as hundreds of simulated cycles. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    enum { MIB = 1 << 20, HUGE = 2 * MIB, HEAP = 16 * MIB };
    mallopt(M_MMAP_THRESHOLD, MIB);
    mallopt(M_TRIM_THRESHOLD, HEAP + 8 * MIB);
    mallopt(M_TOP_PAD, HEAP);
    char *first = malloc(1), *end = sbrk(0);
    mallopt(M_TOP_PAD, MIB);
    const uintptr_t begin = ((uintptr_t)first + HUGE - 1) / HUGE * HUGE;
    if (begin < (uintptr_t)end) /* else the host gives memory in another way */
        (void)madvise((void *)begin, (uintptr_t)end - begin, MADV_HUGEPAGE);
    free(first);
#endif
}

/* argv[0] is the name of the command. */
static int run_command(int argc, char **argv)
{
#define ROW(name) {#name, cmd_##name},
    static const struct {
        const char *name;
        int (*main)(int argc, char **argv);
    } commands[] = {CLI_COMMANDS(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(commands[i].name, argv[0]) == 0)
            return commands[i].main(argc, argv);
    }
    rb_err_t err = {0};
    cli_unknown_command(argv[0], &err);
    return cli_report(&err);
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    keep_freed_memory();
    /* A file that exceeds its size limit makes write() fail, like a full disk, instead of a
     * signal. */
    signal(SIGXFSZ, SIG_IGN);

    rb_err_t err = {0};
    if (argc < 2) {
        cli_print_help(NULL, stderr);
        return rb_exit_code(RB_USAGE);
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_print_help(NULL, stdout);
    } else if (strcmp(word, "--version") == 0) {
        printf("rubato %s (%s)\n", RUBATO_VERSION, rubato_commit);
    } else if (word[0] == '-') {
        rb_fail(&err, RB_USAGE, "unknown option '%s'; see 'rubato --help'", word);
        return cli_report(&err);
    } else {
        return run_command(argc - 1, argv + 1);
    }
    return out_flush_stdout(&err) != RB_OK ? cli_report(&err) : 0;
}
