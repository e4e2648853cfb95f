// Textures and surfaces: one kernel for each way to read or write one.
texture<float, 1, cudaReadModeElementType> reference;

extern "C" __global__ void fetch_reference(float *out)
{
    out[threadIdx.x] = tex1Dfetch(reference, (int)threadIdx.x - 2);
}

extern "C" __global__ void fetch_signed(int *out, cudaTextureObject_t t)
{
    short2 v = tex1Dfetch<short2>(t, threadIdx.x);
    out[2 * threadIdx.x] = v.x;
    out[2 * threadIdx.x + 1] = v.y;
}

extern "C" __global__ void sample_2d(float *out, cudaTextureObject_t t, const float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(t, x[i], y[i]);
}

extern "C" __global__ void sample_colours(float4 *out, cudaTextureObject_t t, const float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float4>(t, x[i], y[i]);
}

extern "C" __global__ void sample_3d(float *out, cudaTextureObject_t t, const float *x)
{
    int i = threadIdx.x;
    out[i] = tex3D<float>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

// Each thread its own texture, its own layer and its own level, and only some of the threads.
extern "C" __global__ void sample_layers(float *out, const cudaTextureObject_t *t, const float *x)
{
    int i = threadIdx.x;
    if (i % 3 != 1)
        out[i] = tex2DLayered<float>(t[i % 2], x[i], 0.5f, i % 5) + tex1D<float>(t[2], x[i]) +
                 tex2DLod<float>(t[2], x[i], 0, 0);
}

extern "C" __global__ void sample_cube(float *out, cudaTextureObject_t t, const float *x)
{
    int i = threadIdx.x;
    out[i] = texCubemap<float>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

extern "C" __global__ void sample_cubes(float *out, cudaTextureObject_t t, const float *x)
{
    int i = threadIdx.x;
    out[i] = texCubemapLayered<float>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2], i % 3);
}

// Each thread its own level of detail; the same by how coordinates change.
extern "C" __global__ void sample_levels(float *out, cudaTextureObject_t t, const float *x, const float *level)
{
    int i = threadIdx.x;
    out[i] = tex2DLod<float>(t, x[2 * i], x[2 * i + 1], level[i]);
}

extern "C" __global__ void sample_gradients(float *out, cudaTextureObject_t t, const float *x, const float4 *d)
{
    int i = threadIdx.x;
    out[i] = tex2DGrad<float>(t, x[2 * i], x[2 * i + 1], make_float2(d[i].x, d[i].y), make_float2(d[i].z, d[i].w));
}

extern "C" __global__ void gather(float4 *out, cudaTextureObject_t t, const float *x, const float *y)
{
    out[2 * threadIdx.x] = tex2Dgather<float4>(t, x[threadIdx.x], y[threadIdx.x], 0);
    out[2 * threadIdx.x + 1] = tex2Dgather<float4>(t, x[threadIdx.x], y[threadIdx.x], 1);
}

extern "C" __global__ void query(int *out, cudaTextureObject_t t)
{
    int w, h;
    asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(h) : "l"(t));
    out[0] = w;
    out[1] = h;
}

extern "C" __global__ void surface_copy(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int dx, int dy)
{
    int x = threadIdx.x, y = blockIdx.x;
    uchar4 clamped;
    surf2Dread(&clamped, from, (x + dx) * 4, y + dy, cudaBoundaryModeClamp);
    surf2Dwrite(make_ushort4(clamped.x, clamped.y, clamped.z, clamped.w), to, (x - dx) * 8, y, cudaBoundaryModeZero);
}

extern "C" __global__ void surface_wild(cudaSurfaceObject_t s, int x)
{
    surf2Dwrite((unsigned char)7, s, x, 0);
}
