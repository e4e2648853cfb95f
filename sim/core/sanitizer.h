/* RB_ADDRESS_SANITIZER, RB_THREAD_SANITIZER: 1 in builds with it; gcc and clang announce it differently. */
#ifndef RUBATO_CORE_SANITIZER_H
#define RUBATO_CORE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define RB_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define RB_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RB_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define RB_THREAD_SANITIZER 1
#endif
#endif
#ifndef RB_ADDRESS_SANITIZER
#define RB_ADDRESS_SANITIZER 0
#endif
#ifndef RB_THREAD_SANITIZER
#define RB_THREAD_SANITIZER 0
#endif

#endif
