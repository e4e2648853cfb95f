#!/usr/bin/env bash
# The sums of ./do coverage: a line counts once however often its file was compiled, and a folder below
# its floor, or without one, is an error.
#   coverage_sums.sh REPOSITORY
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$1"

cat >"$work/gcov" <<'TEXT'
        -:    0:Source:sim/core/a.c
        -:    1:/* a comment: with a colon */
        3:    2:int f(void)
    #####:    3:    return 1;
        -:    0:Source:sim/core/a.c
       1*:    3:    return 1;
    =====:    4:    abort();
        -:    0:Source:../frontend/tool/io/b.c
        7:   10:x
        -:    0:Source:/usr/include/stdio.h
        1:   10:y
TEXT

# floors FLOORS: the sums with them; sets status.
sums()
{
    printf '%s\n' "$@" >"$work/floors"
    status=0
    awk -v wanted="${folder:-}" -v floors="$work/floors" -f tests/coverage/coverage.awk \
        "$work/gcov" >"$work/said" || status=$?
}

sums '# a comment' 'frontend/tool/io 100' 'sim/core 66'
((status == 0))
grep -Eq '^sim/core +3 +2 +66\.7% +66$' "$work/said"
grep -Eq '^all +4 +3 +75\.0%$' "$work/said"
sums 'frontend/tool/io 100' 'sim/core 67'
((status == 1))
grep -q 'below its floor' "$work/said"
sums 'sim/core 10'
((status == 1))
grep -Eq '^frontend/tool/io .*has no floor' "$work/said"
sums 'frontend/tool/io 1' 'sim/core 1' 'sim/gone 1'
((status == 1))
folder=sim/core sums 'sim/core 1'
((status == 0))
[[ $(cat "$work/said") == 'sim/core/a.c:4:    abort();' ]]
