#include "collectors/probes/probe_host.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <utility>

#include <eventspace/probe.h>
#include "collectors/clock.h"
#include "collectors/probes/probe_recorder.h"

namespace eventspace {
namespace {

/// The host, and its number: 0 without a host, otherwise different for each host that was set.
struct Current {
  std::atomic<std::uint64_t> number{0};
  std::atomic<void (*)()> look_for_host{nullptr};
  std::mutex mutex;  // guards the members below
  std::shared_ptr<ProbeHost> host;
  std::uint64_t last_number{0};
};

// Never destroyed: threads may record while the process exits.
Current& current() {
  static Current& current = *new Current;
  return current;
}

// A child has one thread and shares the trace elements of its parent's threads, which have one writer each.
void disable_in_children() {
  ::pthread_atfork(nullptr, nullptr, [] { current().number.store(0, std::memory_order_relaxed); });
}

// The number of the host that the calling thread uses. Outlives `use`, because it does not have a destructor.
constinit thread_local std::uint64_t used_number = 0;  // NOLINT(misc-use-internal-linkage)
constexpr std::uint64_t thread_has_ended = ~std::uint64_t{0};

/// A thread's use of a host. It ends with the thread, after which another thread may get the trace element.
/// Probes in destructors that run later do nothing.
struct Use {
  ~Use() { used_number = thread_has_ended; }
  std::optional<ProbeHost::Thread> thread;
  std::optional<ProbeRecorder> recorder;  // nullopt if the host was full
};

thread_local Use use;  // NOLINT(misc-use-internal-linkage)

/// Returns the result of `register_it`, or an empty value if it throws: a probe must not end the program.
template <class Register>
auto unless_it_throws(Register register_it) noexcept -> decltype(register_it()) {
  try {
    return register_it();
  } catch (...) {
    return std::nullopt;
  }
}

/// Returns the calling thread's recorder for the host, registering first if necessary; null if it cannot
/// record.
ProbeRecorder* recorder() noexcept {
  const std::uint64_t number = current().number.load(std::memory_order_acquire);
  if (used_number == number) [[likely]]
    return use.recorder ? &*use.recorder : nullptr;
  if (used_number == thread_has_ended) return nullptr;
  forget_probe_thread();
  used_number = number;
  const std::lock_guard lock(current().mutex);
  if (number == 0 || current().host == nullptr || current().number.load() != number) return nullptr;
  use.thread = unless_it_throws([] { return current().host->add_thread(); });
  if (!use.thread) return nullptr;
  use.recorder.emplace(use.thread->writer, use.thread->identity, *use.thread->recorded, Clock::instance());
  return &*use.recorder;
}

/// Returns the number of the site's name; the site remembers it. Several threads may call it at the same
/// time.
std::uint32_t number_of(eventspace_probe_site& site) noexcept {
  const std::atomic_ref<std::uint64_t> session(site.session);
  const std::atomic_ref<std::uint32_t> number(site.number);
  if (session.load(std::memory_order_acquire) == used_number) [[likely]]
    return number.load(std::memory_order_relaxed);
  const std::lock_guard lock(current().mutex);
  if (current().host == nullptr || current().number.load() != used_number) return 0;
  const auto given =
      unless_it_throws([&site] { return std::optional(current().host->number_of(site.name, site.values)); });
  const std::uint32_t found = given.value_or(0);
  number.store(found, std::memory_order_relaxed);
  session.store(used_number, std::memory_order_release);
  return found;
}

/// The values in the library's form; those after the eighth are dropped.
class Values {
 public:
  Values(const eventspace_value* values, std::size_t count) noexcept
      : count_(count < max_probe_values ? count : max_probe_values) {
    for (std::size_t i = 0; i < count_; ++i)
      values_[i] = {values[i].bits, static_cast<NumberForm>(values[i].form & 3)};
  }
  operator std::span<const ProbeValue>() const noexcept {  // NOLINT(google-explicit-constructor)
    return std::span(values_).first(count_);
  }

 private:
  std::array<ProbeValue, max_probe_values> values_;
  std::size_t count_;
};

void record_point(eventspace_probe_site* site, const eventspace_value* values, std::size_t count) noexcept {
  if (ProbeRecorder* const recording = recorder()) recording->point(number_of(*site), Values(values, count));
}
void record_begin(eventspace_probe_site* site) noexcept {
  if (ProbeRecorder* const recording = recorder()) recording->begin(number_of(*site));
}
void record_end(eventspace_probe_site* site, const eventspace_value* values, std::size_t count) noexcept {
  if (ProbeRecorder* const recording = recorder()) recording->end(number_of(*site), Values(values, count));
}
void record_point_at(eventspace_probe_site* site, std::uint64_t virtual_time, const eventspace_value* values,
                     std::size_t count) noexcept {
  if (ProbeRecorder* const recording = recorder())
    recording->point(number_of(*site), Values(values, count), virtual_time);
}
void record_end_at(eventspace_probe_site* site, std::uint64_t virtual_time, const eventspace_value* values,
                   std::size_t count) noexcept {
  if (ProbeRecorder* const recording = recorder())
    recording->end(number_of(*site), Values(values, count), virtual_time);
}

bool has_host() noexcept { return current().number.load(std::memory_order_relaxed) != 0; }

constexpr eventspace_probes functions{2,          record_point,    record_begin,
                                      record_end, record_point_at, record_end_at};

}  // namespace

void set_probe_host(std::shared_ptr<ProbeHost> host) noexcept {
  static std::once_flag once;
  std::call_once(once, disable_in_children);
  std::shared_ptr<ProbeHost> before;  // destroyed after the lock is released
  const std::lock_guard lock(current().mutex);
  before = std::exchange(current().host, std::move(host));
  const std::uint64_t number = current().host == nullptr ? 0 : ++current().last_number;
  current().number.store(number, std::memory_order_release);
}

std::shared_ptr<ProbeHost> probe_host() noexcept {
  const std::lock_guard lock(current().mutex);
  return current().number.load(std::memory_order_relaxed) == 0 ? nullptr : current().host;
}

void remove_probe_host(const ProbeHost& host) noexcept {
  const std::lock_guard lock(current().mutex);
  if (current().host.get() != &host) return;
  current().number.store(0, std::memory_order_release);
  current().host.reset();
}

void set_look_for_probe_host(void (*look)()) noexcept {
  current().look_for_host.store(look, std::memory_order_release);
}

void forget_probe_thread() noexcept {
  if (used_number == thread_has_ended) return;
  used_number = 0;
  use.recorder.reset();
  use.thread.reset();
}

}  // namespace eventspace

const eventspace_probes* eventspace_probes_v1() {
  if (eventspace::has_host()) [[likely]]
    return &eventspace::functions;
  const auto look = eventspace::current().look_for_host.load(std::memory_order_acquire);
  if (look == nullptr) return nullptr;
  look();
  return eventspace::has_host() ? &eventspace::functions : nullptr;
}
