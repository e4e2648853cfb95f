/*
 * The calls of programs compiled with --default-stream per-thread (suffix _ptsz, or _ptds for calls
 * that wait). Every call finishes before it returns, so they equal the ordinary calls. A jump
 * passes the parameters on, whatever they are. Calls whose order is recorded are in
 * cudart_own_stream.c.
 */
#if defined(__aarch64__)
#define JUMP_TO(name) "b " #name
#else
#define JUMP_TO(name) "jmp " #name "@PLT"
#endif
#define PER_THREAD(name, suffix)                                                                   \
    __asm__(".text\n.globl " #name #suffix "\n.type " #name #suffix ", %function\n" #name #suffix  \
            ": " JUMP_TO(name) "\n.size " #name #suffix ", .-" #name #suffix "\n");

PER_THREAD(cudaFreeAsync, _ptsz)
PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz)
PER_THREAD(cudaGetDriverEntryPoint, _ptsz)
PER_THREAD(cudaGraphInstantiateWithParams, _ptsz)
PER_THREAD(cudaGraphUpload, _ptsz)
PER_THREAD(cudaLaunchHostFunc, _ptsz)
PER_THREAD(cudaMallocAsync, _ptsz)
PER_THREAD(cudaMallocFromPoolAsync, _ptsz)
PER_THREAD(cudaMemPrefetchAsync, _ptsz)
PER_THREAD(cudaMemcpy2DArrayToArray, _ptds)
PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz)
PER_THREAD(cudaMemcpy2DFromArray, _ptds)
PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz)
PER_THREAD(cudaMemcpy2DToArray, _ptds)
PER_THREAD(cudaMemcpy2D, _ptds)
PER_THREAD(cudaMemcpy3DAsync, _ptsz)
PER_THREAD(cudaMemcpy3D, _ptds)
PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz)
PER_THREAD(cudaMemcpyFromArray, _ptds)
PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz)
PER_THREAD(cudaMemcpyFromSymbol, _ptds)
PER_THREAD(cudaMemcpyToArrayAsync, _ptsz)
PER_THREAD(cudaMemcpyToArray, _ptds)
PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz)
PER_THREAD(cudaMemcpyToSymbol, _ptds)
PER_THREAD(cudaMemset2DAsync, _ptsz)
PER_THREAD(cudaMemset2D, _ptds)
PER_THREAD(cudaMemset3DAsync, _ptsz)
PER_THREAD(cudaMemset3D, _ptds)
PER_THREAD(cudaStreamAddCallback, _ptsz)
PER_THREAD(cudaStreamAttachMemAsync, _ptsz)
PER_THREAD(cudaStreamBeginCapture, _ptsz)
PER_THREAD(cudaStreamCopyAttributes, _ptsz)
PER_THREAD(cudaStreamEndCapture, _ptsz)
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)
PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz)
PER_THREAD(cudaStreamGetFlags, _ptsz)
PER_THREAD(cudaStreamGetPriority, _ptsz)
PER_THREAD(cudaStreamIsCapturing, _ptsz)
PER_THREAD(cudaStreamSetAttribute, _ptsz)
