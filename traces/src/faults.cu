// Mistakes that the bundled programs do not make.

// Each half of the block waits for more threads than it has.
extern "C" __global__ void wait_apart(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 128;");
    else
        asm volatile("bar.sync 2, 128;");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void jump(void (*to)(int *), int *out)
{
    to(out);
}
