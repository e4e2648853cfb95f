/*
 * A program that is no CUDA program, but loads a library that holds one, with a static runtime. The
 * library is loaded again after it was unloaded.
 *
 *   late_loader LIBRARY [WORD ...]   runs it with the words
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = NULL;

    for (int i = 0; i < 3 && argc > 1; i++) {
        if (library != NULL)
            dlclose(library);
        library = dlopen(argv[1], i == 1 ? RTLD_LAZY : RTLD_NOW);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 7;
        }
    }
    int (*run)(int, char **) = NULL;
    if (library != NULL)
        *(void **)&run = dlsym(library, "cuda_program");
    return run != NULL ? run(argc - 1, argv + 1) : 7;
}
