/* Variables that hold addresses of other variables, with and without an offset. */
__device__ int values[4] = {10, 20, 30, 40};
__device__ int *inside = &values[2];
__device__ const char *const names[3] = {"one", "two", "three"};

extern "C" __global__ void addresses(int *out)
{
    const char *name = names[threadIdx.x % 3];
    out[threadIdx.x] = name[0] * 0x10000 + name[1] * 0x100 + inside[(int)(threadIdx.x % 2) - 1];
}
