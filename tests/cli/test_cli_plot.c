/* rubato plot: data and script of each figure; gnuplot itself is not needed. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/sweep_files.h"

/*
 * Writes the folder of a sweep of programs on two sizes of the L2 and two numbers of SMs;
 * cycles of program p: 1000 (p + 1) / (i + 1) at point i.
 */
static void write_sweep(const char *folder, const char *const *programs, size_t n_programs)
{
    static const char *const points[][2] = {
        {"3MiB", "40"}, {"3MiB", "80"}, {"6MiB", "40"}, {"6MiB", "80"}};
    static char list[65536];
    char path[128], text[1024];
    if (cli_exists(folder))
        return;
    snprintf(list, sizeof(list), "%s", "job\tid\tcommand\ttrace\tgpu\tl2.size\tsm.count\n");
    snprintf(path, sizeof(path), "%s/jobs", folder);
    assert_int_equal(mkdir(folder, 0777) | mkdir(path, 0777), 0);
    for (size_t i = 0; i < 4 * n_programs; i++) {
        const size_t p = i / 4, at = i % 4;
        snprintf(list + strlen(list), sizeof(list) - strlen(list),
                 "%zu\t%016zx\texec x\t%s\tv100\t%s\t%s\n", i + 1, i, programs[p], points[at][0],
                 points[at][1]);
        snprintf(path, sizeof(path), "%s/jobs/%016zx", folder, i);
        assert_int_equal(mkdir(path, 0777), 0);
        snprintf(path, sizeof(path), "%s/jobs/%016zx/run.json", folder, i);
        sweep_write(path,
                    "{\"schema\": 1, \"complete\": true,\n\"config\": {\"clock_mhz\": 1000, "
                    "\"peaks\": {\"fp32_operations_per_second\": 1e12, "
                    "\"dram_bytes_per_second\": 1e11}},\n\"totals\": {}, \"launches\": []}\n");
        snprintf(path, sizeof(path), "%s/jobs/%016zx/stats.csv", folder, i);
        snprintf(text, sizeof(text),
                 "path,value,unit,low,high\ntotals.cycles,%zu,cycles,,\ntotals.seconds,1e-6,s,,\n"
                 "totals.dram_bytes,%zu,bytes,,\nsm.flops_fp16,0,operations,,\n"
                 "sm.flops_fp32,2000,operations,,\nsm.flops_fp64,0,operations,,\n"
                 "sm.flops_tensor,0,operations,,\nmetrics.state_wait_share,0.75,1,,\n"
                 "metrics.state_selected_share,0.25,1,,\n",
                 1000 * (p + 1) / (at + 1), p == 1 ? 0 : 1000 * (p + 1));
        sweep_write(path, text);
    }
    snprintf(path, sizeof(path), "%s/jobs.tsv", folder);
    sweep_write(path, list);
}

static const char *const three[] = {"bfs/graph", "nn", "sp_mv"};

/* Writes what ends each kind of drawing, and with what it was called, where the script says. */
#define DRAWS                                                                                      \
    "#!/bin/sh\nout=$(sed -n \"s/^set output '\\(.*\\)'$/\\1/p\" \"$3\" | sed \"s/''/'/g\")\n"     \
    "printf '%s </svg> %%%%EOF IEND %s\\n' \"$* $(pwd)\" '\\endgroup' | tee \"$out\" "             \
    ">\"${out%.*}.pdf\"\n"

/* A program "gnuplot" that draws nothing but says with what it was called. */
static void fake_gnuplot(const char *script)
{
    mkdir("bin", 0777);
    sweep_write("bin/gnuplot", script);
    assert_int_equal(chmod("bin/gnuplot", 0777), 0);
    char folder[512], path[560];
    assert_non_null(getcwd(folder, sizeof(folder)));
    snprintf(path, sizeof(path), "%s/bin", folder);
    snprintf(path + strlen(path), sizeof(path) - strlen(path), ":/usr/bin:/bin");
    setenv("PATH", path, 1);
}

/* Plots without gnuplot: exit status 1, but the files are there. Returns the data. */
static char *data_of(const char *what, const char *const *words)
{
    char path[64];
    const char *all[24] = {"plot", "s", "--what", what};
    size_t n = 4;
    setenv("PATH", "/nowhere", 1);
    for (; *words != NULL; words++)
        all[n++] = *words;
    snprintf(path, sizeof(path), "%s.svg", what);
    all[n++] = "-o";
    all[n++] = path;
    write_sweep("s", three, 3);
    expect(1, "gnuplot is not installed (Debian and Ubuntu: apt install gnuplot-nox)", all);
    assert_false(cli_exists(path));
    snprintf(path, sizeof(path), "%s.csv", what);
    return cli_read(path);
}

