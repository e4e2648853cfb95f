#!/bin/sh
# Checks that the files of sim have no circular dependences. A file depends on another one if it calls
# a function or uses a table that is defined there. The same for headers and their includes. Calls
# through a function pointer (shard_ops_t, samplers) do not count, because the calling file does not
# name the other.
# usage: circles.sh ARCHIVE..., the libraries of sim
if [ $# -eq 0 ]; then
    echo "usage: circles.sh ARCHIVE..." >&2
    exit 2
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
nm -A -P "$@" 2>"$work/nm.log" | awk '
    {
        file = $1
        sub(/.*\[/, "", file)
        sub(/\.o\]:.*/, "", file)
    }
    $3 == "U" { user[++n] = file; symbol[n] = $2 }
    $3 ~ /[TDRBCV]/ { home[$2] = file }
    END {
        for (i = 1; i <= n; i++)
            if (symbol[i] in home && home[symbol[i]] != user[i])
                print user[i], home[symbol[i]]
    }' | sort -u >"$work/calls"
cd "$(dirname "$0")/.." || exit 2
grep -rE '^#include "sim/' --include='*.h' sim |
    sed -E 's@^([^:]*):#include "([^"]*)".*@\1 \2@' >"$work/includes"
wrong=0
for what in calls includes; do
    if [ "$(wc -l <"$work/$what")" -lt 100 ]; then
        echo "$what: only $(wc -l <"$work/$what") found; nm: $(head -1 "$work/nm.log")"
        wrong=1
    fi
    if ! tsort "$work/$what" >/dev/null 2>"$work/loop"; then
        echo "$what: a circle of files"
        sed 's/^tsort: //' "$work/loop"
        wrong=1
    fi
done
exit $wrong
