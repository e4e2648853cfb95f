/* Graphs, captures and memory pools of the CUDA runtime. */
#include <stdbool.h>

#include "tests/support/emulator/cuda_stub.h"
#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { N = 1000, BYTES = 4 * N };
enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3 };
enum { INVALID_VALUE = 1, INVALID_FUNCTION = 98, CAPTURE_UNSUPPORTED = 900, UPDATE_FAILED = 910 };

typedef void *handle_t;

typedef struct {
    const void *host;
    dim3_t grid, block;
    unsigned shared;
    void **args, **extra;
} kernel_t;

typedef struct {
    void *p;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
} set_t;

typedef struct {
    void (*fn)(void *data);
    void *data;
} host_t;

int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, handle_t stream);
int cudaMemsetAsync(void *p, int value, size_t n, handle_t stream);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     handle_t stream);
int cudaLaunchHostFunc(handle_t stream, void (*fn)(void *), void *data);
int cudaStreamCreate(handle_t *stream);
int cudaStreamBeginCapture(handle_t stream, int mode);
int cudaStreamEndCapture(handle_t stream, handle_t *graph);
int cudaStreamIsCapturing(handle_t stream, int *status);
int cudaStreamWaitEvent(handle_t stream, handle_t event, unsigned flags);
int cudaEventCreate(handle_t *event);
int cudaEventRecord(handle_t event, handle_t stream);
int cudaGraphCreate(handle_t *graph, unsigned flags);
int cudaGraphDestroy(handle_t graph);
int cudaGraphClone(handle_t *clone, handle_t graph);
int cudaGraphNodeFindInClone(handle_t *node, handle_t origin, handle_t clone);
int cudaGraphInstantiate(handle_t *exec, handle_t graph, handle_t *node, char *log, size_t n);
int cudaGraphExecDestroy(handle_t exec);
int cudaGraphExecUpdate(handle_t exec, handle_t graph, handle_t *node, int *result);
int cudaGraphExecKernelNodeSetParams(handle_t exec, handle_t node, const kernel_t *k);
int cudaGraphLaunch(handle_t exec, handle_t stream);
int cudaGraphGetNodes(handle_t graph, handle_t *nodes, size_t *n);
int cudaGraphGetRootNodes(handle_t graph, handle_t *nodes, size_t *n);
int cudaGraphGetEdges(handle_t graph, handle_t *from, handle_t *to, size_t *n);
int cudaGraphNodeGetType(handle_t node, int *type);
int cudaGraphAddDependencies(handle_t graph, const handle_t *from, const handle_t *to, size_t n);
int cudaGraphDestroyNode(handle_t node);
int cudaGraphAddKernelNode(handle_t *node, handle_t graph, const handle_t *before, size_t n,
                           const kernel_t *k);
int cudaGraphAddMemsetNode(handle_t *node, handle_t graph, const handle_t *before, size_t n,
                           const set_t *m);
int cudaGraphAddHostNode(handle_t *node, handle_t graph, const handle_t *before, size_t n,
                         const host_t *h);
int cudaGraphAddMemcpyNode1D(handle_t *node, handle_t graph, const handle_t *before, size_t n,
                             void *to, const void *from, size_t bytes, int kind);
int cudaGraphAddChildGraphNode(handle_t *node, handle_t graph, const handle_t *before, size_t n,
                               handle_t child);
int cudaGraphAddMemAllocNode(handle_t *node, handle_t graph, const handle_t *before, size_t n,
                             void *params);
int cudaMallocAsync(void **p, size_t n, handle_t stream);
int cudaMallocFromPoolAsync(void **p, size_t n, handle_t pool, handle_t stream);
int cudaFreeAsync(void *p, handle_t stream);
int cudaMemPoolCreate(handle_t *pool, const void *properties);
int cudaMemPoolDestroy(handle_t pool);
int cudaMemPoolGetAttribute(handle_t pool, int attribute, void *value);
int cudaMemPoolSetAttribute(handle_t pool, int attribute, void *value);
int cudaDeviceGetDefaultMemPool(handle_t *pool, int device);

/* --- shared by all tests ---------------------------------------------------------------------- */

static const char stub[1];

typedef struct {
    void *a, *b, *c;
    int n;
    float x[N], y[N], z[N];
    void *args[4];
    kernel_t kernel; /* c = a + b */
} vectors_t;

