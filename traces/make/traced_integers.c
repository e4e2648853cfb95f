/* Programs of whole numbers: prefix sums, sorting, a graph. */
#include "traces/make/traced_program.h"

#include <stdlib.h>
#include <string.h>

unsigned traced_scan(void)
{
    enum { N = 50000, THREADS = 256, BLOCKS = (N + THREADS - 1) / THREADS };
    static int in[N];
    uint32_t seed = 1;
    int n = N, blocks = BLOCKS, sum = 0;
    unsigned wrong = 0;

    for (int i = 0; i < N; i++)
        in[i] = (int)(next_random(&seed) % 100);
    void *a = on_device(in, sizeof(in)), *b = on_device(NULL, sizeof(in)), *none = NULL;
    void *totals = on_device(NULL, BLOCKS * sizeof(int));
    launch(FIRST_KERNEL, (dim3_t){BLOCKS, 1, 1}, (dim3_t){THREADS, 1, 1},
           (void *[]){&a, &b, &totals, &n}, 0);
    launch(FIRST_KERNEL, (dim3_t){1, 1, 1}, (dim3_t){THREADS, 1, 1},
           (void *[]){&totals, &totals, &none, &blocks}, 0);
    launch(SECOND_KERNEL, (dim3_t){BLOCKS, 1, 1}, (dim3_t){THREADS, 1, 1},
           (void *[]){&b, &totals, &n}, 0);
    int *out = from_device(b, sizeof(in));
    for (int i = 0; i < N; i++) {
        sum += in[i];
        wrong += out[i] != sum;
    }
    free(out);
    return wrong;
}

unsigned traced_sort(void)
{
    enum { N = 8192, BLOCK = 1024 };
    static unsigned data[N];
    uint32_t seed = 4;
    unsigned wrong = 0;
    uint64_t sum = 0, sorted_sum = 0;

    for (int i = 0; i < N; i++)
        sum += data[i] = next_random(&seed);
    void *a = on_device(data, sizeof(data));
    launch(FIRST_KERNEL, (dim3_t){N / BLOCK, 1, 1}, (dim3_t){BLOCK / 2, 1, 1}, (void *[]){&a}, 0);
    for (int size = 2 * BLOCK; size <= N; size *= 2)
        for (int half = size / 2; half > 0; half /= 2)
            launch(SECOND_KERNEL, (dim3_t){N / 2 / 256, 1, 1}, (dim3_t){256, 1, 1},
                   (void *[]){&a, &size, &half}, 0);
    unsigned *out = from_device(a, sizeof(data));
    for (int i = 0; i < N; i++) {
        sorted_sum += out[i];
        wrong += i > 0 && out[i - 1] > out[i];
    }
    free(out);
    return wrong + (sum != sorted_sum);
}

enum { NODES = 8192, DEGREE = 4 };

static void search_on_cpu(const int *first, const int *edges, int *level)
{
    static int queue[NODES];
    int head = 0, tail = 0;

    memset(level, -1, NODES * sizeof(*level));
    level[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int node = queue[head++];
        for (int e = first[node]; e < first[node + 1]; e++)
            if (level[edges[e]] < 0) {
                level[edges[e]] = level[node] + 1;
                queue[tail++] = edges[e];
            }
    }
}

unsigned traced_bfs(void)
{
    static int first[NODES + 1], edges[NODES * DEGREE * 2], level[NODES], expected[NODES];
    uint32_t seed = 5;
    int n = NODES, changed = 1;
    unsigned wrong = 0;

    for (int i = 0; i < NODES; i++) { /* degrees differ */
        int degree = (int)(next_random(&seed) % (2 * DEGREE));
        first[i + 1] = first[i] + degree;
        for (int e = first[i]; e < first[i + 1]; e++)
            edges[e] = (int)(next_random(&seed) % NODES);
    }
    search_on_cpu(first, edges, expected);
    memset(level, -1, sizeof(level));
    level[0] = 0;
    void *f = on_device(first, sizeof(first)), *e = on_device(edges, sizeof(edges));
    void *l = on_device(level, sizeof(level)), *c = on_device(NULL, sizeof(changed));
    for (int now = 0; changed != 0; now++) {
        changed = 0;
        cudaMemcpy(c, &changed, sizeof(changed), HOST_TO_DEVICE);
        launch(FIRST_KERNEL, (dim3_t){NODES / 256, 1, 1}, (dim3_t){256, 1, 1},
               (void *[]){&f, &e, &l, &c, &now, &n}, 0);
        cudaMemcpy(&changed, c, sizeof(changed), DEVICE_TO_HOST);
    }
    int *out = from_device(l, sizeof(level));
    for (int i = 0; i < NODES; i++)
        wrong += out[i] != expected[i];
    free(out);
    return wrong;
}