static void file_has(const char *path, const char *part)
{
    char *text = cli_read(path);
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("%s does not have '%s': %s", path, part, text);
    free(text);
}

static void bars_are_relative_to_the_base_with_their_mean_last(void **state)
{
    (void)state;
    char *data = data_of("speedup", WORDS("--where", "sm.count=40", "--as", "speedup"));
    assert_string_equal(data, "program,l2.size=6MiB\nbfs,3.003003\nnn,3.003003\nsp_mv,3\n ,\n"
                              "geomean,3.002002\n");
    free(data);
    file_has("speedup.gp", "set output 'speedup.svg'\nif (!exists('data')) data = 'speedup.csv'\n");
    file_has("speedup.gp", "set ylabel 'speed-up'");
    file_has("speedup.gp", "set xtics rotate by 40 ");
}

static void names_of_many_programs_do_not_overlap(void **state)
{
    (void)state;
    static char names[40][16];
    const char *many[40];
    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof(names[i]), "program%zu", i);
        many[i] = names[i];
    }
    write_sweep("many", many, 40);
    setenv("PATH", "/nowhere", 1);
    expect(1, "gnuplot is not installed",
           WORDS("plot", "many", "--what", "stack", "-o", "many.svg"));
    /* 72 points an inch, of which 2.9 are for 40 programs. */
    file_has("many.gp", "set xtics rotate by 90 right scale 0 font ',5.2'\n");
    expect(1, "gnuplot is not installed",
           WORDS("plot", "many", "--what", "stack", "--columns", "2", "-o", "many.svg"));
    file_has("many.gp", "set xtics rotate by 90 right scale 0 font ',8.0'\n");
    /* Points of a roofline that are close share a label: here those of less than 1.2 times the bytes. */
    expect(1, "gnuplot is not installed",
           WORDS("plot", "many", "--what", "roofline", "-o", "many.svg"));
    file_has("many.csv",
             "\nprogram4,0.4,2e+09,program4\nprogram5,0.3333333,2e+09,program5; program6\n");
    file_has("many.csv", "\nprogram6,0.2857143,2e+09,\n");
}

static void a_curve_has_a_line_per_combination_of_the_other_axes(void **state)
{
    (void)state;
    char *data = data_of("curve", WORDS("--axis", "sm.count", "--as", "value"));
    assert_int_equal(strncmp(data, "sm.count,l2.size=3MiB,l2.size=6MiB\n40,", 38), 0);
    free(data);
    /* With one axis, each program has a line, too. */
    data = data_of("curve", WORDS("--where", "sm.count=40", "--match", "!nn"));
    assert_int_equal(strncmp(data, "l2.size,geomean,spread,bfs,sp_mv\n3MiB,1,1,1,1\n", 46), 0);
    free(data);
}

/* A sampled job has an interval, the others are exact. */
static void a_curve_has_bars_where_values_have_intervals(void **state)
{
    (void)state;
    write_sweep("bars", three, 1);
    sweep_write("bars/jobs/0000000000000001/stats.csv",
                "path,value,unit,low,high\ntotals.cycles,500,cycles,450,560\n"
                "totals.estimated,1,,,\n");
    setenv("PATH", "/nowhere", 1);
    expect(1, "gnuplot is not installed",
           WORDS("plot", "bars", "--what", "curve", "--axis", "sm.count", "--where", "l2.size=3MiB",
                 "--as", "value", "-o", "bars.svg"));
    char *data = cli_read("bars.csv"), *script = cli_read("bars.gp");
    assert_string_equal(data, "sm.count,geomean,low,high,spread\n40,1000,1000,1000,\n"
                              "80,500,450,560,\n");
    assert_non_null(strstr(script, "with yerrorlines"));
    free(data);
    free(script);
}

static void a_heatmap_is_of_two_axes_or_of_programs_and_columns(void **state)
{
    (void)state;
    char *data = data_of("heatmap", WORDS("--match", "sp", "--as", "value"));
    assert_string_equal(data, "sm.count,3MiB,6MiB\n40,3000,1000\n80,1500,750\n");
    free(data);
    data = data_of("heatmap", WORDS("--where", "sm.count=80", "--as", "value"));
    assert_string_equal(data, "program,l2.size=3MiB,l2.size=6MiB\nbfs,500,250\nnn,1000,500\n"
                              "sp_mv,1500,750\n");
    free(data);
}

