typedef int (*function_t)(int);
__device__ int base = 100;
__constant__ int steps[2] = {1000, 2000};
__device__ __noinline__ int twice(int x) { return 2 * x + base; }
__device__ int negative(int x) { return -x; }
__device__ int next(int x) { return x + 1; }
__device__ function_t table[3] = {negative, next, twice};
