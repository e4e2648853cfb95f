// Arrays, textures, surfaces and launches in steps of the driver API: textures CUBIN. Deprecated calls are
// tried as far as the toolkit has them.
#include "driver.h"

enum { WIDTH = 45, HEIGHT = 19, DEPTH = 3 };

static CUdeviceptr zeros(size_t n)
{
    CUdeviceptr p;
    OK(cuMemAlloc(&p, n));
    OK(cuMemsetD8(p, 0, n));
    return p;
}

static CUarray plane(int width, int height, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {}, back;
    CUarray a;
    d.Width = width;
    d.Height = height;
    d.Format = CU_AD_FORMAT_FLOAT;
    d.NumChannels = 1;
    d.Flags = flags;
    OK(cuArray3DCreate(&a, &d));
    OK(cuArray3DGetDescriptor(&back, a));
    check(memcmp(&back, &d, sizeof(d)) == 0, "the descriptor of an array");
    return a;
}

// Copies of rows with offsets, from the host to an array and back.
static void copy_rows(CUarray a, const std::vector<float> &x)
{
    std::vector<float> back(WIDTH * HEIGHT, -1);
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = x.data();
    c.srcPitch = WIDTH * 4;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.WidthInBytes = WIDTH * 4;
    c.Height = HEIGHT;
    OK(cuMemcpy2D(&c));
    CUDA_MEMCPY2D r = {};
    r.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    r.srcArray = a;
    r.srcXInBytes = 8;
    r.srcY = 3;
    r.dstMemoryType = CU_MEMORYTYPE_HOST;
    r.dstHost = back.data();
    r.dstPitch = WIDTH * 4;
    r.dstXInBytes = 4;
    r.dstY = 1;
    r.WidthInBytes = 5 * 4;
    r.Height = 4;
    OK(cuMemcpy2D(&r));
    int bad = 0;
    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++) {
            bool inside = i >= 1 && i < 5 && j >= 1 && j < 6;
            bad += back[i * WIDTH + j] != (inside ? x[(i + 2) * WIDTH + j + 1] : -1);
        }
    check(bad == 0, "copies of rows of an array");
    r.srcY = HEIGHT - 1;
    check(cuMemcpy2D(&r) == CUDA_ERROR_INVALID_VALUE, "a copy beyond an array");
}

// A box of three dimensions through an array, and consecutive bytes.
static void copy_boxes()
{
    const size_t n = WIDTH * HEIGHT * DEPTH;
    std::vector<float> x = numbers(n, 3), back(n);
    CUDA_ARRAY3D_DESCRIPTOR d = {};
    CUDA_ARRAY_DESCRIPTOR line = {};
    CUDA_MEMCPY3D c = {};
    CUarray a;
    d.Width = WIDTH, d.Height = HEIGHT, d.Depth = DEPTH;
    d.Format = CU_AD_FORMAT_FLOAT, d.NumChannels = 1;
    OK(cuArray3DCreate(&a, &d));
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = x.data(), c.srcPitch = WIDTH * 4,
    c.srcHeight = HEIGHT;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = a;
    c.WidthInBytes = WIDTH * 4, c.Height = HEIGHT, c.Depth = DEPTH;
    OK(cuMemcpy3D(&c));
    CUDA_MEMCPY3D r = {};
    r.srcMemoryType = CU_MEMORYTYPE_ARRAY, r.srcArray = a;
    r.dstMemoryType = CU_MEMORYTYPE_HOST, r.dstHost = back.data(), r.dstPitch = WIDTH * 4,
    r.dstHeight = HEIGHT;
    r.WidthInBytes = WIDTH * 4, r.Height = HEIGHT, r.Depth = DEPTH;
    OK(cuMemcpy3D(&r));
    check(back == x, "a box through an array");
    OK(cuArrayDestroy(a));
    line.Width = WIDTH, line.Format = CU_AD_FORMAT_FLOAT, line.NumChannels = 1;
    OK(cuArrayCreate(&a, &line));
    CUdeviceptr p = zeros(WIDTH * 4);
    std::vector<float> some(WIDTH);
    OK(cuMemcpyHtoA(a, 0, x.data(), WIDTH * 4));
    OK(cuMemcpyAtoD(p, a, 8, 20));
    OK(cuMemcpyDtoA(a, 0, p, 20));
    OK(cuMemcpyAtoH(some.data(), a, 0, WIDTH * 4));
    bool right = true;
    for (int i = 0; i < WIDTH; i++)
        right = right && some[i] == x[i < 5 ? i + 2 : i];
    check(right, "consecutive bytes of an array");
    OK(cuArrayDestroy(a));
    OK(cuMemFree(p));
    check(cuArrayDestroy(NULL) == CUDA_ERROR_INVALID_HANDLE, "no array");
    line.NumChannels = 3;
    check(cuArrayCreate(&a, &line) == CUDA_ERROR_INVALID_VALUE, "three channels");
}

