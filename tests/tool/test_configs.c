/* The configurations in the repository: complete, consistent, and equal to the data sheets of
 * the cards. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gpu/gpu.h"
#include "sim/gpu/gpu_conf.h"
#include "tests/support/test.h"

/* Data sheets and deviceQuery; bandwidth in GB/s. */
static const struct {
    const char *gpu;
    uint32_t arch, sms, warps, blocks, slices, partitions;
    double l2_mib, bandwidth;
} boards[] = {
    {"v100", 70, 80, 64, 32, 64, 64, 6, 898},
    {"qv100", 70, 80, 64, 32, 64, 64, 6, 870},
    {"titan_v", 70, 80, 64, 32, 48, 48, 4.5, 653},
    {"t4", 75, 40, 32, 16, 32, 16, 4, 320},
    {"rtx2060", 75, 30, 32, 16, 24, 12, 3, 336},
    {"rtx2080ti", 75, 68, 32, 16, 44, 22, 5.5, 616},
    {"a100", 80, 108, 64, 32, 160, 80, 40, 1555},
    {"a100_80gb", 80, 108, 64, 32, 160, 80, 40, 2039},
    {"a40", 86, 84, 48, 16, 48, 24, 6, 696},
    {"rtx3070", 86, 46, 48, 16, 32, 16, 4, 448},
    {"rtx3090", 86, 82, 48, 16, 48, 24, 6, 936},
    {"h200", 90, 132, 64, 32, 192, 192, 60, 4814},
};
enum { BOARDS = sizeof(boards) / sizeof(boards[0]) };

static void load(const char *gpu, const char *set, gpu_spec_t *spec)
{
    rb_err_t err = {0};
    conf_t *c = conf_create();
    if (conf_load_gpu(c, gpu, &err) != RB_OK || (set && conf_set(c, set, &err) != RB_OK) ||
        gpu_spec_from_conf(spec, c, &err) != RB_OK)
        fail_msg("%s: %s", gpu, err.text);
    conf_destroy(c);
}

static void every_board_has_its_published_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < BOARDS; i++) {
        gpu_spec_t s;
        load(boards[i].gpu, NULL, &s);
        assert_int_equal(s.gpu.arch, boards[i].arch);
        assert_int_equal(s.sm.sm.count, boards[i].sms);
        assert_int_equal(s.sm.sm.max_warps, boards[i].warps);
        assert_int_equal(s.sm.sm.max_blocks, boards[i].blocks);
        assert_int_equal(s.mem.mem.partitions, boards[i].partitions);
        assert_int_equal(s.mem.l2.slices, boards[i].slices);
        assert_true((double)s.mem.l2.size == boards[i].l2_mib * 1024 * 1024);
    }
}

static void peak_dram_bandwidth_is_the_boards(void **state)
{
    (void)state;
    for (size_t i = 0; i < BOARDS; i++) {
        gpu_spec_t s;
        load(boards[i].gpu, NULL, &s);
        double peak = (double)s.mem.mem.partitions * s.mem.dram.bus_bytes * s.mem.dram.data_rate *
                      s.mem.dram.clock_mhz / 1000;
        if (fabs(peak / boards[i].bandwidth - 1) > 0.005)
            fail_msg("%s: %.1f GB/s, not %.1f", boards[i].gpu, peak, boards[i].bandwidth);
        // A burst must occupy the data bus for the time between back-to-back column commands.
        double burst = (double)s.mem.dram.burst_bytes / s.mem.dram.bus_bytes / s.mem.dram.data_rate;
        assert_true(burst >= s.mem.dram.tCCD);
    }
}

/* Sum of the latencies on the path of an unloaded L2 hit, without the cycles of the ports. */
static uint32_t l2_hit(const gpu_spec_t *s)
{
    return s->sm.sm.mem_issue_latency + s->sm.l1.miss_latency + s->mem.icnt.request_latency +
           s->mem.l2.latency + s->mem.icnt.reply_latency + s->sm.l1.fill_latency;
}

/* The same for DRAM with a closed bank. */
static double dram_closed(const gpu_spec_t *s)
{
    const dram_spec_t *d = &s->mem.dram;
    double data = (double)s->mem.l2.fill_sectors * 32 / d->bus_bytes / d->data_rate;
    double commands = d->tRCD + d->tCL + data + d->check_bursts * d->tCCDL;
    return l2_hit(s) + d->latency + commands * s->gpu.clock_mhz / d->clock_mhz;
}

