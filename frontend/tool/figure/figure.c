#include "frontend/tool/figure/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/tool/figure/figure_script.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/alloc.h"

extern char **environ;

#define FIGURE_FUNCTION_(name, help) figure_##name,
static rb_code_t (*const functions[FIGURE_COUNT])(figure_t *f,
                                                  rb_err_t *err) = {FIGURES(FIGURE_FUNCTION_)};

/* Runs a script in its folder. */
static rb_code_t run_gnuplot(const char *folder, const char *script, rb_err_t *err)
{
    char program[] = "gnuplot", *name = rb_strdup(script);
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int why =
        posix_spawnp(&pid, program, &actions, NULL, (char *[]){program, name, NULL}, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(name);
    if (why == ENOENT)
        return rb_fail(err, RB_IO,
                       "gnuplot is not installed (Debian and Ubuntu: apt install gnuplot-nox): the "
                       "data and the script are written; 'cd %s && gnuplot %s' draws the figure",
                       folder, script);
    if (why != 0)
        return rb_fail(err, RB_IO, "gnuplot: %s", strerror(why));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status == 0 ? RB_OK
                       : rb_fail(err, RB_IO, "gnuplot failed to draw %s/%s: see its message above",
                                 folder, script);
}

/* Names of a figure's files. */
typedef struct {
    char *folder, *stem; /* owned; stem: without folder and ending */
    char *data, *script; /* owned; names without the folder */
    figure_format_t format;
} names_t;

static rb_code_t find_names(names_t *n, const char *output, rb_err_t *err)
{
    const char *slash = strrchr(output, '/'), *base = slash != NULL ? slash + 1 : output;
    const char *dot = strrchr(base, '.');
    *n = (names_t){0};
    if (dot == NULL || dot == base || !figure_format(dot + 1, &n->format))
        return rb_fail(err, RB_USAGE, "%s: a figure's name ends in .svg, .pdf, .png or .tex",
                       output);
    n->folder = slash == NULL     ? rb_strdup(".")
                : slash == output ? rb_strdup("/")
                                  : rb_format("%.*s", (int)(slash - output), output);
    n->stem = rb_format("%.*s", (int)(dot - base), base);
    n->data = rb_format("%s.csv", n->stem);
    n->script = rb_format("%s.gp", n->stem);
    return RB_OK;
}

static void free_names(names_t *n)
{
    free(n->folder);
    free(n->stem);
    free(n->data);
    free(n->script);
}

/* Writes both files, or none. */
static rb_code_t write_files(figure_t *f, const names_t *n, rb_err_t *err)
{
    out_file_t data = {0}, script = {0};
    rb_code_t rc = out_file_open(&data, n->folder, n->data, err);
    if (rc == RB_OK)
        rc = out_file_open(&script, n->folder, n->script, err);
    if (rc == RB_OK) {
        f->data = data.out;
        f->script = script.out;
        rc = functions[f->o->kind](f, err);
    }
    if (rc != RB_OK) {
        out_file_abandon(&data);
        out_file_abandon(&script);
        return rc;
    }
    rc = out_file_close(&data, RB_OK, err);
    return out_file_close(&script, rc, err);
}

static rb_code_t draw(figure_t *f, const names_t *n, rb_err_t *err)
{
    RB_TRY(write_files(f, n, err));
    /* A drawing of older data must not stay if gnuplot fails. */
    if (unlink(f->o->output) != 0 && errno != ENOENT)
        return rb_fail(err, RB_IO, "%s: %s", f->o->output, strerror(errno));
    return run_gnuplot(n->folder, n->script, err);
}

rb_code_t figure_draw(const figure_options_t *o, rb_err_t *err)
{
    const double height = 2.2;
    matrix_t matrix = {0};
    names_t names;
    rb_code_t rc = find_names(&names, o->output, err);
    if (rc == RB_OK)
        rc = matrix_open(&matrix, o->folders, o->n_folders, &o->choice, err);
    if (rc == RB_OK) {
        figure_t f = {.o = o,
                      .m = &matrix,
                      .name = names.stem,
                      .tex = names.format == FIGURE_TEX,
                      .height = height};
        rc = draw(&f, &names, err);
    }
    matrix_close(&matrix);
    free_names(&names);
    return rc;
}
