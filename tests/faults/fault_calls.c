/* Counts calls, decides which of them fail, and writes the log of changes. */
#include "tests/faults/fault_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static fault_plan_t *plan; /* NULL: no call is counted */
static int log_fd = -1;

fault_function_t fault_behind(const char *name)
{
    fault_function_t function;
    void *address = dlsym(RTLD_NEXT, name);

    memcpy(&function, &address, sizeof(function));
    return function;
}

static void lock(int *busy)
{
    while (__atomic_exchange_n(busy, 1, __ATOMIC_ACQUIRE) != 0)
        continue;
}

static void unlock(int *busy)
{
    __atomic_store_n(busy, 0, __ATOMIC_RELEASE);
}

/* How often the same chain of callers has come here, from 1. Loops allocate again and again: without
 * this, a recording has 7,764 allocations to fail, half of them in libconfig's parser. */
static uint32_t times_from_here(fault_kind_t kind)
{
    enum { PLACES = 1 << 14, DEPTH = 12 };
    static struct {
        uint64_t hash;
        uint32_t n;
    } places[PLACES];
    static int busy;
    void *stack[DEPTH];
    uint64_t hash = (uint64_t)kind + 1;

    const int depth = backtrace(stack, DEPTH);
    for (int i = 0; i < depth; i++)
        hash = (hash ^ (uintptr_t)stack[i]) * 0x9e3779b97f4a7c15u + 1;
    lock(&busy);
    size_t i = hash % PLACES;
    for (size_t tried = 0; places[i].n > 0 && places[i].hash != hash; i = (i + 1) % PLACES) {
        if (++tried == PLACES)
            abort();
    }
    places[i].hash = hash;
    const uint32_t times = ++places[i].n;
    unlock(&busy);
    return times;
}

/* Makes the system call directly, because open() would be counted. */
static int open_quietly(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv(FAULT_PLAN_VARIABLE);
    const int fd = path != NULL ? open_quietly(path, O_RDWR) : -1;

    if (fd < 0)
        return;
    fault_plan_t *shared = (fault_plan_t *)syscall(SYS_mmap, NULL, sizeof(*shared),
                                                   PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (shared == MAP_FAILED)
        return;
    int32_t none = 0;
    const bool first = __atomic_compare_exchange_n(&shared->first, &none, getpid(), false,
                                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (shared->first_only && !first)
        return;
    (void)times_from_here(FAULT_NONE); /* backtrace() allocates when it is called first */
    if (shared->log[0] != '\0')
        log_fd = open_quietly(shared->log, O_WRONLY | O_CREAT | O_APPEND);
    plan = shared;
}

static void note_first(const char *path, int fd, const void *caller)
{
    char link[64];
    Dl_info info;

    if (path != NULL) {
        snprintf(plan->path, sizeof(plan->path), "%s", path);
    } else if (fd >= 0) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, plan->path, sizeof(plan->path) - 1);
        plan->path[n > 0 ? n : 0] = '\0';
    }
    if (dladdr(caller, &info) != 0 && info.dli_fname != NULL)
        snprintf(plan->library, sizeof(plan->library), "%s", info.dli_fname);
}

int fault_count(fault_kind_t kind, const char *path, int fd, const void *caller)
{
    if (plan == NULL)
        return 0;
    const int saved = errno;
    if (kind == plan->kind && (kind == FAULT_ALLOC || kind == FAULT_READ)) {
        const uint32_t times = times_from_here(kind);
        if ((times & (times - 1)) != 0)
            return 0;
    }
    const uint64_t n = __atomic_add_fetch(&plan->calls[kind], 1, __ATOMIC_RELAXED);

    if (plan->nth == 0 || kind != plan->kind || n < plan->nth || (n > plan->nth && !plan->onwards))
        return 0;
    if (__atomic_add_fetch(&plan->failed, 1, __ATOMIC_RELAXED) == 1)
        note_first(path, fd, caller);
    /* When a disk fills up, the first write that does not fit still writes a part. */
    const bool part = kind == FAULT_WRITE && plan->onwards && n == plan->nth;
    errno = plan->error > 0 ? plan->error : saved;
    return part ? FAULT_SHORT : plan->error;
}

int fault_count_rename(const char *path, const char *second, const void *caller)
{
    const int fault = fault_count(FAULT_RENAME, path, -1, caller);

    if (fault != 0)
        snprintf(plan->second, sizeof(plan->second), "%s", second);
    return fault;
}

void fault_log(change_kind_t kind, int fd, uint64_t at, const char *path, const char *second,
               const void *data, size_t n)
{
    enum { LONGEST = 1 << 16 };
    static char line[LONGEST];
    static int busy;
    change_head_t head = {.kind = kind, .fd = fd, .at = at, .data = (uint32_t)n};
    const int saved = errno;

    if (log_fd < 0)
        return;
    head.path = path != NULL ? (uint32_t)strlen(path) : 0;
    head.second = second != NULL ? (uint32_t)strlen(second) : 0;
    if (sizeof(head) + head.path + head.second + n > LONGEST)
        abort();
    lock(&busy);
    char *end = mempcpy(line, &head, sizeof(head));
    end = mempcpy(end, path != NULL ? path : "", head.path);
    end = mempcpy(end, second != NULL ? second : "", head.second);
    end = mempcpy(end, data != NULL ? data : "", n);
    syscall(SYS_write, log_fd, line, (size_t)(end - line));
    unlock(&busy);
    errno = saved;
}
