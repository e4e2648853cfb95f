/*
 * The output of the program: the trace of its launches, and counts of their instructions. The
 * environment, set by "rubato record" and "rubato run", gives the destination.
 *
 *   RUBATO_RECORD_TRACE      the trace file; or
 *   RUBATO_RECORD_PIPE       a FIFO that receives the launches (launch_pipe.h); neither: launches
 *                            are only executed
 *   RUBATO_RECORD_LAUNCHES   list of launches to output, or
 *   RUBATO_RECORD_PLAN       file with those of a plan (both: recorded_launches.h); unset: all
 *   RUBATO_RECORD_PROFILE    file with one line per launch; unset: none
 *   RUBATO_RECORD_FORCE      allows replacing an existing trace
 *   RUBATO_RECORD_SEEN       file created when the program first calls the runtime; it names the
 *                            file to remove if the program is killed
 *   RUBATO_RECORD_LAUNCHED   file written at the first launch, and at the first one in the output,
 *                            with the architecture of its code (0: it is not in the output) and 1;
 *                            if none was in the output, it is written again at the end, with 0,
 *                            whether there was a launch, and the last error that the program got
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"
#include "frontend/emulator/exec/sass_tracer_text.h"
#include "frontend/emulator/record/launch_pipe.h"
#include "frontend/emulator/record/recorded_launches.h"
#include "frontend/input/rbt/write/rbt_writer.h"
#include "sim/core/fnv.h"

static struct {
    rbt_writer_t *writer;       /* launches are recorded to a file, or */
    launch_pipe_writer_t *pipe; /* simulated by another process, or neither */
    FILE *profile;
    recorded_launches_t recorded;
    uint64_t n_launches, n_recorded; /* launches of the program; those among them that are recorded
                                      * or simulated */
    pid_t owner;                     /* a child process that the program forks does not write */
    const cudart_state_t *state;
} out;

static bool recording(void)
{
    return (out.writer != NULL || out.pipe != NULL) && out.owner == getpid();
}

/* Discards the trace or pipe: nothing is left of it. */
static void discard(void)
{
    rbt_writer_discard(out.writer);
    launch_pipe_discard(out.pipe);
    out.writer = NULL;
    out.pipe = NULL;
}

static void fail(const rb_err_t *err)
{
    bool piped = out.pipe != NULL;

    discard();
    if (piped)
        cudart_give_up(NULL); /* the simulator reports why it ended */
    cudart_give_up("%s", err->text);
}

/* Closes a file that tells rubato something; file is NULL if it could not be opened. */
static void close_note(FILE *file, const char *path)
{
    rb_err_t err = {0};

    if (file != NULL && !ferror(file) && fclose(file) == 0)
        return;
    rb_fail(&err, RB_IO, "%s: cannot be written: %s", path, strerror(errno));
    fail(&err);
}

/* Writes the file of RUBATO_RECORD_LAUNCHED. */
static void note_launched(unsigned arch, const char *error)
{
    const char *path = getenv("RUBATO_RECORD_LAUNCHED");
    FILE *file = path != NULL ? fopen(path, "we") : NULL;

    if (path == NULL)
        return;
    if (file != NULL)
        fprintf(file, "%u %u %s\n", arch, out.n_launches > 0, error);
    close_note(file, path);
}

static void note_temporary(const char *seen)
{
    FILE *file = fopen(seen, "we");

    if (file != NULL)
        fputs(rbt_writer_temporary(out.writer), file);
    close_note(file, seen);
}

static void open_trace(const char *path, const char *seen)
{
    rb_err_t err = {0};
    rbt_writer_options_t options = {.overwrite = getenv("RUBATO_RECORD_FORCE") != NULL,
                                    .producer = "rubato record"};

    out.writer = rbt_writer_create(path, &options, &err);
    if (out.writer == NULL)
        fail(&err);
    if (seen != NULL)
        note_temporary(seen);
    if (out.recorded.json != NULL)
        rbt_writer_plan(out.writer, out.recorded.json);
    cudart_order_start();
}

