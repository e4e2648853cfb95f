/* What programs see of the GPU, and which of their machine code is executed. */
#include <string.h>

#include "frontend/emulator/record/shown_device.h"
#include "frontend/tool/run/run_setup.h"
#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define PROGRAM     RUBATO_CUDA_PROGRAM
#define CUBIN(arch) RUBATO_ROOT "/traces/cubin/vecadd.sm" arch ".cubin"
#define VOLTA       PROGRAM, CUBIN("70"), "70"
#define TURING      PROGRAM, CUBIN("75"), "75"
#define BOTH        PROGRAM, CUBIN("70") "," CUBIN("75"), "70,75"
#define PTX         PROGRAM, CUBIN("75"), "ptx75"
#define RECORD      "record", "--no-trace"

static void assert_has(const char *text, const char *wanted)
{
    if (strstr(text, wanted) == NULL)
        fail_msg("'%s' has no '%s'", text, wanted);
}

static void resolve(const char *gpu, const char *const *sets, gpu_spec_t *spec)
{
    rb_err_t err = {0};
    conf_t *c = conf_create();

    assert_int_equal(conf_load_gpu(c, gpu, &err), RB_OK);
    for (; *sets != NULL; sets++)
        assert_int_equal(conf_set(c, *sets, &err), RB_OK);
    if (gpu_spec_from_conf(spec, c, &err) != RB_OK)
        fail_msg("%s", err.text);
    conf_destroy(c);
}

/* Whether text contains "name=value ". */
static void assert_fact(const char *text, const char *name, double value)
{
    char wanted[80];

    snprintf(wanted, sizeof(wanted), " %s=%.0f ", name, value);
    assert_has(text, wanted);
}

static void assert_shown(const char *text, const gpu_spec_t *s)
{
    const sm_spec_t *sm = &s->sm.sm;
    const param_sizes_t *carveouts = &s->sm.l1.carveouts;
    const dram_spec_t *dram = &s->mem.dram;
    double shared = (double)carveouts->v[carveouts->n - 1], threads = sm->max_warps * 32.0;
    char name[80];

    assert_null(strstr(text, " is "));
    snprintf(name, sizeof(name), " name=%s\n", s->gpu.name);
    assert_has(text, name);
    assert_fact(text, "major", s->gpu.arch / 10);
    assert_fact(text, "minor", s->gpu.arch % 10);
    assert_fact(text, "sms", sm->count);
    assert_fact(text, "clock_khz", s->gpu.clock_mhz * 1000);
    assert_fact(text, "memory_khz", dram->clock_mhz * dram->data_rate * 500);
    assert_fact(text, "bus_bits", s->mem.mem.partitions * dram->bus_bytes * 8);
    assert_fact(text, "l2", (double)s->mem.l2.size);
    assert_fact(text, "all", (double)dram->size);
    assert_fact(text, "threads", threads);
    assert_fact(text, "block_threads", threads < 1024 ? threads : 1024);
    assert_fact(text, "blocks", sm->max_blocks);
    assert_fact(text, "registers", sm->registers);
    assert_fact(text, "block_registers", sm->registers);
    assert_fact(text, "shared", shared);
    assert_fact(text, "block_optin", shared - s->sm.l1.shared_reserved);
    assert_fact(text, "shared_reserved", s->sm.l1.shared_reserved);
    assert_fact(text, "l1", s->sm.l1.enabled);
    assert_fact(text, "fp64_ratio",
                (double)sm->fp32_lanes * sm->sub_cores / sm->fp64_lanes /
                    (sm->fp64_shared ? 1 : sm->sub_cores));
    assert_fact(text, "texture_width", 131072);
    assert_fact(text, "surface_layers", 2046);
}

static char *device(const char *const *words)
{
    return cli_run_as(&rubato, 0, NULL, words);
}

static void the_configuration_is_what_programs_are_shown(void **state)
{
    static const char *const gpus[] = {"v100", "qv100", "titan_v", "t4", "rtx2060", "rtx2080ti"};
    const char *const none[] = {NULL};
    gpu_spec_t s;

    (void)state;
    for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++) {
        resolve(gpus[i], none, &s);
        char *text = device(WORDS(RECORD, "-g", gpus[i], "--", BOTH, "device"));
        assert_shown(text, &s);
        assert_fact(text, "code", s.gpu.arch);
        free(text);
    }
}

