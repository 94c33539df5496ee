#pragma once

#include <cstdint>
#include <sys/types.h>

namespace amontons::io {

/// Prepares this process, a child that is expected to break down: it has default signals, writes
/// neither messages nor a core, and ends with its parent.
void silence_this_child();

/// True in a build with sanitizers, which reserve more address space than any bound allows.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// Bounds the memory of this process, a child: it has so much more than when this is called
/// [bytes]. There is no bound in a build with sanitizers.
void bound_memory_of_this_child(std::uint64_t memory);

/// Waits until a child ends, and kills it after a time [s], or if this thread is asked to stop. Its
/// end closes the pipe.
/// @returns false if it had to be killed, or the pipe cannot be waited for.
bool wait_for_child(pid_t child, int pipe, double seconds);

}  // namespace amontons::io
