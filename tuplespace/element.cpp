#include "tuplespace/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/parker.h"

namespace eventspace {
namespace {

ElementConfig checked(ElementConfig config) {
  const std::size_t fields = config.signature.fields().size();
  if (config.threshold == 0)
    throw ConfigurationError(fmt::format("element '{}': threshold 0; it must be 1 or more", config.name));
  const bool has_none = fields == 0 && !config.adopts_signature;
  if (has_none || fields > Signature::max_fields)
    throw ConfigurationError(fmt::format("element '{}': a signature of {} fields; allowed are 1 to {}",
                                         config.name, fields, Signature::max_fields));
  return config;
}

bool finish(Operation& operation, Status status) noexcept {
  operation.status = status;
  return true;
}

bool is_fetch(const Operation& operation) noexcept {
  return operation.verb == Verb::read || operation.verb == Verb::take;
}

}  // namespace

struct Element::Waiter {
  Operation& operation;
  Parker parker{};
  Waiter* next_woken{nullptr};
};

/// Collects waiting threads and wakes them in its destructor. It is declared before the lock, so that it is
/// destroyed after the unlock and no woken thread blocks on the mutex.
class Element::Woken {
 public:
  Woken() = default;
  Woken(const Woken&) = delete;
  Woken& operator=(const Woken&) = delete;

  ~Woken() {
    // A waiter lives on its thread's stack and may be gone as soon as it is unparked: next_woken is read
    // before.
    while (Waiter* const waiter = std::exchange(first_, first_ ? first_->next_woken : nullptr))
      waiter->parker.unpark();
  }

  void add(Waiter& waiter) noexcept {
    *last_ = &waiter;
    last_ = &waiter.next_woken;
  }

 private:
  Waiter* first_{nullptr};
  Waiter** last_{&first_};
};

Element::Element(ElementConfig config) : config_(checked(std::move(config))), signature_(config_.signature) {}

Element::~Element() { assert(waiting_for_tuple_.empty() && waiting_for_room_.empty() && "a thread waits"); }

void Element::perform(Operation& operation) {
  Waiter self{operation};
  {
    Woken woken;
    const std::lock_guard lock(mutex_);
    if (step(operation, woken)) return;
    if (operation.deadline.is_now()) {
      operation.status = is_fetch(operation) ? Status::empty : Status::full;
      return;
    }
    // Under the lock that step() failed under, so no change can go unnoticed in between.
    line_up(self);
  }
  wait_in_line(self);
}

void Element::attempt(Operation& operation) {
  Woken woken;
  const std::lock_guard lock(mutex_);
  if (step(operation, woken) || operation.waker == nullptr) return;
  // Still under the lock that step() failed under, so no change can go unnoticed in between.
  (is_fetch(operation) ? wakers_for_tuple_ : wakers_for_room_).add(*operation.waker);
}

void Element::forget(Waker& waker) {
  const std::lock_guard lock(mutex_);
  wakers_for_tuple_.remove(waker);
  wakers_for_room_.remove(waker);
}

void Element::close() {
  Woken woken;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  close_line(waiting_for_tuple_, woken);
  close_line(waiting_for_room_, woken);
  wakers_for_tuple_.wake_all();
  wakers_for_room_.wake_all();
}

Signature Element::signature() const {
  const std::lock_guard lock(mutex_);
  return signature_;
}

bool Element::adopt_signature(const Signature& asked) {
  Woken woken;
  const std::lock_guard lock(mutex_);
  const bool is_open = signature_.fields().empty() && asked.fields().size() <= Signature::max_fields;
  if (is_open && !asked.fields().empty()) {
    adopt(asked, woken);
    // This change does not bring a tuple: it wakes attempts of another type, which are refused now.
    wakers_for_tuple_.wake_all();
  }
  return signature_ == asked;
}

Element::Counts Element::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.kept = kept_.size();
  return counts;
}

bool Element::step(Operation& operation, Woken& woken) {
  operation.status = Status::under_way;
  operation.missed = 0;
  if (closed_) return finish(operation, Status::closed);
  if (!admissible(operation)) {
    ++counts_.refused;
    return finish(operation, Status::refused);
  }
  if (operation.verb == Verb::write) {
    if (signature_.fields().empty()) adopt(operation.tuple.signature(), woken);
    return step_write(operation, woken);
  }
  if (operation.verb == Verb::discard) return step_discard(operation, woken);
  return operation.from == From::at ? step_at(operation, woken) : step_fetch(operation, woken);
}

bool Element::admissible(const Operation& operation) const noexcept {
  const bool is_open = signature_.fields().empty();
  switch (operation.verb) {
    case Verb::write:
      return (is_open ? !operation.tuple.empty() : operation.tuple.has_signature(signature_)) &&
             operation.tuple.encoded().size() <= config_.max_tuple_bytes;
    case Verb::read:
    case Verb::take:
      return operation.match == nullptr || is_open || operation.match->has_signature(signature_);
    case Verb::discard:
      return true;
    case Verb::pull:
    case Verb::exchange:
      break;
  }
  return false;
}

// Threads that wait with a template of another type would never be served.
void Element::adopt(Signature signature, Woken& woken) {
  signature_ = std::move(signature);
  std::erase_if(waiting_for_tuple_, [&](Waiter* const waiter) {
    if (admissible(waiter->operation)) return false;
    ++counts_.refused;
    waiter->operation.status = Status::refused;
    woken.add(*waiter);
    return true;
  });
}

