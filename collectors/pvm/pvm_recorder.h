#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collectors/clock.h"
#include "collectors/event_collector.h"
#include "collectors/pvm/pvm_looks.h"
#include "collectors/pvm/pvm_record.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Records the PVM calls of one thread, and their inner calls, in their own trace element. Recording never
/// waits, allocates, makes a system call or fails. The outermost open call, which is the program's own, is
/// the event in flight. A call that is recorded when it begins is recorded to its end. Consecutive polls that
/// find nothing are recorded together (pvm_looks.h), and are not shown while under way.
///
/// Used by one thread at a time. `thread` and the writer's memory must outlive it.
///
///     if (recorder.begin(call)) { ...; recorder.end(call); }
class PvmRecorder {
 public:
  static constexpr std::size_t deepest = 16;  ///< open calls

  PvmRecorder(TraceWriter writer, CollectorIdentity identity, const RecordedThread& thread,
              const Clock& clock) noexcept
      : writer_(writer),
        identity_(identity),
        thread_(&thread),
        clock_(&clock),
        looks_(static_cast<std::uint64_t>(1e6 / clock.calibration().ns_per_tick)) {}

  /// Begins a call within the open calls. Returns whether it is recorded. If not, because its class is
  /// switched off, `deepest` calls are open, or it waits within a repeated poll, end() must not be called.
  [[nodiscard]] bool begin(const PvmCallRecord& call) noexcept {
    if (depth_ == deepest || !records(call.of)) return false;
    if (again_ != nullptr && call.of == PvmClass::wait) return false;
    open_[depth_++] = {clock_->now(), call};
    if (depth_ == 1) begin_outermost(call);
    return true;
  }
  /// Ends the call that was begun last. `call` may have more than at the beginning; `destinations` are for a
  /// multicast.
  void end(const PvmCallRecord& call, std::span<const int> destinations = {}) noexcept {
    const bool is_in_vain = depth_ == 1 && is_look(call) && !call.has(PvmMarks::found) && call.error == 0;
    if (is_in_vain && again_ != nullptr) return end_look();
    if (depth_ == 1 && again_ != nullptr) record_looks(open_[0].start);
    const std::uint64_t start = open_[--depth_].start;
    write(start, clock_->now(), call, destinations);
    if (depth_ > 0) return show();
    again_ = nullptr;
    if (is_in_vain)
      (void)looks_.remember(call, start);
    else
      looks_.forget();
  }
  /// Records the counts, because the thread ends.
  void finish() noexcept { record_looks(clock_->now()); }
  /// Records a call that began at `start` and has ended, when the thread could not record yet. REQUIRES: no
  /// call is open.
  void add(std::uint64_t start, const PvmCallRecord& call, std::span<const int> destinations = {}) noexcept {
    if (!records(call.of)) return;
    open_[0] = {start, call};
    ++depth_;
    show();
    end(call, destinations);
  }

 private:
  struct Open {
    std::uint64_t start{0};
    PvmCallRecord call{};
  };

  [[nodiscard]] std::uint64_t thread_path() const noexcept {
    return record_words::thread_path(identity_.thread, identity_.path);
  }
  [[nodiscard]] bool records(PvmClass of) const noexcept {
    return thread_->records(pvm_kind, static_cast<std::uint8_t>(of));
  }
  // Places with counts are forgotten only after they have been recorded.
  void begin_outermost(const PvmCallRecord& call) noexcept {
    if (is_look(call)) again_ = looks_.find(call);
    if (again_ != nullptr) return;
    record_looks(open_[0].start);
    show();
  }
  void end_look() noexcept {
    const std::uint64_t start = open_[--depth_].start;
    const std::uint64_t now = PvmLooks::is_timed(*again_) ? clock_->now() : start;
    const bool is_counted = records(PvmClass::look);
    if (is_counted && looks_.end(*again_, start, now)) record_looks(now);
    again_ = nullptr;
  }
  void record_looks(std::uint64_t now) noexcept {
    if (looks_.counts()) [[unlikely]]
      write_looks(now);
  }
  [[gnu::noinline]] void write_looks(std::uint64_t now) noexcept {
    looks_.take(now, [this](std::uint64_t start, std::uint64_t end, const PvmCallRecord& look) {
      write(start, end, look, {});
    });
  }
  // Except while a call is under way that may be counted.
  void show() noexcept {
    if (again_ != nullptr) return;
    const Open& open = open_[0];
    writer_.begin_wide(open.start, thread_path(), open.call.word3(identity_.point), open.call.word5(),
                       open.call.word6(), open.call.word7());
  }
  // The call is in flight: the next tuple has its first half, unless continuation records take its place.
  void write(std::uint64_t start, std::uint64_t now, const PvmCallRecord& call,
             std::span<const int> destinations) noexcept {
    using pvm_parts::in_each;
    destinations = destinations.first(std::min(destinations.size(), pvm_parts::max_destinations));
    std::size_t part = (destinations.size() + in_each - 1) / in_each;
    for (; !destinations.empty(); --part) {
      const auto some = destinations.first(std::min(in_each, destinations.size()));
      destinations = destinations.subspan(some.size());
      std::array<std::uint64_t, 3> words{};
      for (std::size_t i = 0; i < some.size(); ++i)
        words[i / 2] |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(some[i])) << (i % 2 * 32);
      writer_.begin(start, thread_path(), call.word3(identity_.point, static_cast<std::uint8_t>(part)));
      writer_.end(now, words[0], words[1], words[2]);
    }
    // Word 3 may differ at the end, for example by a call's place that was named only then.
    writer_.begin_wide(start, thread_path(), call.word3(identity_.point), call.word5(), call.word6(),
                       call.word7());
    writer_.end(now, call.word5(), call.word6(), call.word7());
  }

  TraceWriter writer_;
  CollectorIdentity identity_;
  const RecordedThread* thread_;
  const Clock* clock_;
  std::size_t depth_{0};
  std::array<Open, deepest> open_;  // outermost first
  PvmLooks looks_;
  PvmLooks::Place* again_{nullptr};  // place of the outermost open call, if it is a repeated poll
};

}  // namespace eventspace
