#include "monitors/probing/measuring/call_cost.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collectors/clock.h"
#include "monitors/probing/code/instruction.h"
#include "monitors/probing/code/trampoline.h"
#include "monitors/probing/measuring/measuring_code.h"
#include "monitors/probing/measuring/measuring_layout.h"

namespace eventspace {
namespace {

// lea (%rdi,%rsi),%rax; nop; lea 1(%rax),%rax; nop; ret. The entry's jump replaces the first five bytes.
constexpr std::array<unsigned char, 11> sample{0x48, 0x8d, 0x04, 0x37, 0x90, 0x48,
                                               0x8d, 0x40, 0x01, 0x90, 0xc3};
constexpr std::size_t exit_of_sample = 5;
constexpr std::size_t leaving_of_sample = 10;
constexpr std::chrono::nanoseconds assumed{100};

/// Two copies of the sample, one with probes, followed by everything that these need.
class ProbedSample {
 public:
  ProbedSample()
      : memory_(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) return;
    std::memcpy(at(plain_at), sample.data(), sample.size());
    std::memcpy(at(0), sample.data(), sample.size());
    const MeasuringCode measuring = measuring_code();
    if (measuring.code.empty()) return;
    std::memcpy(at(code_at), measuring.code.data(), measuring.code.size());
    auto& probe = *reinterpret_cast<measuring::Descriptor*>(at(descriptor_at));
    probe.measures = place(measures_at);
    probe.counters = place(counters_at);
    probe.threads = place(threads_at);
    probe.ns_per_tick = std::uint64_t{1} << 32;
    probe.has_exits = 1;
    const Bytes code{at(0), sample.size()};
    const auto call = [&](std::uint64_t function) {
      return ProbeCall{place(code_at) + function, place(descriptor_at)};
    };
    const auto entry = entry_trampoline(code, place(0), place(entry_at), call(measuring.entry));
    const auto exit =
        exit_trampoline(code.subspan(exit_of_sample), place(exit_of_sample),
                        leaving_of_sample - exit_of_sample, place(exit_at), call(measuring.exit));
    if (!entry || !exit) return;
    put(0, *entry, entry_at);
    put(exit_of_sample, *exit, exit_at);
    is_made_ = true;
  }
  ~ProbedSample() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes);
  }
  ProbedSample(const ProbedSample&) = delete;
  ProbedSample& operator=(const ProbedSample&) = delete;

  [[nodiscard]] bool is_made() const noexcept { return is_made_; }
  /// The shortest time of one call in several loops.
  [[nodiscard]] double ns_of_call(bool is_probed) const {
    constexpr int loops = 10;
    constexpr std::int64_t calls = 2000;
    using Function = std::int64_t (*)(std::int64_t, std::int64_t);
    const auto at = place(is_probed ? 0 : plain_at);
    const auto function = reinterpret_cast<Function>(at);  // NOLINT(performance-no-int-to-ptr)
    const Clock& clock = Clock::instance();
    double best = 1e9;
    for (int loop = 0; loop < loops; ++loop) {
      const std::uint64_t begin = clock.now();
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < calls; ++i) sum = function(sum, i);
      const double ticks = static_cast<double>(clock.now() - begin);
      best = std::min(best, ticks * clock.calibration().ns_per_tick / static_cast<double>(calls));
    }
    return best;
  }

 private:
  static constexpr std::size_t plain_at = 2048, entry_at = 4096, exit_at = 5120, descriptor_at = 8192,
                               counters_at = 12288, measures_at = 16384, code_at = 65536, threads_at = 131072,
                               bytes = threads_at + measuring::thread_slots * sizeof(measuring::ThreadSlot);

  [[nodiscard]] std::byte* at(std::size_t offset) const { return static_cast<std::byte*>(memory_) + offset; }
  [[nodiscard]] std::uint64_t place(std::size_t offset) const {
    return reinterpret_cast<std::uint64_t>(at(offset));
  }
  void put(std::size_t where, const Trampoline& trampoline, std::size_t to) const {
    std::memcpy(at(to), trampoline.code.data(), trampoline.code.size());
    const auto jump = jump_code(place(where), place(to));
    std::memcpy(at(where), jump->data(), jump->size());
  }

  void* memory_;
  bool is_made_{false};
};

}  // namespace

std::chrono::nanoseconds measured_call_cost() {
  static const std::chrono::nanoseconds cost = [] {
    const ProbedSample function;
    if (!function.is_made()) return assumed;
    const double more = function.ns_of_call(true) - function.ns_of_call(false);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(std::max(more, 1.0)));
  }();
  return cost;
}

}  // namespace eventspace
