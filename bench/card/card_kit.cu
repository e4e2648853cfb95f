/* The kit that measures a card: its files and its main program. */
#include "card_kit.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

void card_check(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "card_kit: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

bool card_wants(const card_t *c, const char *test)
{
    return c->only == NULL || strncmp(test, c->only, strlen(c->only)) == 0;
}

static long long *clocks_of_launch;
static size_t clocks_room;

long long *card_clocks(size_t warps)
{
    if (warps > clocks_room) {
        cudaFree(clocks_of_launch);
        card_check(cudaMalloc(&clocks_of_launch, warps * 2 * sizeof(long long)), "memory for clocks");
        clocks_room = warps;
    }
    return clocks_of_launch;
}

void card_untimed(card_t *c, const char *what)
{
    card_check(cudaGetLastError(), what);
    card_check(cudaDeviceSynchronize(), what);
    c->launch++;
}

void card_timed(card_t *c, const card_row_t *row, unsigned blocks, unsigned threads)
{
    const size_t warps = (threads + 31) / 32, n = blocks * warps;
    std::vector<long long> clocks(2 * n);

    card_untimed(c, row->test);
    card_check(cudaMemcpy(clocks.data(), clocks_of_launch, 2 * n * sizeof(long long),
                          cudaMemcpyDeviceToHost),
               row->test);
    fprintf(c->launches, "%llu,%s,%s,%.17g,%d,%.17g,%s\n", c->launch, row->test, row->kind, row->x,
            row->repeat, row->amount, row->unit);
    for (size_t i = 0; i < 2 * n; i++)
        fprintf(c->clocks, "%llu,%zu,%zu,%zu,%lld\n", c->launch, i / 2 / warps, i / 2 % warps, i % 2,
                clocks[i]);
}

FILE *card_file(const card_t *c, const char *name)
{
    const std::string path = std::string(c->folder) + "/" + name;
    FILE *f = fopen(path.c_str(), "w");

    if (f == NULL) {
        fprintf(stderr, "card_kit: %s: cannot be written; does the folder exist?\n", path.c_str());
        exit(1);
    }
    return f;
}

void card_close(FILE *f, const char *name)
{
    if (fclose(f) == 0)
        return;
    fprintf(stderr, "card_kit: %s: not written completely\n", name);
    exit(1);
}

/* What the driver reports about the card. */
static void describe(card_t *c)
{
    cudaDeviceProp p;
    int driver = 0, runtime = 0, core_khz = 0, memory_khz = 0, bus = 0;

    card_check(cudaGetDeviceProperties(&p, 0), "no GPU");
    card_check(cudaDriverGetVersion(&driver), "driver version");
    card_check(cudaRuntimeGetVersion(&runtime), "runtime version");
    card_check(cudaDeviceGetAttribute(&core_khz, cudaDevAttrClockRate, 0), "core clock");
    card_check(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0), "memory clock");
    card_check(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, 0), "memory bus");
    c->sms = p.multiProcessorCount;
    c->threads_per_sm = p.maxThreadsPerMultiProcessor;
    c->threads_per_block = p.maxThreadsPerBlock;
    c->l2_bytes = (size_t)p.l2CacheSize;
    c->major = p.major;
    c->minor = p.minor;
    FILE *f = card_file(c, "card.csv");
    fprintf(f, "key,value\ncard,%s\ncompute_capability,%d.%d\nsms,%d\n", p.name, p.major, p.minor,
            p.multiProcessorCount);
    fprintf(f, "clock_khz,%d\nmemory_clock_khz,%d\nmemory_bus_bits,%d\nl2_bytes,%d\n", core_khz,
            memory_khz, bus, p.l2CacheSize);
    fprintf(f, "memory_bytes,%zu\ndriver,%d\nruntime,%d\nrepeats,%d\n", p.totalGlobalMem, driver,
            runtime, c->repeats);
    card_close(f, "card.csv");
}

static const char *const usage =
    "usage: card_kit -o FOLDER [--repeats N] [--quick] [--only TESTS]\n"
    "Runs microbenchmarks on the first GPU. Writes card.csv, launches.csv and clocks.csv.\n"
    "  --repeats N   how often each launch is repeated (default 5)\n"
    "  --quick       fewer points of the curves\n"
    "  --only TESTS  only the tests whose names begin so, such as latency\n";

int main(int argc, char **argv)
{
    card_t c = {};
    
    c.repeats = 5;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;

        if (strcmp(argv[i], "-o") == 0 && more)
            c.folder = argv[++i];
        else if (strcmp(argv[i], "--repeats") == 0 && more)
            c.repeats = atoi(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && more)
            c.only = argv[++i];
        else if (strcmp(argv[i], "--quick") == 0)
            c.quick = true;
        else
            c.folder = NULL, i = argc;
    }
    if (c.folder == NULL || c.repeats < 1) {
        fputs(usage, stderr);
        return 2;
    }
    describe(&c);
    c.launches = card_file(&c, "launches.csv");
    c.clocks = card_file(&c, "clocks.csv");
    fputs("launch,test,kind,x,repeat,amount,unit\n", c.launches);
    fputs("launch,block,warp,read,clock\n", c.clocks);
    card_chains(&c);
    card_rates(&c);
    card_memory(&c);
    card_streams(&c);
    card_mix(&c);
    card_matrix(&c);
    card_gpc(&c);
    card_blocks(&c);
    card_shared(&c);
    card_close(c.launches, "launches.csv");
    card_close(c.clocks, "clocks.csv");
    return 0;
}