static void open_pipe(const char *path)
{
    rb_err_t err = {0};

    out.pipe = launch_pipe_open(path, &err);
    if (out.pipe == NULL)
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

/* Marks that the program uses CUDA. Several processes of a program cannot share one trace or
 * pipe. */
static void leave_mark(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0 && errno == EEXIST)
        cudart_give_up("another process of the program already uses CUDA: start rubato for each "
                       "process");
    if (fd < 0)
        cudart_give_up("%s: %s", path, strerror(errno));
    close(fd);
}

void cudart_record_start(cudart_state_t *s)
{
    const char *trace = getenv("RUBATO_RECORD_TRACE"), *pipe = getenv("RUBATO_RECORD_PIPE");
    const char *seen = getenv("RUBATO_RECORD_SEEN"), *plan = getenv("RUBATO_RECORD_PLAN");
    const char *profile = getenv("RUBATO_RECORD_PROFILE");
    rb_err_t err = {0};

    out.state = s;
    out.owner = getpid();
    if (seen != NULL)
        leave_mark(seen);
    if (plan != NULL && recorded_launches_read(&out.recorded, plan, &err) != RB_OK)
        fail(&err);
    out.recorded.list = getenv("RUBATO_RECORD_LAUNCHES");
    if (trace != NULL)
        open_trace(trace, seen);
    if (pipe != NULL)
        open_pipe(pipe);
    if (profile != NULL)
        open_profile(profile);
}

void cudart_record_copy(uint64_t addr, uint64_t bytes)
{
    memcpy_op_t op = {.addr = addr, .bytes = bytes};
    rb_err_t err = {0};

    if (recording() && (out.writer != NULL ? rbt_writer_copy(out.writer, &op, &err)
                                           : launch_pipe_copy(out.pipe, &op, &err)) != RB_OK)
        fail(&err);
}

/* Equal for launches of the same code: a hash of its bytes and name. */
static uint64_t code_id(const emu_launch_t *l)
{
    const cubin_kernel_t *k = l->kernel;
    return fnv_text(fnv_bytes(FNV_START, k->code, k->code_bytes), k->name);
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
                          .stream = cudart_order_stream((cuda_stream_t)(uintptr_t)stream),
                          .shared_base = EMU_SHARED_BASE,
                          .local_base = EMU_LOCAL_BASE,
                          .n_blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]};

    memcpy(info.grid, l->grid, sizeof(info.grid));
    memcpy(info.block, l->block, sizeof(info.block));
    return info;
}

/* --- a launch -------------------------------------------------------------------------------- */

static bool inst_line(void *code, const inst_t *inst, source_line_t *line)
{
    const emu_code_t *c = code;

    return emu_code_line(c, (uint32_t)(inst - c->static_code), line);
}

static rb_code_t begin_launch(const launch_info_t *info, double weight, const emu_code_t *code,
                              rb_err_t *err)
{
    const pipe_about_t about = {sass_tracer_text, inst_line, (void *)(uintptr_t)code};

    if (out.pipe != NULL)
        return launch_pipe_launch(out.pipe, info, code->static_code, code->n_insts, &about, err);
    RB_TRY(rbt_writer_launch(out.writer, info, weight, sass_tracer_text, about.ctx, err));
    rbt_writer_lines(out.writer, inst_line);
    return RB_OK;
}

static rb_code_t put_block(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    (void)ctx;
    return out.pipe != NULL ? launch_pipe_block(out.pipe, block, err)
                            : rbt_writer_block(out.writer, block, err);
}

static rb_code_t end_launch(rb_err_t *err)
{
    return out.pipe != NULL ? launch_pipe_launch_end(out.pipe, err)
                            : rbt_writer_launch_end(out.writer, err);
}

