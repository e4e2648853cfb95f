#!/usr/bin/env bash
# ./do waits while another program installs packages, and fails on other errors. Fake programs
# replace apt-get and the programs that are called before and after it.
#   do_waits.sh REPOSITORY
set -euo pipefail
repository=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$repository/do" "$work/do"
mkdir "$work/bin"

# stand_in NAME SCRIPT
stand_in()
{
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

fail()
{
    echo "FAILED: $1"
    cat "$work/said"
    exit 1
}

# SCRIPT of apt-get; it counts its calls, and $calls is the number of this one.
try()
{
    stand_in apt-get "echo x >>'$work/calls'; calls=\$(wc -l <'$work/calls'); $1"
    rm -f "$work/calls"
    PATH=$work/bin:$PATH "$work/do" build >"$work/said" 2>&1
}

stand_in dpkg-query 'echo missing'
stand_in sudo 'exec "$@"'
stand_in sleep 'exit 0'
stand_in nproc 'echo 1'
stand_in cmake 'echo "cmake $*" >>"'"$work"'/built"'

lists='E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)'
frontend='E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?'

try "case \$calls in
    1|2) echo '$lists' >&2; exit 100 ;;
    4) echo '$frontend' >&2; exit 100 ;;
    esac" || fail "it did not wait"
[[ $(wc -l <"$work/calls") -eq 5 ]] || fail "update was to be called three times and install twice"
grep -q 'waiting' "$work/said" || fail "it did not say that it waits"
[[ -s $work/built ]] || fail "it did not build"

rm "$work/built"
if try "echo 'E: Unable to locate package nonsense' >&2; exit 100"; then
    fail "a package that does not exist was no failure"
fi
grep -q 'Unable to locate package nonsense' "$work/said" || fail "the reason was not said"
[[ $(wc -l <"$work/calls") -eq 1 && ! -e $work/built ]] || fail "it went on after a failure"

if try "echo '$frontend' >&2; exit 100"; then
    fail "a lock that is never free was no failure"
fi
echo "ok"
