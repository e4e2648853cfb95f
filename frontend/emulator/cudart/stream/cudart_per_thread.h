/*
 * Names of the calls of programs compiled with --default-stream per-thread: suffix _ptsz, or _ptds for
 * calls that wait. Such a name jumps to the ordinary call, so that parameters pass whatever they are.
 */
#ifndef RUBATO_CUDART_PER_THREAD_H
#define RUBATO_CUDART_PER_THREAD_H

#if defined(__aarch64__)
#define JUMP_TO(name) "b " #name
#else
#define JUMP_TO(name) "jmp " #name "@PLT"
#endif
#define PER_THREAD(name, suffix)                                                                   \
    __asm__(".text\n.globl " #name #suffix "\n.type " #name #suffix ", %function\n" #name #suffix  \
            ": " JUMP_TO(name) "\n.size " #name #suffix ", .-" #name #suffix "\n");

#endif
