#include "tuplespace/shared/shared_element.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuplespace/kept_tuples.h"
#include "tuplespace/shared/element_home.h"
#include "tuplespace/shared/shared_tuples.h"
#include "tuplespace/shared/signal_watch.h"

namespace eventspace {

using namespace shared_element;

namespace {

using std::chrono::milliseconds;

// How long a non-blocking operation waits for the lock: its holder may have lost its core for a moment.
constexpr milliseconds lock_grace{100};
constexpr milliseconds counting_patience{1000};

bool is_fetch(const Operation& operation) noexcept {
  return operation.verb == Verb::read || operation.verb == Verb::take;
}

Event awaited_by(const Operation& operation) noexcept {
  return is_fetch(operation) ? Event::tuple_came : Event::room_came;
}

void finish(Operation& operation, Status status, std::string reason = {}) {
  operation.status = status;
  operation.reason = std::move(reason);
}

constexpr const char* has_left = "the session was closed";

/// The effect on an operation when this process leaves the element.
enum class Leaving : std::uint8_t { ends_it, is_ignored };

/// Events, as bits of Control::awaited.
using Events = std::uint32_t;
constexpr Events none = 0;
constexpr Events tuple_came = static_cast<Events>(Event::tuple_came);
constexpr Events room_came = static_cast<Events>(Event::room_came);

}  // namespace

struct SharedElement::State {
  State(ElementConfig element_config, std::size_t room_bytes, std::byte* element_memory, ElementHome& at_home)
      : config(std::move(element_config)),
        geometry(config, room_bytes),
        largest(std::min(config.max_tuple_bytes, room_bytes)),
        memory(element_memory),
        head(*reinterpret_cast<Head*>(element_memory)),
        home(at_home) {}

  class Locked;

  enum class LockWait : std::uint8_t { none, in_time };

  void perform(Operation& operation, Leaving leaving);
  void write_last_words(const Operation& operation);
  std::optional<std::uint32_t> do_now(Operation& operation, LockWait wait, Leaving leaving);
  bool finish_if_ended(Operation& operation, Leaving leaving);
  [[nodiscard]] Ending how_ended() noexcept;
  void end(Ending ending) noexcept;
  [[nodiscard]] std::string why_ended(Ending ending) const;
  [[nodiscard]] RobustLock::Outcome lock(Deadline deadline, LockWait wait) noexcept;
  [[nodiscard]] Signal& signal(Event event) noexcept {
    return event == Event::tuple_came ? head.tuple_came : head.room_came;
  }
  [[nodiscard]] SignalWatch& watch_for(const Operation& operation) noexcept {
    return awaited_by(operation) == Event::tuple_came ? tuple_watch : room_watch;
  }

  // Called with the lock held. If the status stays Status::under_way, the operation has to wait.
  Events step(Operation& operation);
  static Events refuse(Operation& operation, SharedTuples& tuples, std::string reason);
  Events write(Operation& operation, SharedTuples& tuples) const;
  Events fetch(Operation& operation, SharedTuples& tuples) const;
  static Events discard(Operation& operation, SharedTuples& tuples);
  [[nodiscard]] std::string objection_to(const Operation& operation) const;

