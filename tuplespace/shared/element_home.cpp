#include "tuplespace/shared/element_home.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "tuplespace/processes/process_sight.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

// Coarse: it is read for each operation and costs no more than a load; its error of some milliseconds does
// not matter here.
std::int64_t coarse_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

// A process in another namespace may have the same id as this process; the file is refused then, before this
// matters (SharedSpace).
ElementHome::ElementHome(std::string name, const ProcessIdentity& process, std::filesystem::path file,
                         std::atomic<std::uint32_t>& ended)
    : name_(std::move(name)),
      process_(process),
      file_(std::move(file)),
      ended_(ended),
      is_self_(process.pid == ::getpid()) {}

std::string ElementHome::text() const { return fmt::format("process {} (pid {})", name_, process_.pid); }

bool ElementHome::has_ended() noexcept {
  if (ended_.load(std::memory_order_acquire) != 0) return true;
  if (is_self_) return false;
  if (gone_.load(std::memory_order_relaxed)) return true;
  const std::int64_t now = coarse_now();
  std::int64_t due = next_look_.load(std::memory_order_relaxed);
  if (now < due) return false;
  const std::int64_t next = now + std::chrono::nanoseconds(interval).count();
  // Only the thread that advances next_look_ queries the kernel.
  if (!next_look_.compare_exchange_strong(due, next, std::memory_order_relaxed)) return false;
  if (may_live(presence_of(process_, [this] { return lock_on(file_); }))) return false;
  gone_.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace eventspace
