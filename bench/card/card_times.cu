/*
 * What only time outside the SMs tells: the clock at which the SMs really run, which power limits
 * change, and the time between two launches of a stream. Prints a table of keys and values.
 */
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum { REPEATS = 9, LAUNCHES = 400, FIRST = 100, SPIN = 20000 };

static void check(cudaError_t code)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "card_times: %s\n", cudaGetErrorString(code));
    exit(1);
}

static __device__ unsigned long long now_ns(void)
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

static __device__ void wait_for(long long ticks)
{
    const long long first = clock64();

    while (clock64() - first < ticks)
        continue;
}

static __global__ void spin(long long ticks)
{
    wait_for(ticks);
}

static __global__ void stamp(unsigned long long *first_and_last)
{
    first_and_last[0] = now_ns();
    wait_for(SPIN);
    first_and_last[1] = now_ns();
}

static float launch_ms(long long ticks, cudaEvent_t begin, cudaEvent_t end)
{
    float ms = 0;

    check(cudaEventRecord(begin));
    spin<<<1, 1>>>(ticks);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

/* Ticks of clock64() in a microsecond, of two launches that differ only in how long they wait. */
static void print_clock(void)
{
    const long long shorter = 2000000, longer = 20000000;
    std::vector<float> mhz(REPEATS);
    cudaEvent_t begin, end;

    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    launch_ms(longer, begin, end);
    for (float &m : mhz) {
        const float less = launch_ms(shorter, begin, end);
        m = (float)(longer - shorter) / (launch_ms(longer, begin, end) - less) / 1000;
    }
    std::sort(mhz.begin(), mhz.end());
    printf("running_mhz,%.1f\nlow_mhz,%.1f\nhigh_mhz,%.1f\n", mhz[REPEATS / 2], mhz.front(),
           mhz.back());
}

/* From the last instruction of a launch to the first of the next; the card's timer ticks coarsely. */
static void print_gaps(const char *key, const std::vector<unsigned long long> &t)
{
    std::vector<double> gaps;

    for (size_t i = FIRST; i + 1 < LAUNCHES; i++)
        gaps.push_back((double)t[2 * i + 2] - (double)t[2 * i + 1]);
    std::sort(gaps.begin(), gaps.end());
    double sum = 0; /* of the middle half */
    for (size_t i = gaps.size() / 4; i < gaps.size() * 3 / 4; i++)
        sum += gaps[i];
    printf("%s,%.0f\n", key, sum / (double)(gaps.size() * 3 / 4 - gaps.size() / 4));
}

static void print_launches(void)
{
    std::vector<unsigned long long> t(2 * LAUNCHES);
    unsigned long long *data;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t program;
    const auto launch = [&] {
        for (size_t i = 0; i < LAUNCHES; i++)
            stamp<<<1, 1, 0, stream>>>(data + 2 * i);
    };
    const auto print = [&](const char *key) {
        check(cudaStreamSynchronize(stream));
        check(cudaMemcpy(t.data(), data, t.size() * sizeof(t[0]), cudaMemcpyDeviceToHost));
        print_gaps(key, t);
    };

    check(cudaMalloc(&data, t.size() * sizeof(t[0])));
    check(cudaStreamCreate(&stream));
    launch();
    print("launch_gap_ns");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiateWithFlags(&program, graph, 0));
    for (int i = 0; i < 2; i++)
        check(cudaGraphLaunch(program, stream));
    print("graph_gap_ns");
}

int main(void)
{
    printf("key,value\n");
    print_clock();
    print_launches();
    return 0;
}
