#include "tuplespace/trace/growing_traces.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace eventspace {
namespace {

/// A thread in the segment.
struct Added {
  std::uint32_t number{0};
  std::size_t index{0};
};

/// A free trace element, which another thread may get.
struct Free {
  std::size_t index{0};  // in the segment
  std::uint32_t path{0};
  std::uint32_t threshold{0};
  Added thread;  // the last thread that had it
};

struct Spare {
  std::size_t thread{0};  // index in the segment
  std::size_t trace{0};   // likewise
  std::uint32_t number{0};
  bool is_taken{false};
  std::int32_t shared_by{0};           // the id of the thread whose recorders share it
  std::weak_ptr<const void> shared{};  // held by each of these recorders
  TraceWriter writer{};                // of these recorders
};

}  // namespace

// Trace elements come back with a thread's last recorder, even after the segment and the session are gone.
// Hence the pool is not a part of GrowingTraces.
struct GrowingTraces::Pool {
  const pid_t owner{::getpid()};
  std::mutex mutex;           // guards the members below
  std::vector<Free> free;     // in order of the ends of their threads
  std::size_t handed_out{0};  // trace elements that come back to `free`; it has room for all of them
  std::deque<Spare> spares;   // never moved: shared writers are used without the lock
  std::map<std::uint32_t, std::size_t> threads;  // added threads: indices in the segment, by number
};

/// Place::hold. Its destructor gives back the trace element.
struct GrowingTraces::Ticket {
  Ticket(std::shared_ptr<Pool> from, std::shared_ptr<const void> kept)
      : pool(std::move(from)), memory(std::move(kept)) {}
  // Does not allocate: a thread may end when there is no memory left. In a forked child, the lock may be held
  // by a thread that does not exist.
  ~Ticket() {
    if (pool->owner != ::getpid()) return;
    const std::lock_guard lock(pool->mutex);
    if (spare != nullptr) spare->is_taken = false;
    if (!owned) return;
    --pool->handed_out;
    pool->free.push_back(*owned);
  }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  std::shared_ptr<Pool> pool;
  std::shared_ptr<const void> memory;
  std::optional<Free> owned;
  Spare* spare{nullptr};
};

GrowingTraces::GrowingTraces(Segment& segment, const Config& config)
    : segment_(&segment), config_(config), pool_(std::make_shared<Pool>()) {
  for (const std::uint32_t number : config_.spares) {
    const std::string name = fmt::format("{}{}", config_.spare_name, pool_->spares.size() + 1);
    const std::array spec{TraceSpec{name, number, number, number, 0, config_.spare_threshold}};
    // Name first: a name without a thread is harmless to readers, but a thread without a name is not.
    if (!segment_->add_name({config_.thread_names, number, name})) continue;
    const auto thread = segment_->add_thread(number, 0);
    const auto trace = thread ? segment_->add_traces(spec) : std::nullopt;
    if (trace) pool_->spares.push_back({.thread = *thread, .trace = *trace, .number = number});
  }
}

GrowingTraces::~GrowingTraces() = default;

std::optional<GrowingTraces::Place> GrowingTraces::writer_for(const Thread& thread,
                                                              const Recorder& recorder) {
  const auto known = identify(thread);
  const auto number = known ? std::optional(known->number) : std::nullopt;
  const auto threshold = recorder.threshold;
  std::optional<Place> place;
  if (known && !thread.is_planned) place = given_away(*known, threshold, config_.kept_after_end);
  if (known && !place) place = added(thread, *known, recorder);
  if (known && !place && !thread.is_planned) place = given_away(*known, threshold, 0);
  if (!known && !thread.is_planned) place = continued(thread.tid, threshold);
  if (!place) place = spare(thread, number, recorder);
  if (!place) segment_->count_unrecorded();
  return place;
}

// Returns the thread as its records show it; nullopt if it cannot be added.
std::optional<GrowingTraces::Known> GrowingTraces::identify(const Thread& thread) {
  if (!thread.number) return std::nullopt;
  if (thread.is_planned) return Known{*thread.number, 0};
  {
    const std::lock_guard lock(pool_->mutex);
    if (const auto found = pool_->threads.find(*thread.number); found != pool_->threads.end())
      return Known{found->first, found->second};
  }
  if (!segment_->add_name({config_.thread_names, *thread.number, thread.name})) return std::nullopt;
  const auto index = segment_->add_thread(*thread.number, thread.tid);
  if (!index) return std::nullopt;
  const std::lock_guard lock(pool_->mutex);
  pool_->threads.emplace(*thread.number, *index);
  return Known{*thread.number, *index};
}

