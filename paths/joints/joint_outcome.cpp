#include <fmt/format.h>

#include <exception>
#include <utility>

#include "paths/joints/joint_places.h"

// The outcome of an operation: its contributions are joined and handed down, or the collective is broken.

namespace eventspace {
namespace {

constexpr std::size_t max_names = 8;

}  // namespace

void Joint::pass_on(Lock& lock, Woken& woken) {
  std::vector<Tuple> contributions;
  contributions.reserve(places_.size());
  for (Place& place : places_) contributions.push_back(std::move(place.tuple));
  Tuple joined;
  try {
    joined = rule_.join(contributions);
  } catch (const std::exception& error) {
    return break_up(fmt::format("{}: joint {} failed to join the contributions: {}", at_operation(),
                                config().name, error.what()),
                    woken);
  }
  uplink_ ? pass_up(lock, std::move(joined), woken) : hand_down(completed_ + 1, joined, woken);
}

void Joint::hand_down(std::uint64_t number, const Tuple& down, Woken& woken) {
  std::vector<Tuple> parts;
  try {
    parts = rule_.part(down);
  } catch (const std::exception& error) {
    return break_up(fmt::format("{}: {}", at_operation(), error.what()), woken);
  }
  // All sizes are checked before the first result is handed down: either all children get their results or
  // none does.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].encoded_size() <= places_[i].max_bytes) continue;
    return break_up(
        fmt::format("the result of {} for {} has {} bytes; it can receive {} bytes at most", at_operation(),
                    config().children[i].name, parts[i].encoded_size(), places_[i].max_bytes),
        woken);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Place& place = places_[i];
    place.arrived = false;
    place.done = true;
    place.status = Status::ok;
    place.tuple = std::move(parts[i]);
    place.sequence = number;
    place.reason.clear();
    woken.add(place);
  }
  arrived_ = 0;
  completed_ = number;
}

void Joint::break_up(std::string why, Woken& woken) {
  if (broken_) return;
  broken_ = std::move(why);
  for (Place& place : places_) {
    if (!std::exchange(place.arrived, false)) continue;
    place.done = true;
    place.status = place.deadline.passed() ? Status::timed_out : Status::closed;
    place.tuple = {};
    place.sequence = completed_ + 1;
    place.reason = *broken_;
    woken.add(place);
  }
  arrived_ = 0;
  must_notify_above_ = uplink_.has_value();
}

/// Prepares a new collective after the last member of the old one has left. The path up is also destroyed, so
/// that this joint leaves the joint above and comes back as a new child.
void Joint::renew_if_empty(Lock& lock) {
  if (members_ > 0 || closed_ || driven_ || must_notify_above_) return;
  if (std::unique_ptr<Stage> above = std::move(above_)) {
    driven_ = true;
    lock.unlock();
    above.reset();
    lock.lock();
    driven_ = false;
  }
  if (members_ > 0) return;  // a child has arrived: it gets the old reason, and must leave first
  broken_.reset();
  completed_ = 0;
}

std::string Joint::at_operation() const { return fmt::format("operation {}", completed_ + 1); }

/// "; still missing: t7, t9", the children that have not arrived; empty if all have.
std::string Joint::missing() const {
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < places_.size() && arrived_ < places_.size(); ++i) {
    if (places_[i].arrived || ++count > max_names) continue;
    text += (text.empty() ? "; still missing: " : ", ") + config().children[i].name;
  }
  return count > max_names ? text + fmt::format(" and {} more", count - max_names) : text;
}

}  // namespace eventspace