static void write_profile(const cudart_state_t *s, const emu_launch_t *l, const emu_totals_t *t)
{
    fprintf(out.profile, "%llu,\"%s\",%u,%u,%u,%u,%u,%u,%u,%u,%llu,%llu\n",
            (unsigned long long)s->n_launches, l->kernel->name, l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2], l->kernel->regs, emu_shared_bytes(l),
            (unsigned long long)t->warp_insts, (unsigned long long)t->thread_insts);
}

/* The program continues without the failed launch, so the recording no longer represents it. */
static void give_up_trace(const cudart_state_t *s, rb_err_t *err)
{
    size_t n = strlen(err->text);

    snprintf(err->text + n, sizeof(err->text) - n, "; launch %llu did not finish, so nothing is %s",
             (unsigned long long)s->n_launches, out.pipe != NULL ? "simulated" : "recorded");
    discard();
}

rb_code_t cudart_record_run(cudart_state_t *s, emu_launch_t *l, uint64_t stream,
                            emu_totals_t *totals, rb_err_t *err)
{
    double weight;
    bool traced = recording() && recorded_launches_has(&out.recorded, s->n_launches, &weight);
    const emu_code_t *code;

    out.n_launches = s->n_launches;
    l->workers = recording() ? 1 : s->threads;
    if (recording() && out.n_launches == 1)
        note_launched(0, "");
    if (cudart_left_out(s, l))
        return RB_OK;
    RB_TRY(emu_module_code(l->module, l->kernel, &code, err));
    if (traced) {
        launch_info_t info = launch_facts(s, l, stream);
        if (out.n_recorded == 0)
            note_launched(cudart_arch(s), "");
        if (begin_launch(&info, weight, code, err) != RB_OK)
            fail(err);
        out.n_recorded++;
        l->on_block = put_block;
    }
    rb_code_t rc = emu_run(l, totals, err);
    if (rc == RB_IO)
        fail(err); /* the output failed, not the program */
    if (rc != RB_OK && recording())
        give_up_trace(s, err);
    if (rc == RB_OK && traced && end_launch(err) != RB_OK)
        fail(err);
    if (rc == RB_OK && out.profile != NULL && out.owner == getpid())
        write_profile(s, l, totals);
    return rc;
}

/* A trace without launches is useless: the list was meant for another run. */
static void check_list(void)
{
    if (out.recorded.list == NULL)
        return;
    discard();
    cudart_give_up("none of --launches %s was executed: the program ended after launch %llu",
                   out.recorded.list, (unsigned long long)out.n_launches);
}

/* The program ended without a requested launch: no trace of it is kept. */
static void end_without_launch(void)
{
    cuda_error_t failed = out.state->failed;

    note_launched(0, failed != CUDA_SUCCESS ? cudaGetErrorName(failed) : "");
    check_list();
    rbt_writer_discard(out.writer);
    out.writer = NULL;
}

/* The program ends: completes the trace or pipe. */
__attribute__((destructor)) static void finish(void)
{
    if (out.owner == getpid())
        cudart_left_out_end();
    if (recording() && out.n_recorded == 0)
        end_without_launch();
    rbt_writer_t *writer = out.writer;
    launch_pipe_writer_t *pipe = out.pipe;
    rb_err_t err = {0};

    if (recording()) {
        out.writer = NULL;
        out.pipe = NULL;
        if (writer != NULL && cudart_order_graph() != NULL)
            rbt_writer_graph(writer, cudart_order_graph());
        if ((writer != NULL ? rbt_writer_finish(writer, &err) : launch_pipe_finish(pipe, &err)) !=
            RB_OK)
            cudart_give_up("%s", err.text);
    }
    if (out.profile != NULL && out.owner == getpid() && fclose(out.profile) != 0)
        cudart_give_up("the profile: %s", strerror(errno));
    out.profile = NULL;
    recorded_launches_free(&out.recorded);
}
