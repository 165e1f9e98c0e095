#include "collectors/event_collector.h"

#include <cstddef>
#include <new>
#include <utility>

#include "collectors/line_pool.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace eventspace {
namespace {

// The sources of stamps. They are chosen once, by type: a branch for each stamp, and the function call on one
// side of it, would cost a tenth of the whole recording.
#if defined(__x86_64__)
struct PlainCounter {
  static std::uint64_t start() noexcept { return __rdtsc(); }
  static std::uint64_t end() noexcept { return __rdtsc(); }
};
// rdtscp waits until all instructions before it have been executed; the lfence keeps the operation's
// instructions from starting before the counter has been read.
struct OrderedCounter {
  static std::uint64_t start() noexcept {
    const std::uint64_t ticks = end();
    _mm_lfence();
    return ticks;
  }
  static std::uint64_t end() noexcept {
    unsigned int processor = 0;
    return __rdtscp(&processor);
  }
};
#endif
struct Monotonic {
  static std::uint64_t start() noexcept { return Clock::monotonic_now(); }
  static std::uint64_t end() noexcept { return Clock::monotonic_now(); }
};

// How the two halves of a record are written. Chosen by type, like the stamps.
struct OwnWriter {
  TraceWriter writer;
  void begin(std::uint64_t start, std::uint64_t thread_path, std::uint64_t what) noexcept {
    writer.begin(start, thread_path, what);
  }
  void end(std::uint64_t /*thread_path*/, std::uint64_t end, std::uint64_t outcome, std::uint64_t parameter,
           std::uint64_t virtual_time) noexcept {
    writer.end(end, outcome, parameter, virtual_time);
  }
};
// Another collector of the thread may have recorded a whole operation since begin(), and so have taken the
// slot. Hence end() writes both halves; the first one only shows the operation in flight.
struct SharedWriter {
  TraceWriter* writer;
  std::uint64_t start{0};
  std::uint64_t what{0};
  void begin(std::uint64_t now, std::uint64_t thread_path, std::uint64_t of) noexcept {
    start = now;
    what = of;
    writer->begin(start, thread_path, what);
  }
  void end(std::uint64_t thread_path, std::uint64_t end, std::uint64_t outcome, std::uint64_t parameter,
           std::uint64_t virtual_time) noexcept {
    writer->begin(start, thread_path, what);
    writer->end(end, outcome, parameter, virtual_time);
  }
};

// The whole collector is one cache line. An application with many paths evicts it between two operations on
// the path, so each further line would be another miss. Nothing else lies on that line: two threads'
// collectors on one line would slow each other down. The collectors that one thread makes lie side by side
// (line_pool.h).
template <class Stamps, class Writer>
class alignas(64) EventCollector final : public Wrapper {
 public:
  EventCollector(std::unique_ptr<Stage> next, Writer writer, CollectorIdentity identity,
                 const RecordedThread& thread) noexcept
      : Wrapper(std::move(next)),
        writer_(writer),
        thread_(&thread),
        thread_path_(record_words::thread_path(identity.thread, identity.path)),
        peer_(identity.peer),
        point_(identity.point) {}

  static void* operator new(std::size_t /*bytes*/, std::align_val_t /*alignment*/) { return take_line(); }
  static void operator delete(void* line, std::align_val_t /*alignment*/) noexcept { give_line_back(line); }

  void begin(Operation& operation) override {
    // Remembered until finish(), so that a switch in between leaves no start half without its end.
    recording_ = records(operation);
    if (recording_) record_start(operation);
    next().begin(operation);
  }

  void finish(Operation& operation) override {
    if (!recording_) return next().finish(operation);
    try {
      next().finish(operation);
    } catch (...) {
      record_failure(operation);
      throw;
    }
    record_end(operation);
  }

  void call(Operation& operation) override {
    if (!records(operation)) return next().call(operation);
    record_start(operation);
    try {
      next().call(operation);
    } catch (...) {
      record_failure(operation);
      throw;
    }
    record_end(operation);
  }

 private:
  [[nodiscard]] bool records(const Operation& operation) const noexcept {
    return thread_->records(operation_kind, static_cast<std::uint8_t>(operation.verb));
  }

  void record_start(const Operation& operation) noexcept {
    writer_.begin(Stamps::start(), thread_path_,
                  record_words::what(operation.verb, operation.from, point_, peer_));
  }

  void record_end(const Operation& operation) noexcept {
    const std::uint64_t end = Stamps::end();
    const auto bytes = static_cast<std::uint32_t>(operation.tuple.encoded_size());
    writer_.end(thread_path_, end, record_words::outcome(bytes, operation.status, operation.missed),
                operation.sequence, thread_->virtual_time);
  }

  // Without it a thread would seem to be stuck in the operation until its next one on this path. In the cold
  // section, away from the instructions of operations without a fault.
  [[gnu::cold, gnu::noinline]] void record_failure(Operation& operation) noexcept {
    operation.status = Status::refused;
    record_end(operation);
  }

  Writer writer_;
  const RecordedThread* thread_;
  std::uint64_t thread_path_;
  std::uint32_t peer_;
  std::uint16_t point_;
  bool recording_{false};
};

template <class Writer>
std::unique_ptr<Stage> make_with(Writer writer, std::unique_ptr<Stage> next, CollectorIdentity identity,
                                 const RecordedThread& thread, const Clock& clock,
                                 [[maybe_unused]] StampOrder stamps) {
  const auto make = [&]<class Stamps>(Stamps) -> std::unique_ptr<Stage> {
    static_assert(sizeof(EventCollector<Stamps, Writer>) == 64);
    return std::make_unique<EventCollector<Stamps, Writer>>(std::move(next), writer, identity, thread);
  };
#if defined(__x86_64__)
  if (clock.uses_tsc()) {
    return stamps == StampOrder::plain ? make(PlainCounter{}) : make(OrderedCounter{});
  }
#endif
  return make(Monotonic{});
}

}  // namespace

std::unique_ptr<Stage> make_event_collector(std::unique_ptr<Stage> next, TraceWriter writer,
                                            CollectorIdentity identity, const RecordedThread& thread,
                                            const Clock& clock, StampOrder stamps) {
  return make_with(OwnWriter{writer}, std::move(next), identity, thread, clock, stamps);
}

std::unique_ptr<Stage> make_sharing_event_collector(std::unique_ptr<Stage> next, TraceWriter& writer,
                                                    CollectorIdentity identity, const RecordedThread& thread,
                                                    const Clock& clock, StampOrder stamps) {
  return make_with(SharedWriter{&writer}, std::move(next), identity, thread, clock, stamps);
}

}  // namespace eventspace
