#pragma once

// Private to collectors/.

#include <cstdint>

#include "collectors/clock.h"
#include "collectors/event_collector.h"
#include "collectors/mpi/mpi_record.h"
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
    writer_.begin_wide(clock_->now(), record_words::thread_path(identity_.thread, identity_.path),
                       call.word3(identity_.point), call.word5(), call.word6(), call.word7());
  }
  /// `call` may say more than at the beginning: the source of a message, its bytes, the error.
  void end(const MpiCallRecord& call) noexcept {
    writer_.end(clock_->now(), call.word5(), call.word6(), call.word7());
  }

 private:
  TraceWriter writer_;
  CollectorIdentity identity_;
  const RecordedThread* thread_;
  const Clock* clock_;
};

}  // namespace eventspace
