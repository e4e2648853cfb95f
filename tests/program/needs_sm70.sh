#!/usr/bin/env bash
# needs_sm70.sh NVCC: ends with 77 (skipped) and the reason if NVCC is no compiler for sm_70.
set -euo pipefail
if ! command -v "$1" >/dev/null; then
    echo "skipped: no nvcc; install CUDA 11.8 (Debian: nvidia-cuda-toolkit), or set RUBATO_NVCC"
    exit 77
fi
if ! "$1" --list-gpu-code | grep -x sm_70 >/dev/null; then
    echo "skipped: $1 does not compile for sm_70"
    exit 77
fi
