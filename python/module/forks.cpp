#include "python/module/forks.h"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>

#include "python/module/errors.h"

namespace eventspace::python {
namespace {

std::atomic<std::uint32_t> generation{0};  // NOLINT(misc-use-internal-linkage)

[[maybe_unused]] const int registered =
    ::pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

std::uint32_t fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void refuse_in_child(std::string_view what) {
  throw UsageError(fmt::format(
      "{} belongs to the process that forked this one, and cannot be used here; open or join again in the "
      "child, or start it with multiprocessing.set_start_method('spawn')",
      what));
}

}  // namespace eventspace::python