static int set_up(void **state)
{
    vectors_t *v = calloc(1, sizeof(*v));

    if (v == NULL || cudaMalloc(&v->a, BYTES) || cudaMalloc(&v->b, BYTES) ||
        cudaMalloc(&v->c, BYTES))
        return -1;
    for (unsigned i = 0; i < N; i++) {
        v->x[i] = (float)i;
        v->y[i] = 0.25f * (float)i;
    }
    v->n = N;
    v->args[0] = &v->a;
    v->args[1] = &v->b;
    v->args[2] = &v->c;
    v->args[3] = &v->n;
    v->kernel = (kernel_t){stub, {4, 1, 1}, {256, 1, 1}, 0, v->args, NULL};
    *state = v;
    return 0;
}

static int tear_down(void **state)
{
    vectors_t *v = *state;

    cudaFree(v->a);
    cudaFree(v->b);
    cudaFree(v->c);
    free(v);
    return 0;
}

static void must(int error)
{
    assert_int_equal(error, 0);
}

static handle_t instantiated(handle_t graph)
{
    handle_t exec;

    must(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    return exec;
}

static void count(void *data)
{
    ++*(int *)data;
}

/* --- captures -------------------------------------------------------------------------------- */

/* Two streams copy one vector each; the first adds them when both are there. */
static handle_t capture(vectors_t *v, int *counter)
{
    handle_t first, second, forked, joined, graph;

    must(cudaStreamCreate(&first));
    must(cudaStreamCreate(&second));
    must(cudaEventCreate(&forked));
    must(cudaEventCreate(&joined));
    must(cudaStreamBeginCapture(first, 0));
    must(cudaEventRecord(forked, first));
    must(cudaStreamWaitEvent(second, forked, 0));
    must(cudaMemcpyAsync(v->b, v->y, BYTES, TO_DEVICE, second));
    must(cudaEventRecord(joined, second));
    must(cudaMemcpyAsync(v->a, v->x, BYTES, TO_DEVICE, first));
    must(cudaStreamWaitEvent(first, joined, 0));
    must(cudaLaunchKernel(stub, v->kernel.grid, v->kernel.block, v->args, 0, first));
    must(cudaLaunchHostFunc(first, count, counter));
    must(cudaMemcpyAsync(v->z, v->c, BYTES, TO_HOST, first));
    must(cudaStreamEndCapture(first, &graph));
    return graph;
}

static void captured_streams_become_a_graph(void **state)
{
    vectors_t *v = *state;
    int counter = 0;
    size_t n = 0;
    handle_t graph = capture(v, &counter), from[8], to[8];

    must(cudaGraphGetNodes(graph, NULL, &n));
    assert_int_equal(n, 5);
    must(cudaGraphGetRootNodes(graph, NULL, &n));
    assert_int_equal(n, 2);
    n = 8;
    must(cudaGraphGetEdges(graph, from, to, &n));
    assert_int_equal(n, 4);
    assert_int_equal(counter, 0); /* nothing has been executed */
    v->n = -1;                    /* parameters were those of the capture */
    handle_t exec = instantiated(graph);
    must(cudaGraphDestroy(graph));
    for (int i = 1; i <= 3; i++) {
        v->x[7] = (float)(100 * i);
        must(cudaGraphLaunch(exec, NULL));
        assert_int_equal(counter, i);
        for (unsigned k = 0; k < N; k++)
            assert_true(v->z[k] == v->x[k] + v->y[k]);
    }
    must(cudaGraphExecDestroy(exec));
}

static void captures_end_and_are_refused_on_the_default_stream(void **state)
{
    vectors_t *v = *state;
    handle_t stream, graph;
    int status = 7;

    assert_int_equal(cudaStreamBeginCapture(NULL, 0), CAPTURE_UNSUPPORTED);
    must(cudaStreamCreate(&stream));
    assert_int_equal(cudaStreamEndCapture(stream, &graph), INVALID_VALUE);
    must(cudaStreamBeginCapture(stream, 0));
    assert_int_equal(cudaStreamBeginCapture(stream, 0), INVALID_VALUE);
    must(cudaStreamIsCapturing(stream, &status));
    assert_int_equal(status, 1);
    must(cudaMemsetAsync(v->c, 1, BYTES, stream));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaStreamIsCapturing(stream, &status));
    assert_int_equal(status, 0);
    must(cudaMemsetAsync(v->c, 2, 4, stream)); /* is executed */
    must(cudaMemcpy(v->z, v->c, 8, TO_HOST));
    assert_memory_equal(v->z, "\2\2\2\2\0\0\0\0", 8);
    must(cudaGraphDestroy(graph));
}

/* --- graphs ---------------------------------------------------------------------------------- */

static char said[16];

static void say(void *data)
{
    strcat(said, data);
}