bool Element::step_write(Operation& operation, Woken& woken) {
  if (full() && config_.when_full == WhenFull::wait) return false;
  accept(operation, woken);
  return true;
}

bool Element::step_fetch(Operation& operation, Woken& woken) {
  const auto position = kept_.find(operation);
  if (!position) return false;
  fetch(operation, *position, woken);
  return true;
}

bool Element::step_at(Operation& operation, Woken& woken) {
  // A number that has not been written yet may still come.
  if (operation.sequence > counts_.written) return false;
  const auto position = kept_.find_number(operation.sequence);
  if (!position) return finish(operation, Status::gone);
  if (!selects(operation, kept_[*position].tuple)) return finish(operation, Status::empty);
  fetch(operation, *position, woken);
  return true;
}

bool Element::step_discard(Operation& operation, Woken& woken) {
  counts_.dropped += kept_.drop_through(operation.sequence);
  use_room(woken);
  return finish(operation, Status::ok);
}

void Element::accept(Operation& write, Woken& woken) {
  KeptTuple fresh{++counts_.written, write.tuple};
  write.sequence = fresh.sequence;
  write.status = Status::ok;
  // A tuple that a waiting thread takes never enters the element, so it discards no other.
  if (!offer(fresh, woken)) keep(std::move(fresh));
  // Even if the tuple was taken: an attempt From::at this number must find that it is gone.
  wakers_for_tuple_.wake_all();
}

/// Offers a new tuple to the waiting operations, up to the first that takes it. Returns whether one took it.
bool Element::offer(const KeptTuple& fresh, Woken& woken) {
  bool taken = false;
  for (auto next = waiting_for_tuple_.begin(); next != waiting_for_tuple_.end();) {
    Operation& operation = (*next)->operation;
    // Operations From::at are first in the queue, so all of them have been seen here; an operation that waits
    // for this number must find that it is gone.
    if (taken && operation.from != From::at) break;
    if (!offer_to(operation, fresh, taken)) {
      ++next;
      continue;
    }
    taken = taken || (operation.verb == Verb::take && operation.status == Status::ok);
    woken.add(**next);
    next = waiting_for_tuple_.erase(next);
  }
  return taken;
}

bool Element::offer_to(Operation& operation, const KeptTuple& fresh, bool taken) {
  if (operation.from == From::at) {
    if (operation.sequence != fresh.sequence) return false;
    if (taken) return finish(operation, Status::gone);
    if (!selects(operation, fresh.tuple)) return finish(operation, Status::empty);
  }
  if (operation.from == From::after && operation.sequence >= fresh.sequence) return false;
  if (!selects(operation, fresh.tuple)) return false;
  if (!refuse_if_too_large(operation, fresh)) deliver(operation, fresh);
  return true;
}

void Element::keep(KeptTuple fresh) {
  if (full()) {
    discards_.add(kept_.remove(0).sequence);
    ++counts_.discarded;
  }
  kept_.append(std::move(fresh));
}

void Element::fetch(Operation& operation, KeptTuples::Position position, Woken& woken) {
  if (refuse_if_too_large(operation, kept_[position])) return;
  if (operation.verb == Verb::read) return deliver(operation, kept_[position]);
  deliver(operation, kept_.remove(position));
  use_room(woken);
}

bool Element::refuse_if_too_large(Operation& operation, const KeptTuple& found) {
  const std::size_t bytes = found.tuple.encoded().size();
  if (bytes <= operation.max_bytes) return false;
  ++counts_.refused;
  operation.reason = text_of_too_large(found.sequence, bytes, operation.max_bytes);
  return finish(operation, Status::refused);
}

void Element::deliver(Operation& operation, KeptTuple found) {
  if (operation.from == From::after) operation.missed = discards_.count_after(operation.sequence);
  operation.tuple = std::move(found.tuple);
  operation.sequence = found.sequence;
  operation.status = Status::ok;
  if (operation.verb == Verb::take) ++counts_.taken;
}

void Element::use_room(Woken& woken) {
  while (!full() && !waiting_for_room_.empty()) {
    Waiter& writer = *waiting_for_room_.front();
    waiting_for_room_.pop_front();
    accept(writer.operation, woken);
    woken.add(writer);
  }
  if (!full()) wakers_for_room_.wake_all();
}

Element::Line& Element::line_of(const Operation& operation) noexcept {
  return is_fetch(operation) ? waiting_for_tuple_ : waiting_for_room_;
}

void Element::line_up(Waiter& waiter) {
  Line& line = line_of(waiter.operation);
  if (is_fetch(waiter.operation) && waiter.operation.from == From::at)
    line.push_front(&waiter);
  else
    line.push_back(&waiter);
}

void Element::wait_in_line(Waiter& waiter) {
  if (waiter.parker.park_until(waiter.operation.deadline)) return;
  // Another thread has removed the waiter from the line, holds its address and is about to unpark it: the
  // waiter has to stay until then.
  if (!withdraw(waiter)) return waiter.parker.park();
  waiter.operation.status = Status::timed_out;
}

bool Element::withdraw(Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  return std::erase(line_of(waiter.operation), &waiter) > 0;
}

void Element::close_line(Line& line, Woken& woken) {
  for (Waiter* const waiter : line) {
    waiter->operation.status = Status::closed;
    woken.add(*waiter);
  }
  line.clear();
}

}  // namespace eventspace
