#include "tuplespace/processes/of_this_process.h"

#include <pthread.h>

#include <atomic>

namespace eventspace {
namespace {

std::atomic<std::uint32_t> generation{0};  // NOLINT(misc-use-internal-linkage)

[[maybe_unused]] const int registered =
    ::pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

std::uint32_t fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

}  // namespace eventspace
