/*
 * Every setting of the model changes the results of some small program, with the settings that it needs
 * (sim/gpu/setting_scope.h), or says that it never does.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/tool/library/open_trace.h"
#include "sim/conf/param_value.h"
#include "sim/gpu/gpu_conf.h"
#include "sim/gpu/setting_scope.h"
#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

enum { LAUNCHES = 4, VALUES_MAX = 16, VALUE_TEXT = 64, SETTING_TEXT = 160 };

/* --- programs -------------------------------------------------------------------------------- */

/* Chains of the opcodes of every class that the other programs lack; UR and wide products are newer. */
static const lab_op_t chains[] = {
    {"FMNMX", "R4", "R4 R5"},
    {"POPC", "R4", "R4"},
    {"FLO.U32", "R4", "R4"},
    {"HADD2", "R4", "R4 R5"},
    {"HFMA2", "R4", "R4 R5 R12"},
    {"DADD", "R6", "R6 R8"},
    {"DFMA", "R6", "R6 R8 R10"},
    {"DSETP.GT.AND", "P0", "R6 R8"},
    {"F2F.F32.F64", "R4", "R6"},
    {"F2F.F64.F32", "R6", "R4"},
    {"PLOP3.LUT", "P0", "P0 P1 P2"},
    {"P2R", "R4", "P0"},
    {"MUFU.RCP", "R4", "R4"},
    {"I2F", "R4", "R4"},
    {"MATCH.ANY", "R4", "R4"},
    {"SHFL.IDX", "R4", "R4 R5"},
    {"CS2R", "R6", ""},
    {"IADD3", "R4", "R4 R6"},
    {"HMMA.16816.F32", "R16", "R20 R24 R16"},
    {"HMMA.1688.F32", "R16", "R20 R24 R16"},
    {"IMMA.16832.S8.S8", "R16", "R20 R24 R16"},
    {"IMMA.8816.S8.S8", "R16", "R20 R24 R16"},
    {"DMMA.884", "R16", "R20 R24 R16"},
    {"UIADD3", "UR4", "UR4 UR5"},
    {"UIADD3", "UR4", "UR4 UR6"},
    {"TEX.B.LL", "R4", "R4 R5"},
    {"TEX.B.LL", "R12", "R13 R5"},
    {"MEMBAR.SC.CTA", "", ""},
    {"MEMBAR.SC.SYS", "", ""},
    {"LDGDEPBAR", "", ""},
};
enum { N_CHAINS = sizeof(chains) / sizeof(chains[0]), REPEATS = 3 };

static void chains_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_affine(w, 0, (uint32_t)LAB_FULL, 0x10000 + w->global * 4096, 16);
    for (unsigned i = 0; i < REPEATS * N_CHAINS; i++) {
        if (strncmp(chains[i % N_CHAINS].mnemonic, "TEX", 3) == 0)
            synth_emit_affine(w, 1 + i, (uint32_t)LAB_FULL, 0x90000 + w->global * 512, 4);
        else
            synth_emit(w, 1 + i, (uint32_t)LAB_FULL);
    }
    synth_emit_span(w, 1 + REPEATS * N_CHAINS, 2);
}

/* Straight code, executed twice, whose lines, constants and pages are more than small caches hold. */
enum { LINES = 1600, EACH = 16, PAGES = 12, CONSTANTS = 80, BYTES = 12, COPIES = 4 };

static const struct {
    const char *mnemonic, *dst, *src;
    int bank; /* -1: no constant */
} line[EACH] = {
    {"LDC", "R4", NULL, 3},
    {"FADD", "R5", "R4 R6", -1},
    {"FSETP.GT.AND", "P0", "R5 R6", -1},
    {"FSEL", "R7", "P0 R5 R6", -1},
    {"FADD", "R9", NULL, 0},
    {"FADD", "R9", "R9 R7", -1},
    {"LDC", "R10", NULL, 3},
    {"LDC", "R11", NULL, 3},
    {"UMOV", "UR4", NULL, 2},
    {"UIADD3", "UR5", "UR4 UR6", -1},
    {"FADD", "R12", "R10 R11", -1},
    {"IADD3", "R13", "R12 R9", -1},
    {"FMUL", "R14", "R13 R5", -1},
    {"LOP3.LUT", "R15", "R14 R5", -1},
    {"IMAD", "R16", "R15 R14", -1},
    {"MOV", "R6", "R16", -1},
};

