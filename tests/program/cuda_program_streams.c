/* Streams, events, priorities, waits of the host and a captured graph, for cuda_program.c. */
#include "tests/program/cuda_program_streams.h"

#include <stdint.h>
#include <stdlib.h>

typedef void *handle_t;

int cudaMalloc(void **p, size_t n);
int cudaMallocHost(void **p, size_t n);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, handle_t stream);
int cudaMemsetAsync(void *p, int value, size_t n, handle_t stream);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     handle_t stream);
int cudaStreamCreate(handle_t *stream);
int cudaStreamCreateWithPriority(handle_t *stream, unsigned flags, int priority);
int cudaStreamSynchronize(handle_t stream);
int cudaStreamWaitEvent(handle_t stream, handle_t event, unsigned flags);
int cudaEventCreate(handle_t *event);
int cudaEventRecord(handle_t event, handle_t stream);
int cudaEventQuery(handle_t event);
int cudaDeviceSynchronize(void);
int cudaStreamBeginCapture(handle_t stream, int mode);
int cudaStreamEndCapture(handle_t stream, handle_t *graph);
int cudaGraphInstantiate(handle_t *exec, handle_t graph, handle_t *node, char *log, size_t n);
int cudaGraphLaunch(handle_t exec, handle_t stream);

enum { TO_HOST = 2, ON_DEVICE = 3, BY_ADDRESS = 4, N = 1024, BYTES = 4 * N, NON_BLOCKING = 1 };

static const void *kernel;
static void *a, *b, *c;

static int launch(handle_t stream)
{
    int n = N;
    void *args[] = {&a, &b, &c, &n};
    const dim3_t grid = {4, 1, 1}, block = {256, 1, 1};

    return cudaLaunchKernel(kernel, grid, block, args, 0, stream);
}

int run_streams(const void *stub)
{
    handle_t s1, s2, s3, event, other, graph, exec;
    void *pinned;
    int bad = 0;

    kernel = stub;
    bad |= cudaMalloc(&a, BYTES) | cudaMalloc(&b, BYTES) | cudaMalloc(&c, BYTES);
    bad |= cudaMallocHost(&pinned, BYTES);
    bad |= cudaStreamCreate(&s1) | cudaStreamCreate(&s2);
    bad |= cudaStreamCreateWithPriority(&s3, NON_BLOCKING, -1);
    bad |= cudaEventCreate(&event) | cudaEventCreate(&other);

    bad |= cudaStreamWaitEvent(s2, event, 0);                 /* never recorded: nothing */
    bad |= cudaMemcpyAsync(a, pinned, BYTES, BY_ADDRESS, s1); /* pinned memory is the host's */
    bad |= launch(s1);
    bad |= cudaEventRecord(event, s1);
    bad |= launch(s2);
    bad |= cudaStreamWaitEvent(s3, event, 0);
    bad |= launch(s3);
    bad |= launch(NULL); /* waits for s1 and s2, not for s3 */
    bad |= cudaDeviceSynchronize();
    bad |= launch(s2);

    bad |= cudaStreamBeginCapture(s1, 0);
    bad |= launch(s1);
    bad |= cudaEventRecord(event, s1);
    bad |= cudaStreamWaitEvent(s2, event, 0);
    bad |= launch(s2);
    bad |= launch(s1);
    bad |= cudaEventRecord(other, s2);
    bad |= cudaStreamWaitEvent(s1, other, 0);
    bad |= launch(s1);
    bad |= cudaStreamEndCapture(s1, &graph);
    bad |= cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
    bad |= cudaGraphLaunch(exec, s1);
    bad |= cudaMemsetAsync(c, 0, BYTES, s1);
    bad |= cudaMemcpy(pinned, c, BYTES, TO_HOST);
    bad |= cudaMemcpy(b, a, BYTES, ON_DEVICE); /* the host does not wait */
    return bad;
}