static void unloaded_latencies_compose_to_the_measured_ones(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        double l2_low, l2_high, dram_low, dram_high;
    } measured[] = {
        {"v100", 205, 212, 375, 425},      {"titan_v", 205, 212, 313, 345},
        {"t4", 186, 190, 293, 299},        {"rtx2060", 222, 228, 300, 400},
        {"rtx2080ti", 176, 226, 300, 496}, {"a100_80gb", 205, 206, 388, 550},
        {"a40", 250, 251, 538, 556},       {"h200", 280, 281, 557, 690},
    };
    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        gpu_spec_t s;
        load(measured[i].gpu, NULL, &s);
        if (l2_hit(&s) < measured[i].l2_low || l2_hit(&s) > measured[i].l2_high ||
            dram_closed(&s) < measured[i].dram_low || dram_closed(&s) > measured[i].dram_high)
            fail_msg("%s: L2 %u, DRAM %.1f cycles", measured[i].gpu, l2_hit(&s), dram_closed(&s));
    }
}

static void every_setting_is_given_by_a_file_and_none_is_left_to_a_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < BOARDS; i++) {
        rb_err_t err = {0};
        gpu_spec_t spec;
        conf_t *c = conf_create();
        assert_int_equal(conf_load_gpu(c, boards[i].gpu, &err), RB_OK);
        assert_int_equal(gpu_spec_from_conf(&spec, c, &err), RB_OK);
        for (const gpu_group_t *g = gpu_groups; g->group; g++)
            for (size_t p = 0; p < g->group->n_params; p++) {
                char key[128];
                snprintf(key, sizeof(key), "%s.%s", g->group->name, g->group->params[p].name);
                if (!strcmp(conf_origin(c, key), "default"))
                    fail_msg("%s: %s is given nowhere", boards[i].gpu, key);
            }
        conf_destroy(c);
    }
}

static void every_setting_of_every_file_has_a_comment_with_its_source(void **state)
{
    (void)state;
    DIR *d = opendir(RUBATO_ROOT "/configs");
    assert_non_null(d);
    int settings = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char path[600], line[512];
        if (!strstr(e->d_name, ".cfg"))
            continue;
        snprintf(path, sizeof(path), RUBATO_ROOT "/configs/%s", e->d_name);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        for (int n = 1; fgets(line, sizeof(line), f); n++) {
            const char *end = strchr(line, ';'), *mark = strchr(line, '#');
            bool setting = !strncmp(line, "    ", 4) && end && (!mark || end < mark);
            if (!setting || strstr(line, " name = "))
                continue;
            settings++;
            if (!mark || strlen(mark) < 6)
                fail_msg("%s:%d: no source: %s", e->d_name, n, line);
        }
        fclose(f);
    }
    closedir(d);
    assert_true(settings > 200);
}

static void the_l2_sizes_of_the_usual_sweep_are_legal_on_v100(void **state)
{
    (void)state;
    static const char *const sizes[] = {"l2.size=1.5MiB", "l2.size=3MiB", "l2.size=6MiB",
                                        "l2.size=12MiB", "l2.size=192KiB"};
    gpu_spec_t base, s;
    load("v100", NULL, &base);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        load("v100", sizes[i], &s);
        s.mem.l2.size = base.mem.l2.size;
        assert_memory_equal(&s, &base, sizeof(s)); // nothing else moves
    }
}

static void changing_the_number_of_sms_leaves_the_memory_unchanged(void **state)
{
    (void)state;
    gpu_spec_t base, s;
    load("v100", NULL, &base);
    load("v100", "sm.count=40", &s);
    assert_int_equal(s.sm.sm.count, 40);
    assert_memory_equal(&s.mem, &base.mem, sizeof(s.mem));
}

static void the_window_is_the_smallest_latency_between_shards(void **state)
{
    (void)state;
    static const char *const keys[] = {"icnt.request_latency=9", "icnt.reply_latency=9",
                                       "sched.dispatch_latency=9", "sched.completion_latency=9"};
    gpu_spec_t s;
    load("v100", NULL, &s);
    assert_true(gpu_spec_window(&s) > 9);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        load("v100", keys[i], &s);
        assert_int_equal(gpu_spec_window(&s), 9);
    }
}

