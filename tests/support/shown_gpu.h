/* The GPU that the CUDA runtime shows to a test that is linked with it. */
#ifndef RUBATO_TESTS_SHOWN_GPU_H
#define RUBATO_TESTS_SHOWN_GPU_H

/* To be called before the runtime is. */
void show_gpu(const char *gpu);

#endif
