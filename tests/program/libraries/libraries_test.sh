#!/usr/bin/env bash
# Runs the programs of this folder on the emulator: they call NVIDIA's libraries and compare the results
# with the CPU's. Needs a CUDA toolkit with static archives and code for sm_70, such as CUDA 11.8
# (Debian: nvidia-cuda-toolkit, nvidia-cuda-dev); nvcc is that of $RUBATO_NVCC, or of the PATH.
set -euo pipefail
[ $# = 2 ] || { echo "usage: $0 RUBATO SOURCE_FOLDER"; exit 2; }
rubato=$1
nvcc=${RUBATO_NVCC:-nvcc}
"$(dirname "$0")/../needs_sm70.sh" "$nvcc" || exit
cd "$2"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

passed=0 skipped=0 failed=0
libs=$folder/libs
mkdir "$libs"

# Compiles a program with its archives, and runs it on both architectures.
try() {
    local name=$1 gpu
    shift
    local link=("${@/#/-l}")
    if ! "$nvcc" -std=c++14 -arch=sm_70 -cudart shared -o "$folder/$name" "$name.cu" "${link[@]}" >"$folder/log" 2>&1; then
        if grep -q 'cannot find -l' "$folder/log"; then
            echo "not tried: $name: $(grep -om 1 'cannot find -l.*' "$folder/log") (Debian: nvidia-cuda-dev)"
            skipped=$((skipped + 1))
            return
        fi
        cat "$folder/log"
        failed=$((failed + 1))
        return
    fi
    for gpu in v100 rtx2060; do
        if "$rubato" record --no-trace --gpu $gpu --libs "$libs" -- "$folder/$name"; then
            passed=$((passed + 1))
        else
            echo "$name fails on $gpu"
            failed=$((failed + 1))
        fi
    done
    rm "$folder/$name"
}

try random curand_static culibos

# The others with shared libraries, linked as nvcc links them by default.
echo 'int main() { return 0; }' >"$folder/none.cu"
archive=$("$nvcc" -arch=sm_70 -cudart shared -Xlinker --trace -o "$folder/none" "$folder/none.cu" -lcublas_static 2>&1 |
    grep 'libcublas_static\.a$' | sort -u || true)
archives=$(dirname "$archive")
if [ -n "$archive" ] && "$rubato" libs --archives "$archives" "$libs"; then
    try blas cublas
    try blas_legacy cublas
    try blas_mixed cublas cublasLt
    try fft cufft
    try sparse cusparse
    try sparse_solve cusparse
    try solver cusolver
fi

echo "$passed passed, $failed failed, $skipped not tried"
[ $failed = 0 ] || exit 1
if [ $passed = 0 ]; then
    echo "skipped: the toolkit has no static archives"
    exit 77
fi
