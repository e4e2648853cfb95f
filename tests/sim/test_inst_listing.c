/* Instructions as people read them: texts and source lines of every kind of trace. */
#include <stdio.h>
#include <string.h>

#include "frontend/emulator/exec/emu_module.h"
#include "sim/gpu/source/inst_listing.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

/* The only instruction of a text trace with these fields. */
static void shows(const char *header, const char *before, const char *fields, const char *text,
                  uint32_t line)
{
    char file[1024], out[INST_LISTING_MAX];
    source_line_t at;

    snprintf(
        file, sizeof(file),
        "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n%s0010 00000003 %s\n#END_TB\n",
        trace_header(5, header), before, fields);
    trace_write("k.traceg", file);
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 0);
    const inst_t *inst = b->warps[0].runs[0].first;
    inst_listing_text(r.source, r.launch, inst, out);
    assert_string_equal(out, text);
    assert_int_equal(inst_listing_line(r.source, r.launch, inst, &at), line != 0);
    assert_int_equal(at.line, line);
    assert_string_equal(at.file, "");
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
}

static void traced_fields_become_operands(void **state)
{
    (void)state;
    shows("", "", "1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 0 ", "LDG.E.SYS R4, R2", 0);
    shows("", "", "0 EXIT 0 0 0 ", "EXIT", 0);
    shows("", "", "1 R4 IMAD.WIDE 2 R2 R6 0 -7 ", "IMAD.WIDE R4, R2, R6", 0);
    shows("-enable lineinfo = 1", "77 ", "0 EXIT 0 0 0 ", "EXIT", 77);
    shows("-enable lineinfo = 1", "0 ", "1 R4 LDS 1 R2 4 1 0x0 4 3 ", "LDS R4, R2", 0);
}

/* A source without blocks that says what the test wants. */
static const char *said;

static const char *say(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    (void)l, (void)inst;
    *len = (uint32_t)strlen(said);
    return said;
}

static void expect_text(const char *text, const inst_t *inst, const char *expected)
{
    const trace_source_ops_t ops = {.inst_text = say}, silent = {0};
    const trace_source_t source = {.ops = text != NULL ? &ops : &silent};
    char out[INST_LISTING_MAX];

    said = text;
    inst_listing_text(&source, NULL, inst, out);
    assert_string_equal(out, expected);
}

static void odd_texts_are_shown(void **state)
{
    static char words[2 * INST_LISTING_MAX], wanted[INST_LISTING_MAX];
    inst_t fma = {.opcode = (uint16_t)isa_find("FFMA", 4),
                  .n_dst = 1,
                  .n_src = 2,
                  .dst = {{.file = REG_GPR, .num = 4, .count = 1}},
                  .src = {{.file = REG_UNIFORM, .num = 6, .count = 1},
                          {.file = REG_PRED, .num = 1, .count = 1}},
                  .const_offset = 0x168,
                  .flags = INST_CONST_ADDR};

    (void)state;
    expect_text(NULL, &fma, "FFMA R4, UR6, P1, c[0x0][0x168]");
    expect_text("FFMA.RZ", &fma, "FFMA.RZ R4, UR6, P1, c[0x0][0x168]");
    expect_text("FFMA R1, R2, R3", &fma, "FFMA R1, R2, R3");
    expect_text("", &fma, "FFMA R4, UR6, P1, c[0x0][0x168]");
    expect_text("L12", &fma, "FFMA R4, UR6, P1, c[0x0][0x168]");
    expect_text("99999999999999999999 R1", &fma, "FFMA R4, UR6, P1, c[0x0][0x168]");
    memset(words, 'x', sizeof(words) - 1);
    memset(wanted, 'x', sizeof(wanted) - 1);
    expect_text(words, &fma, wanted);
}

static void executed_code_has_lines(void **state)
{
    static uint8_t bytes[1 << 16];
    FILE *in = fopen(RUBATO_ROOT "/traces/cubin/lines.sm75.cubin", "rb");
    const emu_code_t *code;
    emu_module_t m;
    source_line_t line;
    emu_mem_t mem;
    rb_err_t err = {0};

    (void)state;
    assert_non_null(in);
    size_t n = fread(bytes, 1, sizeof(bytes), in);
    fclose(in);
    assert_int_equal(emu_mem_init(&mem, 0x7f0000000000, 1 << 20, 9, false, &err), RB_OK);
    assert_int_equal(emu_module_open(&m, &mem, "lines", bytes, n, &err), RB_OK);
    const cubin_kernel_t *k = cubin_find(&m.cubin, "clear");
    assert_int_equal(emu_module_code(&m, k, &code, &err), RB_OK);
    assert_true(emu_code_line(code, 4, &line));
    assert_int_equal(line.line, 22);
    assert_string_equal(line.file, "/src/lines.cu");
    k = cubin_find(&m.cubin, "lines");
    assert_int_equal(emu_module_code(&m, k, &code, &err), RB_OK);
    assert_true(emu_code_line(code, 0x160 / 16, &line));
    assert_int_equal(line.line, 4);
    assert_string_equal(line.file, "/src/polynomial.h");
    emu_module_close(&m);
    emu_mem_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(traced_fields_become_operands, trace_folder_create,
                                        trace_folder_remove),
        cmocka_unit_test(odd_texts_are_shown),
        cmocka_unit_test(executed_code_has_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
