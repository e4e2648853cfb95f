/* cuRAND: generators whose numbers the host generator makes too, and distributions by their
 * moments. MRG32k3a and MT19937 take minutes to seed. */
#include <curand.h>

#include "check.h"

enum { COUNT = 1 << 14 };

static const struct {
    const char *name;
    curandRngType_t type;
} generators[] = {
    {"XORWOW", CURAND_RNG_PSEUDO_XORWOW},
    {"MTGP32", CURAND_RNG_PSEUDO_MTGP32},
    {"Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10},
    {"Sobol 32", CURAND_RNG_QUASI_SOBOL32},
    {"scrambled Sobol 32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32},
};

/* Seeds it, unless its numbers are a fixed sequence. */
static void seed(curandGenerator_t g, curandRngType_t type)
{
    if (type < CURAND_RNG_QUASI_DEFAULT)
        CALL(curandSetPseudoRandomGeneratorSeed(g, 42));
}

static bool same(const Array<float> &got, const std::vector<float> &wanted, float error)
{
    for (size_t i = 0; i < wanted.size(); i++)
        if (!(std::fabs(got.host[i] - wanted[i]) <= error))
            return false;
    return true;
}

static void moments(const char *what, const std::vector<float> &x, double mean, double deviation)
{
    double sum = 0, squares = 0;

    for (float v : x)
        sum += v;
    sum /= (double)x.size();
    for (float v : x)
        squares += (v - sum) * (v - sum);
    squares = std::sqrt(squares / (double)x.size());
    check(what, std::fabs(sum - mean) < 5 * deviation / std::sqrt((double)x.size()) &&
                    std::fabs(squares - deviation) < 0.05 * deviation);
}

static void try_generator(const char *name, curandRngType_t type)
{
    curandGenerator_t device, host;
    Array<float> x(COUNT);
    std::vector<float> wanted(COUNT);

    CALL(curandCreateGenerator(&device, type));
    CALL(curandCreateGeneratorHost(&host, type));
    seed(device, type);
    seed(host, type);
    CALL(curandGenerateUniform(device, x.device, COUNT));
    CALL(curandGenerateUniform(host, wanted.data(), COUNT));
    x.get();
    check(name, same(x, wanted, 0));
    moments(name, x.host, 0.5, std::sqrt(1 / 12.0));
    CALL(curandGenerateNormal(device, x.device, COUNT, 3, 2));
    CALL(curandGenerateNormal(host, wanted.data(), COUNT, 3, 2));
    x.get();
    check(name, same(x, wanted, 1e-4f));
    moments(name, x.host, 3, 2);
    CALL(curandDestroyGenerator(device));
    CALL(curandDestroyGenerator(host));
}

static void distributions()
{
    curandGenerator_t g;
    Array<unsigned> counts(COUNT);
    Array<double> x(COUNT);
    std::vector<float> read;

    CALL(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT));
    seed(g, CURAND_RNG_PSEUDO_DEFAULT);
    CALL(curandGenerateLogNormalDouble(g, x.device, COUNT, 0, 0.5));
    x.get();
    read.assign(x.host.begin(), x.host.end());
    moments("log-normal", read, std::exp(0.125), std::sqrt((std::exp(0.25) - 1) * std::exp(0.25)));
    CALL(curandGenerateUniformDouble(g, x.device, COUNT));
    x.get();
    read.assign(x.host.begin(), x.host.end());
    moments("uniform, double precision", read, 0.5, std::sqrt(1 / 12.0));
    CALL(curandGeneratePoisson(g, counts.device, COUNT, 9));
    counts.get();
    read.assign(counts.host.begin(), counts.host.end());
    moments("Poisson", read, 9, 3);
    CALL(curandDestroyGenerator(g));
}

int main()
{
    for (const auto &g : generators)
        try_generator(g.name, g.type);
    distributions();
    return report("curand");
}