enum { C_LOAD, C_BYTE, C_ATOMIC, C_INDEXED, C_COPY, C_NEXT, C_COMMIT, C_WAIT, C_LINES };

static void caches_body(synth_warp_t *w, const void *ctx)
{
    const uint64_t pages = UINT64_C(4) << 20, data = UINT64_C(1) << 34;
    uint64_t words[32];
    (void)ctx;
    for (unsigned i = 0; i < 32; i++)
        words[i] = 64 * ((i * 7 + w->warp) % 32);
    for (unsigned i = 0; w->warp == 0 && i < 4 * PAGES; i++)
        synth_emit_affine(w, C_LOAD, (uint32_t)LAB_FULL,
                          data + synth_mix(i) % PAGES * pages + i * 128, 4);
    for (unsigned i = 0; i < BYTES; i++)
        synth_emit_affine(w, C_BYTE, (uint32_t)LAB_FULL, (w->global * BYTES + i) * 1024, 32);
    synth_emit_affine(w, C_ATOMIC, (uint32_t)LAB_FULL, 0, 0);
    synth_emit_list(w, C_INDEXED, (uint32_t)LAB_FULL, words);
    for (unsigned i = 0; i < COPIES; i++) {
        synth_emit_affine(w, C_COPY, (uint32_t)LAB_FULL, data, 16);
        synth_emit(w, C_NEXT, (uint32_t)LAB_FULL);
        synth_emit(w, C_COMMIT, (uint32_t)LAB_FULL);
        synth_emit(w, C_WAIT, (uint32_t)LAB_FULL);
    }
    for (unsigned i = 0; w->warp < 2 && i < 2 * LINES; i++) {
        if (line[i % EACH].bank == 3) /* LDC */
            synth_emit_affine(w, C_LINES + i % LINES, (uint32_t)LAB_FULL, 0, 0);
        else
            synth_emit(w, C_LINES + i % LINES, (uint32_t)LAB_FULL);
    }
    synth_emit_span(w, C_LINES + LINES, 1);
}

static void caches_add(synth_t *s, unsigned arch)
{
    synth_kernel_t *k = synth_kernel_create(
        s, "caches",
        &(synth_shape_t){.arch = arch, .grid = {4}, .block = {256}, .regs = 32, .shared = 1024});
    synth_code(k, "LDG.E", "R4", "R2 R4");
    synth_code(k, "STG.E.U8", "", "R2 R4");
    synth_code(k, "ATOMS.ADD", "R8", "R4 R5");
    synth_code(k, "LDC", "R4", "R8");
    synth_code(k, arch >= 80 ? "LDGSTS.E.128" : "LDG.E.128", arch >= 80 ? "" : "R20", "R1 R2");
    synth_code(k, "IADD3", "R2", "R2 R6"); /* overwrites the address */
    synth_code(k, arch >= 80 ? "LDGDEPBAR" : "NOP", "", "");
    if (arch >= 80)
        synth_code_imm(k, "DEPBAR.LE", depbar_pack(0, 0, 0));
    else
        synth_code(k, "NOP", "", "");
    for (unsigned i = 0; i < LINES; i++) {
        const unsigned e = i % EACH;
        if (line[e].bank >= 0)
            synth_code_const(k, line[e].mnemonic, line[e].dst, (unsigned)line[e].bank,
                             64 * (unsigned)(synth_mix(i) % CONSTANTS));
        else
            synth_code(k, line[e].mnemonic, line[e].dst, line[e].src);
    }
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, caches_body, NULL);
}