static void settings_are_part_of_it(void **state)
{
    const char *const sets[] = {"sm.count=7",
                                "sm.max_warps=28",
                                "sm.registers=8192",
                                "sm.max_blocks=15",
                                "l1.enabled=false",
                                "l1.shared_reserved=1024",
                                "gpu.clock_mhz=1000",
                                "l2.size=1536KiB",
                                "dram.size=3GiB",
                                "sm.fp64_lanes=4",
                                NULL};
    gpu_spec_t s;

    (void)state;
    resolve("t4", sets, &s);
    char *text = device(WORDS(RECORD, "-g", "t4", "-s", sets[0], "-s", sets[1], "-s", sets[2], "-s",
                              sets[3], "-s", sets[4], "-s", sets[5], "-s", sets[6], "-s", sets[7],
                              "-s", sets[8], "-s", sets[9], "--", TURING, "device"));
    assert_shown(text, &s);
    /* vecadd has 12 registers, a warp 512 of the 2,048 of a sub-core: 16 warps on an SM */
    assert_fact(text, "kernel_threads", 512);
    assert_fact(text, "fit64", 8);
    assert_fact(text, "fit512", 1);
    assert_fact(text, "fit20k", 3); /* 21 KiB of 64 */
    assert_fact(text, "dynamic", 65536 / 3 / 256 * 256 - 1024);
    free(text);
}

static void without_a_name_the_gpu_is_that_of_the_code(void **state)
{
    const char *const none[] = {NULL};
    gpu_spec_t s;
    char *text;

    (void)state;
    resolve("v100", none, &s);
    text = device(WORDS(RECORD, "--", VOLTA, "device"));
    assert_shown(text, &s);
    assert_fact(text, "fit64", 32);
    free(text);
    text = device(WORDS(RECORD, "--arch", "sm_70", "--", BOTH, "device"));
    assert_shown(text, &s);
    free(text);
    resolve("rtx2060", none, &s);
    text = device(WORDS(RECORD, "--", BOTH, "device"));
    assert_shown(text, &s);
    assert_fact(text, "fit64", 16);
    free(text);
    /* an impossible GPU is an error only for programs that use it: 24 slices on 64 partitions */
    free(device(WORDS(RECORD, "-s", "l2.slices=24", "--", TURING, "device")));
    expect(125, "l2.slices = 24 must be a multiple of mem.partitions = 64",
           WORDS(RECORD, "-s", "l2.slices=24", "--", VOLTA, "device"));
    expect(125, "unknown setting", WORDS(RECORD, "-s", "sm.cout=24", "--", "not started"));
    expect(125, "unknown GPU 'a30': of Ampere, only some GPUs are modelled",
           WORDS(RECORD, "-g", "a30", "--", "not started"));
    expect(2, "unknown GPU 'h100': Hopper is not modelled", WORDS("run", "-g", "h100", TRACE));
}

/* The program's grid, in the simulation and in the trace. */
static void grids_follow_the_gpu(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", "-g", "t4", "-o", "t4", "--", TURING, "fit"));
    char *text = cli_read("t4/launches.csv");
    assert_has(text, ",40,1,1,256,1,1,");
    free(text);
    expect(0, NULL, WORDS("run", "-s", "sm.count=9", "-o", "nine", "--", VOLTA, "fit"));
    text = cli_read("nine/launches.csv");
    assert_has(text, ",9,1,1,256,1,1,");
    free(text);
    /* some part of the program has Turing code, but not the first kernel */
    expect(0, NULL, WORDS("run", "-o", "mixed", "--", VOLTA, "fit", CUBIN("75"), "75"));
    text = cli_read("mixed/launches.csv");
    assert_has(text, ",30,1,1,256,1,1,");
    free(text);
    text = cli_read("mixed/run.json");
    assert_has(text, "rtx2060");
    free(text);
    expect(0, NULL, WORDS("record", "-g", "t4", "-o", "t4.rbt", "--", TURING, "fit"));
    expect(0, NULL, WORDS("run", "-g", "t4", "-o", "again", "t4.rbt"));
    cli_same_file("t4", "again", "launches.csv");
}

/* A kernel that no SM holds is refused as on the GPU. */
static void launches_beyond_the_gpu_are_refused(void **state)
{
    (void)state;
    char *text =
        cli_run_as(&rubato, 0, NULL, WORDS(RECORD, "-s", "sm.registers=2048", "--", TURING, "add"));
    assert_has(text, "too many resources requested for launch");
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS(RECORD, "-s", "sm.max_warps=4", "--", TURING, "add"));
    assert_has(text, "invalid configuration argument");
    free(text);
}

