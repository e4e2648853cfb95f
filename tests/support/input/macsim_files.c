#include "tests/support/input/macsim_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/core/alloc.h"
#include "tests/support/temp_folder.h"

macsim_record_t macsim_op(unsigned opcode, unsigned pc, uint32_t mask)
{
    return (macsim_record_t){.opcode = (uint8_t)opcode,
                             .inst_addr = 0x7f0000007000 + pc,
                             .size = 16,
                             .mem_access_size = 4,
                             .active_mask = mask};
}

void macsim_write_warp(uint64_t wid, const macsim_record_t *records, size_t n)
{
    char name[64];
    unsigned bytes = (unsigned)(n * sizeof(*records));

    snprintf(name, sizeof(name), "Kernel0/trace_%" PRIu64 ".raw", wid);
    temp_write(name, ""); /* and its folder */
    gzFile f = gzopen(temp_path(name), "wb");

    RB_INVARIANT(f != NULL && (n == 0 || gzwrite(f, records, bytes) == (int)bytes) &&
                     gzclose(f) == Z_OK,
                 "%s", name);
}

void macsim_write_lists(const uint64_t *wids, const size_t *records, size_t n_warps)
{
    enum { LINE = 48 };
    char *ids = calloc(n_warps + 4, LINE), *counts = calloc(n_warps + 1, LINE);
    char *id = ids + sprintf(ids, "nvbit\n14\n16\n%zu\n", n_warps), *count = counts;

    for (size_t i = 0; i < n_warps; i++) {
        id += sprintf(id, "%" PRIu64 " 0\n", wids[i]);
        count += sprintf(count, "%" PRIu64 " %zu\n", wids[i], records[i]);
    }
    temp_write("kernel_config.txt", "nvbit\n14\n-1\n./Kernel0/trace.txt\n");
    temp_write("Kernel0/trace.txt", ids);
    temp_write("Kernel0/trace_info.txt", counts);
    free(ids);
    free(counts);
}

/* --- a whole program ------------------------------------------------------------------------- */

/* In the tracer's table. */
enum { DFMA = 23, IMAD = 36, ISETP = 43, MOV = 60, LDG = 73, STG = 78, EXIT = 139, S2R = 159 };

enum { WARP_INSTS = 14, DOUBLES_LINE = 16 };

typedef struct {
    macsim_record_t record[2 * WARP_INSTS]; /* an access to two lines has two records */
    size_t n;
    unsigned insts;
} warp_records_t;

static macsim_record_t *add(warp_records_t *w, unsigned opcode, unsigned dst, unsigned src)
{
    macsim_record_t *r = &w->record[w->n++];

    *r = macsim_op(opcode, 16 * w->insts++, UINT32_MAX);
    r->num_dest_regs = dst != 0;
    r->dst[0] = (uint16_t)dst;
    r->num_read_regs = src != 0;
    r->src[0] = (uint16_t)src;
    return r;
}

/* 32 doubles from addr on: one record for each line; the first gives the bytes of both. */
static void add_access(warp_records_t *w, unsigned opcode, unsigned dst, unsigned src,
                       uint64_t addr)
{
    macsim_record_t *r = add(w, opcode, dst, src);

    r->is_load = opcode == LDG;
    r->mem_addr = addr;
    r->mem_access_size = 2 * sizeof(double);
    w->record[w->n] = *r;
    w->record[w->n].is_fp = 1;
    w->record[w->n++].mem_addr = addr + DOUBLES_LINE * sizeof(double);
}

static void put_warp(warp_records_t *w, uint64_t first_element)
{
    const uint64_t at = 0x7f1000000000 + sizeof(double) * first_element, vector = 1 << 24;

    *w = (warp_records_t){.n = 0};
    add(w, MOV, 1, 0);
    add(w, S2R, 2, 0);
    add(w, S2R, 3, 0);
    add(w, IMAD, 2, 3);
    add(w, ISETP, 0, 2);
    add(w, MOV, 4, 0);
    add(w, IMAD, 6, 2);
    add(w, IMAD, 8, 2);
    add_access(w, LDG, 10, 6, at);
    add_access(w, LDG, 12, 8, at + vector);
    add(w, IMAD, 14, 2);
    add(w, DFMA, 16, 10);
    add_access(w, STG, 0, 16, at + 2 * vector);
    add(w, EXIT, 0, 0);
    RB_INVARIANT(w->insts == WARP_INSTS, "%u instructions", w->insts);
}

const char *macsim_write_vector_add(unsigned blocks, unsigned warps)
{
    const size_t n = (size_t)blocks * warps;
    uint64_t *wids = rb_calloc(n, sizeof(*wids));
    size_t *counts = rb_calloc(n, sizeof(*counts));
    warp_records_t w;

    for (size_t i = 0; i < n; i++) {
        wids[i] = 65536 * (i / warps) + i % warps;
        put_warp(&w, 32 * i);
        counts[i] = w.n;
        macsim_write_warp(wids[i], w.record, w.n);
    }
    macsim_write_lists(wids, counts, n);
    free(wids);
    free(counts);
    return temp_path("");
}
