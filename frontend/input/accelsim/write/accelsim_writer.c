#include "frontend/input/accelsim/write/accelsim_writer.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/accelsim/write/accelsim_line.h"
#include "frontend/input/accelsim/write/accelsim_out.h"
#include "sim/core/alloc.h"
#include "sim/core/files/new_file.h"
#include "sim/core/files/temporary.h"
#include "sim/gpu/source/read_blocks.h"

static const char *const endings[] = {
    [ACCELSIM_PLAIN] = "", [ACCELSIM_XZ] = ".xz", [ACCELSIM_ZSTD] = ".zst"};

typedef struct {
    trace_source_t *source;                /* borrowed */
    const accelsim_writer_options_t *opts; /* borrowed */
    const char *folder;                    /* borrowed: where everything is written */
} writing_t;

/* --- a launch --------------------------------------------------------------------------------- */

/* Writes the name as one line. */
static void put_name(accelsim_out_t *out, const char *name)
{
    accelsim_out_printf(out, "-kernel name = ");
    for (const char *end; *name != '\0'; name = end) {
        end = name + strcspn(name, "\r\n");
        accelsim_out_text(out, name, (size_t)(end - name));
        for (; *end == '\r' || *end == '\n'; end++)
            accelsim_out_text(out, " ", 1);
    }
    accelsim_out_text(out, "\n", 1);
}

static void put_header(accelsim_out_t *out, const launch_info_t *info, const line_writer_t *lines)
{
    put_name(out, info->name);
    accelsim_out_printf(out, "-kernel id = %" PRIu64 "\n", info->trace_id);
    accelsim_out_printf(out, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", info->grid[0],
                        info->grid[1], info->grid[2], info->block[0], info->block[1],
                        info->block[2]);
    accelsim_out_printf(out, "-shmem = %u\n-nregs = %u\n-binary version = %u\n", info->shared_bytes,
                        info->regs, info->arch);
    accelsim_out_printf(out, "-cuda stream id = %" PRIu64 "\n", info->stream);
    accelsim_out_printf(
        out, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n",
        info->shared_base, info->local_base);
    accelsim_out_printf(out,
                        "-nvbit version = unknown\n-accelsim tracer version = %u\n"
                        "-enable lineinfo = %d\n\n",
                        lines->version, lines->source_lines);
    accelsim_out_printf(out, "#traces format = [line_num] PC mask dest_num [reg_dests] opcode "
                             "src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] "
                             "immediate\n\n");
}

/* Any instruction of the block, NULL if it has none. */
static const inst_t *first_inst(const trace_block_t *block)
{
    for (uint32_t w = 0; w < block->n_warps; w++)
        if (stream_first(&block->warps[w]))
            return block->warps[w].runs[0].first;
    return NULL;
}

static void put_warp(line_writer_t *lines, accelsim_out_t *out, unsigned number,
                     warp_stream_t *warp)
{
    accelsim_out_printf(out, "warp = %u\ninsts = %" PRIu64 "\n", number, warp->n_insts);
    for (bool some = stream_first(warp); some; some = stream_next(warp)) {
        const uint64_t *addrs = warp->addrs;

        for (uint32_t r = 0; r < warp->n_runs; r++) {
            const trace_run_t *run = &warp->runs[r];

            for (unsigned i = 0; i < run->count; i++)
                line_writer_put(lines, out, run->first + i, run->mask, &addrs);
        }
    }
    accelsim_out_printf(out, "\n");
}

static void put_block(line_writer_t *lines, accelsim_out_t *out, const trace_block_t *block)
{
    accelsim_out_printf(out, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", block->id[0], block->id[1],
                        block->id[2]);
    for (uint32_t w = 0; w < block->n_warps; w++)
        if (block->warps[w].n_runs > 0)
            put_warp(lines, out, w, &block->warps[w]);
    accelsim_out_printf(out, "#END_TB\n\n");
}

/* The header is written with the first block, whose instructions decide the version. */
static rb_code_t write_blocks(const writing_t *w, const launch_info_t *info, trace_launch_t *launch,
                              accelsim_out_t *out, rb_err_t *err)
{
    const trace_source_ops_t *ops = w->source->ops;
    line_writer_t lines = {0};
    rb_code_t code = RB_OK;

    for (uint64_t i = 0; code == RB_OK; i++) {
        trace_block_t *block = NULL;

        code = ops->get_block(launch, i, &block, err);
        if (code == RB_OK && i == 0) {
            line_writer_init(&lines, w->source, launch, block != NULL ? first_inst(block) : NULL,
                             w->opts->list_addresses);
            put_header(out, info, &lines);
        }
        if (block == NULL)
            break;
        put_block(&lines, out, block);
        if (w->opts->step != NULL)
            code = w->opts->step(w->opts->step_ctx, info, block, err);
        ops->free_block(launch, block);
    }
    line_writer_free(&lines);
    return code;
}

