/* The writer of Accel-Sim text: lines, headers, generated mnemonics, and faults. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/accelsim/write/accelsim_synthesis.h"
#include "sim/isa/isa.h"
#include "tests/support/input/accelsim_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

/* --- lines -------------------------------------------------------------------------------------
 */

/* Reads a kernel file with these lines of warp 0, writes it as text, and returns the text. Free
 * it. */
static char *rewrite(unsigned version, const char *header, const char *lines, unsigned n,
                     const accelsim_writer_options_t *opts)
{
    char text[8192], folder[256];

    snprintf(text, sizeof(text),
             "%s#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\ninsts = %u\n%s#END_TB\n",
             trace_header(version, header), n, lines);
    temp_write("k.traceg", text);
    trace_source_t *s = accelsim_lab_open(temp_path("k.traceg"));

    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    accelsim_lab_write(s, folder, opts);
    s->ops->destroy(s);
    FILE *f = fopen(temp_path("out/kernel-1.traceg"), "r");
    char *got = calloc(1, sizeof(text));

    assert_non_null(f);
    fread(got, 1, sizeof(text) - 1, f);
    fclose(f);
    accelsim_lab_remove(folder);
    return got;
}

static void becomes(unsigned version, const char *header, const char *lines, unsigned n,
                    const char *expected)
{
    char *got = rewrite(version, header, lines, n, NULL);
    char *body = strstr(got, "#BEGIN_TB");
    char whole[4096];

    snprintf(whole, sizeof(whole),
             "#BEGIN_TB\n\nthread block = 1,0,0\n\nwarp = 1\ninsts = %u\n%s\n#END_TB\n\n", n,
             expected);
    assert_non_null(body);
    assert_string_equal(body, whole);
    free(got);
}

static void address_modes_are_the_tracers(void **state)
{
    (void)state;
    becomes(
        5, "",
        "0000 ffffffff 1 R4 LDG.E 1 R2 4 0 0x100 0x104 0x108 0x10c 0x110 0x114 0x118 0x11c 0x120 "
        "0x124 0x128 0x12c 0x130 0x134 0x138 0x13c 0x140 0x144 0x148 0x14c 0x150 0x154 0x158 "
        "0x15c 0x160 0x164 0x168 0x16c 0x170 0x174 0x178 0x17c 0\n"
        "0010 00000f00 1 R4 LDG.E 1 R2 4 2 0x100 -4 -4 -4 0\n"
        "0020 00000005 1 R4 LDG.E 1 R2 4 0 0x100 0x104 0\n"
        "0030 80000000 1 R4 LDG.E 1 R2 4 1 0x7f0000000100 8 0\n"
        "0040 00000003 1 R4 LDG.E 1 R2 4 0 0x0 0x80000000 0\n"
        "0050 00000007 1 R4 LDG.E 1 R2 4 2 0x7f0000000000 0 0 7\n"
        "0060 00000000 1 R4 LDG.E 1 R2 4 1 0x0 0 0\n"
        "0070 00000007 1 R4 LDG.E 1 R2 4 2 0x10 -8 -9000000000 0\n",
        8,
        "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x100 4 0 \n"
        "0010 00000f00 1 R4 LDG.E 1 R2 4 1 0x100 -4 0 \n"
        "0020 00000005 1 R4 LDG.E 1 R2 4 2 0x100 4 0 \n"
        "0030 80000000 1 R4 LDG.E 1 R2 4 2 0x7f0000000100 0 \n"
        "0040 00000003 1 R4 LDG.E 1 R2 4 2 0x0 2147483648 0 \n"
        "0050 00000007 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 0 7 \n"
        "0060 00000000 1 R4 LDG.E 1 R2 4 1 0x0 0 0 \n"
        "0070 00000007 1 R4 LDG.E 1 R2 4 2 0x10 -8 -9000000000 0 \n");
}

