#pragma once

// Private to collectors/.

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

/// Records the calls of MPI that one thread makes, in a trace element of its own. Recording never waits,
/// allocates, makes a system call or fails. The call under way is the event in flight, with all that is known
/// of it. A call that is recorded when it begins is recorded to its end.
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

  /// Whether a call of this class that begins now is to be recorded; counts it if only one in n is.
  [[nodiscard]] bool records(MpiClass of) const noexcept {
    return thread_->records(mpi_kind, static_cast<std::uint8_t>(of));
  }
  void begin(const MpiCallRecord& call) noexcept {
    begin_after_looks();
    show(call);
  }
  /// The same of a call with several requests, or one of a collective operation, of which `awaited` are shown
  /// (mpi_requests.h): the first ones of `in_all`.
  void begin(const MpiCallRecord& call, std::uint32_t in_all,
             std::span<const MpiCallRecord> awaited) noexcept {
    begin_after_looks();
    write_awaited(start_, in_all, awaited);
    show(call);
  }
  /// `call` may say more than at the beginning: the source of a message, its bytes, the error.
  void end(const MpiCallRecord& call) noexcept {
    writer_.end(clock_->now(), call.word5(), call.word6(), call.word7());
  }
  /// The same, with what was completed beside that which `call` says; at most mpi_parts::most_completed.
  void end(const MpiCallRecord& call, std::span<const MpiCallRecord> completed) noexcept {
    const std::uint64_t now = clock_->now();
    auto part = static_cast<std::uint8_t>(std::min(completed.size(), mpi_parts::most_completed));
    for (const MpiCallRecord& one : completed.first(part)) {
      const std::uint64_t word3 = one.word3(identity_.point) | record_words::kind(mpi_kind, 0, part);
      --part;
      writer_.begin(start_, thread_path(), word3);
      writer_.end(now, one.word5(), one.word6(), one.word7());
    }
    if (!completed.empty()) show(call);  // the first continuation record has taken its place
    writer_.end(now, call.word5(), call.word6(), call.word7());
  }

  // Calls that look for something, and mostly find nothing (mpi_looks.h). The first one at a place is
  // recorded as any other; is_again() is asked before each, and answers for it.
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

  /// Whether this call was in vain before, and no other sort of call was made since.
  [[nodiscard]] bool is_again(const MpiCallRecord& call) noexcept {
    again_ = looks_.find(call);
    return again_ != nullptr;
  }
  void begin_first_look(const MpiCallRecord& call) noexcept {
    start_ = clock_->now();
    record_looks(start_);
    show(call);
  }
  /// Nothing is shown while such a call is under way.
  void begin_look() noexcept { start_ = clock_->now(); }
  /// For what the calls at the place of the call under way look. Only if is_again().
  [[nodiscard]] SoughtByMpi& sought() noexcept { return again_->sought; }
  /// Returns whether record_looks() is to be called now.
  [[nodiscard]] bool end_look() noexcept {
    if (!records(MpiClass::look)) return false;
    end_ = MpiLooks::is_timed(*again_) ? clock_->now() : start_;
    return looks_.end(*again_, start_, end_);
  }
  /// Whether the series lasts so long that what it looks for is worth a record.
  [[nodiscard]] bool is_long_series() const noexcept {
    return start_ - looks_.series() >= long_series * ticks_per_ms();
  }
  /// The series, by function and place.
  [[nodiscard]] const MpiLooks& looks() const noexcept { return looks_; }
  /// Records what was counted; `awaited` is what is looked for at all places: the first ones of `in_all`.
  void record_looks(std::span<const MpiCallRecord> awaited, std::uint32_t in_all) noexcept {
    if (looks_.counts()) write_looks(end_, awaited, in_all);
  }
  /// The call after begin_look() is one to be recorded.
  void show_look(const MpiCallRecord& call) noexcept {
    record_looks(start_);
    show(call);
  }
  /// Records what was counted: the thread ends.
  void finish() noexcept { record_looks(clock_->now()); }
  /// Returns for what the calls at its place look.
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
  // What the thread does between two calls to make the next one counts as polling.
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
    awaited = awaited.first(std::min(awaited.size(), mpi_parts::most_awaited));
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
  MpiLooks::Place* again_{nullptr};  // that of the call under way, if it was in vain before
};

}  // namespace eventspace
