// Kernels compiled by NVRTC: nvrtc SOURCE. To PTX, to machine code, and linked from two parts.
#include "driver.h"
#include <nvrtc.h>
#include <string>

static void nv(nvrtcResult r, const char *what)
{
    if (r != NVRTC_SUCCESS) {
        printf("%s: %s\n", what, nvrtcGetErrorString(r));
        wrong++;
    }
}
#define NV(call) nv(call, #call)

static std::string lowered;

static std::vector<char> compile(const char *source, const char *arch, bool machine_code, bool relocatable)
{
    nvrtcProgram program;
    std::vector<char> out;
    size_t n = 0;
    const char *options[] = {arch, "-default-device", "-rdc=true"};

    NV(nvrtcCreateProgram(&program, source, "kernels.cu", 0, NULL, NULL));
    if (!relocatable)
        NV(nvrtcAddNameExpression(program, "reverse<int>"));
    nvrtcResult r = nvrtcCompileProgram(program, relocatable ? 3 : 2, options);
    if (r != NVRTC_SUCCESS) {
        nvrtcGetProgramLogSize(program, &n);
        std::vector<char> log(n + 1);
        nvrtcGetProgramLog(program, log.data());
        printf("%s\n", log.data());
    }
    NV(r);
    const char *name = NULL;
    if (!relocatable) {
        NV(nvrtcGetLoweredName(program, "reverse<int>", &name));
        lowered = name != NULL ? name : "";
    }
    if (machine_code) {
        NV(nvrtcGetCUBINSize(program, &n));
        out.resize(n + 1);
        NV(nvrtcGetCUBIN(program, out.data()));
    } else {
        NV(nvrtcGetPTXSize(program, &n));
        out.resize(n + 1);
        NV(nvrtcGetPTX(program, out.data()));
    }
    NV(nvrtcDestroyProgram(&program));
    return out;
}

static void link_parts(const char *arch)
{
    const char *caller = "extern __device__ float more(float);\n"
                         "extern \"C\" __global__ void calls(float *x) { x[threadIdx.x] = more(x[threadIdx.x]); }\n";
    const char *callee = "__device__ float more(float x) { return x * 3 + 1; }\n";
    std::vector<char> a = compile(caller, arch, false, true), b = compile(callee, arch, false, true);
    CUlinkState link;
    CUmodule module;
    CUfunction f;
    CUdeviceptr d;
    void *cubin;
    size_t size;
    float x[32];

    OK(cuLinkCreate(0, NULL, NULL, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, a.data(), a.size(), "caller", 0, NULL, NULL));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, b.data(), b.size(), "callee", 0, NULL, NULL));
    OK(cuLinkComplete(link, &cubin, &size));
    OK(cuModuleLoadData(&module, cubin));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&f, module, "calls"));
    for (int i = 0; i < 32; i++)
        x[i] = (float)i;
    OK(cuMemAlloc(&d, sizeof(x)));
    OK(cuMemcpyHtoD(d, x, sizeof(x)));
    void *args[] = {&d};
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH(x, d, sizeof(x)));
    int bad = 0;
    for (int i = 0; i < 32; i++)
        bad += x[i] != (float)(3 * i + 1);
    check(bad == 0, "a function of another part");
}

#if CUDA_VERSION >= 12000
static void use_library(const std::vector<char> &code)
{
    CUlibrary library;
    CUkernel kernel;
    CUfunction f;
    CUmodule module;
    CUdeviceptr p;
    size_t bytes;
    int regs = 0;
    unsigned n = 0;

    OK(cuLibraryLoadData(&library, code.data(), NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "vector_add"));
    OK(cuKernelGetFunction(&f, kernel));
    add_vectors(f, 1, false, NULL);
    add_vectors((CUfunction)kernel, 1, true, NULL);
    OK(cuLibraryGetGlobal(&p, &bytes, library, "calls"));
    check(bytes == 4, "the size of a variable of a library");
    OK(cuKernelGetAttribute(&regs, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
    check(regs > 0, "the registers of a kernel");
#if CUDA_VERSION >= 12040
    OK(cuLibraryGetKernelCount(&n, library));
    check(n == 3, "the number of kernels");
    std::vector<CUkernel> kernels(n);
    OK(cuLibraryEnumerateKernels(kernels.data(), n, library));
    const char *name = NULL;
    size_t offset = 0, size = 0;
    OK(cuKernelGetName(&name, kernel));
    check(name != NULL && strcmp(name, "vector_add") == 0, "the name of a kernel");
    OK(cuKernelGetParamInfo(kernel, 2, &offset, &size));
    check(offset == 16 && size == 8, "a parameter");
    check(cuKernelGetParamInfo(kernel, 4, &offset, &size) == CUDA_ERROR_INVALID_VALUE, "a missing parameter");
#endif
    OK(cuLibraryGetModule(&module, library));
    use_module(module, lowered.c_str(), 2);
    check(cuLibraryGetKernel(&kernel, library, "none") == CUDA_ERROR_NOT_FOUND, "a missing kernel of a library");
    OK(cuLibraryUnload(library));
}
#endif

int main(int argc, char **argv)
{
    std::string source;
    char ptx_arch[64], code_arch[64];
    CUcontext context = begin();
    CUmodule module;
    int major = 0, minor = 0;
    FILE *in = fopen(argv[argc - 1], "r");

    for (int c; in != NULL && (c = fgetc(in)) != EOF;)
        source += (char)c;
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    snprintf(ptx_arch, sizeof(ptx_arch), "-arch=compute_%d%d", major, minor);
    snprintf(code_arch, sizeof(code_arch), "-arch=sm_%d%d", major, minor);
    std::vector<char> ptx = compile(source.c_str(), ptx_arch, false, false);
    OK(cuModuleLoadDataEx(&module, ptx.data(), 0, NULL, NULL));
    use_module(module, lowered.c_str());
    std::vector<char> code = compile(source.c_str(), code_arch, true, false);
    OK(cuModuleLoadData(&module, code.data()));
    use_module(module, lowered.c_str());
    link_parts(ptx_arch);
#if CUDA_VERSION >= 12000
    use_library(ptx);
    use_library(code);
#endif
    return end(context, argv[0]);
}