static synth_t *chains_create(unsigned arch)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "chains", &(synth_shape_t){.arch = arch, .grid = {4}, .block = {128}, .regs = 32});
    synth_code(k, arch >= 80 ? "LDGSTS.E.128" : "LDG.E.128", arch >= 80 ? "" : "R28", "R1 R2");
    for (unsigned i = 0; i < REPEATS * N_CHAINS; i++)
        synth_code(k, chains[i % N_CHAINS].mnemonic, chains[i % N_CHAINS].dst,
                   chains[i % N_CHAINS].src);
    synth_inst(k, synth_code(k, "FADD", "R4", "R4 R5"))->cls = OP_UNKNOWN;
    synth_code(k, "EXIT", "", "R4");
    synth_kernel_body(k, chains_body, NULL);
    caches_add(s, arch);
    return s;
}

/* --- chips with programs --------------------------------------------------------------------- */

typedef enum { MIX_PROGRAM, MIX_CONTROLLED, CHAIN_PROGRAM, TRACE_PROGRAM } program_t;

typedef struct {
    program_t program;
    const char *trace; /* in traces/ */
    const char *gpu, *sets[16];
} ground_t;

#define SMALL "sm.count=3", "mem.partitions=2", "l2.slices=4", "gpu.launch_latency=100"

static const ground_t grounds[] = {
    {MIX_PROGRAM, NULL, "v100", {SMALL, "l2.size=192KiB"}},
    {MIX_CONTROLLED, NULL, "v100", {SMALL, "l2.size=192KiB"}},
    {CHAIN_PROGRAM, NULL, "t4", {SMALL, "l2.size=256KiB"}},
    {CHAIN_PROGRAM,
     NULL,
     "t4",
     {SMALL, "l2.size=256KiB", "icache.l0_size=4KiB", "icache.l1_size=16KiB", "const.l1_size=1KiB",
      "const.l15_size=4KiB", "tlb.page=2MiB", "tlb.l2_page=2MiB", "tlb.entries=2",
      "tlb.l2_entries=8"}},
    {CHAIN_PROGRAM, NULL, "a100", {SMALL, "l2.size=256KiB", "l2.halves=1"}},
    {TRACE_PROGRAM, "hgemm-sm70.rbt", "v100", {SMALL, "l2.size=192KiB"}},
    {TRACE_PROGRAM, "scan-sm75.rbt", "t4", {SMALL, "l2.size=256KiB"}},
    {TRACE_PROGRAM, "histo-sm70", "v100", {SMALL, "l2.size=192KiB"}},
};
enum { GROUNDS = sizeof(grounds) / sizeof(grounds[0]) };

/* The chip of a ground with two more settings (NULL: none). false: it is not legal. */
static bool spec_of(const ground_t *g, const char *first, const char *second, gpu_spec_t *spec)
{
    rb_err_t err = {0};
    conf_t *c = conf_create();
    rb_code_t rc = conf_load_gpu(c, g->gpu, &err);
    for (size_t i = 0; rc == RB_OK && g->sets[i] != NULL; i++)
        rc = conf_set(c, g->sets[i], &err);
    if (rc == RB_OK && first != NULL)
        rc = conf_set(c, first, &err);
    if (rc == RB_OK && second != NULL)
        rc = conf_set(c, second, &err);
    if (rc == RB_OK)
        rc = gpu_spec_from_conf(spec, c, &err);
    conf_destroy(c);
    if (rc != RB_OK && first == NULL)
        fail_msg("%s", err.text);
    return rc == RB_OK;
}

static rb_code_t hash_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    (void)err;
    const uint64_t times[] = {r->end - r->start, r->occupancy.blocks_per_sm};
    sha256_update(ctx, times, sizeof(times));
    sha256_update(ctx, &r->sm, sizeof(r->sm));
    sha256_update(ctx, &r->l2, sizeof(r->l2));
    sha256_update(ctx, &r->dram, sizeof(r->dram));
    return RB_OK;
}