static void memory_is_as_large_as_the_gpus(void **state)
{
    char *text;

    (void)state;
    text = device(WORDS(RECORD, "-s", "dram.size=64MiB", "--", TURING, "take", "60000000"));
    assert_has(text, "device cudaSuccess, pinned cudaSuccess");
    free(text);
    text = device(WORDS(RECORD, "-s", "dram.size=64MiB", "--", TURING, "take", "70000000"));
    assert_has(text, "device cudaErrorMemoryAllocation, pinned cudaSuccess");
    free(text);
    text = device(WORDS(RECORD, "-s", "dram.size=100GiB", "--", TURING, "take", "60000000000"));
    assert_has(text, "device cudaSuccess");
    free(text);
}

/* --- machine code ---------------------------------------------------------------------------- */

static void the_code_is_that_of_the_gpu(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("record", "-g", "v100", "-o", "v.rbt", "--", BOTH, "add"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "--json", "v.rbt"));
    assert_has(text, "\"arch\": 70");
    free(text);
    cli_result_t r = cli_run(&rubato, WORDS("run", "-g", "v100", "--", BOTH, "add"));
    assert_int_equal(r.status, 0);
    assert_null(strstr(r.err, "compute capability"));
    cli_free(&r);
    /* Volta code runs on Turing, and --arch has priority */
    text = device(WORDS(RECORD, "-g", "t4", "--", VOLTA, "device"));
    assert_fact(text, "code", 70);
    assert_fact(text, "sms", 40);
    free(text);
    text = device(WORDS(RECORD, "-g", "v100", "--arch", "sm_75", "--", BOTH, "device"));
    assert_fact(text, "code", 75);
    assert_fact(text, "sms", 80);
    free(text);
}

static void missing_code_is_told_with_what_to_do(void **state)
{
    (void)state;
    expect(125,
           "no machine code for sm_70, only for sm_75; compile it with nvcc "
           "-arch=sm_70, or choose another GPU with --gpu",
           WORDS(RECORD, "-g", "v100", "--", TURING, "add"));
    expect(125, "only for sm_80; compile it with nvcc -arch=sm_75",
           WORDS(RECORD, "-g", "t4", "--", PROGRAM, CUBIN("75"), "80", "add"));
    setenv("RUBATO_PTXAS", "/none/ptxas", 1);
    expect(125, "RUBATO_PTXAS names /none/ptxas: there is no ptxas",
           WORDS("run", "-g", "t4", "--", PTX, "add"));
    expect(125, "no machine code for sm_70, and its PTX is for sm_75 and later; compile it",
           WORDS("run", "-g", "v100", "--", PTX, "add"));
    expect(2, "--arch: 'sm_99' is not one of", WORDS("sass", "--arch", "sm_99", CUBIN("75")));
    cli_result_t r = cli_run(&rubato, WORDS("sass", "--arch", "sm_99", CUBIN("75")));
    assert_null(strstr(r.err, "----"));
    cli_free(&r);
}

/* --- no launch ------------------------------------------------------------------------------- */

static void programs_that_end_before_a_launch_are_explained(void **state)
{
    static const char failed[] =
        "ended with status 3 before it launched a kernel, after the CUDA runtime gave it "
        "cudaErrorInvalid";

    (void)state;
    expect(3, failed, WORDS("run", "--", TURING, "refused", "3"));
    expect(3, failed, WORDS("run", "--warmup", "functional", "--", TURING, "refused", "3"));
    expect(3, failed, WORDS("record", "-o", "r.rbt", "--", TURING, "refused", "3"));
    expect(4, "ended with status 4 before it launched a kernel; what it printed",
           WORDS("run", "--", TURING, "exit", "4"));
    expect(4, "'rubato libs' builds ones that do, which --libs names",
           WORDS("run", "--", TURING, "exit", "4"));
    expect(125, "ended without a kernel launch", WORDS("run", "--", TURING, "exit", "0"));
    expect(125, "ended without a kernel launch",
           WORDS("record", "-o", "r.rbt", "--", TURING, "exit", "0"));
    expect(125, "cudaIpcGetMemHandle(), which is not supported",
           WORDS("run", "--", TURING, "missing"));
    expect(125, "made no launch; see the reason above", WORDS("run", "--", TURING, "missing"));
    expect(125, "none of --launches 7-8 was executed: the program ended after launch 1",
           WORDS("run", "--launches", "7-8", "--", TURING, "add"));
    expect(125, "made no launch of --launches; see the reason above",
           WORDS("run", "--launches", "7-8", "--", TURING, "add"));
    /* It is killed after a launch that was not asked for. */
    expect(137, "ended by signal 9 (Killed) without a kernel launch of --launches; it made others",
           WORDS("run", "--launches", "2", "--", TURING, "die"));
    expect(137, "ended by signal 9 (Killed) without a kernel launch of --launches; it made others",
           WORDS("record", "--launches", "2", "-o", "r.rbt", "--", TURING, "die"));
    assert_false(cli_exists("r.rbt"));
    expect(0, NULL, WORDS(RECORD, "--", TURING, "exit", "0"));
    expect(3, "sh ended with status 3 and did not call the CUDA runtime",
           WORDS("run", "-g", "t4", "--", "sh", "-c", "exit 3"));
    expect(127, "if it lacks a library of the CUDA toolkit, such as cuBLAS, rubato libs builds it",
           WORDS("run", "-g", "t4", "--", "sh", "-c", "exit 127"));
    expect(255, "sh ended with status 255 and did not call",
           WORDS("run", "-g", "t4", "--", "sh", "-c", "exit 255"));
    expect(137, "was ended by signal 9", WORDS("run", "-g", "t4", "--", "sh", "-c", "kill -9 $$"));
}