static void launch(CUfunction f, void **args)
{
    OK(cuLaunchKernel(f, (WIDTH + 15) / 16, (HEIGHT + 15) / 16, 1, 16, 16, 1, 0, NULL, args, NULL));
}

static std::vector<float> result(CUdeviceptr p, size_t n)
{
    std::vector<float> x(n);
    OK(cuMemcpyDtoH(x.data(), p, n * 4));
    return x;
}

static void objects(CUmodule module, CUarray a, const std::vector<float> &x)
{
    CUfunction sample, fetch, mark;
    CUDA_RESOURCE_DESC r = {}, l = {};
    CUDA_TEXTURE_DESC t = {};
    CUtexObject object, linear;
    CUsurfObject surface;
    int width = WIDTH, height = HEIGHT, n = WIDTH;
    CUdeviceptr out = zeros(WIDTH * HEIGHT * 4), raw = zeros(WIDTH * 2);
    OK(cuModuleGetFunction(&sample, module, "sample"));
    OK(cuModuleGetFunction(&fetch, module, "fetch"));
    OK(cuModuleGetFunction(&mark, module, "mark"));
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = a;
    OK(cuTexObjectCreate(&object, &r, &t, NULL));
    void *args[] = {&object, &out, &width, &height};
    launch(sample, args);
    check(result(out, WIDTH * HEIGHT) == x, "a texture of an array");
    // 16-bit numbers are read as fractions.
    std::vector<unsigned short> shorts(WIDTH);
    for (int i = 0; i < WIDTH; i++)
        shorts[i] = (unsigned short)(1000 * i);
    OK(cuMemcpyHtoD(raw, shorts.data(), WIDTH * 2));
    l.resType = CU_RESOURCE_TYPE_LINEAR;
    l.res.linear.devPtr = raw;
    l.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT16;
    l.res.linear.numChannels = 1;
    l.res.linear.sizeInBytes = WIDTH * 2;
    OK(cuTexObjectCreate(&linear, &l, &t, NULL));
    void *more[] = {&linear, &out, &n};
    OK(cuLaunchKernel(fetch, 1, 1, 1, 64, 1, 1, 0, NULL, more, NULL));
    std::vector<float> y = result(out, WIDTH);
    int bad = 0;
    for (int i = 0; i < WIDTH; i++)
        bad += y[i] != shorts[i] / 65535.0f;
    check(bad == 0, "a texture of numbers of 16 bits");
    OK(cuSurfObjectCreate(&surface, &r));
    void *marks[] = {&surface, &width, &height};
    launch(mark, marks);
    launch(sample, args);
    y = result(out, WIDTH * HEIGHT);
    bad = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        bad += y[i] != 1000 * (i / WIDTH) + i % WIDTH;
    check(bad == 0, "a surface");
    OK(cuSurfObjectDestroy(surface));
    OK(cuTexObjectDestroy(object));
    OK(cuTexObjectDestroy(linear));
    r.res.array.hArray = NULL;
    check(cuTexObjectCreate(&object, &r, &t, NULL) == CUDA_ERROR_INVALID_VALUE,
          "a texture of nothing");
    OK(cuMemFree(out));
    OK(cuMemFree(raw));
}