static rb_code_t write_launch(const writing_t *w, uint64_t id, const char *path, rb_err_t *err)
{
    launch_info_t info;
    block_reading_t reading;

    RB_TRY(w->source->ops->launch_info(w->source, id, &info, err));
    RB_TRY(block_reading_open(&reading, w->source, id, err));
    accelsim_out_t *out = accelsim_out_create(path, w->opts->packing, err);
    rb_code_t code = RB_IO;

    if (out != NULL) {
        code = write_blocks(w, &info, reading.launch, out, err);
        rb_code_t closed = accelsim_out_close(out, err);

        code = code != RB_OK ? code : closed;
    }
    block_reading_close(&reading);
    return code;
}

/* --- the folder ------------------------------------------------------------------------------- */

static char *join(const char *folder, const char *name)
{
    char *path = rb_calloc(strlen(folder) + strlen(name) + 2, 1);

    sprintf(path, "%s/%s", folder, name);
    return path;
}

static void put_copies(const writing_t *w, uint64_t id, accelsim_out_t *list)
{
    const memcpy_op_t *ops;
    size_t n = w->source->ops->copies(w->source, id, &ops);

    for (size_t i = 0; i < n; i++)
        accelsim_out_printf(list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", ops[i].addr,
                            ops[i].bytes);
}

static rb_code_t write_launches(const writing_t *w, accelsim_out_t *list, rb_err_t *err)
{
    enum { NAME_BYTES = 64 };
    uint64_t n = w->source->ops->n_launches(w->source);

    for (uint64_t id = 1; id <= n; id++) {
        char name[NAME_BYTES];

        snprintf(name, sizeof(name), "kernel-%" PRIu64 ".traceg%s", id, endings[w->opts->packing]);
        put_copies(w, id, list);
        accelsim_out_printf(list, "%s\n", name);
        char *path = join(w->folder, name);
        rb_code_t code = write_launch(w, id, path, err);

        free(path);
        RB_TRY(code);
    }
    put_copies(w, n + 1, list);
    return RB_OK;
}

static rb_code_t write_all(const writing_t *w, rb_err_t *err)
{
    char *path = join(w->folder, "kernelslist.g");
    accelsim_out_t *list = accelsim_out_create(path, ACCELSIM_PLAIN, err);
    rb_code_t code = RB_IO;

    if (list != NULL) {
        code = write_launches(w, list, err);
        rb_code_t closed = accelsim_out_close(list, err);

        code = code != RB_OK ? code : closed;
    }
    free(path);
    return code;
}

/* Removes a folder of files. */
static void remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);

    for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
        char *path = join(folder, d->d_name);

        if (d->d_name[0] != '.')
            unlink(path);
        free(path);
    }
    if (dir != NULL)
        closedir(dir);
    rmdir(folder);
}

/* An empty folder is allowed: rename() replaces it. */
rb_code_t accelsim_check_target(const char *folder, rb_err_t *err)
{
    struct stat st;

    if (stat(folder, &st) != 0)
        return errno == ENOENT ? RB_OK : rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return rb_fail(err, RB_USAGE, "%s: exists and is not a folder", folder);
    DIR *dir = opendir(folder);
    unsigned n = 0;

    if (dir == NULL)
        return rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n <= 2
               ? RB_OK
               : rb_fail(err, RB_USAGE, "%s: this folder is not empty: choose a new one", folder);
}

/* Copies the target's name without trailing slashes. */
static char *trim(const char *folder)
{
    char *copy = rb_strdup(folder);
    size_t n = strlen(copy);

    while (n > 1 && copy[n - 1] == '/')
        copy[--n] = '\0';
    return copy;
}

/* Creates a temporary folder beside target, with the permissions of an ordinary new folder. The
 * caller frees the name. */
static char *make_temporary(const char *target, rb_err_t *err)
{
    static const char suffix[] = ".partial-XXXXXX";
    const size_t size = strlen(target) + sizeof(suffix);
    char *folder = rb_calloc(size, 1);
    mode_t mask = umask(0);

    umask(mask);
    snprintf(folder, size, "%s%s", target, suffix);
    if (mkdtemp(folder) != NULL && chmod(folder, 0777 & ~mask) == 0)
        return folder;
    rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
    free(folder);
    return NULL;
}

static rb_code_t write_and_rename(writing_t *w, const char *target, rb_err_t *err)
{
    char *folder = make_temporary(target, err);

    if (folder == NULL)
        return RB_IO;
    w->folder = folder;
    temporary_add(folder);
    rb_code_t code = write_all(w, err);

    if (code == RB_OK) {
        new_file_sync_folder(folder);
        if (rename(folder, target) != 0)
            code = rb_fail(err, RB_IO, "%s: %s", target, strerror(errno));
    }
    if (code == RB_OK)
        new_file_sync_folder_of(target);
    else
        remove_folder(folder);
    temporary_drop(folder);
    free(folder);
    return code;
}

rb_code_t accelsim_write(trace_source_t *source, const char *folder,
                         const accelsim_writer_options_t *opts, rb_err_t *err)
{
    static const accelsim_writer_options_t defaults = {0};
    writing_t w = {.source = source, .opts = opts != NULL ? opts : &defaults};
    char *target = trim(folder);
    rb_code_t code = accelsim_check_target(target, err);

    if (code == RB_OK)
        code = write_and_rename(&w, target, err);
    free(target);
    return code;
}