/* The message with which v100 with these overrides is refused. */
static void assert_refused(const char *const *set, const char *const *words)
{
    rb_err_t err = {0};
    gpu_spec_t spec;
    conf_t *c = conf_create();
    assert_int_equal(conf_load_gpu(c, "v100", &err), RB_OK);
    for (; *set; set++)
        assert_int_equal(conf_set(c, *set, &err), RB_OK);
    assert_int_equal(gpu_spec_from_conf(&spec, c, &err), RB_CONFIG);
    for (; *words; words++)
        if (!strstr(err.text, *words))
            fail_msg("'%s' is missing in: %s", *words, err.text);
    conf_destroy(c);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void an_impossible_l2_size_is_refused_with_the_nearest_legal_ones(void **state)
{
    (void)state;
    assert_refused(LIST("l2.size=4MiB"),
                   LIST("command line: l2.size = 4MiB", "192KiB", "4032KiB", "4224KiB"));
    assert_refused(LIST("l2.size=64KiB"), LIST("l2.size = 64KiB", "the smallest is 192KiB"));
    assert_refused(LIST("l2.slices=65"), LIST("l2.slices = 65", "64 and 128"));
    assert_refused(LIST("l2.slices=16"), LIST("l2.slices = 16", "the smallest is 64"));
}

static void a_crossbar_buffer_that_starves_a_port_is_refused_naming_the_smallest(void **state)
{
    (void)state;
    gpu_spec_t s;
    rb_err_t err = {0};
    assert_refused(LIST("icnt.buffer=100"), LIST("icnt.buffer = 100", "or more"));
    // The value in the message is legal, one less is not.
    load("v100", NULL, &s);
    s.mem.icnt.buffer = 1;
    assert_int_equal(gpu_spec_check(&s, &err), RB_CONFIG);
    unsigned least = 0;
    const char *at = strstr(err.text, "must be ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "must be %u", &least), 1);
    s.mem.icnt.buffer = least;
    assert_int_equal(gpu_spec_check(&s, NULL), RB_OK);
    s.mem.icnt.buffer = least - 1;
    assert_int_equal(gpu_spec_check(&s, NULL), RB_CONFIG);
    assert_true(least >=
                s.mem.icnt.sm_flits * (s.mem.icnt.request_latency + s.mem.icnt.reply_latency) +
                    s.mem.icnt.credit_batch - 1);
}

static void parameters_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    assert_refused(LIST("sm.max_warps=30"), LIST("sm.max_warps = 30", "28 and 32"));
    assert_refused(LIST("sm.sub_cores=1"),
                   LIST("sm.max_warps = 64", "32 for each of sm.sub_cores = 1"));
    assert_refused(LIST("icnt.gpc_data=0.001"), LIST("icnt.gpc_data = 0.001", "0.01 or more"));
    assert_refused(LIST("l1.latency=4"), LIST("l1.latency", "sm.mem_issue_latency", "10 cycles"));
    assert_refused(LIST("lat.hmma_acc=11"), LIST("lat.hmma_acc = 11", "lat.hmma = 10"));
    assert_refused(LIST("sm.mem_issue_latency=23"), LIST("shared.latency", "24 cycles"));
    assert_refused(LIST("l1.write=write_back", "l1.victim_lines=8"), LIST("l1.victim_lines = 8"));
    assert_refused(LIST("l1.carveouts=0,64KiB,32KiB"), LIST("l1.carveouts", "32KiB"));
    assert_refused(LIST("l1.carveouts=0,256KiB"), LIST("256KiB", "128KiB"));
    assert_refused(LIST("l1.carveouts=0,8000"), LIST("l1.carveouts", "7680 and 8KiB"));
    assert_refused(LIST("icache.l0_size=12500"), LIST("icache.l0_size", "12KiB"));
    assert_refused(LIST("mem.interleave=384"), LIST("mem.interleave", "power of two"));
    assert_refused(LIST("l2.fill_sectors=3"), LIST("1, 2 or 4"));
    assert_refused(LIST("l2.replacement=warp"), LIST("only the L1"));
    assert_refused(LIST("tlb.replacement=warp"), LIST("only the L1"));
    assert_refused(LIST("const.replacement=ship"), LIST("only the L1 and the L2"));
    assert_refused(LIST("mem.hash=gv100", "mem.interleave=256"), LIST("mem.interleave = 512"));
    assert_refused(LIST("mem.hash=gv100", "mem.interleave=512", "l2.slices=128"),
                   LIST("l2.slices = 64"));
    assert_refused(LIST("dram.write_low=108"), LIST("dram.write_low", "dram.write_high"));
    assert_refused(LIST("dram.write_high=129"), LIST("dram.write_high", "dram.write_queue"));
    assert_refused(LIST("dram.banks=18"), LIST("dram.banks = 18", "16 and 20"));
    assert_refused(LIST("const.l15_latency=20"), LIST("const.l15_latency", "28 cycles"));
}

static void a_latency_of_zero_between_shards_is_refused(void **state)
{
    (void)state;
    gpu_spec_t s;
    rb_err_t err = {0};
    load("v100", NULL, &s);
    s.sched.completion_latency = 0;
    assert_int_equal(gpu_spec_check(&s, &err), RB_CONFIG);
    assert_non_null(strstr(err.text, "sched.completion_latency"));
}

static void an_unknown_gpu_is_refused_with_the_known_ones(void **state)
{
    (void)state;
    rb_err_t err = {0};
    conf_t *c = conf_create();
    assert_int_equal(conf_load_gpu(c, "rtx2080t1", &err), RB_USAGE);
    assert_non_null(strstr(err.text, "did you mean 'rtx2080ti'"));
    assert_non_null(strstr(err.text,
                           "a100, a100_80gb, a40, h200, qv100, rtx2060, rtx2080ti, rtx3070, "
                           "rtx3090, t4, titan_v, v100"));
    assert_null(strstr(err.text, "volta"));
    conf_destroy(c);
}

static void a_resolved_gpu_reads_back_as_the_same_gpu(void **state)
{
    (void)state;
    for (size_t i = 0; i < BOARDS; i++) {
        rb_err_t err = {0};
        gpu_spec_t one, two;
        char hash[2][SHA256_TEXT], *text = NULL;
        size_t n = 0;
        conf_t *a = conf_create(), *b = conf_create();
        assert_int_equal(conf_load_gpu(a, boards[i].gpu, &err), RB_OK);
        assert_int_equal(conf_set(a, "gpu.clock_mhz=1234.56789", &err), RB_OK);
        assert_int_equal(gpu_spec_from_conf(&one, a, &err), RB_OK);
        FILE *out = open_memstream(&text, &n);
        assert_non_null(out);
        conf_write_resolved(a, NULL, out);
        fclose(out);
        if (conf_load_text(b, "resolved", text, n, &err) != RB_OK ||
            gpu_spec_from_conf(&two, b, &err) != RB_OK)
            fail_msg("%s", err.text);
        assert_memory_equal(&one, &two, sizeof(one));
        conf_hash(a, hash[0]);
        conf_hash(b, hash[1]);
        assert_string_equal(hash[0], hash[1]);
        free(text);
        conf_destroy(a);
        conf_destroy(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_board_has_its_published_size),
        cmocka_unit_test(peak_dram_bandwidth_is_the_boards),
        cmocka_unit_test(unloaded_latencies_compose_to_the_measured_ones),
        cmocka_unit_test(every_setting_is_given_by_a_file_and_none_is_left_to_a_default),
        cmocka_unit_test(every_setting_of_every_file_has_a_comment_with_its_source),
        cmocka_unit_test(the_l2_sizes_of_the_usual_sweep_are_legal_on_v100),
        cmocka_unit_test(changing_the_number_of_sms_leaves_the_memory_unchanged),
        cmocka_unit_test(the_window_is_the_smallest_latency_between_shards),
        cmocka_unit_test(an_impossible_l2_size_is_refused_with_the_nearest_legal_ones),
        cmocka_unit_test(a_crossbar_buffer_that_starves_a_port_is_refused_naming_the_smallest),
        cmocka_unit_test(parameters_that_contradict_each_other_are_refused),
        cmocka_unit_test(a_latency_of_zero_between_shards_is_refused),
        cmocka_unit_test(an_unknown_gpu_is_refused_with_the_known_ones),
        cmocka_unit_test(a_resolved_gpu_reads_back_as_the_same_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
