#!/usr/bin/env bash
# docs/extending.md holds: its code, applied to a copy of the tree, compiles without warnings, the
# tests that it changes pass, its commands run, and what they add is there. A change touches at most
# two files besides its own; tests and documents are not counted.
#   extending_test.sh SOURCE_DIR GENERATOR COMPILER
set -u
source_dir=$(realpath "$1") generator=$2 compiler=$3
here=$source_dir/tests/extending page=$source_dir/docs/extending.md
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

mkdir "$work/blocks" "$work/tree" "$work/tmp"
cd "$source_dir" || exit 2
cp -r CMakeLists.txt cmake configs frontend include sampling sim tests bench docs traces \
    workloads LICENSE README.md NEWS.md CITATION.cff "$work/tree"
cd "$work/tree" || exit 2

# --- its code ---
awk -v folder="$work/blocks" -f "$here/take_code.awk" "$page" >"$work/list" || fail "$page"
[ "$(wc -l <"$work/list")" -ge 25 ] || fail "only $(wc -l <"$work/list") blocks of code were found"
while IFS=$'\t' read -r n section what file text; do
    if [ "$what" = new ]; then
        [ ! -e "$file" ] || fail "$section: $file is called a new file, but exists"
        cp "$work/blocks/$n" "$file"
        continue
    fi
    awk -v what="$what" -v text="$text" -f "$here/apply_code.awk" "$work/blocks/$n" "$file" \
        >"$work/changed" || fail "$section: what $file is to become"
    cp "$work/changed" "$file"
    echo "$section:$file" >>"$work/changes"
done <"$work/list"

while read -r n section; do
    [ "$n" -le 2 ] || fail "$section: $n files are changed besides its own"
done < <(sort -u "$work/changes" | grep -vE ':(tests|docs)/' | cut -d: -f1 | uniq -c)

# --- it compiles ---
tests="test_sampling_options $(sort -u "$work/changes" | sed -n 's@.*:tests/.*/\(test_.*\)\.c$@\1@p')"
# shellcheck disable=SC2086 # a list of words
{
    cmake -S . -B build-test -G "$generator" -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DRUBATO_WERROR=ON &&
        cmake --build build-test --parallel 2 --target rubato $tests
} >"$work/log" 2>&1 || { grep -A8 'error' "$work/log" || tail -40 "$work/log"; fail "the build"; }

# --- it works ---
PATH=$PWD/build-test:$PATH
tests/arrows.sh || fail "arrows"
for test in $tests; do
    # Without optimisation this one takes longer than all others together.
    [ "$test" != test_law_inside_methods ] || continue
    (cd build-test/tests && "./$test") >"$work/log" 2>&1 || { cat "$work/log"; fail "$test"; }
done

# shellcheck disable=SC2016 # backquotes of the page
{
    grep -E '^    (build-test/)?rubato ' "$page"
    grep -oE '`(build-test/rubato|echo) [^`]*`' "$page" | tr -d '`'
} | sed "s@/tmp/@$work/tmp/@g" >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 12 ] || fail "only $(wc -l <"$work/commands") commands were found"
while read -r command; do
    bash -e -o pipefail -c "$command" >"$work/log" 2>&1 </dev/null ||
        { cat "$work/log"; fail "$command"; }
done <"$work/commands"

# has WORD COMMAND...
has()
{
    "${@:2}" >"$work/said" 2>&1
    grep -qwF -- "$1" "$work/said" || { cat "$work/said"; fail "'${*:2}' does not name $1"; }
}
has mru rubato config explain l2.replacement
has fixed rubato config explain sm.scheduler
has buddy rubato config explain l1.prefetcher
has every rubato plan --sample help
has waves rubato plan --sample help
has barrier_warps rubato stats explain sm.barrier_warps
has "GTX 1660 Ti" rubato config show gtx1660ti
has saxpy rubato gen --list

# says POLICY: the page says how many cycles the run takes with it.
says()
{
    rubato run traces/stencil-sm70.rbt --gpu v100 -s l2.size=768KiB -s l2.replacement="$1" \
        -o "$work/$1" >/dev/null 2>&1 || fail "rubato run with $1"
    local cycles
    cycles=$(sed -n 's/^totals\.cycles,\([0-9]*\)\([0-9]\{3\}\),.*/\1,\2/p' "$work/$1/stats.csv")
    grep -qF "$cycles" "$page" || fail "$page does not say that $1 takes $cycles cycles"
}
says lru
says mru
