#!/bin/bash
# Installs a build into a prefix, moves the prefix, hides the source and build trees, and runs the
# installed programs. Without user namespaces the trees stay visible; then it only checks that no
# installed file names them.
#   install_test.sh SOURCE_DIR BUILD_DIR [CUDA_PROGRAM]
set -u
source_dir=$(realpath "$1") build_dir=$(realpath "$2") program=${3:-}
fail() { echo "FAILED: $*"; exit 1; }

if [ -z "${RUBATO_HIDDEN:-}" ]; then
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    cmake --install "$build_dir" --prefix "$dir/first" --strip >"$dir/log" 2>&1 ||
        { cat "$dir/log"; fail "cmake --install"; }
    mv "$dir/first" "$dir/prefix"
    cp -rL "$source_dir/traces/vecadd-sm70" "$dir/trace"
    cp "$source_dir/traces/cubin/vecadd.sm70.cubin" "$dir/code"
    [ -z "$program" ] || cp "$program" "$dir/program"
    if grep -rlF -e "$source_dir" -e "$dir/first" "$dir/prefix" >"$dir/named"; then
        fail "names the folder of the sources or of the first installation: $(cat "$dir/named")"
    fi
    cp "$0" "$dir/test.sh"
    cd "$dir" || exit 1
    if unshare -rm true 2>/dev/null; then
        mkdir empty
        RUBATO_HIDDEN=2 unshare -rm bash ./test.sh "$source_dir" "$build_dir" "${program:+program}"
    else
        echo "the source tree could not be hidden: no user namespaces"
        RUBATO_HIDDEN=1 bash ./test.sh "$source_dir" "$build_dir" "${program:+program}"
    fi
    exit $?
fi

if [ "$RUBATO_HIDDEN" = 2 ]; then
    mount --bind empty "$source_dir" || fail "mount"
    [ ! -e "$build_dir" ] || mount --bind empty "$build_dir" || fail "mount"
    [ ! -e "$source_dir/configs" ] || fail "the sources are not hidden"
    [ ! -e "$build_dir/rubato" ] || fail "the build is not hidden"
fi
unset RUBATO_CONFIGS RUBATO_SILICON
rubato=$PWD/prefix/bin/rubato
[ "$("$rubato" --version | cut -d' ' -f1)" = rubato ] || fail "rubato --version"
"$rubato" run trace --gpu v100 -o out >table || fail "rubato run"
grep -q '^totals.cycles,[1-9][0-9]*,cycles' out/stats.csv || fail "no cycles in out/stats.csv"
"$rubato" run prefix/share/rubato/traces/matmul-sm70 >/dev/null || fail "the installed trace"
"$rubato" config check rtx2060 titan_v >/dev/null || fail "rubato config check"
"$rubato" validate --gpu v100 --list | grep -q l1 || fail "rubato validate --list"
"$rubato" gen stride --size 64 -o stride.rbt 2>/dev/null || fail "rubato gen with an installed listing"
ln -s "$rubato" link
./link config show t4 l2 >/dev/null || fail "through a link"
if [ -n "$program" ]; then
    # The program is linked with a runtime of the build folder, which is hidden.
    "$rubato" record --no-trace -- ./program code 70 vecadd >/dev/null 2>record.log ||
        { cat record.log; fail "rubato record"; }
fi
for file in share/man/man1/rubato.1 share/man/man5/rbt.5 share/rubato/silicon/caches.sil \
    share/bash-completion/completions/rubato share/zsh/site-functions/_rubato \
    share/fish/vendor_completions.d/rubato.fish share/doc/rubato/LICENSE; do
    [ -s "prefix/$file" ] || fail "prefix/$file is not installed"
done
# RUBATO_CONFIGS is searched first.
mkdir mine && cp prefix/share/rubato/configs/*.cfg mine/ && echo 'gpu : { name = "mine"; };' >mine/special.cfg
RUBATO_CONFIGS=$PWD/mine "$rubato" config check special >/dev/null || fail "RUBATO_CONFIGS"
echo "installed, moved, hidden: everything runs"