#if CUDA_VERSION < 12000
// References, and a launch in steps.
static void references(CUmodule module, CUarray a)
{
    CUfunction refer;
    CUtexref rows, bytes, none;
    CUarray back = NULL;
    CUdeviceptr out = zeros(WIDTH * HEIGHT * 4), raw = zeros(WIDTH);
    std::vector<unsigned char> counts(WIDTH);
    size_t offset = 1;
    OK(cuModuleGetFunction(&refer, module, "refer"));
    check(cuModuleGetTexRef(&none, module, "no such texture") == CUDA_ERROR_NOT_FOUND,
          "a missing texture");
    OK(cuModuleGetTexRef(&rows, module, "rows"));
    OK(cuTexRefSetArray(rows, a, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefSetFilterMode(rows, CU_TR_FILTER_MODE_POINT));
    OK(cuTexRefGetArray(&back, rows));
    check(back == a, "the array of a reference");
    for (int i = 0; i < WIDTH; i++)
        counts[i] = (unsigned char)(5 * i);
    OK(cuMemcpyHtoD(raw, counts.data(), WIDTH));
    OK(cuModuleGetTexRef(&bytes, module, "bytes"));
    OK(cuTexRefSetFormat(bytes, CU_AD_FORMAT_UNSIGNED_INT8, 1));
    OK(cuTexRefSetFlags(bytes, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefSetAddress(&offset, bytes, raw, WIDTH));
    check(offset == 0, "the offset of a reference");
    int width = WIDTH, height = HEIGHT;
    OK(cuFuncSetBlockShape(refer, 16, 16, 1));
    OK(cuFuncSetSharedSize(refer, 0));
    OK(cuParamSetv(refer, 0, &out, 8));
    OK(cuParamSeti(refer, 8, width));
    OK(cuParamSeti(refer, 12, height));
    OK(cuParamSetf(refer, 16, 0.5f));
    OK(cuParamSetSize(refer, 20));
    OK(cuParamSetTexRef(refer, CU_PARAM_TR_DEFAULT, rows));
    OK(cuLaunchGrid(refer, (WIDTH + 15) / 16, (HEIGHT + 15) / 16));
    std::vector<float> y = result(out, WIDTH * HEIGHT);
    int bad = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        bad += y[i] != 0.5f * (1000 * (i / WIDTH) + i % WIDTH) + 5 * (i % WIDTH);
    check(bad == 0, "references in a launch in steps");
    check(cuFuncSetBlockShape(refer, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE, "an empty block");
    check(cuParamSeti(refer, 4094, 1) == CUDA_ERROR_INVALID_VALUE, "a parameter beyond the end");
    OK(cuMemFree(out));
    OK(cuMemFree(raw));
}
#endif

int main(int argc, char **argv)
{
    CUcontext context = begin();
    CUmodule module;
    CUipcMemHandle shared;
    if (argc < 2)
        return 2;
    OK(cuModuleLoad(&module, argv[1]));
    std::vector<float> x = numbers(WIDTH * HEIGHT, 11);
    CUarray a = plane(WIDTH, HEIGHT, CUDA_ARRAY3D_SURFACE_LDST);
    copy_rows(a, x);
    copy_boxes();
    objects(module, a, x);
#if CUDA_VERSION < 12000
    references(module, a);
#endif
    OK(cuArrayDestroy(a));
    check(cuIpcGetMemHandle(&shared, zeros(4)) == CUDA_ERROR_NOT_SUPPORTED,
          "memory for another process");
    return end(context, argv[0]);
}