/* The results of a ground. false: a block does not fit the chip. */
static bool run_on(const ground_t *g, const gpu_spec_t *spec, char hash[SHA256_TEXT])
{
    sha256_t h;
    rb_err_t err = {0};
    char path[512];
    trace_source_t *source;
    if (g->program == TRACE_PROGRAM) {
        snprintf(path, sizeof(path), "%s/traces/%s", RUBATO_ROOT, g->trace);
        source = open_trace(path, NULL, &err);
        if (source == NULL)
            fail_msg("%s", err.text);
    } else {
        /* The code stays that of the card, whatever gpu.arch says. */
        synth_t *s =
            g->program == CHAIN_PROGRAM ? chains_create(g->gpu[0] == 'a' ? 80 : 75) : mix_create(1);
        if (g->program == MIX_CONTROLLED)
            synth_control_scramble(s, 1);
        source = synth_source(s);
    }
    const run_plan_t plan = {.first = 1, .last = LAUNCHES};
    const gpu_callbacks_t callbacks = {.ctx = &h, .launch_done = hash_launch};
    gpu_t *gpu = gpu_create(spec, 1, 0);
    sha256_init(&h);
    const bool good = gpu_run(gpu, source, &plan, &callbacks, &err) == RB_OK;
    sha256_final_text(&h, hash);
    gpu_destroy(gpu);
    source->ops->destroy(source);
    return good;
}

/* --- other values ---------------------------------------------------------------------------- */

typedef struct {
    size_t n;
    char text[VALUES_MAX][VALUE_TEXT];
} values_t;

static void add_choices(values_t *v, const param_t *p, uint32_t now)
{
    for (unsigned i = 0; p->choices[i].name != NULL && v->n < VALUES_MAX; i++)
        if (i != now)
            snprintf(v->text[v->n++], VALUE_TEXT, "%s", p->choices[i].name);
}

static double number_at(const param_t *p, const void *at)
{
    switch (p->type) {
    case PARAM_TYPE_U32:
        return *(const uint32_t *)at;
    case PARAM_TYPE_F64:
        return *(const double *)at;
    default:
        return (double)*(const uint64_t *)at;
    }
}

/* Far ones first: they show most. */
static void add_numbers(values_t *v, const param_t *p, double now)
{
    const double most = p->max < 4096 ? p->max : 4096;
    const double tries[] = {p->min,  most,        2 * now, now / 2, 4 * now,
                            now / 4, 2 * now + 1, now + 1, now + 20};
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        const double t = p->type == PARAM_TYPE_F64 ? tries[i] : (double)(uint64_t)tries[i];
        if (t >= p->min && t <= p->max && (t < now || t > now))
            snprintf(v->text[v->n++], VALUE_TEXT, "%.12g", t);
    }
}

static values_t other_values(const param_t *p, const void *at)
{
    values_t v = {0};
    if (p->type == PARAM_TYPE_BOOL)
        snprintf(v.text[v.n++], VALUE_TEXT, "%s", *(const bool *)at ? "false" : "true");
    else if (p->type == PARAM_TYPE_ENUM)
        add_choices(&v, p, *(const uint32_t *)at);
    else if (p->type == PARAM_TYPE_SIZES)
        snprintf(v.text[v.n++], VALUE_TEXT, "64KiB,96KiB");
    else if (p->type != PARAM_TYPE_TEXT && p->type != PARAM_TYPE_PATH)
        add_numbers(&v, p, number_at(p, at));
    return v;
}

