/* Graphs that are made by calls of the driver API. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { N = 500, INVALID_VALUE = 1 };

typedef uint64_t pointer_t;
typedef void *handle_t;

/* CUDA_KERNEL_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_HOST_NODE_PARAMS */
typedef struct {
    handle_t function;
    unsigned grid[3], block[3], shared;
    void **args, **extra;
    handle_t kernel, context;
} kernel_t;
typedef struct {
    pointer_t p;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} set_t;
typedef struct {
    size_t x, y, z, level;
    int type;
    void *host;
    pointer_t device;
    void *array, *reserved;
    size_t pitch, height;
} side_t;
typedef struct {
    side_t from, to;
    size_t width, height, depth;
} copy_t;
typedef struct {
    void (*fn)(void *);
    void *data;
} host_t;

int cuModuleLoad(handle_t *module, const char *path);
int cuModuleGetFunction(handle_t *function, handle_t module, const char *name);
int cuMemAlloc_v2(pointer_t *p, size_t n);
int cuMemFree_v2(pointer_t p);
int cuMemcpy3D_v2(const copy_t *c);
int cuMemcpyDtoH_v2(void *to, pointer_t from, size_t n);
int cuGraphCreate(handle_t *g, unsigned flags);
int cuGraphDestroy(handle_t g);
int cuGraphAddKernelNode(handle_t *node, handle_t g, const handle_t *before, size_t n,
                         const kernel_t *k);
int cuGraphAddKernelNode_v2(handle_t *node, handle_t g, const handle_t *before, size_t n,
                            const kernel_t *k);
int cuGraphKernelNodeGetParams_v2(handle_t node, kernel_t *k);
int cuGraphAddMemsetNode(handle_t *node, handle_t g, const handle_t *before, size_t n,
                         const set_t *m, handle_t context);
int cuGraphAddMemcpyNode(handle_t *node, handle_t g, const handle_t *before, size_t n,
                         const copy_t *c, handle_t context);
int cuGraphAddHostNode(handle_t *node, handle_t g, const handle_t *before, size_t n,
                       const host_t *h);
int cuGraphAddEmptyNode(handle_t *node, handle_t g, const handle_t *before, size_t n);
int cuGraphAddDependencies(handle_t g, const handle_t *from, const handle_t *to, size_t n);
int cuGraphGetNodes(handle_t g, handle_t *nodes, size_t *n);
int cuGraphGetEdges(handle_t g, handle_t *from, handle_t *to, size_t *n);
int cuGraphNodeGetType(handle_t node, int *type);
int cuGraphInstantiateWithFlags(handle_t *exec, handle_t g, unsigned long long flags);
int cuGraphInstantiate_v2(handle_t *exec, handle_t g, handle_t *node, char *log, size_t size);
int cuGraphExecMemsetNodeSetParams(handle_t exec, handle_t node, const set_t *m, handle_t context);
int cuGraphExecUpdate(handle_t exec, handle_t g, handle_t *node, int *result);
int cuGraphLaunch(handle_t exec, handle_t stream);
int cuGraphExecDestroy(handle_t exec);

static unsigned host_calls;

static void count(void *data)
{
    host_calls += *(unsigned *)data;
}

