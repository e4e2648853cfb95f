/*
 * What the samples of CUDA SDK 4.2 use of its helper libraries (cutil, shrUtils, shrQATest, sdkHelper),
 * which are no longer published: enough to run them. Times are not measured.
 */
#ifndef RUBATO_BENCH_SDK_HELPERS_CUH
#define RUBATO_BENCH_SDK_HELPERS_CUH

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define MAX(a, b)           ((a) > (b) ? (a) : (b))
#define MIN(a, b)           ((a) < (b) ? (a) : (b))
#define CLAMP(x, low, high) MIN(MAX(x, low), high)

#define cutilSafeCall(call)   (void)(call)
#define cutilSafeMalloc(call) (void)(call)
#define cutilCheckError(call) (void)(call)
#define checkCudaErrors(call) (void)(call)
#define cutilCheckMsg(message)
#define getLastCudaError(message)
#define cutilDeviceSynchronize cudaDeviceSynchronize
#define cutilDeviceReset       cudaDeviceReset

enum { QA_PASSED, QA_FAILED, QA_WAIVED };
enum { MASTER, LOGBOTH };

template <class T> int cutCreateTimer(T *)
{
    return 0;
}
template <class T> int cutResetTimer(T)
{
    return 0;
}
template <class T> int cutStartTimer(T)
{
    return 0;
}
template <class T> int cutStopTimer(T)
{
    return 0;
}
template <class T> int cutDeleteTimer(T)
{
    return 0;
}
template <class T> float cutGetTimerValue(T)
{
    return 1;
}
template <class T> int sdkCreateTimer(T *)
{
    return 0;
}
template <class T> int sdkResetTimer(T *)
{
    return 0;
}
template <class T> int sdkStartTimer(T *)
{
    return 0;
}
template <class T> int sdkStopTimer(T *)
{
    return 0;
}
template <class T> int sdkDeleteTimer(T *)
{
    return 0;
}
template <class T> float sdkGetTimerValue(T *)
{
    return 1;
}
struct StopWatchInterface;

static inline int cutGetMaxGflopsDeviceId()
{
    return 0;
}
static inline int cutilDeviceInit(int, char **)
{
    return 0;
}
static inline int ConvertSMVer2Cores(int, int)
{
    return 64;
}
static inline int _ConvertSMVer2Cores(int, int)
{
    return 64;
}
static inline void shrSetLogFileName(const char *)
{
}
static inline void shrQAStart(int, char **)
{
}
static inline void shrQAFinishExit(int, const char **, int status)
{
    exit(status);
}

static inline void shrLog(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

#define shrLogEx(mode, code, ...) shrLog(__VA_ARGS__)

/* The value of an option "-name=value", "" if it has none, NULL if it is absent. */
template <class T> const char *sdk_option(int argc, T **argv, const char *name)
{
    const size_t length = strcspn(name, "=");
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i] + strspn(argv[i], "-");
        if (strncmp(word, name, length) == 0 && (word[length] == '=' || word[length] == 0))
            return word + length + (word[length] == '=');
    }
    return NULL;
}

template <class T> bool checkCmdLineFlag(int argc, T **argv, const char *name)
{
    return sdk_option(argc, argv, name) != NULL;
}

template <class T> bool cutCheckCmdLineFlag(int argc, T **argv, const char *name)
{
    return sdk_option(argc, argv, name) != NULL;
}

template <class T> int getCmdLineArgumentInt(int argc, T **argv, const char *name)
{
    const char *value = sdk_option(argc, argv, name);
    return value == NULL ? 0 : atoi(value);
}

template <class T> bool compareData(const T *a, const T *b, size_t n, float limit, float)
{
    for (size_t i = 0; i < n; i++)
        if (fabs((double)a[i] - (double)b[i]) > limit)
            return false;
    return true;
}

#endif
