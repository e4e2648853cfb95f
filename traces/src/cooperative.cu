// A sum by the whole grid, whose blocks wait for each other: each leaves its part, one adds the parts up, all read the
// result. For cudaLaunchCooperativeKernel().
#include <cooperative_groups.h>

extern "C" __global__ void grid_sum(const int *in, int *part, int *out, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        sum += in[i];
    atomicAdd(&part[blockIdx.x], sum);
    grid.sync();
    if (grid.thread_rank() == 0) {
        sum = 0;
        for (int b = 0; b < gridDim.x; b++)
            sum += part[b];
        *out = sum;
    }
    grid.sync();
    out[1 + grid.thread_rank()] = *out + blockIdx.x;
}
