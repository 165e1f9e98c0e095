#pragma once

// Private to collectors/.

#include <algorithm>
#include <cstdint>
#include <span>

#include "collectors/clock.h"
#include "collectors/event_collector.h"
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
  MpiRecorder(TraceWriter writer, CollectorIdentity identity, const RecordedThread& thread,
              const Clock& clock) noexcept
      : writer_(writer), identity_(identity), thread_(&thread), clock_(&clock) {}

  /// Whether a call of this class that begins now is to be recorded; counts it if only one in n is.
  [[nodiscard]] bool records(MpiClass of) const noexcept {
    return thread_->records(mpi_kind, static_cast<std::uint8_t>(of));
  }
  void begin(const MpiCallRecord& call) noexcept {
    start_ = clock_->now();
    show(call);
  }
  /// The same of a call with several requests, or one of a collective operation, of which `awaited` are shown
  /// (mpi_requests.h): the first ones of `in_all`.
  void begin(const MpiCallRecord& call, std::uint32_t in_all,
             std::span<const MpiCallRecord> awaited) noexcept {
    start_ = clock_->now();
    awaited = awaited.first(std::min(awaited.size(), mpi_parts::most_awaited));
    auto part = static_cast<std::uint8_t>(mpi_parts::lowest_awaited + (awaited.size() + 1) / 2);
    for (std::size_t i = 0; i < awaited.size(); i += 2) {
      const auto pair = awaited_pair(in_all, awaited[i], i + 1 < awaited.size() ? &awaited[i + 1] : nullptr);
      --part;
      writer_.begin(start_, thread_path(), pair.word3 | record_words::kind(mpi_kind, identity_.point, part));
      writer_.end(start_, pair.word5, pair.word6, pair.word7);
    }
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

 private:
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
};

}  // namespace eventspace
