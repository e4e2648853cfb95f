#!/usr/bin/env bash
# Builds, tests and checks this repository: ./do help
set -euo pipefail
cd "$(dirname "$0")"

build_packages=(gcc libc6-dev cmake ninja-build pkg-config libconfig-dev libzstd-dev liblzma-dev
    zlib1g-dev libsqlite3-dev)
test_packages=(libcmocka-dev locales)
sanitizer_packages=(clang libclang-rt-dev llvm)
package_packages=(dpkg-dev file)
host_packages=(clang musl-tools tcl dpkg-dev file libc6-dev gcc-aarch64-linux-gnu gcc-s390x-linux-gnu
    qemu-user-static)
style_packages=(clang-format shellcheck)
check_packages=(clang-tidy cppcheck)

usage()
{
    cat <<'TEXT'
usage: ./do COMMAND

  run [ARGUMENT]...   build, then simulate traces/matmul-sm70 on the V100 model
                      (with arguments: build, then rubato run ARGUMENT...)
  test [OPTION]...    build and run the tests (options of ctest)
  test --quick [COMMIT]
                      build and run tests of what changed since COMMIT [the last one], for a minute
  build               build build/rubato
  package             build, then make a Debian package: build/*.deb
  freeze              make the files of this version that later versions must read (tests/frozen)
  release             check that this commit can be released, and make the tarball of its sources
  hosts [--tests REGEX] [HOST]...
                      build and test with other compilers, levels, C libraries and processors
  bench [OPTION]...   build and run the benchmarks
  experiments [--quick] [EXPERIMENT]...
                      reproduce the experiments of papers on sampling
  gpt2 [OPTION]... [step|generate|fp16|llama]
                      run GPT-2 and a small Llama without a GPU and compare samplers on them; needs
                      nvcc (--help, docs/gpt2.md)
  trials [OPTION]... [inside|launches]
                      try samplers on workloads that no setting was chosen with (--help)
  trials random N [OPTION]...
                      the same on N drawn triples of workload, chip and seed (bench/sampling/README.md)
  traces              make the bundled traces again (traces/)
  check [--fuzz-seconds N]
                      check format, warnings, static analysis, sanitizers and line coverage, and fuzz: N
                      seconds in all [600], divided over all targets
  style               check format, file names and scripts: what ./do check begins with
  fuzz [SECONDS [TARGET]...]
                      only fuzz; what it finds is left in build-fuzz/found (tests/README.md)
  coverage [FOLDER]   run the tests and print the share of the lines of each folder that they execute;
                      fails below the floors of tests/coverage/floors.txt. With a folder, such as
                      sim/mem: print its lines that the last such run did not execute
  sanitize            run the tests built by clang with the address and undefined-behaviour sanitizers,
                      and those with threads with the thread sanitizer
  mutants [--quick] [NUMBER]...
                      change the program in one place after the other, and tell which changes
                      no test notices (hours; NUMBER: only these of tests/mutants/list.txt)
  clean               remove all build folders

Missing Debian packages are installed with apt-get.
TEXT
}

say()
{
    printf '== %s\n' "$*" >&2
}

# Installs those of the named packages that are missing. Without apt-get, cmake reports what is missing.
need()
{
    command -v apt-get >/dev/null || return 0
    local missing=() package sudo=()
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    ((EUID == 0)) || sudo=(sudo)
    say "installing ${missing[*]}"
    local apt=("${sudo[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq)
    in_turn "${apt[@]}" update
    in_turn "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

# Runs apt-get quietly. If another one holds one of its locks, waits for it, at most ten minutes.
# (Its option DPkg::Lock::Timeout does not apply to the locks of "apt-get update".)
in_turn()
{
    local log status tries
    log=$(mktemp)
    for ((tries = 0; tries < 120; tries++)); do
        status=0
        "$@" >"$log" 2>&1 || status=$?
        ((status != 0)) || break
        grep -Eq 'Could not get lock|Unable to (lock|acquire)' "$log" || break
        ((tries)) || say "another program installs packages: waiting for it"
        sleep 5
    done
    ((status == 0)) || {
        cat "$log" >&2
        say "failed: $*"
    }
    rm -f "$log"
    return "$status"
}

# Runs a command and shows its output only if it fails.
quietly()
{
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        say "failed: $*"
        return 1
    fi
    rm -f "$log"
}

# Runs a build and shows its progress: on one line of a terminal, elsewhere in steps of 10 %. Other
# output is shown only if the build fails.
watched()
{
    local log line share told=0 width=''
    log=$(mktemp)
    [[ -t 2 ]] && width=$(tput cols 2>/dev/null || echo 80)
    if ! "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            share=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        elif [[ $line =~ ^\[\ *([0-9]+)%\] ]]; then
            share=${BASH_REMATCH[1]}
        else
            continue
        fi
        if [[ -n $width ]]; then
            printf '\r\033[K%.*s' "$((width - 1))" "$line" >&2
        elif ((share >= told + 10)); then
            told=$((share / 10 * 10))
            say "$told % built"
        fi
    done; then
        cat "$log" >&2
        rm -f "$log"
        say "failed: $*"
        return 1
    fi
    [[ -z $width ]] || printf '\r\033[K' >&2
    rm -f "$log"
}

# Configures a preset (in build for release, in build-NAME for others).
# RUBATO_CMAKE_OPTIONS: additional options of cmake.
configure()
{
    local preset=$1 generator=()
    local folder=build-$preset
    [[ $preset == release ]] && folder=build
    if [[ ! -f $folder/CMakeCache.txt ]] && command -v ninja >/dev/null; then
        generator=(-G Ninja)
    fi
    [[ -f $folder/CMakeCache.txt ]] || say "configuring $folder"
    # shellcheck disable=SC2086 # several words
    quietly cmake --preset "$preset" "${generator[@]}" ${RUBATO_CMAKE_OPTIONS:-}
}

# Builds a preset that is configured: all, or the targets that are named.
compile()
{
    local folder=build-$1
    [[ $1 == release ]] && folder=build
    say "building $folder with $(nproc) jobs (a full build takes a few minutes)"
    watched cmake --build "$folder" --parallel "$(nproc)" "${@:2}"
}

build()
{
    configure "$1" && compile "$@"
}

# Runs the tests of a preset. The last lines name the skipped tests; the very last one is
# "N passed, N failed, N skipped".
run_tests()
{
    local log status=0
    log=$(mktemp)
    ctest --preset "$1" "${@:2}" 2>&1 | tee "$log" || status=$?
    awk -f tests/summary.awk "build-$1/Testing/Temporary/LastTest.log" "$log"
    rm -f "$log"
    return "$status"
}

# [COMMIT]: builds and runs only tests of what changed, for about a minute.
quick_tests()
{
    local names targets
    configure test
    names=$(tests/quick.sh build-test "$@")
    [[ -n $names ]] || return 0
    # Tests that are scripts have no target of their own.
    mapfile -t targets < <(grep -E '^(test|fuzz)_' <<<"$names")
    compile test --target rubato "${targets[@]}"
    run_tests test -R "^($(paste -sd '|' <<<"$names"))\$"
}

sources()
{
    git ls-files -- '*.c' '*.h'
}

check_format()
{
    sources | xargs clang-format --dry-run -Werror
}

check_file_names()
{
    local twice
    twice=$(sources | sed 's|.*/||' | sort | uniq -d)
    [[ -z $twice ]] || {
        echo "more than one file is named: $twice"
        return 1
    }
}