/* z = x + y with both set to a value by the graph, and copied to the host by it. */
static void nodes_are_executed_in_order(void **state)
{
    handle_t module, f, g, exec, set[2], run, copy, call, end, nodes[8], bad = NULL;
    pointer_t x, y, z;
    int n_values = N, type = 9, result = 9;
    float out[N];
    unsigned step = 3;
    size_t n = 8;
    char log[8] = "x";
    void *args[] = {&x, &y, &z, &n_values};

    (void)state;
    assert_int_equal(cuModuleLoad(&module, RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin"), 0);
    assert_int_equal(cuModuleGetFunction(&f, module, "vecadd"), 0);
    cuMemAlloc_v2(&x, sizeof(out));
    cuMemAlloc_v2(&y, sizeof(out));
    cuMemAlloc_v2(&z, sizeof(out));
    assert_int_equal(cuGraphCreate(&g, 0), 0);
    set_t ones = {.p = x, .value = 0x3f800000, .element = 4, .width = N, .height = 1};
    set_t twos = {.p = y, .value = 0x40000000, .element = 4, .width = N, .height = 1};
    kernel_t k = {.kernel = f, .grid = {2, 1, 1}, .block = {256, 1, 1}, .args = args}, got;
    copy_t c = {.from = {.type = 2, .device = z},
                .to = {.type = 1, .host = out},
                .width = sizeof(out),
                .height = 1,
                .depth = 1};
    host_t h = {count, &step};
    /* the kernel comes first, and is made to wait for the others later */
    assert_int_equal(cuGraphAddKernelNode_v2(&run, g, NULL, 0, &k), 0);
    assert_int_equal(cuGraphAddMemsetNode(&set[0], g, NULL, 0, &ones, NULL), 0);
    assert_int_equal(cuGraphAddMemsetNode(&set[1], g, NULL, 0, &twos, NULL), 0);
    assert_int_equal(cuGraphAddMemcpyNode(&copy, g, &run, 1, &c, NULL), 0);
    assert_int_equal(cuGraphAddHostNode(&call, g, &copy, 1, &h), 0);
    assert_int_equal(cuGraphAddEmptyNode(&end, g, &call, 1), 0);
    handle_t to[2] = {run, run};
    assert_int_equal(cuGraphAddDependencies(g, set, to, 2), 0);
    assert_int_equal(cuGraphGetNodes(g, nodes, &n), 0);
    assert_int_equal(n, 6);
    assert_int_equal(cuGraphGetEdges(g, NULL, NULL, &n), 0);
    assert_int_equal(n, 5);
    assert_int_equal(cuGraphNodeGetType(set[1], &type), 0);
    assert_int_equal(type, 2);
    assert_int_equal(cuGraphKernelNodeGetParams_v2(run, &got), 0);
    assert_ptr_equal(got.function, f);
    assert_int_equal(got.block[0], 256);

    assert_int_equal(cuGraphInstantiateWithFlags(&exec, g, 0), 0);
    assert_int_equal(cuGraphLaunch(exec, NULL), 0);
    for (unsigned i = 0; i < N; i++)
        assert_true(out[i] == 3);
    assert_int_equal(host_calls, 3);
    ones.value = 0x40800000;
    assert_int_equal(cuGraphExecMemsetNodeSetParams(exec, set[0], &ones, NULL), 0);
    assert_int_equal(cuGraphLaunch(exec, NULL), 0);
    for (unsigned i = 0; i < N; i++)
        assert_true(out[i] == 6);
    /* back to what the graph says */
    assert_int_equal(cuGraphExecUpdate(exec, g, &bad, &result), 0);
    assert_int_equal(result, 0);
    assert_int_equal(cuGraphLaunch(exec, NULL), 0);
    assert_true(out[N - 1] == 3);
    assert_int_equal(cuGraphExecDestroy(exec), 0);
    assert_int_equal(cuGraphInstantiate_v2(&exec, g, &bad, log, sizeof(log)), 0);
    assert_string_equal(log, "");
    assert_int_equal(cuGraphExecDestroy(exec), 0);
    assert_int_equal(cuGraphDestroy(g), 0);
}

static void bad_nodes_are_refused(void **state)
{
    handle_t g, node;
    copy_t c = {.from = {.type = 2, .device = 5}, .to = {.type = 3}, .width = 4, .height = 1};

    (void)state;
    assert_int_equal(cuGraphCreate(&g, 0), 0);
    assert_int_equal(cuGraphAddKernelNode_v2(&node, g, NULL, 0, NULL), INVALID_VALUE);
    assert_int_equal(cuGraphAddKernelNode(&node, g, NULL, 0, NULL), INVALID_VALUE);
    assert_int_equal(cuGraphAddMemcpyNode(&node, g, NULL, 0, NULL, NULL), INVALID_VALUE);
    assert_int_equal(cuGraphAddMemcpyNode(&node, g, NULL, 0, &c, NULL),
                     INVALID_VALUE); /* no array */
    c.to.type = 7;
    assert_int_equal(cuGraphAddMemcpyNode(&node, g, NULL, 0, &c, NULL), INVALID_VALUE);
    assert_int_equal(cuGraphDestroy(g), 0);
}

/* A part of a box: rows and layers have their own distance on both sides. */
static void boxes_are_copied(void **state)
{
    enum { W = 10, H = 6, D = 4 };
    uint8_t box[D][H][W], part[2][3][5];
    pointer_t p;

    (void)state;
    for (unsigned i = 0; i < sizeof(box); i++)
        ((uint8_t *)box)[i] = (uint8_t)i;
    assert_int_equal(cuMemAlloc_v2(&p, sizeof(box)), 0);
    copy_t in = {.from = {.type = 1, .host = box, .pitch = W, .height = H},
                 .to = {.type = 2, .device = p, .pitch = W, .height = H},
                 .width = W,
                 .height = H,
                 .depth = D};
    copy_t out = {.from = {.type = 2, .device = p, .pitch = W, .height = H, .x = 3, .y = 2, .z = 1},
                  .to = {.type = 1, .host = part, .pitch = 5, .height = 3},
                  .width = 5,
                  .height = 3,
                  .depth = 2};
    assert_int_equal(cuMemcpy3D_v2(&in), 0);
    assert_int_equal(cuMemcpy3D_v2(&out), 0);
    for (unsigned z = 0; z < 2; z++)
        for (unsigned y = 0; y < 3; y++)
            assert_memory_equal(part[z][y], &box[z + 1][y + 2][3], 5);
    cuMemFree_v2(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_executed_in_order),
        cmocka_unit_test(bad_nodes_are_refused),
        cmocka_unit_test(boxes_are_copied),
    };

    setenv("RUBATO_ARCH", "70", 1);
    show_gpu("v100");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