static void nodes_run_after_those_that_they_follow(void **state)
{
    const host_t a = {say, "a"}, b = {say, "b"}, c = {say, "c"};
    handle_t graph, node[3], exec;

    (void)state;
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphAddHostNode(&node[2], graph, NULL, 0, &c));
    must(cudaGraphAddHostNode(&node[1], graph, NULL, 0, &b));
    must(cudaGraphAddHostNode(&node[0], graph, NULL, 0, &a));
    must(cudaGraphAddDependencies(graph, (handle_t[]){node[0], node[1]},
                                  (handle_t[]){node[1], node[2]}, 2));
    exec = instantiated(graph);
    said[0] = '\0';
    must(cudaGraphLaunch(exec, NULL));
    assert_string_equal(said, "abc");
    must(cudaGraphExecDestroy(exec));

    must(cudaGraphAddDependencies(graph, &node[2], &node[0], 1));
    assert_int_equal(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0), INVALID_VALUE);
    must(cudaGraphDestroyNode(node[1])); /* breaks the cycle */
    exec = instantiated(graph);
    said[0] = '\0';
    must(cudaGraphLaunch(exec, NULL));
    assert_string_equal(said, "ca");
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
}

static void children_and_clones_do_the_same(void **state)
{
    vectors_t *v = *state;
    const set_t ones = {v->a, 0, 0x3f800000, 4, N, 1};
    set_t quarters = {v->b, 64, 0x3e800000, 4, 4, 3};
    handle_t child, graph, clone, node, call, copy, found, exec;
    int type = 0;

    must(cudaGraphCreate(&child, 0));
    must(cudaGraphAddMemsetNode(&node, child, NULL, 0, &ones));
    must(cudaGraphAddMemsetNode(&node, child, &node, 1, &quarters));
    quarters.element_bytes = 3;
    assert_int_equal(cudaGraphAddMemsetNode(&copy, child, NULL, 0, &quarters), INVALID_VALUE);
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphAddChildGraphNode(&call, graph, NULL, 0, child));
    must(cudaGraphDestroy(child));
    must(cudaGraphAddKernelNode(&node, graph, &call, 1, &v->kernel));
    must(cudaGraphAddMemcpyNode1D(&copy, graph, &node, 1, v->z, v->c, BYTES, TO_HOST));
    must(cudaGraphClone(&clone, graph));
    must(cudaGraphNodeFindInClone(&found, node, clone));
    must(cudaGraphNodeGetType(found, &type));
    assert_int_equal(type, 0);
    assert_int_equal(cudaGraphNodeFindInClone(&found, found, graph), INVALID_VALUE);
    must(cudaGraphDestroy(graph));
    exec = instantiated(clone);
    must(cudaMemcpy(v->b, v->y, BYTES, TO_DEVICE));
    must(cudaGraphLaunch(exec, NULL));
    for (unsigned i = 0; i < N; i++) {
        bool quarter = i % 16 < 4 && i < 48;
        assert_true(v->z[i] == 1.0f + (quarter ? 0.25f : v->y[i]));
    }
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(clone));
}

static void what_nodes_do_can_be_changed(void **state)
{
    vectors_t *v = *state;
    kernel_t k = v->kernel;
    handle_t graph, node, copy, exec;
    int result = -1;

    must(cudaMemcpy(v->a, v->x, BYTES, TO_DEVICE));
    must(cudaMemcpy(v->b, v->y, BYTES, TO_DEVICE));
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphAddKernelNode(&node, graph, NULL, 0, &k));
    must(cudaGraphAddMemcpyNode1D(&copy, graph, &node, 1, v->z, v->c, BYTES, TO_HOST));
    exec = instantiated(graph);
    v->args[1] = &v->a;
    must(cudaGraphExecKernelNodeSetParams(exec, node, &k));
    must(cudaGraphLaunch(exec, NULL));
    for (unsigned i = 0; i < N; i++)
        assert_true(v->z[i] == 2 * v->x[i]);
    must(cudaGraphExecUpdate(exec, graph, NULL, &result)); /* as it was made: a + b */
    assert_int_equal(result, 0);
    must(cudaGraphLaunch(exec, NULL));
    for (unsigned i = 0; i < N; i++)
        assert_true(v->z[i] == v->x[i] + v->y[i]);
    must(cudaGraphDestroyNode(copy));
    assert_int_equal(cudaGraphExecUpdate(exec, graph, NULL, &result), UPDATE_FAILED);
    assert_int_equal(result, 2);
    k.host = &k;
    assert_int_equal(cudaGraphAddKernelNode(&copy, graph, NULL, 0, &k), INVALID_FUNCTION);
    assert_int_equal(cudaGraphExecKernelNodeSetParams(exec, node, &k), INVALID_FUNCTION);
    assert_int_equal(cudaGraphExecKernelNodeSetParams(exec, exec, &v->kernel), INVALID_VALUE);
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
}

/* --- memory ---------------------------------------------------------------------------------- */