static void addresses_can_be_listed(void **state)
{
    const accelsim_writer_options_t opts = {.list_addresses = true};
    char *got = rewrite(5, "",
                        "0000 00000003 0 STS 2 R2 R3 4 1 0x10 4 0\n"
                        "0010 00000000 0 STS 2 R2 R3 4 1 0x0 0 0\n",
                        2, &opts);

    (void)state;
    assert_non_null(strstr(got, "STS 2 R2 R3 4 0 0x0000000000000010 0x0000000000000014 0 \n"));
    assert_non_null(strstr(got, "0010 00000000 0 STS 2 R2 R3 4 0 0 \n"));
    free(got);
}

static void source_lines_and_immediates_are_kept(void **state)
{
    (void)state;
    becomes(5, "-enable lineinfo = 1",
            "12 0000 ffffffff 1 R1 MOV 0 0 -5 \n0 0010 00000001 1 R4 LDS 1 R2 4 2 0x8 64 3\n", 2,
            "12 0000 ffffffff 1 R1 MOV 0 0 -5 \n0 0010 00000001 1 R4 LDS 1 R2 4 2 0x8 64 3 \n");
    becomes(3, "", "0000 ffffffff 0 EXIT 0 0 \n", 1, "0000 ffffffff 0 EXIT 0 0 \n");
}

static void version_6_stays_version_6(void **state)
{
    const char *lines = "0000 ffffffff 1 UR4 S2UR 0 0 0 0 NoVal \n"
                        "0010 00000001 1 R4 LDG.E 2 R2 UR4 4 2 0x80 0 0 Val 1 0x5 1 0x6 \n";

    (void)state;
    becomes(6, "", lines, 2,
            "0000 ffffffff 1 UR4 S2UR 0 0 0 0 NoVal \n"
            "0010 00000001 1 R4 LDG.E 2 R2 UR4 4 2 0x80 0 0 NoVal \n");
    char *got = rewrite(6, "", lines, 2, NULL);

    assert_non_null(strstr(got, "-accelsim tracer version = 6\n"));
    free(got);
}

/* CCTL has an address, which the model does not keep. */
static void addresses_that_were_not_kept_leave_no_width(void **state)
{
    (void)state;
    becomes(5, "", "0000 00000003 0 CCTL.IVALL 1 R2 4 1 0x100 4 0 \n", 1,
            "0000 00000003 0 CCTL.IVALL 1 R2 0 0 \n");
}

static void the_header_is_whole(void **state)
{
    char *got = rewrite(5, "", "0000 00000003 0 EXIT 0 0 0\n", 1, NULL);

    (void)state;
    got[strstr(got, "#traces") - got] = '\0';
    assert_string_equal(got, "-kernel name = _Z4testPf\n-kernel id = 7\n-grid dim = (2,1,1)\n"
                             "-block dim = (64,1,1)\n-shmem = 256\n-nregs = 16\n"
                             "-binary version = 70\n-cuda stream id = 5\n"
                             "-shmem base_addr = 0x00007f5a2e000000\n"
                             "-local mem base_addr = 0x00007f5a2c000000\n"
                             "-nvbit version = unknown\n-accelsim tracer version = 5\n"
                             "-enable lineinfo = 0\n\n");
    free(got);
}

/* --- generated text -------------------------------------------------------------------------- */

/* Decodes the opcode of a line, generates it from inst_t alone, and decodes that: the inst_t
 * must be the same. */
