/*
 * The calls of programs compiled with --default-stream per-thread, as in cudart_per_thread.c. A jump
 * passes the parameters on, whatever they are.
 */
#if defined(__aarch64__)
#define JUMP_TO(name) "b " #name
#else
#define JUMP_TO(name) "jmp " #name "@PLT"
#endif
#define PER_THREAD(name, suffix)                                                                   \
    __asm__(".text\n.globl " #name #suffix "\n.type " #name #suffix ", %function\n" #name #suffix  \
            ": " JUMP_TO(name) "\n.size " #name #suffix ", .-" #name #suffix "\n");

PER_THREAD(cuEventRecord, _ptsz)
PER_THREAD(cuGraphLaunch, _ptsz)
PER_THREAD(cuLaunchCooperativeKernel, _ptsz)
PER_THREAD(cuLaunchHostFunc, _ptsz)
PER_THREAD(cuLaunchKernelEx, _ptsz)
PER_THREAD(cuLaunchKernel, _ptsz)
PER_THREAD(cuMemAllocAsync, _ptsz)
PER_THREAD(cuMemFreeAsync, _ptsz)
PER_THREAD(cuMemcpy2DAsync_v2, _ptsz)
PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds)
PER_THREAD(cuMemcpy2D_v2, _ptds)
PER_THREAD(cuMemcpyAsync, _ptsz)
PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz)
PER_THREAD(cuMemcpyDtoD_v2, _ptds)
PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz)
PER_THREAD(cuMemcpyDtoH_v2, _ptds)
PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz)
PER_THREAD(cuMemcpyHtoD_v2, _ptds)
PER_THREAD(cuMemcpy, _ptds)
PER_THREAD(cuMemsetD16Async, _ptsz)
PER_THREAD(cuMemsetD16_v2, _ptds)
PER_THREAD(cuMemsetD2D16_v2, _ptds)
PER_THREAD(cuMemsetD2D32_v2, _ptds)
PER_THREAD(cuMemsetD2D8_v2, _ptds)
PER_THREAD(cuMemsetD32Async, _ptsz)
PER_THREAD(cuMemsetD32_v2, _ptds)
PER_THREAD(cuMemsetD8Async, _ptsz)
PER_THREAD(cuMemsetD8_v2, _ptds)
PER_THREAD(cuStreamAddCallback, _ptsz)
PER_THREAD(cuStreamBeginCapture_v2, _ptsz)
PER_THREAD(cuStreamEndCapture, _ptsz)
PER_THREAD(cuStreamGetCtx, _ptsz)
PER_THREAD(cuStreamGetCtx_v2, _ptsz)
PER_THREAD(cuStreamGetFlags, _ptsz)
PER_THREAD(cuStreamGetPriority, _ptsz)
PER_THREAD(cuStreamIsCapturing, _ptsz)
PER_THREAD(cuStreamQuery, _ptsz)
PER_THREAD(cuStreamSynchronize, _ptsz)
PER_THREAD(cuStreamWaitEvent, _ptsz)
