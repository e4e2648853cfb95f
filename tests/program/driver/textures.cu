// Kernels for textures.cpp: texture and surface objects, and references, which CUDA 12 no longer has.
extern "C" __global__ void sample(cudaTextureObject_t t, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}

extern "C" __global__ void fetch(cudaTextureObject_t t, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<float>(t, i);
}

extern "C" __global__ void mark(cudaSurfaceObject_t s, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite((float)(1000 * y + x), s, x * 4, y);
}

#if CUDART_VERSION < 12000
texture<float, 2, cudaReadModeElementType> rows;
texture<unsigned char, 1, cudaReadModeElementType> bytes;

extern "C" __global__ void refer(float *out, int width, int height, float scale)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = scale * tex2D(rows, x + 0.5f, y + 0.5f) + tex1Dfetch(bytes, x);
}
#endif