  const ElementConfig config;
  const Geometry geometry;
  const std::size_t largest;  // bytes of the largest tuple that is accepted
  std::byte* const memory;
  Head& head;
  ElementHome& home;
  SignalWatch tuple_watch{head.tuple_came};
  SignalWatch room_watch{head.room_came};
};

/// Holds the lock, unless it could not be locked in time (owns()). The destructor unlocks, and then signals
/// the changes that other threads wait for.
class SharedElement::State::Locked {
 public:
  Locked(State& element, Deadline deadline, LockWait wait)
      : element_(element), outcome_(element.lock(deadline, wait)) {
    if (outcome_ != RobustLock::Outcome::orphaned) return;
    SharedTuples::mend(element.memory, element.geometry);
    // The dead thread may have made any change without signalling it.
    made_ = tuple_came | room_came;
    awaited() = made_;
  }
  ~Locked() {
    if (!owns()) return;
    const Events raised = made_ & awaited();
    if (raised != none) awaited() &= ~raised;
    // Unlocked before the signal, so that the threads it wakes do not block on the lock. Because a holder may
    // be killed in between, sleepers check again after longest_sleep.
    element_.head.control.lock.unlock();
    if ((raised & tuple_came) != 0) raise(element_.head.tuple_came);
    if ((raised & room_came) != 0) raise(element_.head.room_came);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  [[nodiscard]] bool owns() const noexcept { return outcome_ != RobustLock::Outcome::timed_out; }
  void add(Events made) noexcept { made_ |= made; }
  /// Marks `event` as awaited and returns the count of its signal. Because both happen under the lock, a
  /// later change increments the count.
  std::uint32_t wait_for(Event event) noexcept {
    awaited() |= static_cast<Events>(event);
    return count_of(element_.signal(event));
  }

 private:
  std::uint32_t& awaited() noexcept { return element_.head.control.awaited; }

  State& element_;
  RobustLock::Outcome outcome_;
  Events made_{none};
};

// --- an operation ------------------------------------------------------------------------------------------

void SharedElement::perform(Operation& operation) {
  if (!state_->home.is_left()) return state_->perform(operation, Leaving::ends_it);
  finish(operation, Status::closed, has_left);
  if (operation.verb == Verb::write) state_->write_last_words(operation);
}

void SharedElement::State::perform(Operation& operation, Leaving leaving) {
  for (bool last = false;; last = operation.deadline.passed()) {
    const auto seen = do_now(operation, last ? LockWait::none : LockWait::in_time, leaving);
    if (operation.status != Status::under_way) return;
    // The last attempt comes after the deadline: a change that came just in time is still found.
    if (!seen || last) return finish(operation, Status::timed_out);
    if (operation.deadline.is_now())
      return finish(operation, is_fetch(operation) ? Status::empty : Status::full);
    if (finish_if_ended(operation, leaving)) return;
    await(signal(awaited_by(operation)), *seen, operation.deadline);
  }
}

void SharedElement::State::write_last_words(const Operation& operation) {
  // A copy, because the caller's operation already has its outcome, Status::closed.
  Operation write = operation;
  const Deadline soon = Deadline::after(longest_sleep);
  if (soon.time() < write.deadline.time()) write.deadline = soon;
  perform(write, Leaving::is_ignored);
}

void SharedElement::attempt(Operation& operation) {
  State& element = *state_;
  const auto seen = element.do_now(operation, State::LockWait::none, Leaving::ends_it);
  if (operation.status != Status::under_way || operation.waker == nullptr) return;
  // Without the lock the operation is not marked as awaited; the waker is called when the watch wakes up on
  // its own.
  const std::uint32_t count = seen.value_or(count_of(element.signal(awaited_by(operation))));
  if (element.finish_if_ended(operation, Leaving::ends_it)) return;
  element.watch_for(operation).add(*operation.waker, count);
}

void SharedElement::forget(Waker& waker) {
  state_->tuple_watch.remove(waker);
  state_->room_watch.remove(waker);
}

/// Tries the operation once. If it has to wait, leaves it under way and returns the count of the signal to
/// wait for; also leaves it under way, and returns nullopt, if the lock was not available.
std::optional<std::uint32_t> SharedElement::State::do_now(Operation& operation, LockWait wait,
                                                          Leaving leaving) {
  operation.status = Status::under_way;
  operation.missed = 0;
  if (finish_if_ended(operation, leaving)) return std::nullopt;
  try {
    Locked locked(*this, operation.deadline, wait);
    if (!locked.owns()) return std::nullopt;
    locked.add(step(operation));
    if (operation.status == Status::under_way) return locked.wait_for(awaited_by(operation));
  } catch (const Damage& damage) {
    end(Ending::damaged);
    finish(operation, Status::closed, fmt::format("{}: {}", why_ended(Ending::damaged), damage.what));
  }
  return std::nullopt;
}

/// Finishes the operation if the element has ended, or this process has left it. Returns whether it did. Call
/// after reading the count for which a thread is going to wait: the end raises the signal, so an earlier end
/// is already in the count and does not wake the thread.
bool SharedElement::State::finish_if_ended(Operation& operation, Leaving leaving) {
  if (const Ending ending = how_ended(); ending != Ending::open) {
    finish(operation, Status::closed, why_ended(ending));
    return true;
  }
  if (!home.is_left() || leaving == Leaving::is_ignored) return false;
  finish(operation, Status::closed, has_left);
  return true;
}

RobustLock::Outcome SharedElement::State::lock(Deadline deadline, LockWait wait) noexcept {
  // This attempt does not read the clock, and usually succeeds.
  const RobustLock::Outcome at_once = head.control.lock.lock(Deadline::now());
  if (at_once != RobustLock::Outcome::timed_out || wait == LockWait::none) return at_once;
  return head.control.lock.lock(deadline.passed() ? Deadline::after(lock_grace) : deadline);
}

// --- with the lock held ------------------------------------------------------------------------------------

Events SharedElement::State::step(Operation& operation) {
  SharedTuples tuples(memory, geometry, config.signature);
  if (std::string objection = objection_to(operation); !objection.empty()) {
    return refuse(operation, tuples, std::move(objection));
  }
  if (operation.verb == Verb::write) return write(operation, tuples);
  if (operation.verb == Verb::discard) return discard(operation, tuples);
  return fetch(operation, tuples);
}

Events SharedElement::State::refuse(Operation& operation, SharedTuples& tuples, std::string reason) {
  tuples.count_refusal();
  tuples.commit();
  finish(operation, Status::refused, std::move(reason));
  return none;
}

std::string SharedElement::State::objection_to(const Operation& operation) const {
  if (operation.verb == Verb::write) {
    const std::size_t size = operation.tuple.encoded().size();
    if (!operation.tuple.has_signature(config.signature))
      return fmt::format("element '{}' has type {}, the tuple {}", config.name, config.signature.to_string(),
                         operation.tuple.signature().to_string());
    if (size <= largest) return {};
    return fmt::format("a tuple of {} bytes; element '{}' takes at most {}", size, config.name, largest);
  }
  if (operation.verb != Verb::discard && !is_fetch(operation))
    return fmt::format("elements do not support '{}'", to_string(operation.verb));
  if (operation.match == nullptr || operation.match->has_signature(config.signature)) return {};
  return fmt::format("element '{}' has type {}, the template {}", config.name, config.signature.to_string(),
                     operation.match->signature().to_string());
}

Events SharedElement::State::write(Operation& operation, SharedTuples& tuples) const {
  const Bytes encoded = operation.tuple.encoded();
  if (config.when_full == WhenFull::wait && !tuples.has_room(encoded.size())) return none;
  while (!tuples.has_room(encoded.size())) tuples.discard_oldest();
  operation.sequence = tuples.append(encoded);
  tuples.commit();
  operation.status = Status::ok;
  return tuple_came;
}

Events SharedElement::State::fetch(Operation& operation, SharedTuples& tuples) const {
  const bool at = operation.from == From::at;
  if (at && operation.sequence > tuples.written()) return none;
  auto found = at ? tuples.find_number(operation.sequence) : tuples.find(operation);
  if (at && !found) operation.status = Status::gone;
  if (at && found && !selects(operation, found->tuple)) operation.status = Status::empty;
  if (!found || operation.status != Status::under_way) return none;
  if (const std::size_t bytes = found->tuple.encoded_size(); bytes > operation.max_bytes)
    return refuse(operation, tuples, text_of_too_large(found->sequence, bytes, operation.max_bytes));
  if (operation.from == From::after) operation.missed = tuples.discarded_after(operation.sequence);
  const bool takes = operation.verb == Verb::take;
  if (takes) {
    tuples.take(*found);
    tuples.commit();
  }
  operation.sequence = found->sequence;
  operation.tuple = std::move(found->tuple);
  operation.status = Status::ok;
  return takes ? room_came : none;
}

Events SharedElement::State::discard(Operation& operation, SharedTuples& tuples) {
  tuples.drop_through(operation.sequence);
  tuples.commit();
  operation.status = Status::ok;
  return room_came;
}

// --- the end -----------------------------------------------------------------------------------------------

Ending SharedElement::State::how_ended() noexcept {
  const Ending ending = head.control.ending.load(std::memory_order_acquire);
  if (ending != Ending::open || !home.has_ended()) return ending;
  end(Ending::orphaned);
  return Ending::orphaned;
}

void SharedElement::State::end(Ending ending) noexcept {
  Ending expected = Ending::open;
  // The first ending stays: it is the cause, and all processes report the same one.
  head.control.ending.compare_exchange_strong(expected, ending, std::memory_order_acq_rel);
  raise(head.tuple_came);
  raise(head.room_came);
}

std::string SharedElement::State::why_ended(Ending ending) const {
  if (ending == Ending::closed) return fmt::format("element '{}' was closed by {}", config.name, home.text());
  if (ending == Ending::orphaned)
    return fmt::format("{}, which hosts element '{}', is gone", home.text(), config.name);
  return fmt::format("the memory of element '{}' of {} is damaged", config.name, home.text());
}

// --- the object --------------------------------------------------------------------------------------------

std::size_t SharedElement::bytes(const ElementConfig& config, std::size_t room) noexcept {
  return Geometry(config, room).total;
}

SharedElement::SharedElement(ElementConfig config, std::size_t room, std::byte* memory, ElementHome& home)
    : state_(std::make_unique<State>(std::move(config), room, memory, home)) {}
SharedElement::~SharedElement() = default;
SharedElement::SharedElement(SharedElement&&) noexcept = default;

bool SharedElement::is_open() const noexcept { return state_->how_ended() == Ending::open; }

const ElementConfig& SharedElement::config() const noexcept { return state_->config; }
std::size_t SharedElement::room() const noexcept { return state_->geometry.room; }

void SharedElement::close() noexcept { state_->end(Ending::closed); }

void SharedElement::wake_all() noexcept {
  raise(state_->head.tuple_came);
  raise(state_->head.room_came);
}

Element::Counts SharedElement::counts() const {
  // The lock's word may name any thread as its holder, without end.
  const State::Locked locked(*state_, Deadline::after(counting_patience), State::LockWait::in_time);
  if (!locked.owns()) return {};
  try {
    return SharedTuples(state_->memory, state_->geometry, state_->config.signature).counts();
  } catch (const Damage&) {
    return {};
  }
}

}  // namespace eventspace
