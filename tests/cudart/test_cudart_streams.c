/* Streams and events by their handles: what is known of them, and that destroyed ones are none. */
#include <stdint.h>

#include "tests/support/emulator/cuda_stub.h"
#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { INVALID_VALUE = 1, INVALID_HANDLE = 400, UNTIMED = 2, TO_DEVICE = 1 };

/* struct cudaMemcpy3DParms, cudaPitchedPtr, cudaExtent */
typedef struct {
    size_t words[20];
} copy3d_t;
typedef struct {
    size_t words[4];
} pitched_t;
typedef struct {
    size_t words[3];
} extent_t;

int cudaGetLastError(void);
int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamGetPriority(void *stream, int *priority);
int cudaStreamGetFlags(void *stream, unsigned *flags);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamAddCallback(void *stream, void (*f)(void *, int, void *), void *data, unsigned flags);
int cudaStreamIsCapturing(void *stream, int *status);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamAttachMemAsync(void *stream, void *p, size_t n, unsigned flags);
int cudaLaunchHostFunc(void *stream, void (*f)(void *), void *data);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream);
int cudaMemcpy3DAsync(const copy3d_t *c, void *stream);
int cudaMemset3DAsync(pitched_t p, int value, extent_t extent, void *stream);
int cudaMemsetAsync(void *p, int value, size_t n, void *stream);
int cudaMallocAsync(void **p, size_t n, void *stream);
int cudaFreeAsync(void *p, void *stream);
int cudaMemPrefetchAsync(const void *p, size_t n, int device, void *stream);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphUpload(void *exec, void *stream);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventQuery(void *event);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *ms, void *begin, void *end);
int cuStreamGetCtx(void *stream, void **context);

static const char stub[1];

static void never(void *data)
{
    (void)data;
    fail_msg("a stream that was destroyed does work");
}

static void never_back(void *stream, int status, void *data)
{
    (void)stream, (void)status;
    never(data);
}

static void streams_keep_what_they_were_created_with(void **state)
{
    void *a, *b;
    int priority;
    unsigned flags;

    (void)state;
    assert_int_equal(cudaStreamCreateWithPriority(&a, 1, -2), 0);
    assert_int_equal(cudaStreamCreateWithPriority(&b, 0, -99), 0);
    assert_int_equal(cudaStreamGetPriority(a, &priority), 0);
    assert_int_equal(priority, -2);
    assert_int_equal(cudaStreamGetPriority(b, &priority), 0);
    assert_int_equal(priority, -5); /* the greatest */
    assert_int_equal(cudaStreamGetFlags(a, &flags), 0);
    assert_int_equal(flags, 1);
    assert_int_equal(cudaStreamDestroy(a), 0);
    assert_int_equal(cudaStreamGetFlags(b, &flags), 0);
    assert_int_equal(flags, 0);
    assert_int_equal(cudaStreamDestroy(b), 0);
    assert_int_equal(cudaStreamCreateWithPriority(NULL, 0, 0), INVALID_VALUE);
    assert_int_equal(cudaStreamCreateWithPriority(&a, 2, 0), INVALID_VALUE);
    for (uintptr_t handle = 0; handle < 3; handle++) { /* the default streams */
        assert_int_equal(cudaStreamSynchronize((void *)handle), 0);
        assert_int_equal(cudaStreamDestroy((void *)handle), INVALID_HANDLE);
    }
}

static void expect_refused(void *stream)
{
    const dim3_t one = {1, 1, 1};
    void *p, *q = NULL, *event, *graph, *exec;
    char host[4] = {0};
    int number;
    unsigned flags;

    assert_int_equal(cudaMalloc(&p, 4), 0);
    assert_int_equal(cudaEventCreateWithFlags(&event, 0), 0);
    assert_int_equal(cudaGraphCreate(&graph, 0), 0);
    assert_int_equal(cudaGraphInstantiateWithFlags(&exec, graph, 0), 0);
    const int results[] = {
        cudaStreamDestroy(stream),
        cudaStreamSynchronize(stream),
        cudaStreamQuery(stream),
        cudaStreamGetPriority(stream, &number),
        cudaStreamGetFlags(stream, &flags),
        cudaStreamWaitEvent(stream, event, 0),
        cudaStreamAddCallback(stream, never_back, NULL, 0),
        cudaStreamIsCapturing(stream, &number),
        cudaStreamBeginCapture(stream, 0),
        cudaStreamEndCapture(stream, &q),
        cudaStreamAttachMemAsync(stream, p, 0, 4),
        cudaLaunchHostFunc(stream, never, NULL),
        cudaLaunchKernel(stub, one, one, (void *[]){&p, &p, &p, &number}, 0, stream),
        cudaMemcpyAsync(p, host, 4, TO_DEVICE, stream),
        cudaMemcpy2DAsync(p, 4, host, 4, 4, 1, TO_DEVICE, stream),
        cudaMemcpy3DAsync(&(copy3d_t){{0}}, stream),
        cudaMemset3DAsync((pitched_t){{0}}, 0, (extent_t){{0}}, stream),
        cudaMemsetAsync(p, 0, 4, stream),
        cudaMallocAsync(&q, 4, stream),
        cudaFreeAsync(p, stream),
        cudaMemPrefetchAsync(p, 4, 0, stream),
        cudaGraphLaunch(exec, stream),
        cudaGraphUpload(exec, stream),
        cudaEventRecord(event, stream),
        cuStreamGetCtx(stream, &q),
    };
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
        if (results[i] != INVALID_HANDLE)
            fail_msg("call %zu returns %d", i, results[i]);
    assert_int_equal(cudaGetLastError(), INVALID_HANDLE);
    assert_int_equal(cudaEventDestroy(event), 0);
    assert_int_equal(cudaFree(p), 0);
}

