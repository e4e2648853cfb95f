#!/bin/sh
# Checks the dependences between folders: a file may include only headers of libraries that its folder's
# library is linked with in CMakeLists.txt, directly or indirectly. (Linking static libraries does not
# check this.) Also checks the folders of an SM: none includes a header of another one, and each uses
# only its own state. Also checks that in frontend only the library chooses a GPU, opens a trace or runs
# a chip, and that sampling/estimate has one header for others.
cd "$(dirname "$0")/.." || exit 2
modules=$(tr '\n' ' ' <CMakeLists.txt | grep -o 'rubato_module([^)]*)' | tr '()' '  ')
includes=$(grep -rE '^#include "(sim|frontend|sampling)/' --include='*.[ch]' sim frontend sampling)
{
    echo "$modules"
    # The program and shared libraries, which CMakeLists.txt makes by hand.
    echo "rubato_module rb_main frontend/tool/main rb_cli"
    echo "rubato_module rb_cudart frontend/emulator/cudart rb_order rb_exec rb_sass rb_record rb_ptx rb_trace"
    echo "rubato_module rb_cuda frontend/emulator/cuda rb_cudart rb_exec rb_sass rb_record rb_ptx rb_trace"
    echo "$includes"
} | awk '
    $1 == "rubato_module" {
        library[$3] = $2
        for (i = 4; i <= NF; i++)
            linked[$2, $i] = 1
        names[++n] = $2
        next
    }
    # The library of the folder that a file is in, or of the folder above.
    function library_of(path) {
        while (path ~ /\//) {
            sub("/[^/]*$", "", path)
            if (path in library)
                return library[path]
        }
        return ""
    }
    !closed {
        closed = 1
        for (k = 1; k <= n; k++)
            for (i = 1; i <= n; i++)
                for (j = 1; j <= n; j++)
                    if ((names[i], names[k]) in linked && (names[k], names[j]) in linked)
                        linked[names[i], names[j]] = 1
        for (i = 1; i <= n; i++)
            if ((names[i], names[i]) in linked) {
                print "CMakeLists.txt: " names[i] " is linked with itself, through others"
                wrong = 1
            }
    }
    {
        file = $1
        sub(":.*", "", file)
        gsub("\"", "", $2)
        from = library_of(file)
        to = library_of($2)
        seen++
        if (from == "" || to == "" || (from != to && !((from, to) in linked))) {
            print file ": includes " $2 ", against the arrows (" from " is not linked with " to ")"
            wrong = 1
        }
    }
    END {
        if (n < 20 || seen < 1000) {
            print "only " n " libraries and " seen " includes found: is CMakeLists.txt written otherwise now?"
            wrong = 1
        }
        exit wrong
    }' || wrong=1

rooms="subcore supply memory"
room_files=0
for room in subcore supply memory landing; do
    folder=sim/sm/$room
    [ $room = landing ] && folder=sim/sm
    others=$(echo "$rooms" | tr ' ' '\n' | grep -vx "$room" | paste -sd '|')
    depth=3
    [ $room = landing ] && depth=1
    files=$(find "$folder" -maxdepth $depth -name '*.[ch]')
    room_files=$((room_files + $(echo "$files" | wc -l)))
    # Files directly in sim/sm may include headers of these folders; sm_state.h and sm_calls.h know their states.
    if [ $room = landing ]; then
        files=$(echo "$files" | grep -v '/sm_state\.h$\|/sm_calls\.h$')
    elif echo "$files" | xargs grep -nE "^#include \"sim/sm/($others)/"; then
        echo "$folder: includes another room's header; the rooms meet in sim/sm/sm_calls.h"
        wrong=1
    fi
    if echo "$files" | xargs grep -nE "\<sm->($others)\>"; then
        echo "$folder: uses another room's state; the rooms meet in sim/sm/sm_calls.h"
        wrong=1
    fi
done
if [ $room_files -lt 50 ]; then
    echo "only $room_files files of an SM found"
    wrong=1
fi