enum { POOL_THRESHOLD = 4, POOL_USED = 7, POOL_USED_HIGH = 8 };

static uint64_t attribute(handle_t pool, int which)
{
    uint64_t value = 0;

    must(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
}

static void pools_count_what_is_taken(void **state)
{
    handle_t pool, standard;
    uint64_t threshold = 1 << 20;
    char properties[88] = {0};
    void *p, *q;

    (void)state;
    must(cudaDeviceGetDefaultMemPool(&standard, 0));
    must(cudaMemPoolCreate(&pool, properties));
    must(cudaMemPoolSetAttribute(pool, POOL_THRESHOLD, &threshold));
    assert_int_equal(attribute(pool, POOL_THRESHOLD), threshold);
    must(cudaMallocFromPoolAsync(&p, 5000, pool, NULL));
    must(cudaMallocFromPoolAsync(&q, 300, pool, NULL));
    assert_int_equal(attribute(pool, POOL_USED), 5300);
    assert_int_equal(attribute(standard, POOL_USED), 0);
    must(cudaFreeAsync(p, NULL));
    assert_int_equal(attribute(pool, POOL_USED), 300);
    assert_int_equal(attribute(pool, POOL_USED_HIGH), 5300);
    must(cudaMemPoolDestroy(pool));
    must(cudaFree(q));
    must(cudaMallocAsync(&p, 400, NULL));
    assert_int_equal(attribute(standard, POOL_USED), 400);
    must(cudaFreeAsync(p, NULL));
    assert_int_equal(cudaMemPoolDestroy(standard), INVALID_VALUE);
    assert_int_equal(cudaMemPoolSetAttribute(standard, 99, &threshold), INVALID_VALUE);
}

/* Memory that is freed between the launches of its graph is valid again in the next one. */
static void memory_of_a_graph_keeps_its_place(void **state)
{
    vectors_t *v = *state;
    char params[120] = {0};
    size_t bytes = BYTES;
    handle_t graph, alloc, set, exec;
    void *p;

    memcpy(params + 104, &bytes, sizeof(bytes));
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, params));
    memcpy(&p, params + 112, sizeof(p));
    const set_t twos = {p, 0, 0x40000000, 4, N, 1};
    must(cudaGraphAddMemsetNode(&set, graph, &alloc, 1, &twos));
    exec = instantiated(graph);
    for (int i = 0; i < 2; i++) {
        must(cudaGraphLaunch(exec, NULL));
        must(cudaMemcpy(v->z, p, BYTES, TO_HOST));
        assert_true(v->z[0] == 2 && v->z[N - 1] == 2);
        must(cudaFree(p));
    }
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
}

/* Graphs, what was made of them, and pools, after they were destroyed. */
static void destroyed_graphs_and_pools_are_refused(void **state)
{
    static const char properties[88];
    handle_t graph, exec, node, pool, other;
    void *p;
    size_t n = 0;

    (void)state;
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    must(cudaGraphExecDestroy(exec));
    assert_int_equal(cudaGraphExecDestroy(exec), INVALID_VALUE);
    assert_int_equal(cudaGraphLaunch(exec, NULL), INVALID_VALUE);
    must(cudaGraphDestroy(graph));
    assert_int_equal(cudaGraphDestroy(graph), INVALID_VALUE);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0), INVALID_VALUE);
    assert_int_equal(cudaGraphClone(&other, graph), INVALID_VALUE);
    assert_int_equal(cudaGraphGetNodes(graph, NULL, &n), INVALID_VALUE);
    assert_int_equal(cudaGraphGetEdges(graph, NULL, NULL, &n), INVALID_VALUE);
    assert_int_equal(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, graph), INVALID_VALUE);
    must(cudaGraphCreate(&other, 0));
    assert_int_equal(cudaGraphAddChildGraphNode(&node, other, NULL, 0, &n), INVALID_VALUE);
    must(cudaGraphDestroy(other));
    must(cudaMemPoolCreate(&pool, properties));
    must(cudaMemPoolDestroy(pool));
    assert_int_equal(cudaMemPoolDestroy(pool), INVALID_VALUE);
    assert_int_equal(cudaMallocFromPoolAsync(&p, 4, pool, NULL), INVALID_VALUE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(captured_streams_become_a_graph),
        TEST(captures_end_and_are_refused_on_the_default_stream),
        TEST(nodes_run_after_those_that_they_follow),
        TEST(children_and_clones_do_the_same),
        TEST(what_nodes_do_can_be_changed),
        TEST(pools_count_what_is_taken),
        TEST(memory_of_a_graph_keeps_its_place),
        TEST(destroyed_graphs_and_pools_are_refused),
    };

    show_gpu("v100");
    cuda_stub_register(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", 70, stub, "vecadd");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
