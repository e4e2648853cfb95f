/* Fourier transforms of N complex numbers, one in each block: radix 2 in shared memory. */
#define N 512

extern "C" __global__ void fft(const float2 *in, float2 *out)
{
    __shared__ float2 v[N];
    int t = threadIdx.x, bits = 31 - __clz(N);

    for (int i = t; i < N; i += blockDim.x)
        v[__brev(i) >> (32 - bits)] = in[blockIdx.x * N + i];
    for (int half = 1; half < N; half *= 2) {
        int k = t % half, low = (t / half) * 2 * half + k;
        float angle = -3.14159265358979f * k / half, s = sinf(angle), c = cosf(angle);
        __syncthreads();
        float2 a = v[low], b = v[low + half];
        float2 w = {b.x * c - b.y * s, b.x * s + b.y * c};
        __syncthreads();
        v[low] = make_float2(a.x + w.x, a.y + w.y);
        v[low + half] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    for (int i = t; i < N; i += blockDim.x)
        out[blockIdx.x * N + i] = v[i];
}