# The rooms of the other libraries with ROOMS (CMakeLists.txt): a room may include its own headers, those of
# the folder that it is in, and those of the rooms named behind it. The order of the rows excludes circles.
while read -r room allowed; do
    folder=${room%/*}
    files=$(find "$room" -name '*.[ch]')
    if [ -z "$files" ]; then
        echo "$room: no such room; tests/arrows.sh names it"
        wrong=1
        continue
    fi
    known="$known $room"
    for other in $allowed; do
        case " $known " in *" $folder/$other "*) ;; *) echo "$room: $other must be named before it" && wrong=1 ;; esac
    done
    pattern=$(echo "${room##*/} $allowed" | sed 's/ *$//; s/ /|/g')
    if echo "$files" | xargs grep -nE "^#include \"$folder/[a-z_0-9]+/" | grep -vE "\"$folder/($pattern)/"; then
        echo "$room: includes a room that tests/arrows.sh does not allow"
        wrong=1
    fi
done <<'ROOMS'
frontend/emulator/exec/math
frontend/emulator/exec/memory math
sim/core/engine
sim/core/files
sim/gpu/source
sim/gpu/dispatch source
sim/gpu/warming source dispatch
sim/gpu/sampled source dispatch warming
sim/gpu/streams source dispatch
sim/gpu/view source
frontend/input/rbt/read
frontend/input/rbt/write
sampling/launch/stem
sampling/launch/online stem
sampling/inside/photon
sampling/inside/region
sampling/inside/smarts
frontend/input/accelsim/text
frontend/input/accelsim/file text
frontend/input/accelsim/block text
frontend/input/accelsim/group text
frontend/input/accelsim/write text
frontend/emulator/cudart/stream
frontend/emulator/cudart/graph stream
frontend/emulator/cudart/memory graph stream
sim/parts/cache
sim/parts/replacement cache
frontend/tool/study/sweep
frontend/tool/study/table sweep
frontend/tool/cli/options
frontend/tool/cli/trace options
frontend/tool/cli/run options trace
frontend/tool/cli/study options
frontend/tool/run/sampled
frontend/tool/run/program sampled
frontend/tool/run/results sampled
frontend/input/gen/kernel
frontend/input/gen/program kernel
frontend/tool/evaluate/score
frontend/tool/evaluate/report score
sampling/estimate/graph
sampling/estimate/change graph
ROOMS
roomed=$(grep -oE 'rubato_module\([a-z_]+ [a-z/]+ ROOMS' CMakeLists.txt | awk '$2 != "sim/sm" { print $2 }')
for folder in $roomed; do
    for room in "$folder"/*/; do
        case " $known " in *" ${room%/} "*) ;; *) echo "${room%/}: tests/arrows.sh does not name this room" && wrong=1 ;; esac
    done
done

by_library='gpu_create|gpu_run|gpu_destroy|conf_load_gpu|conf_set|open_trace'
calls=$(grep -rnE "\<($by_library)\>" --include='*.c' frontend/input frontend/tool |
    grep -v ':[0-9]*: *\(/\*\|//\|\*\|#include\)')
if echo "$calls" | grep -v '^frontend/tool/library/'; then
    echo "only frontend/tool/library does this; others use library_client.h or include/rubato.h"
    wrong=1
fi
for name in $(echo "$by_library" | tr '|' ' '); do
    if ! echo "$calls" | grep -q "^frontend/tool/library/.*\<$name\>"; then
        echo "no call of $name() in frontend/tool/library: is it called otherwise now?"
        wrong=1
    fi
done

uses=$(grep -rnE '^#include "sampling/estimate/' --include='*.[ch]' frontend sampling bench |
    grep -v '^sampling/estimate/')
if [ -z "$uses" ]; then
    echo "nobody includes sampling/estimate/estimate.h: is its folder called otherwise now?"
    wrong=1
fi
if echo "$uses" | grep -v '/estimate\.h"$'; then
    echo "sampling/estimate has one header for others: estimate.h"
    wrong=1
fi
exit "${wrong:-0}"