static void survives_synthesis(const char *mnemonic, unsigned width, unsigned n_dst, unsigned n_src)
{
    char text[ACCELSIM_SYNTHESIS_MAX], *word[16], *rest = text;
    inst_t a = {.n_dst = (uint8_t)n_dst, .n_src = (uint8_t)n_src}, b = {0};
    unsigned n = 0;

    for (unsigned i = 0; i < n_dst + n_src; i++)
        *(i < n_dst ? &a.dst[i] : &a.src[i - n_dst]) =
            (reg_op_t){.file = REG_GPR, .num = (uint8_t)(8 + 4 * i), .count = 1};
    assert_true(isa_decode(70, mnemonic, strlen(mnemonic), width, &a));
    isa_finish(&a, mnemonic, strlen(mnemonic));
    accelsim_synthesise(&a, "", false, text);
    for (; n < 16 && rest != NULL; n++)
        word[n] = strsep(&rest, " ");
    unsigned at = 1, dsts = (unsigned)atoi(word[0]);

    for (unsigned i = 0; i < dsts; i++)
        b.dst[b.n_dst++] =
            (reg_op_t){.file = REG_GPR, .num = (uint8_t)atoi(word[at++] + 1), .count = 1};
    const char *opcode = word[at++];

    for (int i = atoi(word[at++]); i > 0; i--)
        b.src[b.n_src++] =
            (reg_op_t){.file = REG_GPR, .num = (uint8_t)atoi(word[at++] + 1), .count = 1};
    assert_true(isa_decode(70, opcode, strlen(opcode), (unsigned)atoi(word[at]), &b));
    isa_finish(&b, opcode, strlen(opcode));
    if (a.cls != b.cls || a.space != b.space || a.access != b.access || a.width != b.width ||
        (a.flags & ~(uint32_t)INST_ADDR64) != (b.flags & ~(uint32_t)INST_ADDR64) ||
        a.n_wait != b.n_wait || a.n_set != b.n_set ||
        memcmp(a.dep, b.dep, a.n_wait * sizeof(a.dep[0])) != 0)
        fail_msg("%s became %s", mnemonic, opcode);
}

static void made_up_text_reads_the_same(void **state)
{
    (void)state;
    survives_synthesis("FFMA", 0, 1, 3);
    survives_synthesis("IMAD.WIDE", 0, 1, 3);
    survives_synthesis("DFMA", 0, 1, 3);
    survives_synthesis("LDG.E.128", 16, 1, 1);
    survives_synthesis("LDG.E.U8", 1, 1, 1);
    survives_synthesis("LDG.E.STRONG.GPU", 4, 1, 1);
    survives_synthesis("STG.E.64", 8, 0, 2);
    survives_synthesis("LDS.U.128", 16, 1, 1);
    survives_synthesis("STS", 4, 0, 2);
    survives_synthesis("LDSM.16.M88.4", 16, 1, 1);
    survives_synthesis("ATOMS.ADD", 4, 1, 2);
    survives_synthesis("RED.E.ADD", 4, 0, 2);
    survives_synthesis("MEMBAR.SC.SYS", 0, 0, 0);
    survives_synthesis("MEMBAR.SC.CTA", 0, 0, 0);
    survives_synthesis("BAR.ARV", 0, 0, 0);
    survives_synthesis("BAR.SYNC", 0, 0, 0);
    survives_synthesis("EXIT", 0, 0, 0);
    survives_synthesis("S2R", 0, 1, 0);
}

static void a_mnemonic_is_taken_over(void **state)
{
    const inst_t in = {.n_dst = 1,
                       .n_src = 2,
                       .dst = {{REG_PRED, 0, 1}},
                       .src = {{REG_GPR, 4, 1}, {REG_UNIFORM, 5, 1}},
                       .imm = -3};
    char text[ACCELSIM_SYNTHESIS_MAX];

    (void)state;
    accelsim_synthesise(&in, "ISETP.GE.AND P0, PT, R4", false, text);
    assert_string_equal(text, "0 ISETP.GE.AND 1 R4 0 -3");
    accelsim_synthesise(&in, "ISETP.GE.AND P0, PT, R4", true, text);
    assert_string_equal(text, "1 P0 ISETP.GE.AND 2 R4 UR5 0 -3 0 NoVal");
}

/* --- faults ----------------------------------------------------------------------------------- */

static unsigned count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned n = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n - 2;
}

static trace_source_t *open_small(const char *end)
{
    char text[4096];

    snprintf(
        text, sizeof(text),
        "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 1 0 EXIT 0 0 0\n#END_TB\n"
        "%s",
        trace_header(5, ""), end);
    temp_write("k.traceg", text);
    return accelsim_lab_open(temp_path("k.traceg"));
}

static const char *text_of_two_lines(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    static const char text[] = "0 EXIT 0 0 0\n#END_TB\n";

    (void)l;
    (void)inst;
    *len = sizeof(text) - 1;
    return text;
}