check_scripts()
{
    git ls-files -- ./do .ci/run '*.sh' | xargs shellcheck
}

check_sanitizers()
{
    build asan && run_tests asan
}

# Only the tests that this preset runs are built.
check_threads()
{
    local tests
    configure tsan || return
    mapfile -t tests < <(ctest --preset tsan -N | sed -nE 's/^ *Test +#[0-9]+: (.*)/\1/p')
    compile tsan --target "${tests[@]}" && run_tests tsan
}

check_static()
{
    cppcheck --quiet --error-exitcode=1 --enable=warning,portability --inline-suppr \
        --suppress=missingIncludeSystem --suppress=uninitvar \
        --suppress=nullPointerRedundantCheck --suppress='invalidPointerCast:frontend/emulator/*' \
        --std=c11 -D__GNUC__=12 -DRUBATO_CUDART_MAJOR=12 -I . sim frontend sampling || return
    sources | grep -E '^(sim|frontend|sampling)/.*\.c$' |
        xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p build-clang 2>/dev/null
}

# SECONDS [TARGET]...
check_fuzz()
{
    local seconds=$1 names=("${@:2}")
    ((${#names[@]})) ||
        mapfile -t names < <(git ls-files 'tests/fuzz/fuzz_*.c' | sed 's|.*/||; s|\.c$||')
    build fuzz --target "${names[@]}" && tests/fuzz/fuzz.sh build-fuzz "$seconds" "${names[@]}"
}

# Starts with empty counts. Leaves out tests of the tree itself and of what is installed, which execute
# no other lines.
check_coverage()
{
    local left_out='arrows|documents|do|hosts|install|mutants|page|release|slurm'
    build coverage || return
    find build-coverage -name '*.gcda' -delete
    run_tests coverage -LE "^($left_out)\$" || return
    tests/coverage/coverage.sh build-coverage
}

# Moves arrays to the addresses of the bundled text, from 0x7f0000000200 on.
as_bundled_addresses()
{
    sed -E -e 's/(0x0*)2000002([0-9a-f]{5})/\17f00000\2/; s/(0x0*)2000003([0-9a-f]{5})/\17f00001\2/' \
        -e 's/(0x0*)2000004([0-9a-f]{5})/\17f00002\2/; s/(0x0*)2000005([0-9a-f]{5})/\17f00003\2/'
}

# Converts the text of the emulator to the format of the bundled text: tracer version 3, which has no
# column of immediates.
as_bundled_text()
{
    sed -E -e '/^-enable lineinfo/d; $d' -e 's/^(-nvbit version = ).*/\1emul-0/' \
        -e 's/^(-accelsim tracer version = ).*/\13/' \
        -e 's/^(#traces format = )\[line_num\] (.*) immediate$/\1\2/' \
        -e '/^[0-9a-f]{4} [0-9a-f]{8} /s/[^ ]+ $//' | as_bundled_addresses
}

# Makes an Accel-Sim text trace again. Writes it only if it differs from the existing one.
make_text_trace()
{
    local program=$1 arch=$2 folder=traces/$3-sm$2 made
    made=$(mktemp -d)
    build/rubato record --accelsim "$made/text" -- \
        build/traced_program "traces/cubin/$program.sm$arch.cubin" "$arch" "$program"
    as_bundled_text <"$made/text/kernel-1.traceg" >"$made/new"
    sed 's/\.traceg$/&.xz/' "$made/text/kernelslist.g" | as_bundled_addresses >"$made/list"
    if xz -dc "$folder/kernel-1.traceg.xz" | cmp -s - "$made/new" &&
        cmp -s "$folder/kernelslist.g" "$made/list"; then
        say "$folder: the same"
    else
        xz -c "$made/new" >"$folder/kernel-1.traceg.xz"
        cp "$made/list" "$folder/kernelslist.g"
        say "$folder: made again, and different"
    fi
    rm -rf "$made"
}

# Runs the program of each bundled trace, on both architectures. It checks its own results.
make_traces()
{
    local program arch unit
    build release --target rubato traced_program
    for arch in 70 75; do
        for program in scan stencil fft nbody sort bfs hgemm reduce layernorm; do
            unit=$program
            [[ $program == layernorm ]] && unit=softmax
            build/rubato record -f -o "traces/$program-sm$arch.rbt" -- \
                build/traced_program "traces/cubin/$unit.sm$arch.cubin" "$arch" "$program"
        done
        make_text_trace vecadd "$arch" vecadd
        make_text_trace matmul "$arch" matmul
        make_text_trace transpose "$arch" transpose_tiled
        make_text_trace softmax "$arch" softmax
        make_text_trace histo "$arch" histo
        make_text_trace spmv "$arch" spmv_vector
    done
}

# Builds with sanitizers, and their tests.
sanitize()
{
    local failed=() step
    need "${build_packages[@]}" "${test_packages[@]}" "${sanitizer_packages[@]}"
    for step in threads sanitizers; do
        say "check $step"
        "check_$step" || failed+=("$step")
    done
    ((${#failed[@]} == 0)) || {
        say "failed: ${failed[*]}"
        return 1
    }
}

style()
{
    local failed=() step
    need "${style_packages[@]}"
    for step in format file_names scripts; do
        say "check $step"
        "check_$step" || failed+=("$step")
    done
    ((${#failed[@]} == 0))
}

# A fixed hundred random triples: the intervals of smarts must hold. Few triples have the waves for units, so forty
# are launches that have.
check_trials()
{
    local options=(--seed 12 --gate --sampler smarts --rubato build-gcc/rubato)
    build gcc --target rubato rubato_sampling || return
    bench/experiments/random.sh 60 "${options[@]}" -o build-gcc/random || return
    bench/experiments/random.sh 40 --first 1001 --waves 60 "${options[@]}" -o build-gcc/random-waves
}

check()
{
    local failed=() step fuzz_seconds=600
    (($# == 0)) || fuzz_seconds=${2:-}
    [[ ${1:---fuzz-seconds} == --fuzz-seconds && $fuzz_seconds =~ ^[1-9][0-9]*$ && $# -le 2 ]] || {
        usage >&2
        return 2
    }
    need "${build_packages[@]}" "${test_packages[@]}" "${sanitizer_packages[@]}" \
        "${check_packages[@]}"
    style || failed+=(style)
    for step in gcc clang; do
        say "check warnings ($step)"
        build "$step" || failed+=("warnings-$step")
    done
    for step in trials static sanitizers threads coverage; do
        say "check $step"
        "check_$step" || failed+=("$step")
    done
    say "check fuzz"
    check_fuzz "$fuzz_seconds" || failed+=(fuzz)
    if ((${#failed[@]})); then
        say "failed: ${failed[*]}"
        return 1
    fi
    say "all checks passed"
}

main()
{
    local command=${1:-help}
    (($# > 0)) && shift
    case $command in
    run)
        need "${build_packages[@]}"
        build release --target rubato
        (($# > 0)) || set -- traces/matmul-sm70 --gpu v100
        say "build/rubato run $*"
        exec build/rubato run "$@"
        ;;
    traces)
        need "${build_packages[@]}"
        make_traces
        ;;
    test)
        need "${build_packages[@]}" "${test_packages[@]}"
        if [[ ${1-} == --quick ]]; then
            quick_tests "${@:2}"
        else
            build test
            run_tests test "$@"
        fi
        ;;
    build)
        need "${build_packages[@]}"
        build release
        ;;
    package)
        need "${build_packages[@]}" "${package_packages[@]}"
        build release
        (cd build && quietly cpack -G DEB)
        ls build/*.deb
        ;;
    freeze)
        need "${build_packages[@]}"
        build release --target rubato
        tests/frozen/freeze.sh build/rubato
        ;;
    release) tests/release/release.sh ;;
    hosts)
        need "${build_packages[@]}" "${test_packages[@]}" "${host_packages[@]}"
        exec tests/hosts/hosts.sh "$@"
        ;;
    bench)
        need "${build_packages[@]}"
        build release --target rubato_bench
        exec build/bench/rubato_bench "$@"
        ;;
    experiments)
        need "${build_packages[@]}"
        build release
        exec bench/experiments/experiments.sh "$@"
        ;;
    gpt2)
        [[ " $* " != *" --help "* ]] || exec bench/programs/gpt2.sh --help
        need "${build_packages[@]}"
        build release --target rubato rubato_gpt2_files
        exec bench/programs/gpt2.sh "$@"
        ;;
    trials)
        need "${build_packages[@]}"
        build release --target rubato rubato_sampling
        [[ ${1-} != random ]] || exec bench/experiments/random.sh "${@:2}"
        exec bench/experiments/trials.sh "$@"
        ;;
    check) check "$@" ;;
    fuzz)
        need "${build_packages[@]}" "${test_packages[@]}" "${sanitizer_packages[@]}"
        (($# > 0)) || set -- 600
        check_fuzz "$@"
        ;;
    coverage)
        need "${build_packages[@]}" "${test_packages[@]}"
        if (($# > 0)); then
            tests/coverage/coverage.sh build-coverage "${1%/}"
        else
            check_coverage
        fi
        ;;
    style) style ;;
    sanitize) sanitize ;;
    mutants)
        need "${build_packages[@]}" "${test_packages[@]}"
        exec tests/mutants/mutants.sh "$@"
        ;;
    clean) rm -rf build build-* ;;
    help | -h | --help) usage ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
}

main "$@"
