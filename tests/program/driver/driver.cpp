// The driver API with modules from files: driver FILE... (cubins, PTX, fat binaries)
#include "driver.h"

static std::vector<char> read_file(const char *path)
{
    std::vector<char> data;
    FILE *in = fopen(path, "rb");
    check(in != NULL, path);
    for (int c; in != NULL && (c = fgetc(in)) != EOF;)
        data.push_back((char)c);
    data.push_back('\0');
    if (in != NULL)
        fclose(in);
    return data;
}

static void load_with_options(const char *path)
{
    std::vector<char> data = read_file(path);
    char info[256] = "x", error[512] = "x";
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void *values[] = {(void *)sizeof(info), info, error, (void *)sizeof(error), (void *)32};
    CUmodule module;
    OK(cuModuleLoadDataEx(&module, data.data(), 5, options, values));
    use_module(module, "_Z7reverseIiEvPT_i");
    OK(cuModuleUnload(module));
}

static void bad_text()
{
    char error[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {error, (void *)sizeof(error)};
    CUmodule module;
    const char text[] = ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k() { nonsense; }\n";
    check(cuModuleLoadDataEx(&module, text, 2, options, values) == CUDA_ERROR_INVALID_PTX, "an error in PTX");
    check(strstr(error, "nonsense") != NULL, "the log of an error");
}

int main(int argc, char **argv)
{
    CUcontext context = begin();
    for (int i = 1; i < argc; i++) {
        CUmodule module;
        OK(cuModuleLoad(&module, argv[i]));
        use_module(module, "_Z7reverseIiEvPT_i");
        load_with_options(argv[i]);
    }
    bad_text();
    return end(context, argv[0]);
}
