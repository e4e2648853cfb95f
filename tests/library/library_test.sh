#!/bin/bash
# librubato as its users see it: its exported names, its header alone, and its examples, which are built
# with pkg-config against an installed library (shared and static) and run.
#   library_test.sh SOURCE_DIR BUILD_DIR C_COMPILER
set -u
source_dir=$(realpath "$1") build_dir=$(realpath "$2") cc=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

cmake --install "$build_dir" --prefix "$dir/prefix" >"$dir/log" 2>&1 || { cat "$dir/log"; fail install; }
cp -rL "$source_dir/traces/vecadd-sm70" "$dir/trace"
cp -r "$source_dir"/docs/examples/* "$dir"
cd "$dir" || exit 1
shared=$(find "$dir/prefix" -name librubato.so)
[ -n "$shared" ] || fail "librubato.so is not installed"
libdir=$(dirname "$shared")

# Only the interface is visible, and everything that the header declares exists.
declared=$(tr '\n' ' ' <prefix/include/rubato.h | grep -o 'RUBATO_API [^;(]*(' | grep -o 'rubato_[a-z_]*(' |
    tr -d '(' | sort)
[ "$(wc -l <<<"$declared")" -gt 20 ] || fail "few functions found in rubato.h: is it written otherwise now?"
diff <(echo "$declared") <(nm -D --defined-only "$shared" | awk '$2 != "A" { print $3 }' | sort) ||
    fail "librubato.so exports something else than rubato.h declares"
diff <(echo "$declared") <(nm -g --defined-only "$libdir/librubato.a" | awk 'NF == 3 { print $3 }' | sort) ||
    fail "librubato.a has other global names than rubato.h"

# The header alone, as C99 and as C++.
printf '#include <rubato.h>\nint main(void) { return 0; }\n' >alone.c
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -Iprefix/include -c alone.c -o alone.o || fail "C99"
if echo 'int main() {}' | "$cc" -x c++ -fsyntax-only - 2>/dev/null; then
    "$cc" -x c++ -Wall -Wextra -Wpedantic -Werror -Iprefix/include -fsyntax-only alone.c || fail "C++"
fi

# A plugin sampler, built with only the installed header.
mkdir sampler && cp prefix/include/rubato_sampler.h sampler
printf '#include <rubato_sampler.h>\n' >sampler.cc
if echo 'int main() {}' | "$cc" -x c++ -fsyntax-only - 2>/dev/null; then
    "$cc" -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Isampler -fsyntax-only sampler.cc ||
        fail "rubato_sampler.h in C++"
fi
for name in every_nth first_blocks; do
    "$cc" -std=c99 -O2 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -Isampler plugins/$name.c -o $name.so ||
        fail "the sampler $name"
done
prefix/bin/rubato run trace --sample plugin:./first_blocks.so,count=5,plugin:every_nth.so,n=3 --json >json ||
    fail "run with samplers from outside"
grep -q '"simulated_blocks": 5,' json || fail "first_blocks with the installed header"

export PKG_CONFIG_PATH=$libdir/pkgconfig
want=$(prefix/bin/rubato run trace --gpu t4 --json 2>/dev/null |
    grep -o '"cycles": [0-9]*' | head -n 1 | grep -o '[0-9]*')
[ -n "$want" ] || fail "rubato run"
# shellcheck disable=SC2046
"$cc" -Wall -Wextra -Werror run_trace.c $(pkg-config --cflags --libs rubato) -o with_shared ||
    fail "the example in C"
LD_LIBRARY_PATH=$libdir ./with_shared trace t4 >out 2>err || { cat err; fail "the example in C"; }
grep -qx "total: $want cycles" out || { cat out; fail "the example in C: not $want cycles"; }
grep -q '^warning: ' err || fail "the example in C: no message of the library"
grep -q 'cycle .*: IPC' out || fail "the example in C: no intervals"
# shellcheck disable=SC2046
"$cc" run_trace.c $(pkg-config --cflags rubato) "$libdir/librubato.a" \
    $(pkg-config --static --libs rubato | sed 's/-lrubato//') -o with_static || fail "librubato.a"
RUBATO_CONFIGS=$dir/prefix/share/rubato/configs ./with_static trace t4 >out 2>err
grep -qx "total: $want cycles" out || fail "the example in C with librubato.a"
./with_static /nonexistent 2>err && fail "no error for a trace that is not there"
grep -q '^/nonexistent: ' err || fail "the message: $(cat err)"
if command -v python3 >/dev/null; then
    python3 run_trace.py "$shared" trace t4 >out || fail "the example in Python"
    grep -qx "totals.cycles,$want,cycles" out || fail "the example in Python: not $want cycles"
else
    echo "python3 is not installed: its example is not tried"
fi
echo "exports, header and examples are good"
