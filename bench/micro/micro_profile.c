/* Reading profiles: the CSV that Nsight Systems writes, with names as long as PyTorch's are. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/micro/micro.h"
#include "frontend/input/profile/profile.h"

enum { ROWS = 250000, KERNELS = 80 };

/* In memory, so the disk is not measured; one for the whole process. */
static int stored = -1;

static void store(void)
{
    stored = memfd_create("profile", MFD_CLOEXEC);
    FILE *f = fdopen(dup(stored), "w");
    if (f == NULL)
        rb_panic("no memory for a profile");
    fputs("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
          "DymSMem (MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n",
          f);
    for (unsigned i = 0; i < ROWS; i++) {
        unsigned k = i * 7919 % KERNELS;
        fprintf(f,
                "%llu,%u,%u,%u,1,1,%u,1,1,32,0.000,0.000,,,,,Tesla V100-SXM2-32GB (0),1,7,"
                "\"void at::native::kernel_%u<%u, at::native::BUnaryFunctor<at::native::AddFunctor"
                "<float> >, at::detail::Array<char*, 2> >(int, at::native::BUnaryFunctor<"
                "at::native::AddFunctor<float> >, at::detail::Array<char*, 2>)\"\n",
                1695495505583ull + i * 3000ull, 900 + i % 50000, i, 1 + k * 13, 32 + 32 * (k % 8),
                k, k % 8);
    }
    fclose(f);
}

micro_result_t micro_profile_csv(void)
{
    micro_result_t r = {0};
    profile_t *p = NULL;
    rb_err_t err = {0};
    char path[64];
    if (stored < 0)
        store();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", stored);
    if (profile_read(&p, path, &err) != RB_OK)
        rb_panic("%s", err.text);
    r.operations = p->n;
    r.bytes = (uint64_t)lseek(stored, 0, SEEK_END);
    r.check = (uint64_t)profile_total_time(p) ^ p->n_names;
    profile_free(p);
    return r;
}
