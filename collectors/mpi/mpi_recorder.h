#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "collectors/clock.h"
#include "collectors/event_collector.h"
#include "collectors/mpi/mpi_looks.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/mpi/mpi_requests.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Records the MPI calls of one thread in their own trace element. Recording never waits, allocates, makes a
/// system call or fails. The call under way is the event in flight, with all known facts. A call that is
/// recorded when it begins is recorded to its end.
///
/// Used by one thread at a time. `thread` and the writer's memory must outlive it.
///
///     if (recorder.records(call.of)) { recorder.begin(call); ...; recorder.end(call); }
class MpiRecorder {
 public:
  static constexpr std::uint64_t long_series = 50;  ///< milliseconds

  MpiRecorder(TraceWriter writer, CollectorIdentity identity, const RecordedThread& thread,
              const Clock& clock) noexcept
      : writer_(writer),
        identity_(identity),
        thread_(&thread),
        clock_(&clock),
        looks_(static_cast<std::uint64_t>(1e6 / clock.calibration().ns_per_tick)) {}

  /// Whether to record a call of this class that begins now; counts it if only one in n is recorded.
  [[nodiscard]] bool records(MpiClass of) const noexcept {
    return thread_->records(mpi_kind, static_cast<std::uint8_t>(of));
  }
  void begin(const MpiCallRecord& call) noexcept {
    begin_after_looks();
    show(call);
  }
  /// Begins a call with several requests, or with one request of a collective operation. `awaited` are the
  /// requests to show (mpi_requests.h): the first of `in_all`.
  void begin(const MpiCallRecord& call, std::uint32_t in_all,
             std::span<const MpiCallRecord> awaited) noexcept {
    begin_after_looks();
    write_awaited(start_, in_all, awaited);
    show(call);
  }
  /// `call` may have more than at the beginning: the source of a message, its bytes, the error.
  void end(const MpiCallRecord& call) noexcept {
    writer_.end(clock_->now(), call.word5(), call.word6(), call.word7());
  }
  /// Ends the call with the operations that it completed beside the operation in `call`; at most
  /// mpi_parts::max_completed.
  void end(const MpiCallRecord& call, std::span<const MpiCallRecord> completed) noexcept {
    const std::uint64_t now = clock_->now();
    auto part = static_cast<std::uint8_t>(std::min(completed.size(), mpi_parts::max_completed));
    for (const MpiCallRecord& one : completed.first(part)) {
      const std::uint64_t word3 = one.word3(identity_.point) | record_words::kind(mpi_kind, 0, part);
      --part;
      writer_.begin(start_, thread_path(), word3);
      writer_.end(now, one.word5(), one.word6(), one.word7());
    }
    if (!completed.empty()) show(call);  // the first continuation record has taken its place
    writer_.end(now, call.word5(), call.word6(), call.word7());
  }

  // Polling calls, which mostly find nothing (mpi_looks.h). The first call at a place is recorded like any
  // other. Call is_again() before each, as follows:
  //
  //     const bool is_again = recorder.is_again(call);
  //     is_again ? recorder.begin_look() : recorder.begin_first_look(call);
  //     ...
  //     if (is_again && found nothing) {
  //       if (recorder.end_look()) recorder.record_looks(AWAITED, IN_ALL);
  //       return;
  //     }
  //     if (is_again) recorder.show_look(call);
  //     recorder.end(call);
  //     found nothing ? recorder.remember_look(call) : recorder.forget_looks();

