# Native traces, journals and machine code are little-endian and are used as they lie in memory.
if(CMAKE_C_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  message(FATAL_ERROR "rubato needs a little-endian processor, such as x86-64 or 64-bit ARM. The compiler "
          "${CMAKE_C_COMPILER} makes code for a big-endian one (${CMAKE_SYSTEM_PROCESSOR}): "
          "choose another with -DCMAKE_C_COMPILER=..., or another host.")
endif()
