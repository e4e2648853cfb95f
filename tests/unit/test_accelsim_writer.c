/*
 * Traces written as Accel-Sim text: what was read from text comes back field by field, what never
 * was text becomes text that reads the same.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/accelsim/accelsim.h"
#include "frontend/accelsim/accelsim_synthesis.h"
#include "frontend/accelsim/accelsim_writer.h"
#include "frontend/macsim/macsim.h"
#include "frontend/trace/rbt_source.h"
#include "frontend/trace/rbt_store.h"
#include "sim/isa/isa.h"
#include "tests/support/accelsim_compare.h"
#include "tests/support/macsim_files.h"
#include "tests/support/mix.h"
#include "tests/support/stream_check.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace_files.h"

#define REFERENCE RUBATO_ROOT "/../shared/reference/traces/"

static int setup(void **state)
{
    (void)state;
    temp_folder_create(); /* a folder that goes away with all in it */
    trace_capture_stderr();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(trace_captured());
    temp_folder_remove();
    return 0;
}

static trace_source_t *open_text(const char *path)
{
    rb_err_t err = {0};
    trace_source_t *s = accelsim_open(path, NULL, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

static void write_trace(trace_source_t *s, const char *folder,
                        const accelsim_writer_options_t *opts)
{
    rb_err_t err = {0};

    if (accelsim_write(s, folder, opts, &err) != RB_OK)
        fail_msg("%s", err.text);
}

static void remove_trace(const char *folder)
{
    char command[512];

    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* --- whole traces ----------------------------------------------------------------------------- */

static void launches_equal(const launch_info_t *a, const launch_info_t *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->trace_id, b->trace_id);
    assert_int_equal(a->code_id, b->code_id);
    assert_memory_equal(a->grid, b->grid, sizeof(a->grid));
    assert_memory_equal(a->block, b->block, sizeof(a->block));
    assert_int_equal(a->regs, b->regs);
    assert_int_equal(a->shared_bytes, b->shared_bytes);
    assert_int_equal(a->arch, b->arch);
    assert_int_equal(a->stream, b->stream);
    assert_int_equal(a->shared_base, b->shared_base);
    assert_int_equal(a->local_base, b->local_base);
}

static void copies_equal(trace_source_t *a, trace_source_t *b, uint64_t id)
{
    const memcpy_op_t *x, *y;
    size_t n = a->ops->copies(a, id, &x);

    assert_int_equal(n, b->ops->copies(b, id, &y));
    if (n > 0)
        assert_memory_equal(x, y, n * sizeof(*x));
}

static void blocks_equal(trace_source_t *a, trace_source_t *b, uint64_t id)
{
    trace_launch_t *la, *lb;
    trace_block_t *x, *y;
    rb_err_t err = {0};

    assert_int_equal(a->ops->open(a, id, &la, &err), RB_OK);
    assert_int_equal(b->ops->open(b, id, &lb, &err), RB_OK);
    for (uint64_t i = 0;; i++) {
        if (a->ops->get_block(la, i, &x, &err) != RB_OK ||
            b->ops->get_block(lb, i, &y, &err) != RB_OK)
            fail_msg("%s", err.text);
        assert_int_equal(x == NULL, y == NULL);
        if (x == NULL)
            break;
        if (!stream_blocks_equal(x, y))
            fail_msg("launch %llu, block %llu", (unsigned long long)id, (unsigned long long)i);
        a->ops->free_block(la, x);
        b->ops->free_block(lb, y);
    }
    a->ops->close(la);
    b->ops->close(lb);
}

static void sources_equal(trace_source_t *a, trace_source_t *b)
{
    uint64_t n = a->ops->n_launches(a);
    rb_err_t err = {0};

    assert_int_equal(n, b->ops->n_launches(b));
    for (uint64_t id = 1; id <= n; id++) {
        launch_info_t x, y;

        assert_int_equal(a->ops->launch_info(a, id, &x, &err), RB_OK);
        assert_int_equal(b->ops->launch_info(b, id, &y, &err), RB_OK);
        launches_equal(&x, &y);
        copies_equal(a, b, id);
        blocks_equal(a, b, id);
    }
    copies_equal(a, b, n + 1);
}

/* The trace as a native file. */
static trace_source_t *store(trace_source_t *source)
{
    char path[256];
    rb_err_t err = {0};
    rbt_stored_t stored;

    snprintf(path, sizeof(path), "%s", temp_path("trace.rbt"));
    if (rbt_store(source, &(rbt_store_options_t){.path = path, .writer = {.overwrite = true}},
                  &stored, &err) != RB_OK)
        fail_msg("%s", err.text);
    trace_source_t *s = rbt_open(path, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

typedef enum { DIRECTLY, THROUGH_RBT } way_t;

/* Reads, writes, reads again; returns the number of instructions compared as text. */
static uint64_t comes_back(const char *path, const accelsim_writer_options_t *opts, bool as_text,
                           way_t way)
{
    char folder[256];
    uint64_t insts = 0;
    trace_source_t *a = open_text(path), *stored = way == THROUGH_RBT ? store(a) : NULL;

    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    write_trace(stored != NULL ? stored : a, folder, opts);
    if (stored != NULL)
        stored->ops->destroy(stored);
    trace_source_t *b = open_text(folder);

    sources_equal(a, b);
    for (uint64_t id = 1; as_text && id <= a->ops->n_launches(a); id++) {
        rb_err_t err = {0};
        launch_info_t x, y;

        assert_int_equal(a->ops->launch_info(a, id, &x, &err), RB_OK);
        assert_int_equal(b->ops->launch_info(b, id, &y, &err), RB_OK);
        insts += accelsim_compare_files(x.file, y.file);
    }
    a->ops->destroy(a);
    b->ops->destroy(b);
    remove_trace(folder);
    return insts;
}

static void bundled_traces_come_back(way_t way)
{
    static const char *const names[] = {"vecadd-sm75",      "matmul-sm70",  "histo-sm75",
                                        "spmv_vector-sm70", "softmax-sm75", "transpose_tiled-sm70"};
    static const accelsim_writer_options_t opts[] = {
        {.packing = ACCELSIM_PLAIN}, {.packing = ACCELSIM_ZSTD}, {.list_addresses = true},
        {.packing = ACCELSIM_PLAIN}, {.packing = ACCELSIM_XZ},   {.packing = ACCELSIM_PLAIN}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[1024];

        snprintf(path, sizeof(path), RUBATO_ROOT "/traces/%s", names[i]);
        assert_true(comes_back(path, &opts[i], true, way) > 50000);
    }
}

static void bundled_traces_come_back_field_by_field(void **state)
{
    (void)state;
    bundled_traces_come_back(DIRECTLY);
}

static void bundled_traces_come_back_through_native_files(void **state)
{
    (void)state;
    bundled_traces_come_back(THROUGH_RBT);
}

/* False if they are not here. */
static bool reference_traces_come_back(way_t way)
{
    static const struct {
        const char *name;
        uint64_t insts;
    } traces[] = {
        {"bfs-rodinia-sm70", 154839},
        {"bfs-rodinia-sm80", 0},
        {"mlp-train-sm90", 0},
        {"nn-onestep-sm80", 0},
        {"vectorops-sm75-xz", 983040},
        {"excerpts/atax-v5-sm90-nvbit1.8-cluster.traceg", 60},
        {"excerpts/atax-v6-sm90-noval.traceg", 60},
        {"vectoradd-sm75-v5-raw", 0}, /* not in the order of blocks: compared as blocks only */
    };
    struct stat st;

    for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
        char path[1024];

        snprintf(path, sizeof(path), REFERENCE "%s", traces[i].name);
        if (stat(path, &st) != 0) {
            print_message("skipped: the reference trace %s is not here\n", path);
            return false;
        }
        uint64_t insts = comes_back(path, NULL, strstr(path, "-raw") == NULL, way);

        if (traces[i].insts != 0)
            assert_int_equal(insts, traces[i].insts);
    }
    return true;
}

static void reference_traces_come_back_field_by_field(void **state)
{
    (void)state;
    if (!reference_traces_come_back(DIRECTLY))
        skip();
}

static void reference_traces_come_back_through_native_files(void **state)
{
    (void)state;
    if (!reference_traces_come_back(THROUGH_RBT))
        skip();
}

/* --- small ones ------------------------------------------------------------------------------- */

/* Writes a kernel file of these lines of warp 0, and what becomes of it; to be freed. */
static char *rewrite(unsigned version, const char *header, const char *lines, unsigned n,
                     const accelsim_writer_options_t *opts)
{
    char text[8192], folder[256];

    snprintf(text, sizeof(text),
             "%s#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\ninsts = %u\n%s#END_TB\n",
             trace_header(version, header), n, lines);
    temp_write("k.traceg", text);
    trace_source_t *s = open_text(temp_path("k.traceg"));

    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    write_trace(s, folder, opts);
    s->ops->destroy(s);
    FILE *f = fopen(temp_path("out/kernel-1.traceg"), "r");
    char *got = calloc(1, sizeof(text));

    assert_non_null(f);
    fread(got, 1, sizeof(text) - 1, f);
    fclose(f);
    remove_trace(folder);
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

/* CCTL names an address, which the model does not keep. */
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

/* --- text that is made up --------------------------------------------------------------------- */

/* Decodes a line's opcode, makes it up again from inst_t alone, decodes that: the same inst_t. */
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

static void a_macsim_trace_becomes_text_that_reads_the_same(void **state)
{
    const uint64_t wids[] = {0, 65536};
    const size_t counts[] = {3, 3};
    const macsim_record_t r[] = {
        {.opcode = 73,
         .num_dest_regs = 1,
         .dst = {4},
         .active_mask = UINT32_MAX,
         .mem_addr = 0x1000,
         .mem_access_size = 4},
        {.opcode = 0,
         .num_dest_regs = 1,
         .dst = {5},
         .num_read_regs = 2,
         .src = {4, 4},
         .active_mask = 0xffff,
         .inst_addr = 16},
        {.opcode = 139, .active_mask = UINT32_MAX, .inst_addr = 32},
    };
    char folder[256];
    rb_err_t err = {0};

    (void)state;
    macsim_write_lists(wids, counts, 2);
    macsim_write_warp(0, r, 3);
    macsim_write_warp(65536, r, 3);
    trace_source_t *a = macsim_open(temp_path(""), NULL, &err);

    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    write_trace(a, folder, NULL);
    char *before = trace_source_text(a, &err), *after = trace_source_text(open_text(folder), &err);

    assert_non_null(strstr(before, "load_lg w4: >4 @ 1000 1004 1008"));
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* Everything at once: divergence, atomics, shared and local memory, copies, several launches. */
static void a_generated_program_comes_back(void **state)
{
    trace_source_t *a = synth_source(mix_create(1)), *b;
    const memcpy_op_t *ops;
    char folder[256];
    rb_err_t err = {0};
    size_t copies = 0;

    (void)state;
    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    write_trace(a, folder, NULL);
    b = open_text(folder);
    for (uint64_t id = 1; id <= a->ops->n_launches(a) + 1; id++) {
        copies += a->ops->copies(a, id, &ops);
        copies_equal(a, b, id);
    }
    assert_true(copies > 0);
    char *before = trace_source_text(a, &err), *after = trace_source_text(b, &err);

    assert_non_null(strstr(before, "launch 5: "));
    assert_string_equal(before, after);
    free(before);
    free(after);
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
    return open_text(temp_path("k.traceg"));
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
    write_trace(s, folder, NULL);
    char *before = trace_source_text(s, &err), *after = trace_source_text(open_text(folder), &err);

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
    assert_non_null(strstr(err.text, "is no folder"));
    err = (rb_err_t){0};
    assert_int_equal(accelsim_write(s, temp_path("none/out"), NULL, &err), RB_IO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(count_entries(temp_path("")), 2);
    s->ops->destroy(s);
}

/* A number of a million digits in an instruction's text is written as it was read. */
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
    trace_source_t *s = open_text(temp_path("k.traceg"));

    write_trace(s, temp_path("out"), NULL);
    s->ops->destroy(s);
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(bundled_traces_come_back_field_by_field),
        TEST(reference_traces_come_back_field_by_field),
        TEST(bundled_traces_come_back_through_native_files),
        TEST(reference_traces_come_back_through_native_files),
        TEST(address_modes_are_the_tracers),
        TEST(addresses_can_be_listed),
        TEST(source_lines_and_immediates_are_kept),
        TEST(version_6_stays_version_6),
        TEST(addresses_that_were_not_kept_leave_no_width),
        TEST(the_header_is_whole),
        TEST(made_up_text_reads_the_same),
        TEST(a_mnemonic_is_taken_over),
        TEST(a_macsim_trace_becomes_text_that_reads_the_same),
        TEST(a_generated_program_comes_back),
        TEST(a_text_that_would_break_the_line_is_not_used),
        TEST(a_damaged_source_leaves_nothing_behind),
        TEST(the_writing_can_be_stopped),
        TEST(only_an_empty_folder_is_replaced),
        TEST(endless_fields_are_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