/* A setting with which another one acts (setting_scope_t.needs). NULL: none is needed. */
static const char *needed(const setting_scope_t *scope, const gpu_spec_t *spec,
                          char text[SETTING_TEXT])
{
    if (scope == NULL || setting_scope_idle(scope, spec) == NULL)
        return NULL;
    const size_t n = strcspn(scope->needs, "=!>");
    const int key = (int)n;
    if (scope->needs[n] == '=')
        return scope->needs;
    if (scope->needs[n] == '!')
        snprintf(text, SETTING_TEXT, "%.*s=next_line", key, scope->needs);
    else if (strncmp(scope->needs, "const.", 6) == 0)
        snprintf(text, SETTING_TEXT, "%.*s=1KiB", key, scope->needs);
    else
        snprintf(text, SETTING_TEXT, "%.*s=2", key, scope->needs);
    return text;
}

/* --- the test -------------------------------------------------------------------------------- */

static bool acts_on(const ground_t *g, size_t k, const gpu_group_t *group, const param_t *p)
{
    static char base[GROUNDS][SHA256_TEXT];
    char need[SETTING_TEXT], hash[SHA256_TEXT], with[SHA256_TEXT];
    gpu_spec_t spec;
    assert_true(spec_of(g, NULL, NULL, &spec));
    if (base[k][0] == '\0')
        assert_true(run_on(g, &spec, base[k]));
    const char *before = base[k];
    const char *also = needed(setting_scope_find(group->group->name, p->name), &spec, need);
    if (also != NULL) {
        if (!spec_of(g, also, NULL, &spec) || !run_on(g, &spec, with))
            return false;
        before = with;
    }
    const values_t values = other_values(p, (const char *)&spec + group->offset + p->offset);
    for (size_t i = 0, tried = 0; i < values.n && tried < 3; i++) {
        char setting[SETTING_TEXT];
        snprintf(setting, sizeof(setting), "%s.%s=%s", group->group->name, p->name, values.text[i]);
        if (!spec_of(g, setting, also, &spec))
            continue;
        tried++;
        if (run_on(g, &spec, hash) && strcmp(hash, before) != 0)
            return true;
    }
    return false;
}

/* Whether its declaration says that nothing here can show the setting: no program of the test has several
 * streams, leaves launches out, or is sampled. */
static bool is_elsewhere(const setting_scope_t *scope)
{
    static const char *const groups[] = {"gpu.", "warmup.", "sampling."};
    bool elsewhere = scope != NULL && strncmp(scope->when, "never", 5) == 0;
    for (size_t i = 0; scope != NULL && i < sizeof(groups) / sizeof(groups[0]); i++)
        elsewhere |= strncmp(scope->key, groups[i], strlen(groups[i])) == 0;
    return elsewhere;
}

/* The ground on which a group mostly acts, to be tried first. */
static size_t first_ground(const param_group_t *group)
{
    static const char *const small_caches[] = {"lat", "icache", "const", "tlb", "mmu"};
    enum { SMALL_CACHES = 3 };
    for (size_t i = 0; i < sizeof(small_caches) / sizeof(small_caches[0]); i++)
        if (strcmp(group->name, small_caches[i]) == 0)
            return SMALL_CACHES;
    return 0;
}

static void every_setting_acts_or_says_why_not(void **state)
{
    (void)state;
    size_t without = 0;
    for (const gpu_group_t *g = gpu_groups; g->group != NULL; g++) {
        for (size_t i = 0; i < g->group->n_params; i++) {
            const param_t *p = &g->group->params[i];
            bool acts = is_elsewhere(setting_scope_find(g->group->name, p->name));
            for (size_t k = 0; k < GROUNDS && !acts; k++) {
                const size_t n = (k + first_ground(g->group)) % GROUNDS;
                acts = acts_on(&grounds[n], n, g, p);
            }
            if (acts)
                continue;
            print_message("%s.%s has no effect\n", g->group->name, p->name);
            without++;
        }
    }
    assert_int_equal(without, 0);
}

/* --- settings behind parts without limits ------------------------------------------------------ */

enum { HIDDEN_MAX = 256 };

/* Settings of the command line beside those of a ground. */
typedef struct {
    size_t n;
    char text[HIDDEN_MAX][SETTING_TEXT];
} sets_t;

