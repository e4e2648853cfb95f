/* Loads libraries and runs what they hold: builds_loader LIBRARY ... */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int status = argc < 2;

    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        int (*run)(void) = NULL;
        if (library != NULL)
            *(void **)&run = dlsym(library, "run_builds");
        else
            fprintf(stderr, "%s\n", dlerror());
        status |= run != NULL ? run() : 7;
    }
    return status;
}
