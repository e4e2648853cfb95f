#include "frontend/tool/figure/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/tool/figure/figure_script.h"
#include "frontend/tool/io/folder_remove.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

extern char **environ;

#define FIGURE_FUNCTION_(name, help) figure_##name,
static rb_code_t (*const functions[FIGURE_COUNT])(figure_t *f,
                                                  rb_err_t *err) = {FIGURES(FIGURE_FUNCTION_)};

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

/* The text "data='../FIG.csv'" for gnuplot's -e; owned by the caller. */
static char *data_setting(const names_t *n)
{
    memory_file_t memory;
    FILE *out = memory_file_open(&memory);
    fputs("data='../", out);
    for (const char *c = n->data; *c != '\0'; c++)
        fputs((const char[]){*c, *c == '\'' ? '\'' : '\0', '\0'}, out);
    fputs("'", out);
    return memory_file_close(&memory, NULL);
}

/* Runs the script in a folder inside its own, where it draws. */
static rb_code_t run_gnuplot(const names_t *n, const char *folder, rb_err_t *err)
{
    char program[] = "gnuplot", option[] = "-e", *setting = data_setting(n);
    char *script = rb_format("../%s", n->script);
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int why = posix_spawnp(&pid, program, &actions, NULL,
                                 (char *[]){program, option, setting, script, NULL}, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(setting);
    free(script);
    if (why == ENOENT)
        return rb_fail(err, RB_IO,
                       "gnuplot is not installed (Debian and Ubuntu: apt install gnuplot-nox): the "
                       "data and the script are written; 'cd %s && gnuplot %s' draws the figure",
                       n->folder, n->script);
    if (why != 0)
        return rb_fail(err, RB_IO, "gnuplot: %s", strerror(why));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status == 0 ? RB_OK
                       : rb_fail(err, RB_IO, "gnuplot failed to draw %s/%s: see its message above",
                                 n->folder, n->script);
}

/* What the last bytes of each format hold. gnuplot does not notice a full disk. */
static const struct {
    const char *ending, *last;
} drawings[] = {{"svg", "</svg>"}, {"pdf", "%%EOF"}, {"png", "IEND"}, {"tex", "\\endgroup"}};

static bool is_whole(const char *path, figure_format_t format)
{
    enum { TAIL = 256 };
    char tail[TAIL];
    FILE *f = fopen(path, "r");
    size_t n = 0;
    if (f == NULL)
        return false;
    if (fseek(f, -TAIL, SEEK_END) == 0 || fseek(f, 0, SEEK_SET) == 0)
        n = fread(tail, 1, sizeof(tail), f);
    fclose(f);
    return memmem(tail, n, drawings[format].last, strlen(drawings[format].last)) != NULL;
}

/* Checks a drawing in the folder and moves it to that of the figure. */
static rb_code_t move_drawing(const names_t *n, const char *folder, figure_format_t format,
                              rb_err_t *err)
{
    char *name = rb_format("%s.%s", n->stem, drawings[format].ending);
    char *from = out_path(folder, name), *to = out_path(n->folder, name);
    rb_code_t rc = RB_OK;
    if (!is_whole(from, format))
        rc = rb_fail(
            err, RB_IO,
            "%s: gnuplot did not write all of it (is the disk full?); 'cd %s && gnuplot %s' "
            "draws it",
            to, n->folder, n->script);
    else if (rename(from, to) != 0)
        rc = rb_fail(err, RB_IO, "%s: %s", to, strerror(errno));
    free(name);
    free(from);
    free(to);
    return rc;
}

/* A figure of LaTeX includes a drawing, which comes first: with it the figure is complete. */
static rb_code_t draw_in(const names_t *n, const char *folder, rb_err_t *err)
{
    RB_TRY(run_gnuplot(n, folder, err));
    if (n->format == FIGURE_TEX)
        RB_TRY(move_drawing(n, folder, FIGURE_PDF, err));
    return move_drawing(n, folder, n->format, err);
}

static rb_code_t remove_older(const char *folder, const char *stem, figure_format_t format,
                              rb_err_t *err)
{
    char *name = rb_format("%s.%s", stem, drawings[format].ending), *path = out_path(folder, name);
    rb_code_t rc = RB_OK;
    if (unlink(path) != 0 && errno != ENOENT)
        rc = rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    free(name);
    free(path);
    return rc;
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
    RB_TRY(remove_older(n->folder, n->stem, n->format, err));
    if (n->format == FIGURE_TEX)
        RB_TRY(remove_older(n->folder, n->stem, FIGURE_PDF, err));
    char *folder = rb_format("%s/%s.XXXXXX", n->folder, n->stem);
    if (mkdtemp(folder) == NULL) {
        (void)rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
        free(folder);
        return RB_IO;
    }
    out_guard(folder);
    const rb_code_t rc = draw_in(n, folder, err);
    (void)folder_remove(folder);
    out_unguard(folder);
    free(folder);
    return rc;
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