static void a_stack_has_the_largest_states_first(void **state)
{
    (void)state;
    char *data = data_of("stack", WORDS("--base", "2"));
    assert_int_equal(strncmp(data, "program,wait,selected,", 22), 0);
    assert_non_null(strstr(data, "\nnn,0.75,0.25,0,"));
    free(data);
    file_has("stack.gp", "set title 'l2.size=3MiB sm.count=80'");
}

static void a_roofline_has_points_and_the_roofs_of_the_gpu(void **state)
{
    (void)state;
    char *data = data_of("roofline", WORDS("--theme", "dark"));
    assert_string_equal(data, "program,operations per byte of DRAM,operations per second,label\n"
                              "bfs,2,2e+09,bfs\nsp_mv,0.6666667,2e+09,sp_mv\n");
    free(data);
    file_has("roofline.gp", "dram = 1e+11 # bytes/s\n");
    file_has("roofline.gp", "roof(x, 1e+12) with lines linetype 2 title 'FP32'");
    file_has("roofline.gp", "paper = '#16181c'");
}

static void gnuplot_is_called_in_the_folder_of_the_figure(void **state)
{
    (void)state;
    write_sweep("s", three, 3);
    fake_gnuplot(DRAWS);
    assert_int_equal(mkdir("figures", 0777), 0);
    expect(0, "figures/drawn.pdf; its data and script are beside it",
           WORDS("plot", "s", "--what", "stack", "-o", "figures/drawn.pdf", "--columns", "2"));
    file_has("figures/drawn.pdf", "-e data='../drawn.csv' ../drawn.gp ");
    file_has("figures/drawn.gp", "width = 7.16;");
    file_has("figures/drawn.gp", "set terminal pdfcairo");
    /* The same data give the same files. */
    char *first = cli_read("figures/drawn.gp");
    expect(0, NULL,
           WORDS("plot", "s", "--what", "stack", "-o", "figures/drawn.pdf", "--columns", "2"));
    file_has("figures/drawn.gp", first);
    free(first);
    /* A figure that cannot be drawn does not leave an older one. */
    fake_gnuplot("#!/bin/sh\nexit 3\n");
    expect(1, "gnuplot failed to draw figures/drawn.gp",
           WORDS("plot", "s", "--what", "stack", "-o", "figures/drawn.pdf"));
    assert_false(cli_exists("figures/drawn.pdf"));
}

/* As on a full disk, which gnuplot does not notice. An older drawing does not stay, nor anything else. */
static void a_cut_drawing_is_no_figure(void **state)
{
    (void)state;
    write_sweep("s", three, 3);
    assert_int_equal(mkdir("cut", 0777), 0);
    fake_gnuplot(DRAWS);
    expect(0, NULL, WORDS("plot", "s", "--what", "stack", "-o", "cut/a.svg"));
    expect(0, NULL, WORDS("plot", "s", "--what", "stack", "-o", "cut/b.tex"));
    fake_gnuplot(
        "#!/bin/sh\necho '<svg' >a.svg\nprintf '%s' '\\endgroup' >b.tex\necho cut >b.pdf\n");
    expect(1, "cut/a.svg: gnuplot did not write all of it (is the disk full?)",
           WORDS("plot", "s", "--what", "stack", "-o", "cut/a.svg"));
    expect(1, "cut/b.pdf: gnuplot did not write all of it",
           WORDS("plot", "s", "--what", "stack", "-o", "cut/b.tex"));
    assert_false(cli_exists("cut/a.svg") || cli_exists("cut/b.tex") || cli_exists("cut/b.pdf"));
    unlink("cut/a.csv");
    unlink("cut/a.gp");
    unlink("cut/b.csv");
    unlink("cut/b.gp");
    assert_int_equal(rmdir("cut"), 0);
}

/* Three axes: a heatmap shows two of them, at the base's value of the third. */
static void a_figure_says_what_it_holds(void **state)
{
    (void)state;
    write_sweep("s", three, 3);
    free(data_of("heatmap", WORDS("--axis", "l2.size", "--axis", "gpu", "--base", "2")));
    file_has("heatmap.gp", "set title 'sm.count=80'");
    free(data_of("roofline", WORDS("--base", "2")));
    file_has("roofline.gp", "set title 'l2.size=3MiB sm.count=80'");
    free(data_of("heatmap", WORDS("--base", "2")));
    char *script = cli_read("heatmap.gp");
    assert_null(strstr(script, "set title"));
    free(script);
}

