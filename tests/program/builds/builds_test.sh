#!/usr/bin/env bash
# Compiles builds.cu in the ways in which nvcc builds programs and libraries, with the static runtime and
# with the shared one, and compares the outputs and the recorded traces byte for byte. Tries the nvcc of
# $RUBATO_NVCC and that of the PATH.
set -euo pipefail
[ $# = 2 ] || { echo "usage: $0 RUBATO SOURCE_FOLDER"; exit 2; }
rubato=$1
cd "$2"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

fail() {
    echo "$*"
    failed=$((failed + 1))
}

# record NAME PROGRAM...: into $folder/NAME.rbt and NAME.out
record() {
    local name=$1
    shift
    "$rubato" record -f -o "$folder/$name.rbt" -- "$@" >"$folder/$name.out" 2>"$folder/$name.err"
}

# same NAME: the outputs and traces of NAME_static and NAME_shared
same() {
    if cmp "$folder/$1_static.out" "$folder/$1_shared.out" && cmp "$folder/$1_static.rbt" "$folder/$1_shared.rbt"; then
        passed=$((passed + 1))
    else
        fail "$nvcc: $1 differs from -cudart shared"
    fi
}

# build RUNTIME NAME OPTIONS...
build() {
    local runtime=$1 name=$2
    shift 2
    "$nvcc" -std=c++14 -arch="$arch" -cudart "$runtime" -o "$folder/${name}_$runtime" builds.cu "$@" 2>"$folder/log" ||
        { cat "$folder/log"; fail "$nvcc: $name is not compiled"; return 1; }
}

# try NAME OPTIONS...: a program
try() {
    local name=$1 runtime
    shift
    for runtime in static shared; do
        build $runtime "$name" "$@" || return 0
        record "${name}_$runtime" "$folder/${name}_$runtime" ||
            { cat "$folder/${name}_$runtime".{out,err}; fail "$nvcc: $name ($runtime) fails"; return 0; }
    done
    same "$name"
}

# The same for a library that a program loads; two of them in one program.
try_library() {
    local name=$1 runtime
    shift
    for runtime in static shared; do
        build $runtime "$name" -shared -DNO_MAIN -Xcompiler -fPIC "$@" || return 0
        cp "$folder/${name}_$runtime" "$folder/${name}_$runtime.2"
        record "${name}_$runtime" "$folder/loader" "$folder/${name}_$runtime" "$folder/${name}_$runtime.2" ||
            { cat "$folder/${name}_$runtime".{out,err}; fail "$nvcc: $name ($runtime) fails"; return 0; }
    done
    same "$name"
}

# What is stripped is refused with advice.
try_stripped() {
    local kind=$1
    shift
    if "$rubato" record --no-trace -- "$@" >/dev/null 2>"$folder/err"; then
        fail "$nvcc: a stripped $kind runs"
    elif [ "$("$rubato" record --no-trace -- "$@" >/dev/null 2>&1; echo $?)" = 125 ] && grep -q "symbols.*are stripped" "$folder/err"; then
        passed=$((passed + 1))
    else
        cat "$folder/err"
        fail "$nvcc: a stripped $kind fails without advice"
    fi
}

for nvcc in ${RUBATO_NVCC:+"$RUBATO_NVCC"} $(command -v nvcc || true); do
    arch=$("$nvcc" --list-gpu-code | grep -xE 'sm_70|sm_75' | head -1 || true)
    [ -n "$arch" ] || continue
    "$nvcc" -o "$folder/loader" builds_loader.c -cudart none -ldl
    try plain
    try fixed -Xcompiler -no-pie -Xlinker -no-pie
    try optimised -O3 -Xcompiler -O3 -Xlinker --gc-sections
    try separate -rdc=true
    try per_thread --default-stream per-thread
    try_library library
    try_library late -Xlinker -Bsymbolic
    build static stripped -Xlinker -s && try_stripped program "$folder/stripped_static"
    build static bare -shared -DNO_MAIN -Xcompiler -fPIC -Xlinker -s &&
        try_stripped library "$folder/loader" "$folder/bare_static"
done

if [ $((passed + failed)) = 0 ]; then
    echo "skipped: no nvcc that compiles for sm_70 or sm_75 (Debian: nvidia-cuda-toolkit); RUBATO_NVCC names one"
    exit 77
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