static void streams_that_are_none_are_refused_by_all_calls(void **state)
{
    void *stream, *later;

    (void)state;
    assert_int_equal(cudaStreamCreateWithPriority(&stream, 0, 0), 0);
    assert_int_equal(cudaStreamSynchronize(stream), 0);
    assert_int_equal(cudaStreamDestroy(stream), 0);
    assert_int_equal(cudaStreamCreateWithPriority(&later, 0, 0), 0);
    expect_refused(stream);
    expect_refused((char *)later + 16);
    expect_refused((char *)later + 3);
    assert_int_equal(cudaStreamDestroy(later), 0);
}

static void events_that_are_none_are_refused_by_all_calls(void **state)
{
    void *event, *later;
    float ms;

    (void)state;
    assert_int_equal(cudaEventCreateWithFlags(&event, 0), 0);
    assert_int_equal(cudaEventQuery(event), 0);
    assert_int_equal(cudaEventRecord(event, NULL), 0);
    assert_int_equal(cudaEventElapsedTime(&ms, event, event), 0);
    assert_int_equal(cudaEventDestroy(event), 0);
    assert_int_equal(cudaEventCreateWithFlags(&later, 0), 0);
    assert_int_equal(cudaEventRecord(later, NULL), 0);
    void *const none[] = {event, NULL, (char *)later + 16, (char *)later + 1};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(cudaEventRecord(none[i], NULL), INVALID_HANDLE);
        assert_int_equal(cudaEventQuery(none[i]), INVALID_HANDLE);
        assert_int_equal(cudaEventSynchronize(none[i]), INVALID_HANDLE);
        assert_int_equal(cudaStreamWaitEvent(NULL, none[i], 0), INVALID_HANDLE);
        assert_int_equal(cudaEventElapsedTime(&ms, none[i], later), INVALID_HANDLE);
        assert_int_equal(cudaEventElapsedTime(&ms, later, none[i]), INVALID_HANDLE);
        assert_int_equal(cudaEventDestroy(none[i]), INVALID_HANDLE);
    }
    assert_int_equal(cudaEventDestroy(later), 0);
}

static void times_are_only_between_events_that_have_them(void **state)
{
    void *timed, *untimed, *fresh;
    float ms = -1;

    (void)state;
    assert_int_equal(cudaEventCreateWithFlags(&timed, 0), 0);
    assert_int_equal(cudaEventCreateWithFlags(&fresh, 0), 0);
    assert_int_equal(cudaEventCreateWithFlags(&untimed, UNTIMED), 0);
    assert_int_equal(cudaEventRecord(timed, NULL), 0);
    assert_int_equal(cudaEventRecord(untimed, NULL), 0);
    assert_int_equal(cudaEventElapsedTime(&ms, timed, fresh), INVALID_HANDLE);
    assert_int_equal(cudaEventElapsedTime(&ms, untimed, timed), INVALID_HANDLE);
    assert_int_equal(cudaEventElapsedTime(NULL, timed, timed), INVALID_VALUE);
    assert_int_equal(cudaEventRecord(fresh, NULL), 0);
    assert_int_equal(cudaEventElapsedTime(&ms, timed, fresh), 0);
    assert_true(ms >= 0);
    assert_int_equal(cudaEventCreateWithFlags(NULL, 0), INVALID_VALUE);
    assert_int_equal(cudaEventCreateWithFlags(&fresh, 8), INVALID_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_keep_what_they_were_created_with),
        cmocka_unit_test(streams_that_are_none_are_refused_by_all_calls),
        cmocka_unit_test(events_that_are_none_are_refused_by_all_calls),
        cmocka_unit_test(times_are_only_between_events_that_have_them),
    };

    show_gpu("v100");
    cuda_stub_register(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", 70, stub, "vecadd");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
