#include "bench/micro/micro_stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench_cases.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/input/rbt/write/rbt_store.h"

/* The file of one case. */
typedef struct {
    const char *name;
    char path[64];
    uint64_t bytes;
} stored_t;

static stored_t stored[] = {
    {.name = "streaming"}, {.name = "gather"}, {.name = "alu"}, {.name = "many"}};

static void remove_stored(void)
{
    for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
        if (stored[i].path[0] != '\0')
            unlink(stored[i].path);
}

static stored_t *find(const char *name)
{
    for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
        if (strcmp(stored[i].name, name) == 0)
            return &stored[i];
    rb_panic("no stored case %s", name);
}

static void one_exit(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit(w, 0, UINT32_MAX);
}

static synth_t *many_launches(void)
{
    synth_t *s = synth_create();

    for (unsigned i = 0; i < MICRO_MANY_LAUNCHES; i++) {
        synth_kernel_t *k = synth_kernel_create(s, "tiny", &(synth_shape_t){.grid = {2, 1, 1}});

        synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, one_exit, NULL);
    }
    return s;
}

static synth_t *build(const char *name)
{
    const bench_case_t *c = bench_cases;

    if (strcmp(name, "many") == 0)
        return many_launches();
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    RB_INVARIANT(c->name, "no case %s", name);
    return c->build();
}

uint64_t micro_store(const char *name, uint64_t *bytes)
{
    stored_t *t = find(name);
    static bool registered;
    rb_err_t err = {0};
    rbt_stored_t result;
    struct stat st;
    synth_t *s = build(t->name);

    if (!registered)
        atexit(remove_stored);
    registered = true;
    snprintf(t->path, sizeof(t->path), "/tmp/rubato-bench-%d-%s.rbt", (int)getpid(), t->name);
    const rbt_store_options_t o = {.path = t->path, .writer.overwrite = true};

    if (rbt_store(synth_source(s), &o, &result, &err) != RB_OK || stat(t->path, &st) != 0)
        rb_panic("%s", err.text);
    t->bytes = (uint64_t)st.st_size;
    synth_destroy(s);
    *bytes = t->bytes;
    return result.warp_insts;
}

trace_source_t *micro_open(const char *name, uint64_t *bytes)
{
    const stored_t *t = find(name);
    rb_err_t err = {0};

    if (t->bytes == 0)
        (void)micro_store(name, bytes);
    *bytes = t->bytes;
    trace_source_t *source = rbt_open(t->path, &err);

    if (source == NULL)
        rb_panic("%s", err.text);
    return source;
}
