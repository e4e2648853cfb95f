// Virtual functions: threads of a warp call different ones through the tables of their objects.
struct Rule {
    int k;
    __device__ Rule(int k) : k(k) {}
    __device__ virtual int apply(int x) const = 0;
};
struct Add : Rule {
    __device__ Add(int k) : Rule(k) {}
    __device__ int apply(int x) const override { return x + k; }
};
struct Multiply : Rule {
    __device__ Multiply(int k) : Rule(k) {}
    __device__ int apply(int x) const override { return x * k; }
};
struct Repeat : Rule {
    const Rule *rule;
    __device__ Repeat(int k, const Rule *rule) : Rule(k), rule(rule) {}
    __device__ int apply(int x) const override
    {
        for (int i = 0; i < k; i++)
            x = rule->apply(x);
        return x;
    }
};

extern "C" __global__ void apply_rules(const int *which, const int *in, int *out, int n)
{
    Add add(7);
    Multiply multiply(3);
    Repeat repeat(4, &multiply);
    const Rule *rules[] = {&add, &multiply, &repeat};
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = rules[which[i]]->apply(in[i]);
}
