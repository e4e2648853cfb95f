#include "tests/support/text_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 4096, TRACER_VERSION = 5 };

static void write_header(FILE *f, const launch_info_t *info)
{
    fprintf(f, "-kernel name = %s\n-kernel id = %" PRIu64 "\n", info->name, info->trace_id);
    fprintf(f, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", info->grid[0], info->grid[1],
            info->grid[2], info->block[0], info->block[1], info->block[2]);
    fprintf(f, "-shmem = %u\n-nregs = %u\n-binary version = %u\n-cuda stream id = %" PRIu64 "\n",
            info->shared_bytes, info->regs, info->arch, info->stream);
    fprintf(f, "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n",
            info->shared_base, info->local_base);
    fprintf(f,
            "-nvbit version = 1.7\n-accelsim tracer version = %d\n-enable lineinfo = 0\n\n"
            "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
            "mem_width [adrrescompress?] [mem_addresses] immediate\n\n",
            TRACER_VERSION);
}

static uint64_t record_address(const uint64_t *rec, unsigned k)
{
    int32_t delta;

    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        return rec[1] + (uint64_t)((int64_t)addr_stride(rec) * (int64_t)k);
    case ADDR_LIST:
        return rec[1 + k];
    default:
        memcpy(&delta, (const char *)(rec + 2) + k * sizeof(delta), sizeof(delta));
        return rec[1] + (uint64_t)(int64_t)delta;
    }
}

/* Is the mask one run of at least two lanes? Only then the format allows base and stride. */
static bool mask_is_contiguous(uint32_t mask)
{
    uint32_t shifted = mask >> __builtin_ctz(mask);

    return shifted != 1 && (shifted & (shifted + 1)) == 0;
}

static void write_addresses(FILE *f, uint32_t mask, const uint64_t *rec)
{
    if (addr_form(rec) == ADDR_AFFINE && mask_is_contiguous(mask)) {
        fprintf(f, "1 0x%" PRIx64 " %d ", rec[1], addr_stride(rec));
        return;
    }
    fprintf(f, "2 0x%" PRIx64 " ", record_address(rec, 0));
    for (unsigned k = 1; k < addr_lanes(rec); k++)
        fprintf(f, "%" PRId64 " ", (int64_t)(record_address(rec, k) - record_address(rec, k - 1)));
}

static unsigned count_gprs(const reg_op_t *ops, unsigned n)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++)
        count += ops[i].file == REG_GPR;
    return count;
}

static void write_gprs(FILE *f, const reg_op_t *ops, unsigned n)
{
    fprintf(f, "%u ", count_gprs(ops, n));
    for (unsigned i = 0; i < n; i++) {
        if (ops[i].file == REG_GPR)
            fprintf(f, "R%u ", ops[i].num);
    }
}

/* Returns the words of addrs that the instruction used. */
static size_t write_inst(FILE *f, const inst_t *in, const char *mnemonic, uint32_t mask,
                         const uint64_t *addrs)
{
    size_t used = 0;

    fprintf(f, "%04x %08x ", in->pc, mask);
    write_gprs(f, in->dst, in->n_dst);
    fprintf(f, "%s ", mnemonic);
    write_gprs(f, in->src, in->n_src);
    if (in->space == MEM_NONE || in->width == 0) {
        fputs("0 ", f);
    } else if (mask == 0) {
        fprintf(f, "%u 1 0x0 0 ", in->width);
    } else {
        fprintf(f, "%u ", in->width);
        write_addresses(f, mask, addrs);
        used = addr_words(addrs);
    }
    fprintf(f, "%d \n", in->imm);
    return used;
}

static rb_code_t write_block(FILE *f, const launch_info_t *info, const text_names_t *names,
                             const trace_block_t *b, rb_err_t *err)
{
    fprintf(f, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", b->id[0], b->id[1], b->id[2]);
    for (uint32_t w = 0; w < b->n_warps; w++) {
        const warp_stream_t *s = &b->warps[w];
        const uint64_t *addrs = s->addrs;

        if (s->n_runs == 0)
            continue;
        fprintf(f, "warp = %u\ninsts = %" PRIu64 "\n", w, s->n_insts);
        for (uint32_t r = 0; r < s->n_runs; r++) {
            for (uint32_t i = 0; i < s->runs[r].count; i++) {
                const inst_t *in = s->runs[r].first + i;
                const char *mnemonic = names->mnemonic(names->ctx, info->id, in);

                if (!mnemonic)
                    return rb_fail(err, RB_TRACE, "launch %" PRIu64 ": no mnemonic for pc 0x%x",
                                   info->id, in->pc);
                addrs += write_inst(f, in, mnemonic, s->runs[r].mask, addrs);
            }
        }
        fputc('\n', f);
    }
    fputs("#END_TB\n\n", f);
    return RB_OK;
}

static rb_code_t write_blocks(FILE *f, trace_source_t *source, const launch_info_t *info,
                              const text_names_t *names, rb_err_t *err)
{
    trace_launch_t *launch = NULL;
    rb_code_t rc = source->ops->open(source, info->id, &launch, err);

    for (uint64_t i = 0; rc == RB_OK; i++) {
        trace_block_t *block = NULL;

        rc = source->ops->get_block(launch, i, &block, err);
        if (rc != RB_OK || !block)
            break;
        rc = write_block(f, info, names, block, err);
        source->ops->free_block(launch, block);
    }
    if (launch)
        source->ops->close(launch);
    return rc;
}

static rb_code_t close_checked(FILE *f, const char *path, rb_code_t rc, rb_err_t *err)
{
    bool bad = ferror(f) != 0;

    if (fclose(f) != 0 || bad)
        return rc != RB_OK ? rc : rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    return rc;
}

rb_code_t text_writer_store(trace_source_t *source, const text_names_t *names, const char *dir,
                            uint64_t *bytes, rb_err_t *err)
{
    char path[NAME_BYTES];
    uint64_t total = 0;
    rb_code_t rc = RB_OK;

    snprintf(path, sizeof(path), "%s/kernelslist.g", dir);
    FILE *list = fopen(path, "w");
    if (!list)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    for (uint64_t id = 1; id <= source->ops->n_launches(source) && rc == RB_OK; id++) {
        const memcpy_op_t *ops = NULL;
        size_t n = source->ops->copies(source, id, &ops);
        char file[NAME_BYTES];
        launch_info_t info;

        for (size_t i = 0; i < n; i++)
            fprintf(list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", ops[i].addr, ops[i].bytes);
        fprintf(list, "kernel-%" PRIu64 ".traceg\n", id);
        snprintf(file, sizeof(file), "%s/kernel-%" PRIu64 ".traceg", dir, id);
        FILE *f = fopen(file, "w");
        if (!f) {
            rc = rb_fail(err, RB_IO, "%s: %s", file, strerror(errno));
            break;
        }
        rc = source->ops->launch_info(source, id, &info, err);
        if (rc == RB_OK) {
            write_header(f, &info);
            rc = write_blocks(f, source, &info, names, err);
            total += (uint64_t)ftello(f);
        }
        rc = close_checked(f, file, rc, err);
    }
    if (bytes)
        *bytes = total;
    return close_checked(list, path, rc, err);
}