static void no_two_of_many_series_look_alike(void **state)
{
    (void)state;
    write_sweep("s", three, 3);
    free(data_of("speedup", WORDS("--as", "value")));
    char *script = cli_read("speedup.gp");
    const char *at = script;
    char colours[32][8];
    for (unsigned i = 0; i < 32; i++) {
        at = strstr(at, "lc rgb '#");
        assert_non_null(at);
        at += 8;
        memcpy(colours[i], at, 7);
        colours[i][7] = '\0';
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(colours[k], colours[i]);
    }
    free(script);
}

static void latex_gets_escaped_texts(void **state)
{
    (void)state;
    write_sweep("s", three, 3);
    fake_gnuplot(DRAWS);
    expect(0, NULL, WORDS("plot", "s", "--what", "stack", "-o", "tex.tex"));
    file_has("tex.csv", "\nsp\\\\_mv,"); /* gnuplot consumes one */
    expect(0, NULL, WORDS("plot", "s", "--what", "stack", "-o", "png.png"));
    file_has("png.csv", "\nsp_mv,");
}

/* Replaces a program's name in the list of jobs by one of the same length. */
static void rename_program(const char *from, const char *to)
{
    char *list = cli_read("s/jobs.tsv");
    for (char *at = list; (at = strstr(at, from)) != NULL;)
        memcpy(at, to, strlen(to));
    sweep_write("s/jobs.tsv", list);
    free(list);
}

static void names_cannot_be_commands_of_latex(void **state)
{
    (void)state;
    write_sweep("s", three, 3);
    fake_gnuplot(DRAWS);
    rename_program("sp_mv", "s\\~^_");
    expect(0, NULL, WORDS("plot", "s", "--what", "stack", "-o", "hostile.tex"));
    rename_program("s\\~^_", "sp_mv");
    file_has("hostile.csv",
             "\ns\\\\textbackslash{}\\\\textasciitilde{}\\\\textasciicircum{}\\\\_,");
}

static void file_names_may_have_quotes(void **state)
{
    (void)state;
    write_sweep("s", three, 3);
    fake_gnuplot(DRAWS);
    expect(0, NULL, WORDS("plot", "s", "--what", "stack", "-o", "bob's.svg"));
    file_has("bob's.gp", "\nset output 'bob''s.svg'\nif (!exists('data')) data = 'bob''s.csv'\n");
}

static void what_cannot_be_plotted_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    write_sweep("s", three, 3);
    fake_gnuplot(DRAWS);
    expect(2, "--what is missing", WORDS("plot", "s"));
    expect(2, "ends in .svg, .pdf, .png or .tex",
           WORDS("plot", "s", "--what", "stack", "-o", "fig.jpg"));
    expect(2, "--axis dram.size: s has no such axis",
           WORDS("plot", "s", "--what", "curve", "--axis", "dram.size", "-o", "no.svg"));
    expect(2, "nothing varies in this study but the trace",
           WORDS("plot", "s", "--what", "curve", "--where", "sm.count=40", "--where",
                 "l2.size=3MiB", "-o", "no.svg"));
    expect(2, "no job has a trace that matches and these settings",
           WORDS("plot", "s", "--what", "stack", "--where", "sm.count=41", "-o", "no.svg"));
    expect(2, "there is no statistic 'ipcc'",
           WORDS("plot", "s", "--what", "speedup", "--stat", "ipcc", "-o", "no.svg"));
    expect(2, "--hardware FILE and --what correlation belong together",
           WORDS("plot", "s", "--what", "correlation"));
    assert_false(cli_exists("no.csv") || cli_exists("no.gp") || cli_exists("no.svg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_relative_to_the_base_with_their_mean_last),
        cmocka_unit_test(names_of_many_programs_do_not_overlap),
        cmocka_unit_test(a_curve_has_a_line_per_combination_of_the_other_axes),
        cmocka_unit_test(a_curve_has_bars_where_values_have_intervals),
        cmocka_unit_test(a_heatmap_is_of_two_axes_or_of_programs_and_columns),
        cmocka_unit_test(a_stack_has_the_largest_states_first),
        cmocka_unit_test(a_roofline_has_points_and_the_roofs_of_the_gpu),
        cmocka_unit_test(gnuplot_is_called_in_the_folder_of_the_figure),
        cmocka_unit_test(a_cut_drawing_is_no_figure),
        cmocka_unit_test(a_figure_says_what_it_holds),
        cmocka_unit_test(no_two_of_many_series_look_alike),
        cmocka_unit_test(latex_gets_escaped_texts),
        cmocka_unit_test(names_cannot_be_commands_of_latex),
        cmocka_unit_test(file_names_may_have_quotes),
        cmocka_unit_test(what_cannot_be_plotted_is_refused_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
