/* The GPU that the CUDA runtime reports to a test that is linked with it. */
#ifndef RUBATO_TESTS_SHOWN_GPU_H
#define RUBATO_TESTS_SHOWN_GPU_H

/* Call this before any function of the runtime. */
void show_gpu(const char *gpu);

#endif
