#!/usr/bin/env bash
# usage: hosts.sh [--tests REGEX] [HOST]...
# Builds rubato for each HOST in a folder of its own (build-hosts/HOST), runs the tests whose names match
# REGEX and the bundled traces, and prints a table. The statistics of the traces must be the same on
# every host, byte for byte. Hosts: gcc-O0 to gcc-O3, clang-O0 to clang-O3, musl, arm64, s390x (which is
# big-endian and must be refused). Without HOST: all of them.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
hosts=({gcc,clang}-O{0,1,2,3} musl arm64 s390x)
# Under emulation rubato cannot be started by a test.
in_process='^test_(law_|determinism|rbt_cycles|checkpoint)'
tests=$in_process
traces=(vecadd matmul softmax fft.rbt sort.rbt)
export LC_ALL=C

[[ ${1:-} != --tests ]] || { tests=$2; shift 2; }
(($# == 0)) || hosts=("$@")

# Options of cmake for a host.
options_of()
{
    case $1 in
    gcc-* | clang-*) echo "-DCMAKE_C_COMPILER=${1%-*}" ;;
    *) echo "-DCMAKE_TOOLCHAIN_FILE=$PWD/tests/hosts/$1.cmake" ;;
    esac
}

# What must be there before a host is configured. RUBATO_HOST_ROOT: its libraries.
prepare()
{
    export RUBATO_HOST_ROOT=$PWD/build-hosts/root/$1
    [[ ! -x tests/hosts/$1_root.sh ]] || "tests/hosts/$1_root.sh" "$RUBATO_HOST_ROOT"
}

build_host()
{
    local level=-O2 generator=()
    [[ $1 != *-O? ]] || level=-${1##*-}
    ! command -v ninja >/dev/null || generator=(-G Ninja)
    # A configuration of cmake in which no file has another level of its own.
    # shellcheck disable=SC2046 # several words
    prepare "$1" && cmake -S . -B "build-hosts/$1" "${generator[@]}" $(options_of "$1") \
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="$level -g1" -DRUBATO_WERROR=ON &&
        cmake --build "build-hosts/$1" --parallel "$(nproc)"
}

# "N passed, N failed, N skipped" of the tests.
test_host()
{
    local log=build-hosts/$1.tests selected=$tests
    [[ $1 != arm64 ]] || selected=$in_process
    ctest --test-dir "build-hosts/$1" --parallel "$(nproc)" --timeout 1800 --output-on-failure \
        -R "$selected" -E "${RUBATO_HOSTS_WITHOUT:-^$}" >"$log" 2>&1
    awk -f tests/summary.awk "build-hosts/$1/Testing/Temporary/LastTest.log" "$log" | tail -n 1
}

# The hash of the statistics of the traces.
traces_of()
{
    local start=() made=build-hosts/$1/traces trace
    [[ $1 != arm64 ]] || start=(qemu-aarch64-static -L "$RUBATO_HOST_ROOT")
    rm -rf "$made"
    for trace in "${traces[@]}"; do
        for arch in 70:v100 75:t4; do
            "${start[@]}" "build-hosts/$1/rubato" run "traces/${trace%.rbt}-sm${arch%:*}${trace#"${trace%.rbt}"}" \
                --gpu "${arch#*:}" -o "$made/${trace%.rbt}-${arch%:*}" >/dev/null 2>&1 || return
        done
    done
    (cd "$made" && cat ./*/stats.csv ./*/launches.csv | sha256sum | cut -c 1-12)
}

# One row of the table. A big-endian host is right if it is refused with the reason.
row_of()
{
    local log=build-hosts/$1.log
    if [[ $1 == s390x ]]; then
        ! build_host "$1" >"$log" 2>&1 && grep -q 'needs a little-endian processor' "$log" &&
            echo "refused,-,-" || echo "NOT REFUSED,-,-"
    elif ! build_host "$1" >"$log" 2>&1; then
        echo "FAILED ($log),-,-"
    else
        echo "built,$(test_host "$1"),$(traces_of "$1" || echo FAILED)"
    fi
}

mkdir -p build-hosts
printf '%-9s  %-28s  %-34s  %s\n' host build tests 'statistics of traces'
first='' failed=0
for host in "${hosts[@]}"; do
    prepare "$host" >"build-hosts/$host.root.log" 2>&1
    IFS=, read -r -a cell <<<"$(row_of "$host" | sed 's/, /; /g')"
    [[ -n $first || ${#cell[2]} != 12 ]] || first=${cell[2]}
    [[ ${cell[0]} == refused || ${cell[0]} == built && ${cell[1]} == [1-9]*' 0 failed'* && ${cell[2]} == "$first" ]] ||
        failed=1
    printf '%-9s  %-28s  %-34s  %s\n' "$host" "${cell[@]//;/,}"
done
exit $failed
