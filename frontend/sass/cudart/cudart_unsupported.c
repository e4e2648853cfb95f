/*
 * Functions of the CUDA runtime that are not there: a program that calls one is told which, and
 * what to do, instead of failing to start for want of a symbol it may never need.
 */
#include "frontend/sass/cudart/cudart_state.h"

#define UNSUPPORTED(name, advice)                                                                  \
    CUDART_EXPORT cuda_error_t name(void);                                                         \
    cuda_error_t name(void)                                                                        \
    {                                                                                              \
        cudart_give_up("the program calls " #name "(), which is not supported; " advice);          \
    }

#define GRAPH(name)    UNSUPPORTED(name, "launch the kernels on streams, without graphs")
#define GRAPHICS(name) UNSUPPORTED(name, "there is no display: run the program without graphics")
#define MIPMAP(name)   UNSUPPORTED(name, "make textures of one level, of arrays or memory")
#define PEER(name)     UNSUPPORTED(name, "there is one GPU: run the program with one")
#define IPC(name)      UNSUPPORTED(name, "one process uses the GPU: run the program in one")
#define POOL(name)     UNSUPPORTED(name, "use cudaMalloc() or cudaMallocAsync() without pools")
#define DRIVER(name)   UNSUPPORTED(name, "only the runtime is there, not the driver behind it")
#define THREADS(name)                                                                              \
    UNSUPPORTED(name, "compile without --default-stream per-thread, or use cuda...() without it")

GRAPH(cudaGraphAddNode)
GRAPH(cudaGraphDebugDotPrint)
GRAPH(cudaStreamUpdateCaptureDependencies)
GRAPH(cudaUserObjectCreate)
GRAPHICS(cudaGLGetDevices)
GRAPHICS(cudaGraphicsGLRegisterBuffer)
GRAPHICS(cudaGraphicsGLRegisterImage)
GRAPHICS(cudaGraphicsMapResources)
GRAPHICS(cudaGraphicsResourceGetMappedPointer)
GRAPHICS(cudaGraphicsResourceSetMapFlags)
GRAPHICS(cudaGraphicsSubResourceGetMappedArray)
GRAPHICS(cudaGraphicsUnmapResources)
GRAPHICS(cudaGraphicsUnregisterResource)
GRAPHICS(cudaImportExternalMemory)
GRAPHICS(cudaImportExternalSemaphore)
MIPMAP(cudaBindTextureToMipmappedArray)
MIPMAP(cudaFreeMipmappedArray)
MIPMAP(cudaGetMipmappedArrayLevel)
MIPMAP(cudaMallocMipmappedArray)
PEER(cudaDeviceDisablePeerAccess)
PEER(cudaDeviceEnablePeerAccess)
PEER(cudaLaunchCooperativeKernelMultiDevice)
PEER(cudaMemcpy3DPeer)
PEER(cudaMemcpyPeer)
PEER(cudaMemcpyPeerAsync)
IPC(cudaIpcCloseMemHandle)
IPC(cudaIpcGetEventHandle)
IPC(cudaIpcGetMemHandle)
IPC(cudaIpcOpenEventHandle)
IPC(cudaIpcOpenMemHandle)
DRIVER(cudaGetDriverEntryPoint)
DRIVER(cudaGetDriverEntryPointByVersion)
DRIVER(cudaGetExportTable)
DRIVER(cudaGetFuncBySymbol)
DRIVER(cudaLibraryLoadData)
DRIVER(cudaLibraryGetKernel)
THREADS(cudaLaunchKernel_ptsz)
THREADS(cudaMemcpy_ptds)
THREADS(cudaMemcpyAsync_ptsz)
THREADS(cudaMemset_ptds)
THREADS(cudaMemsetAsync_ptsz)
THREADS(cudaStreamSynchronize_ptsz)
THREADS(cudaEventRecord_ptsz)
