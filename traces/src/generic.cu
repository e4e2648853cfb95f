// Generic addresses with offsets, of every width: pointers from memory may point anywhere.
extern "C" __global__ void generic(char **at, int *out)
{
    char *p = at[threadIdx.x];
    out[threadIdx.x] = *(int *)(p + 4) + *(short *)(p + 10) + *(unsigned char *)(p + 13);
    *(longlong2 *)(p + 48) = *(longlong2 *)(p + 16);
    *(double *)(p + 64) = *(double *)(p + 32) * 2;
    *(short *)(p + 74) = *(short *)(p + 10) + 1;
    *(char *)(p + 77) = *(char *)(p + 13) + 1;
    *(int *)(p - 4) = threadIdx.x;
    atomicAdd((int *)(p + 80), threadIdx.x);
}

extern "C" __global__ void extremes(double *out, const double *a, const double *b)
{
    int i = threadIdx.x;
    out[2 * i] = fmin(a[i], b[i]);
    out[2 * i + 1] = fmax(a[i], b[i]);
}