/* --- the text between rubato and the runtime ------------------------------------------------- */

static void the_text_of_a_device_reads_back(void **state)
{
    gpu_spec_t s;
    const char *const sets[] = {"gpu.name=\"A name with = and ; 7\"", NULL};
    shown_device_t a, b;
    char text[SHOWN_DEVICE_TEXT];
    rb_err_t err = {0};

    (void)state;
    resolve("rtx2080ti", sets, &s);
    shown_device_of(&s, &a);
    shown_device_write(&a, text);
    assert_int_equal(shown_device_read(&b, text, &err), RB_OK);
    assert_memory_equal(&a, &b, sizeof(a));
    /* cut anywhere before the name */
    size_t end = (size_t)(strstr(text, "name=") - text) + strlen("name=");
    for (size_t n = 0; n < end; n++) {
        char cut[SHOWN_DEVICE_TEXT];
        snprintf(cut, sizeof(cut), "%.*s", (int)n, text);
        err = (rb_err_t){0};
        assert_int_equal(shown_device_read(&b, cut, &err), RB_CONFIG);
        assert_true(err.text[0] != '\0');
    }
}

static void a_garbled_device_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "'' is found where 'arch='"},
        {"arch=seventy", "'seventy' is found where 'arch=' and a number"},
        {"arch=75 clock_khz=-1 ", "'-1 ' is found where 'clock_khz='"},
        {"arch=75 clock_khz=99999999999999999999999 ", "is found where 'clock_khz='"},
        {"arch=12 ", "arch=12 is outside 70..99"},
        {"arch=75 clock_khz=1 sms=0 ", "sms=0 is outside 1..65536"},
        {"arch=75 sms=3 ", "'sms=3 ' is found where 'clock_khz='"},
    };
    const cli_child_t program = {.binary = RUBATO_CUDA_PROGRAM};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        setenv("RUBATO_DEVICE_75", cases[i].text, 1);
        free(cli_run_as(&program, 125, cases[i].message, WORDS(CUBIN("75"), "75", "device")));
    }
    unsetenv("RUBATO_DEVICE_75");
    free(cli_run_as(&program, 125, "start the program with 'rubato run'",
                    WORDS(CUBIN("75"), "75", "device")));
    setenv("RUBATO_ARCH", "7x", 1);
    free(cli_run_as(&program, 125, "RUBATO_ARCH: '7x' is neither",
                    WORDS(CUBIN("75"), "75", "device")));
    unsetenv("RUBATO_ARCH");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_configuration_is_what_programs_are_shown),
        cmocka_unit_test(settings_are_part_of_it),
        cmocka_unit_test(without_a_name_the_gpu_is_that_of_the_code),
        cmocka_unit_test(grids_follow_the_gpu),
        cmocka_unit_test(launches_beyond_the_gpu_are_refused),
        cmocka_unit_test(memory_is_as_large_as_the_gpus),
        cmocka_unit_test(the_code_is_that_of_the_gpu),
        cmocka_unit_test(missing_code_is_told_with_what_to_do),
        cmocka_unit_test(programs_that_end_before_a_launch_are_explained),
        cmocka_unit_test(the_text_of_a_device_reads_back),
        cmocka_unit_test(a_garbled_device_is_refused),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
