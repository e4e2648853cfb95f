#include "tests/support/macsim_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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
