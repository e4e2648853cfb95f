/* Bitonic sort of blocks of 1024 numbers, ascending in even blocks and descending in odd ones. */
#define N 1024

extern "C" __global__ void sort_blocks(unsigned *data)
{
    __shared__ unsigned v[N];
    int t = threadIdx.x, base = blockIdx.x * N;
    bool down = blockIdx.x & 1;

    v[t] = data[base + t];
    v[t + N / 2] = data[base + t + N / 2];
    for (int size = 2; size <= N; size *= 2)
        for (int half = size / 2; half > 0; half /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (half - 1));
            bool descending = ((low & size) != 0) != down;
            unsigned a = v[low], b = v[low + half];
            if ((a > b) != descending) {
                v[low] = b;
                v[low + half] = a;
            }
        }
    __syncthreads();
    data[base + t] = v[t];
    data[base + t + N / 2] = v[t + N / 2];
}

/* One step over all of n numbers, n a power of 2: what bitonic sort does beyond a block. */
extern "C" __global__ void sort_step(unsigned *data, int size, int half)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, low = 2 * t - (t & (half - 1));
    unsigned a = data[low], b = data[low + half];

    if ((a > b) == ((low & size) == 0)) {
        data[low] = b;
        data[low + half] = a;
    }
}
