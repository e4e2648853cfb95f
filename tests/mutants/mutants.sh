#!/usr/bin/env bash
# Changes the program in one place after the other (list.txt) and tells which test notices: the timing
# model, the samplers, the emulator.
# usage: mutants.sh [--list | --quick] [NUMBER...]
#   --list   only checks that each line of the list occurs exactly once in its file
#   --quick  asks only the tests that look at the changed part itself and take little time
#   NUMBER   only these, counted from 1
# The tree is copied; nothing is changed here. Ends with 1 if a change is not noticed and the list does
# not explain it. Takes hours on two cores: each change builds again what depends on it, and
# a change that nothing notices runs all tests.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

# Prints the list as records: number, file, old line, whether it is explained, new line, separated by
# tabs.
records()
{
    awk '
        function put() {
            if (n > 0)
                print n "\t" file "\t" old "\t" explained "\t" new
        }
        /^(sim|sampling|frontend)\// { put(); n++; file = $0; explained = 0 }
        /^- / { old = substr($0, 3) }
        /^\+/ { new = substr($0, 3) }
        /^= / { explained = 1 }
        END { put() }' "$here/list.txt"
}

# Replaces the one line of a file that is old, but for its indentation. With new missing it only
# checks.
replace()
{
    OLD=$2 NEW=${3-} awk -v check="$(($# < 3))" '
        {
            line = $0
            sub(/^[ \t]+/, "", line)
            if (line == ENVIRON["OLD"]) {
                n++
                if (!check)
                    $0 = ENVIRON["NEW"]
            }
            if (!check)
                print
        }
        END { exit n != 1 }' "$1"
}

check_list()
{
    local wrong=0 count=0 number file old new _
    while IFS=$'\t' read -r number file old _ new; do
        count=$((count + 1))
        if [[ $old == "$new" ]] || ! replace "$root/$file" "$old"; then
            echo "mutant $number: $file: this line must occur once, and change: $old"
            wrong=1
        fi
    done < <(records)
    ((count >= 50)) || { echo "list.txt: only $count changes" && wrong=1; }
    return "$wrong"
}

# Headers of the tests' own helpers that use a part of the program.
helpers_of()
{
    (cd "$work" && grep -lE "\"$1[/.]" tests/support/*.[ch] tests/support/*/*.[ch] | sed 's|\.[ch]$||' | sort -u | paste -sd '|')
}

# Test programs that look at the part that FILE belongs to, and are quick: they are asked first.
first_tests()
{
    local part tests=()
    case $1 in
    sim/*) part='(sim/(sm|mem|parts|gpu)|tests/support/sim/(dram_channel|mem_harness|cache_lab|xbar_lab))' ;;
    sampling/*)
        part="(sampling|$(helpers_of sampling))"
        tests+=(tests/law_sampling/test_law_{change,guard,inside_methods,replay,smarts,units}.c)
        tests+=(tests/cli/test_cli_{estimates,inside,interval,sampling}.c)
        ;;
    frontend/emulator/*)
        part="(frontend/emulator|$(helpers_of frontend/emulator)|tests/support/emulator/(cuda_stub|shown_gpu))"
        tests+=(tests/cudart/test_{record,record_streams,run_program}.c)
        ;;
    *) part="(${1%/*})" ;;
    esac
    (cd "$work" && {
        [[ $1 != sim/* ]] || printf '%s\n' tests/law/test_law_*.c tests/law_sampling/test_law_{before_launch,replay,shadow,smarts,warmup}.c | grep -v 'extremes'
        ((${#tests[@]} == 0)) || printf '%s\n' "${tests[@]}"
        grep -lE "\"${part}[/.]" tests/{sim,mem,input,emulator,cudart,sampling,tool}/test_*.c
    }) | sed 's|.*/||; s|\.c$||' | sort -u
}

build()
{
    nice -n 19 cmake --build "$work/build" --target "$@" >"$work/build.log" 2>&1
}

# Runs tests in their order in the list; prints the one that fails first.
failing_test()
{
    rm -f "$work/build/Testing/Temporary/CTestCostData.txt"
    nice -n 19 ctest --test-dir "$work/build" -j "$(nproc)" --timeout 120 --stop-on-failure "$@" \
        >"$work/test.log" 2>&1 || sed -nE '/Failed|Timeout|Exception|SEGFAULT|Subprocess/ {
            s/^ *[0-9]+ - ([a-z_0-9]+) .*/\1/p; s/.*Test +#[0-9]+: ([a-z_0-9]+) .*/\1/p; }' \
        "$work/test.log" | head -1
}

# Prints who notices the change of a file that is in the tree: a test, "the compiler", or nothing.
noticed_by()
{
    local first regex noticed=''
    mapfile -t first < <(first_tests "$1")
    regex="^($(IFS='|' && echo "${first[*]}"))\$"
    if ((${#first[@]} > 0)) && ! build "${first[@]}"; then
        grep -q ' error: ' "$work/build.log" && echo "the compiler" && return
        tail -5 "$work/build.log" >&2
        return 1
    fi
    ((${#first[@]} == 0)) || noticed=$(failing_test -R "$regex")
    if [[ -z $noticed ]] && ((!quick)); then
        build all
        noticed=$(failing_test -E "${regex%\$}\$|^(install|library|extending|reproducible|mutants).*")
    fi
    echo "$noticed"
}

# The records with these numbers; without any, all.
chosen()
{
    records | awk -F '\t' -v numbers=" $* " 'numbers ~ /^ *$/ || index(numbers, " " $1 " ")'
}

run_mutants()
{
    local number file old explained new noticed missed=() count=0
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    (cd "$root" && git ls-files -z | tar -cf - --null -T - 2>/dev/null) | tar -xf - -C "$work"
    cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE=-O1 -DRUBATO_LTO=OFF \
        -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache || true)" >"$work/build.log"
    export CCACHE_BASEDIR=$work
    while IFS= read -r file; do
        noticed=$(noticed_by "$file")
        [[ -z $noticed ]] || { echo "without any change: $noticed fails" && return 1; }
    done < <(chosen "$@" | cut -f 2 | awk -F / '!seen[$1 ($1 == "frontend" ? $2 : "")]++')
    while IFS=$'\t' read -r number file old explained new; do
        cp -p "$work/$file" "$work/before"
        replace "$work/before" "$old" "$new" >"$work/$file"
        noticed=$(noticed_by "$file")
        cp "$work/before" "$work/$file"
        count=$((count + 1))
        printf '%3d %-40s %s\n' "$number" "$file" "${noticed:-NOT NOTICED: $new}"
        [[ -n $noticed ]] || ((explained)) || missed+=("$number")
    done < <(chosen "$@")
    echo "$count changes, ${#missed[@]} not noticed and not explained: ${missed[*]-}"
    ((${#missed[@]} == 0))
}

quick=0
case ${1-} in
--list)
    check_list
    exit
    ;;
--quick)
    quick=1
    shift
    ;;
esac
check_list
run_mutants "$@"
