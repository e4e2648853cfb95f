/* The native trace file: storing a program, decoding it, opening one of very many launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench_cases.h"
#include "bench/micro/micro.h"
#include "frontend/input/rbt/rbt_source.h"
#include "frontend/input/rbt/rbt_store.h"

/* The file of one case; written by the first call with this name, removed at the end. */
typedef struct {
    const char *name;
    char path[64];
    uint64_t bytes;
} stored_t;

enum { MANY_LAUNCHES = 100000 };

static stored_t stored[] = {{.name = "streaming"}, {.name = "gather"}, {.name = "many"}};

static void remove_stored(void)
{
    for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
        if (stored[i].path[0] != '\0')
            unlink(stored[i].path);
}

static void one_exit(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit(w, 0, UINT32_MAX);
}

static synth_t *many_launches(void)
{
    synth_t *s = synth_create();

    for (unsigned i = 0; i < MANY_LAUNCHES; i++) {
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

static uint64_t store(stored_t *t)
{
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
    return result.warp_insts;
}

static trace_source_t *open_stored(stored_t *t)
{
    rb_err_t err = {0};

    if (t->bytes == 0)
        (void)store(t);
    trace_source_t *source = rbt_open(t->path, &err);

    if (source == NULL)
        rb_panic("%s", err.text);
    return source;
}

static void read_blocks(trace_source_t *source, uint64_t id, uint64_t first, micro_result_t *r)
{
    trace_launch_t *launch = NULL;
    trace_block_t *b = NULL;
    rb_err_t err = {0};

    if (source->ops->open(source, id, &launch, &err) != RB_OK)
        rb_panic("%s", err.text);
    for (uint64_t i = first;; i++) {
        if (source->ops->get_block(launch, i, &b, &err) != RB_OK)
            rb_panic("%s", err.text);
        if (b == NULL)
            break;
        r->operations += b->n_insts;
        r->check += b->n_insts ^ b->warps[0].n_addr_words;
        source->ops->free_block(launch, b);
    }
    source->ops->close(launch);
}

static micro_result_t decode(stored_t *t)
{
    micro_result_t r = {0};
    trace_source_t *source = open_stored(t);

    for (uint64_t id = 1; id <= source->ops->n_launches(source); id++)
        read_blocks(source, id, 0, &r);
    source->ops->destroy(source);
    r.bytes = t->bytes;
    return r;
}

micro_result_t micro_rbt_store(void)
{
    return (micro_result_t){.operations = store(&stored[1]), .bytes = stored[1].bytes};
}

micro_result_t micro_rbt_affine(void)
{
    return decode(&stored[0]);
}

micro_result_t micro_rbt_lists(void)
{
    return decode(&stored[1]);
}

/* Opens a file of 100,000 launches and reads the last block of a launch in the middle. */
micro_result_t micro_rbt_open(void)
{
    micro_result_t r = {0};
    trace_source_t *source = open_stored(&stored[2]);

    read_blocks(source, MANY_LAUNCHES / 2, 1, &r);
    source->ops->destroy(source);
    r.operations = 1;
    return r;
}
