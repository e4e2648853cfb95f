/* Lanes that leave a loop early meet the others at a barrier of the warp behind it, and then wait for
 * them at a barrier of the block. */

extern "C" __global__ void early(const int *trips, const int *more, int *out)
{
    __shared__ int box[32];
    int lane = threadIdx.x, n = trips[lane / 16], sum = 0;

    for (int i = 0; i < n; i++) {
        box[lane] = i * 100 + lane;
        __syncwarp();
        sum += box[lane];
    }
    if (more[lane / 16])
        __syncwarp();
    box[lane] = sum;
    __syncthreads();
    out[lane] = box[31 - lane];
}