static void a_text_that_would_break_the_line_is_not_used(void **state)
{
    trace_source_t *s = open_small("");
    trace_source_ops_t ops = *s->ops;
    char folder[256];
    rb_err_t err = {0};

    (void)state;
    ops.inst_text = text_of_two_lines;
    s->ops = &ops;
    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    accelsim_lab_write(s, folder, NULL);
    char *before = trace_source_text(s, &err),
         *after = trace_source_text(accelsim_lab_open(folder), &err);

    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void a_damaged_source_leaves_nothing_behind(void **state)
{
    trace_source_t *s = open_small("nonsense\n");
    rb_err_t err = {0};

    (void)state;
    assert_int_equal(accelsim_write(s, temp_path("out"), NULL, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "k.traceg:"));
    assert_int_equal(count_entries(temp_path("")), 1);
    s->ops->destroy(s);
}

static rb_code_t stop(void *ctx, const launch_info_t *info, const trace_block_t *block,
                      rb_err_t *err)
{
    assert_int_equal(info->id, 1);
    assert_int_equal(block->index, 0);
    ++*(unsigned *)ctx;
    return rb_fail(err, RB_STOPPED, "stopped");
}

static void the_writing_can_be_stopped(void **state)
{
    trace_source_t *s = open_small("");
    unsigned steps = 0;
    const accelsim_writer_options_t opts = {.step = stop, .step_ctx = &steps};
    rb_err_t err = {0};

    (void)state;
    assert_int_equal(accelsim_write(s, temp_path("out"), &opts, &err), RB_STOPPED);
    assert_int_equal(steps, 1);
    assert_int_equal(count_entries(temp_path("")), 1);
    s->ops->destroy(s);
}

static void only_an_empty_folder_is_replaced(void **state)
{
    trace_source_t *s = open_small("");
    rb_err_t err = {0};

    (void)state;
    assert_int_equal(mkdir(temp_path("out"), 0777), 0);
    assert_int_equal(accelsim_write(s, temp_path("out/"), NULL, &err), RB_OK);
    assert_int_equal(count_entries(temp_path("out")), 2);
    assert_int_equal(accelsim_write(s, temp_path("out"), NULL, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "out: this folder is not empty"));
    err = (rb_err_t){0};
    assert_int_equal(accelsim_write(s, temp_path("k.traceg"), NULL, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "is not a folder"));
    err = (rb_err_t){0};
    assert_int_equal(accelsim_write(s, temp_path("none/out"), NULL, &err), RB_IO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(count_entries(temp_path("")), 2);
    s->ops->destroy(s);
}

/* A number of a million digits in the text of an instruction is written as it was read. */
static void endless_fields_are_written(void **state)
{
    enum { ZEROS = 300000 };
    char *text = calloc(1, ZEROS + 4096), *to = text;

    (void)state;
    to += sprintf(to, "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 1 0 EXIT 0 ",
                  trace_header(5, ""));
    memset(to, '0', ZEROS);
    strcpy(to + ZEROS, " 0\n#END_TB\n");
    temp_write("k.traceg", text);
    trace_source_t *s = accelsim_lab_open(temp_path("k.traceg"));

    accelsim_lab_write(s, temp_path("out"), NULL);
    s->ops->destroy(s);
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, quiet_folder_create, quiet_folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(address_modes_are_the_tracers),
        TEST(addresses_can_be_listed),
        TEST(source_lines_and_immediates_are_kept),
        TEST(version_6_stays_version_6),
        TEST(addresses_that_were_not_kept_leave_no_width),
        TEST(the_header_is_whole),
        TEST(made_up_text_reads_the_same),
        TEST(a_mnemonic_is_taken_over),
        TEST(a_text_that_would_break_the_line_is_not_used),
        TEST(a_damaged_source_leaves_nothing_behind),
        TEST(the_writing_can_be_stopped),
        TEST(only_an_empty_folder_is_replaced),
        TEST(endless_fields_are_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