static bool spec_with(const ground_t *g, const sets_t *sets, gpu_spec_t *spec)
{
    rb_err_t err = {0};
    conf_t *c = conf_create();
    rb_code_t rc = conf_load_gpu(c, g->gpu, &err);
    for (size_t i = 0; rc == RB_OK && g->sets[i] != NULL; i++)
        rc = conf_set(c, g->sets[i], &err);
    for (size_t i = 0; rc == RB_OK && i < sets->n; i++)
        rc = conf_set(c, sets->text[i], &err);
    if (rc == RB_OK)
        rc = gpu_spec_from_conf(spec, c, &err);
    conf_destroy(c);
    return rc == RB_OK;
}

/* Adds another value of a setting, if the chip remains legal with one of a few. */
static void add_changed(const ground_t *g, const gpu_group_t *group, const param_t *p,
                        const gpu_spec_t *base, sets_t *sets)
{
    const values_t v = other_values(p, (const char *)base + group->offset + p->offset);
    gpu_spec_t spec;
    for (size_t k = 0; k < v.n; k++) {
        assert_true(sets->n < HIDDEN_MAX);
        snprintf(sets->text[sets->n++], SETTING_TEXT, "%s.%s=%s", group->group->name, p->name,
                 v.text[k]);
        if (spec_with(g, sets, &spec))
            return;
        sets->n--;
    }
}

/* Changes all settings that a part hides. */
static void change_hidden(const ground_t *g, const setting_hidden_t *by, sets_t *sets)
{
    gpu_spec_t base;
    snprintf(sets->text[sets->n++], SETTING_TEXT, "%s=true", by->part);
    assert_true(spec_with(g, sets, &base));
    for (const gpu_group_t *group = gpu_groups; group->group != NULL; group++)
        for (size_t i = 0; i < group->group->n_params; i++)
            if (setting_is_hidden(by, group->group->name, group->group->params[i].name))
                add_changed(g, group, &group->group->params[i], &base, sets);
}

/* Names those of the settings that act alone. */
static void tell_acting(const ground_t *g, const sets_t *sets, const char *hash)
{
    for (size_t i = 1; i < sets->n; i++) {
        sets_t one = {.n = 2};
        gpu_spec_t spec;
        char now[SHA256_TEXT];
        strcpy(one.text[0], sets->text[0]);
        strcpy(one.text[1], sets->text[i]);
        if (spec_with(g, &one, &spec) && run_on(g, &spec, now) && strcmp(now, hash) != 0)
            print_message("%s acts with %s\n", sets->text[i], sets->text[0]);
    }
}

/* What is said to have no effect behind a part without limits has none: all of it together. */
static void settings_behind_parts_without_limits_have_no_effect(void **state)
{
    static const size_t where[] = {1, 3, 4, 7};
    const setting_hidden_t *by;
    size_t acting = 0;
    (void)state;
    for (size_t i = 0; (by = setting_hidden_at(i)) != NULL; i++) {
        for (size_t k = 0; k < sizeof(where) / sizeof(where[0]); k++) {
            const ground_t *g = &grounds[where[k]];
            static sets_t sets;
            gpu_spec_t spec;
            char before[SHA256_TEXT], after[SHA256_TEXT];
            sets.n = 0;
            change_hidden(g, by, &sets);
            assert_true(sets.n > 5);
            assert_true(spec_with(g, &(sets_t){.n = 0}, &spec));
            assert_true(spec_with(g, &sets, &spec) && run_on(g, &spec, after));
            sets_t alone = {.n = 1};
            strcpy(alone.text[0], sets.text[0]);
            assert_true(spec_with(g, &alone, &spec) && run_on(g, &spec, before));
            if (strcmp(before, after) == 0)
                continue;
            acting++;
            print_message("on ground %zu:\n", where[k]);
            tell_acting(g, &sets, before);
        }
    }
    assert_int_equal(acting, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_acts_or_says_why_not),
        cmocka_unit_test(settings_behind_parts_without_limits_have_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
