/* Fuzz target of the execution and recording of machine code. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/emulator/execution_trial.h"

FUZZ_TARGET(execution_trial, false, 500)

#ifdef FUZZ_MUTATES
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t cap);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed);

/* Bytes at random are seldom instructions: half of the changes know what these are. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed)
{
    if (seed % 2 == 0)
        return LLVMFuzzerMutate(data, n, cap);
    execution_mutate(data, n, seed / 2);
    return n;
}
#endif
