/*
 * What goes out of the program: the trace of its launches, and counts of their instructions. The
 * environment, set by "rubato record", says where to.
 *
 *   RUBATO_RECORD_TRACE      the trace file; unset: launches are only executed
 *   RUBATO_RECORD_LAUNCHES   which of them, as in launch_list.h; unset: all
 *   RUBATO_RECORD_PROFILE    file for one line per launch; unset: none
 *   RUBATO_RECORD_FORCE      an existing trace may be replaced
 *   RUBATO_RECORD_SEEN       a file that is made when the program first calls the runtime
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/sass/cudart/cudart_state.h"
#include "frontend/sass/launch_list.h"
#include "frontend/trace/rbt_writer.h"

static struct {
    rbt_writer_t *writer;
    FILE *profile;
    const char *launches;
    pid_t owner; /* a child that the program forks does not write */
} out;

static bool recording(void)
{
    return out.writer != NULL && out.owner == getpid();
}

static void fail(const rb_err_t *err)
{
    rbt_writer_discard(out.writer);
    out.writer = NULL;
    cudart_give_up("%s", err->text);
}

static void open_trace(const char *path)
{
    rb_err_t err = {0};
    rbt_writer_options_t options = {.overwrite = getenv("RUBATO_RECORD_FORCE") != NULL,
                                    .producer = "rubato record"};

    out.writer = rbt_writer_create(path, &options, &err);
    if (out.writer == NULL)
        fail(&err);
}

static void open_profile(const char *path)
{
    out.profile = fopen(path, "w");
    if (out.profile == NULL)
        cudart_give_up("%s: %s", path, strerror(errno));
    fprintf(out.profile, "launch,kernel,grid_x,grid_y,grid_z,block_x,block_y,block_z,registers,"
                         "shared_bytes,warp_instructions,thread_instructions\n");
}

void cudart_record_start(cudart_state_t *s)
{
    const char *trace = getenv("RUBATO_RECORD_TRACE"), *seen = getenv("RUBATO_RECORD_SEEN");

    (void)s;
    out.owner = getpid();
    out.launches = getenv("RUBATO_RECORD_LAUNCHES");
    if (seen != NULL) {
        FILE *f = fopen(seen, "w");
        if (f != NULL)
            fclose(f);
    }
    if (trace != NULL)
        open_trace(trace);
    if (getenv("RUBATO_RECORD_PROFILE") != NULL)
        open_profile(getenv("RUBATO_RECORD_PROFILE"));
}

void cudart_record_copy(uint64_t addr, uint64_t bytes)
{
    rb_err_t err = {0};

    if (recording() &&
        rbt_writer_copy(out.writer, &(memcpy_op_t){.addr = addr, .bytes = bytes}, &err) != RB_OK)
        fail(&err);
}

/* Equal for launches of the same code: a hash of its bytes and name. */
static uint64_t code_id(const emu_launch_t *l)
{
    uint64_t hash = 0xcbf29ce484222325ull;

    for (uint32_t i = 0; i < l->kernel->code_bytes; i++)
        hash = (hash ^ l->kernel->code[i]) * 0x100000001b3ull;
    for (const char *c = l->kernel->name; *c != '\0'; c++)
        hash = (hash ^ (uint8_t)*c) * 0x100000001b3ull;
    return hash;
}

static launch_info_t launch_facts(const cudart_state_t *s, const emu_launch_t *l, uint64_t stream)
{
    launch_info_t info = {.id = s->n_launches,
                          .trace_id = s->n_launches,
                          .name = l->kernel->name,
                          .file = "the program",
                          .code_id = code_id(l),
                          .regs = l->kernel->regs,
                          .shared_bytes = emu_shared_bytes(l),
                          .arch = l->module->cubin.arch,
                          .stream = stream >> 4,
                          .shared_base = EMU_SHARED_BASE,
                          .local_base = EMU_LOCAL_BASE,
                          .n_blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]};

    memcpy(info.grid, l->grid, sizeof(info.grid));
    memcpy(info.block, l->block, sizeof(info.block));
    return info;
}

static rb_code_t write_block(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    (void)ctx;
    return rbt_writer_block(out.writer, block, err);
}

static void write_profile(const cudart_state_t *s, const emu_launch_t *l, const emu_totals_t *t)
{
    fprintf(out.profile, "%llu,\"%s\",%u,%u,%u,%u,%u,%u,%u,%u,%llu,%llu\n",
            (unsigned long long)s->n_launches, l->kernel->name, l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2], l->kernel->regs, emu_shared_bytes(l),
            (unsigned long long)t->warp_insts, (unsigned long long)t->thread_insts);
}

rb_code_t cudart_record_run(cudart_state_t *s, emu_launch_t *l, uint64_t stream,
                            emu_totals_t *totals, rb_err_t *err)
{
    bool traced = recording() && launch_list_has(out.launches, s->n_launches);
    launch_info_t info = launch_facts(s, l, stream);

    if (traced) {
        if (rbt_writer_launch(out.writer, &info, 1, NULL, NULL, err) != RB_OK)
            fail(err);
        l->on_block = write_block;
    }
    RB_TRY(emu_run(l, totals, err));
    if (traced && rbt_writer_launch_end(out.writer, err) != RB_OK)
        fail(err);
    if (out.profile != NULL && out.owner == getpid())
        write_profile(s, l, totals);
    return RB_OK;
}

/* The program ends: the trace gets its index and its name. */
__attribute__((destructor)) static void finish(void)
{
    rb_err_t err = {0};

    if (recording() && rbt_writer_finish(out.writer, &err) != RB_OK) {
        out.writer = NULL;
        cudart_give_up("%s", err.text);
    }
    out.writer = NULL;
    if (out.profile != NULL && out.owner == getpid() && fclose(out.profile) != 0)
        cudart_give_up("the profile: %s", strerror(errno));
    out.profile = NULL;
}
