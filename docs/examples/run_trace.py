#!/usr/bin/env python3
"""Simulates a trace with librubato through ctypes and prints what each launch took:
    run_trace.py LIBRARY TRACE [GPU [KEY VALUE]...]
LIBRARY is librubato.so, with its path if it is not where the system looks."""
import ctypes as c
import sys

API_VERSION = 2  # RUBATO_API_VERSION of the rubato.h that this file was written for


class Error(c.Structure):
    _fields_ = [("code", c.c_int), ("text", c.c_char * 1024)]


class Launch(c.Structure):
    _fields_ = [("id", c.c_uint64), ("name", c.c_char_p), ("start", c.c_uint64),
                ("end", c.c_uint64), ("stats", c.c_void_p)]


class Stat(c.Structure):
    _fields_ = [("path", c.c_char * 96), ("unit", c.c_char_p), ("hardware", c.c_char_p),
                ("help", c.c_char_p), ("ratio", c.c_int)]


def load(path):
    lib = c.CDLL(path)
    handle, text, error = c.c_void_p, c.c_char_p, c.POINTER(Error)
    for name, result, arguments in [
            ("api_version", c.c_uint32, []),
            ("config_open", handle, [text, handle, error]),
            ("config_set", c.c_int, [handle, text, text, error]),
            ("config_destroy", None, [handle]),
            ("trace_open", handle, [text, text, handle, error]),
            ("trace_gpu", text, [handle]),
            ("trace_destroy", None, [handle]),
            ("sim_create", handle, [handle, handle, handle, error]),
            ("sim_next", c.c_int, [handle, c.POINTER(c.POINTER(Launch)), error]),
            ("sim_totals", handle, [handle]),
            ("sim_destroy", None, [handle]),
            ("stat_count", c.c_size_t, []),
            ("stat_describe", c.c_int, [c.c_size_t, c.POINTER(Stat), error]),
            ("stats_at", c.c_double, [handle, c.c_size_t])]:
        function = getattr(lib, "rubato_" + name)
        function.restype, function.argtypes = result, arguments
    if lib.rubato_api_version() != API_VERSION:
        sys.exit("librubato has another interface than this file was written for")
    return lib


def main(library, path, gpu=None, *settings):
    lib, error = load(library), Error()

    def good(result, failed):
        if failed:
            sys.exit(error.text.decode())
        return result

    trace = lib.rubato_trace_open(path.encode(), None, None, error)
    good(trace, trace is None)
    config = lib.rubato_config_open(gpu.encode() if gpu else lib.rubato_trace_gpu(trace), None,
                                    error)
    good(config, config is None)
    for key, value in zip(settings[::2], settings[1::2]):
        good(None, lib.rubato_config_set(config, key.encode(), value.encode(), error))
    sim = lib.rubato_sim_create(config, trace, None, error)
    good(sim, sim is None)
    launch = c.POINTER(Launch)()
    while good(True, lib.rubato_sim_next(sim, launch, error)) and launch:
        one = launch.contents
        print(f"{one.id} {one.name.decode()}: {one.end - one.start} cycles")
    stat, totals = Stat(), lib.rubato_sim_totals(sim)
    for i in range(lib.rubato_stat_count()):
        lib.rubato_stat_describe(i, stat, error)
        print(f"{stat.path.decode()},{lib.rubato_stats_at(totals, i):.6g},{stat.unit.decode()}")
    lib.rubato_sim_destroy(sim)
    lib.rubato_config_destroy(config)
    lib.rubato_trace_destroy(trace)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 2 else sys.exit(__doc__)