  /// Whether this call was unsuccessful before, and only polls were made since.
  [[nodiscard]] bool is_again(const MpiCallRecord& call) noexcept {
    again_ = looks_.find(call);
    return again_ != nullptr;
  }
  void begin_first_look(const MpiCallRecord& call) noexcept {
    start_ = clock_->now();
    record_looks(start_);
    show(call);
  }
  /// Such a call is not shown while it is under way.
  void begin_look() noexcept { start_ = clock_->now(); }
  /// The objects polled at the place of the call under way. Only if is_again().
  [[nodiscard]] SoughtByMpi& sought() noexcept { return again_->sought; }
  /// Returns whether to call record_looks() now.
  [[nodiscard]] bool end_look() noexcept {
    if (!records(MpiClass::look)) return false;
    end_ = MpiLooks::is_timed(*again_) ? clock_->now() : start_;
    return looks_.end(*again_, start_, end_);
  }
  /// Whether the series is long enough to record the polled objects.
  [[nodiscard]] bool is_long_series() const noexcept {
    return start_ - looks_.series() >= long_series * ticks_per_ms();
  }
  /// The series, by function and place.
  [[nodiscard]] const MpiLooks& looks() const noexcept { return looks_; }
  /// Records the counts; `awaited` are the objects polled at all places: the first of `in_all`.
  void record_looks(std::span<const MpiCallRecord> awaited, std::uint32_t in_all) noexcept {
    if (looks_.counts()) write_looks(end_, awaited, in_all);
  }
  /// Shows the call after begin_look() as a call to be recorded.
  void show_look(const MpiCallRecord& call) noexcept {
    record_looks(start_);
    show(call);
  }
  /// Records the counts, because the thread ends.
  void finish() noexcept { record_looks(clock_->now()); }
  /// Returns the objects polled at its place.
  SoughtByMpi& remember_look(const MpiCallRecord& call) noexcept {
    return looks_.remember(call, start_).sought;
  }
  void forget_looks() noexcept { looks_.forget(); }

 private:
  void begin_after_looks() noexcept {
    start_ = clock_->now();
    record_looks(start_);
    looks_.forget();
  }
  void record_looks(std::uint64_t now) noexcept {
    if (looks_.counts()) [[unlikely]]
      write_looks(now, {}, 0);
  }
  [[gnu::noinline]] void write_looks(std::uint64_t now, std::span<const MpiCallRecord> awaited,
                                     std::uint32_t in_all) noexcept {
    std::size_t places = 0;
    const std::uint8_t polling = polling_until(now, places);
    looks_.take(now, [&](std::uint64_t start, std::uint64_t end, MpiCallRecord look) {
      look.polling = polling;
      look.since_ms = static_cast<std::uint32_t>((start - looks_.series()) / ticks_per_ms());
      if (--places == 0) write_awaited(start, in_all, awaited);
      writer_.begin(start, thread_path(), look.word3(identity_.point));
      writer_.end(end, look.word5(), look.word6(), look.word7());
    });
  }
  // A microsecond per call counts as polling, for the thread's work between two calls.
  [[nodiscard]] std::uint8_t polling_until(std::uint64_t now, std::size_t& places) const noexcept {
    std::uint64_t polled = 0;
    for (const MpiLooks::Place& place : looks_.places()) {
      places += place.look.calls > 0 ? 1 : 0;
      polled += place.took() + place.look.calls * ticks_per_ms() / 1000;
    }
    const bool is_only = looks_.places().size() == 1 && !looks_.has_dropped();
    std::uint8_t polling = is_only ? static_cast<std::uint8_t>(MpiPolling::one_place) : 0;
    if (polled >= (now - looks_.first()) / 2) polling |= static_cast<std::uint8_t>(MpiPolling::always);
    return polling;
  }
  void write_awaited(std::uint64_t start, std::uint32_t in_all,
                     std::span<const MpiCallRecord> awaited) noexcept {
    awaited = awaited.first(std::min(awaited.size(), mpi_parts::max_awaited));
    auto part = static_cast<std::uint8_t>(mpi_parts::lowest_awaited + (awaited.size() + 1) / 2);
    for (std::size_t i = 0; i < awaited.size(); i += 2) {
      const auto pair = awaited_pair(in_all, awaited[i], i + 1 < awaited.size() ? &awaited[i + 1] : nullptr);
      --part;
      writer_.begin(start, thread_path(), pair.word3 | record_words::kind(mpi_kind, identity_.point, part));
      writer_.end(start, pair.word5, pair.word6, pair.word7);
    }
  }
  [[nodiscard]] std::uint64_t ticks_per_ms() const noexcept { return looks_.shortest(); }
  [[nodiscard]] std::uint64_t thread_path() const noexcept {
    return record_words::thread_path(identity_.thread, identity_.path);
  }
  void show(const MpiCallRecord& call) noexcept {
    writer_.begin_wide(start_, thread_path(), call.word3(identity_.point), call.word5(), call.word6(),
                       call.word7());
  }

  TraceWriter writer_;
  CollectorIdentity identity_;
  const RecordedThread* thread_;
  const Clock* clock_;
  std::uint64_t start_{0};  // of the call under way
  std::uint64_t end_{0};    // of the last call that was counted
  MpiLooks looks_;
  MpiLooks::Place* again_{nullptr};  // place of the call under way, if it was unsuccessful before
};

}  // namespace eventspace