std::optional<GrowingTraces::Place> GrowingTraces::added(const Thread& thread, const Known& known,
                                                         const Recorder& recorder) {
  if (!recorder.number) return std::nullopt;
  const std::array spec{
      TraceSpec{recorder.name, *recorder.number, *recorder.number, known.number, 0, recorder.threshold}};
  const auto index = segment_->add_traces(spec);
  if (!index) return std::nullopt;
  auto ticket = std::make_shared<Ticket>(pool_, segment_->memory());
  if (!thread.is_planned) {
    const std::lock_guard lock(pool_->mutex);
    pool_->free.reserve(pool_->free.size() + pool_->handed_out + 1);
    ++pool_->handed_out;
    ticket->owned = Free{*index, *recorder.number, recorder.threshold, {known.number, known.index}};
  }
  return Place{segment_->writer(*index), nullptr, known.number, *recorder.number, *index, false,
               std::move(ticket)};
}

// Returns the place of the thread that ended first, if more than `kept` have ended.
std::optional<GrowingTraces::Place> GrowingTraces::given_away(const Known& to, std::uint32_t threshold,
                                                              std::size_t kept) {
  return reused(threshold, kept, [&](Free& free) { free.thread = {to.number, to.index}; });
}

// Returns the place of the thread that ended first, which the calling thread continues: nothing is added.
std::optional<GrowingTraces::Place> GrowingTraces::continued(std::int32_t tid, std::uint32_t threshold) {
  return reused(threshold, 0, [&](Free& free) { segment_->bind_thread(free.thread.index, tid); });
}

template <class TakeOver>
std::optional<GrowingTraces::Place> GrowingTraces::reused(std::uint32_t threshold, std::size_t kept,
                                                          TakeOver take_over) {
  auto ticket = std::make_shared<Ticket>(pool_, segment_->memory());  // before the lock, which it takes
  const std::lock_guard lock(pool_->mutex);
  if (pool_->free.size() <= kept) return std::nullopt;
  const auto found = std::ranges::find(pool_->free, threshold, &Free::threshold);
  if (found == pool_->free.end()) return std::nullopt;
  ticket->owned = *found;
  pool_->free.erase(found);
  ++pool_->handed_out;
  const Free& owned = *ticket->owned;
  take_over(*ticket->owned);
  return Place{segment_->writer(owned.index),
               nullptr,
               owned.thread.number,
               owned.path,
               owned.index,
               false,
               std::move(ticket)};
}

std::optional<GrowingTraces::Place> GrowingTraces::spare(const Thread& thread,
                                                         std::optional<std::uint32_t> number,
                                                         const Recorder& recorder) {
  auto ticket = std::make_shared<Ticket>(pool_, segment_->memory());  // before the lock, which it takes
  const std::lock_guard lock(pool_->mutex);
  // A thread that cannot be added records as the spare's thread.
  const auto in = [&](const Spare& spare) {
    return Place{{}, nullptr, number.value_or(spare.number), spare.number, spare.trace, true, {}};
  };
  const auto share = [&](Spare& spare, std::shared_ptr<const void> hold) {
    Place place = in(spare);
    place.shared = &spare.writer;
    place.path = recorder.number.value_or(spare.number);
    place.hold = std::move(hold);
    return place;
  };
  for (Spare& spare : pool_->spares) {
    if (!recorder.shares || spare.shared_by != thread.tid) continue;
    if (auto hold = spare.shared.lock()) return share(spare, std::move(hold));
  }
  const auto found = std::ranges::find(pool_->spares, false, &Spare::is_taken);
  if (found == pool_->spares.end()) return std::nullopt;
  Spare& spare = *found;
  spare.is_taken = true;
  ticket->spare = &spare;
  if (!number) segment_->bind_thread(spare.thread, thread.tid);
  if (!recorder.shares) {
    Place place = in(spare);
    place.writer = segment_->writer(spare.trace);
    place.hold = std::move(ticket);
    return place;
  }
  spare.shared_by = thread.tid;
  spare.shared = ticket;
  spare.writer = segment_->writer(spare.trace);
  return share(spare, std::move(ticket));
}

}  // namespace eventspace
