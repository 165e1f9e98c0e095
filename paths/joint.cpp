#include "paths/joint.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "tuplespace/parker.h"

namespace eventspace {

/// What one child has at the joint.
struct Joint::Place {
  bool member{false};   // has contributed since the joint began anew
  bool arrived{false};  // its operation is under way
  bool done{false};     // its outcome is below and has to be fetched
  Tuple tuple;          // what it contributed, then what it gets
  Deadline deadline{Deadline::never()};
  std::size_t most_bytes{SIZE_MAX};
  Clock::time_point since;
  Status status{Status::ok};
  std::uint64_t sequence{0};
  std::string reason;
  Waker* waker{nullptr};    // told when it is done
  Parker* parker{nullptr};  // of its thread, which sleeps
};

/// Threads to unpark after the unlock, so that they do not run into it.
class Joint::Woken {
 public:
  Woken() = default;
  Woken(const Woken&) = delete;
  Woken& operator=(const Woken&) = delete;
  ~Woken() { unpark_all(); }

  void add(Place& place) {
    if (Waker* const waker = std::exchange(place.waker, nullptr)) waker->wake();
    if (Parker* const parker = std::exchange(place.parker, nullptr)) parkers_.push_back(parker);
  }
  void unpark_all() noexcept {
    for (Parker* const parker : parkers_) parker->unpark();
    parkers_.clear();
  }

 private:
  std::vector<Parker*> parkers_;
};

/// Told by what is above; takes the joint's lock, which nobody holds who calls what is above.
class Joint::UplinkWaker final : public Waker {
 public:
  explicit UplinkWaker(Joint& joint) noexcept : joint_(&joint) {}
  void wake() noexcept override { joint_->wake_for_uplink(); }

 private:
  Joint* joint_;
};

namespace {

constexpr std::chrono::milliseconds between_looks{1};  // of those who neither wait nor have a loop
constexpr std::size_t most_names = 8;

void conclude(Operation& operation, Status status, std::string reason) {
  operation.status = status;
  operation.reason = std::move(reason);
}

}  // namespace

Joint::Joint(JointConfig config, std::optional<Uplink> uplink)
    : rule_(std::move(config)),
      uplink_(std::move(uplink)),
      waker_(std::make_unique<UplinkWaker>(*this)),
      places_(rule_.config().children.size()) {}

Joint::~Joint() = default;

// --- the children -------------------------------------------------------------------------------------

void Joint::begin(std::size_t child, Operation& operation) {
  Woken woken;
  Lock lock(mutex_);
  arrive(child, operation, woken);
  if (arrived_ == places_.size()) pass_on(lock, woken);
  if (to_be_told_ && !driven_) tell_above(lock, woken);
  if (!belongs_to_loop()) nudge(woken);
}

void Joint::call(std::size_t child, Operation& operation) {
  {
    Woken woken;
    Lock lock(mutex_);
    arrive(child, operation, woken);
    if (arrived_ == places_.size()) pass_on(lock, woken);
    if (to_be_told_ && !driven_) tell_above(lock, woken);
    if (fetch(child, operation)) return;
  }
  finish(child, operation);
}

bool Joint::ready(std::size_t child, Operation& operation) {
  if (operation.status != Status::under_way) return true;
  Woken woken;
  Lock lock(mutex_);
  Place& place = places_[child];
  if (!place.done && is_to_be_driven() && !belongs_to_loop()) go_on(lock, woken, false);
  const bool late = operation.deadline.passed();
  if (!place.done && late && !passing_) give_up(child, woken);
  if (to_be_told_ && !driven_) tell_above(lock, woken);
  if (fetch(child, operation)) return true;
  place.waker = operation.waker;
  operation.look_again = late ? Deadline::never() : operation.deadline;
  if (passing_ && !belongs_to_loop())
    operation.look_again = earlier(operation.look_again, Deadline::after(between_looks));
  return false;
}

void Joint::finish(std::size_t child, Operation& operation) {
  if (operation.status != Status::under_way) return;
  Woken woken;
  Lock lock(mutex_);
  wait(lock, child, operation.deadline);
  if (!places_[child].done) give_up(child, woken);
  if (to_be_told_ && !driven_) tell_above(lock, woken);
  fetch(child, operation);
}

void Joint::break_off(std::size_t child, std::string_view why) {
  Woken woken;
  Lock lock(mutex_);
  if (!std::exchange(places_[child].member, true)) ++members_;
  const JointChild& who = config().children[child];
  break_up(who.is_joint ? std::string(why) : fmt::format("{}: {}", who.name, why), woken);
  if (to_be_told_ && !driven_) tell_above(lock, woken);
}

void Joint::leave(std::size_t child) {
  Woken woken;
  Lock lock(mutex_);
  if (!std::exchange(places_[child].member, false)) return;
  --members_;
  break_up(fmt::format("{} has left or was lost at {}{}", config().children[child].name, at_operation(),
                       missing()),
           woken);
  if (to_be_told_ && !driven_) tell_above(lock, woken);
  renew_if_empty(lock);
}

void Joint::close() {
  Woken woken;
  Lock lock(mutex_);
  closed_ = true;
  break_up("the session was closed", woken);
  if (to_be_told_ && !driven_) tell_above(lock, woken);
}

void Joint::arrive(std::size_t child, Operation& operation, Woken& woken) {
  operation.status = Status::under_way;
  operation.missed = 0;
  if (operation.verb != Verb::exchange)
    return conclude(
        operation, Status::refused,
        fmt::format("joint {} does exchanges only, and no {}", config().name, to_string(operation.verb)));
  Place& place = places_[child];
  if (!std::exchange(place.member, true)) ++members_;
  operation.sequence = completed_ + 1;
  if (broken_) return conclude(operation, Status::closed, *broken_);
  if (std::string fault = rule_.fault_of(child, operation.tuple); !fault.empty()) {
    break_up(fmt::format("what {} contributed to {} was refused: {}", config().children[child].name,
                         at_operation(), fault),
             woken);
    return conclude(operation, Status::refused, std::move(fault));
  }
  place.arrived = true;
  place.done = false;
  place.tuple = operation.tuple;
  place.deadline = operation.deadline;
  place.most_bytes = operation.most_bytes;
  place.since = Clock::now();
  ++arrived_;
}

bool Joint::fetch(std::size_t child, Operation& operation) {
  if (operation.status != Status::under_way) return true;
  Place& place = places_[child];
  if (!place.done) return false;
  place.done = false;
  place.waker = nullptr;
  operation.sequence = place.sequence;
  if (place.status == Status::ok) operation.tuple = std::move(place.tuple);
  place.tuple = {};
  conclude(operation, place.status, std::move(place.reason));
  return true;
}

/// Until the child's outcome is there, or its deadline has passed. Once all have come, what is above decides:
/// its word comes soon after the earliest of their deadlines.
void Joint::wait(Lock& lock, std::size_t child, Deadline deadline) {
  Place& place = places_[child];
  while (!place.done && !belongs_to_loop()) {
    if (is_to_be_driven()) {
      Woken woken;
      go_on(lock, woken, true);
      lock.unlock();
      woken.unpark_all();
      lock.lock();
      continue;
    }
    if (!passing_ && deadline.passed()) return;
    Parker parker;
    place.parker = &parker;
    const Deadline until = passing_ ? Deadline::never() : deadline;
    lock.unlock();
    const bool unparked = parker.park_until(until);
    lock.lock();
    if (unparked || std::exchange(place.parker, nullptr) == &parker) continue;
    // Whoever took it has its address, and is about to unpark it.
    lock.unlock();
    parker.park();
    lock.lock();
  }
}

/// Gets one of those who sleep to go on with what is under way to the joint above.
void Joint::nudge(Woken& woken) {
  if (!is_to_be_driven()) return;
  const auto sleeper = std::ranges::find_if(places_, [](const Place& p) { return p.parker != nullptr; });
  if (sleeper != places_.end()) woken.add(*sleeper);
}

void Joint::give_up(std::size_t child, Woken& woken) {
  Place& place = places_[child];
  const double seconds = std::chrono::duration<double>(Clock::now() - place.since).count();
  place.deadline = Deadline::now();
  break_up(fmt::format("{} gave up after {:.3g} s at {}{}", config().children[child].name, seconds,
                       at_operation(), missing()),
           woken);
}

// --- all together -------------------------------------------------------------------------------------

void Joint::pass_on(Lock& lock, Woken& woken) {
  std::vector<Tuple> contributions;
  contributions.reserve(places_.size());
  for (Place& place : places_) contributions.push_back(std::move(place.tuple));
  Tuple joined;
  try {
    joined = rule_.join(contributions);
  } catch (const std::exception& error) {
    return break_up(
        fmt::format("at {}, joint {} could not join: {}", at_operation(), config().name, error.what()),
        woken);
  }
  uplink_ ? pass_up(lock, std::move(joined), woken) : hand_down(completed_ + 1, joined, woken);
}

void Joint::hand_down(std::uint64_t number, const Tuple& down, Woken& woken) {
  std::vector<Tuple> parts;
  try {
    parts = rule_.part(down);
  } catch (const std::exception& error) {
    return break_up(fmt::format("at {}: {}", at_operation(), error.what()), woken);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].encoded_size() <= places_[i].most_bytes) continue;
    return break_up(
        fmt::format("what {} would get of {} has {} bytes; no reply of more than {} bytes can be sent to it",
                    config().children[i].name, at_operation(), parts[i].encoded_size(),
                    places_[i].most_bytes),
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
  to_be_told_ = uplink_.has_value();
}

/// What comes next comes from new children, and as a new child of the joint above.
void Joint::renew_if_empty(Lock& lock) {
  if (members_ > 0 || closed_ || driven_ || to_be_told_) return;
  if (std::unique_ptr<Stage> above = std::move(above_)) {
    driven_ = true;
    lock.unlock();
    above.reset();
    lock.lock();
    driven_ = false;
  }
  if (members_ > 0) return;  // one that was too early: it hears that this is broken, until it leaves
  broken_.reset();
  completed_ = 0;
}

std::string Joint::at_operation() const { return fmt::format("operation {}", completed_ + 1); }

/// "; still missing: t7, t9", of those who have not come.
std::string Joint::missing() const {
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < places_.size() && arrived_ < places_.size(); ++i) {
    if (places_[i].arrived || ++count > most_names) continue;
    text += (text.empty() ? "; still missing: " : ", ") + config().children[i].name;
  }
  return count > most_names ? text + fmt::format(" and {} more", count - most_names) : text;
}

// --- the joint above ----------------------------------------------------------------------------------

void Joint::pass_up(Lock& lock, Tuple joined, Woken& woken) {
  up_ = Operation();
  up_.verb = Verb::exchange;
  up_.tuple = std::move(joined);
  for (const Place& place : places_) up_.deadline = earlier(up_.deadline, place.deadline);
  up_.waker = waker_.get();
  overdue_ = up_.deadline.is_never() ? up_.deadline : Deadline::after(up_.deadline.left() + uplink_->grace);
  passing_ = driven_ = true;
  lock.unlock();
  std::string failure;
  try {
    if (!above_) above_ = uplink_->make();
    above_->begin(up_);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  lock.lock();
  driven_ = false;
  if (!failure.empty()) {
    passing_ = false;
    break_up(std::move(failure), woken);
  }
  if (passing_ && belongs_to_loop()) uplink_->call_loop();
}

/// Uses the path up; `wait`: until it has an outcome, which it has soon after the deadline.
void Joint::go_on(Lock& lock, Woken& woken, bool wait) {
  driven_ = true;
  lock.unlock();
  const bool finished = wait || above_->ready(up_);
  if (finished) above_->finish(up_);
  lock.lock();
  driven_ = false;
  if (finished) {
    passing_ = false;
    if (!broken_) hear_from_above(woken);
  }
  if (to_be_told_) return tell_above(lock, woken);
  if (!belongs_to_loop()) nudge(woken);
}

void Joint::hear_from_above(Woken& woken) {
  if (up_.status == Status::ok) return hand_down(up_.sequence, up_.tuple, woken);
  break_up(up_.reason.empty() ? fmt::format("the joint above {} ended {} as {}", config().name,
                                            at_operation(), to_string(up_.status))
                              : up_.reason,
           woken);
}

/// Tells the joint above that this one is broken.
void Joint::tell_above(Lock& lock, Woken& woken) {
  const std::string why = *broken_;
  const bool passing = passing_;
  to_be_told_ = false;
  driven_ = true;
  lock.unlock();
  woken.unpark_all();
  try {
    if (!above_) above_ = uplink_->make();
    above_->break_off(why);
    if (passing) {
      up_.deadline = Deadline::now();
      above_->finish(up_);
    }
    if (uplink_->flush) uplink_->flush();
  } catch (const std::exception&) {  // there is no way up: nobody to tell
    above_.reset();
  }
  lock.lock();
  driven_ = passing_ = false;
  renew_if_empty(lock);
}

void Joint::wake_for_uplink() {
  if (belongs_to_loop()) return uplink_->call_loop();
  Woken woken;
  const std::lock_guard lock(mutex_);
  nudge(woken);
  for (Place& place : places_) {
    if (place.arrived && place.waker != nullptr) std::exchange(place.waker, nullptr)->wake();
  }
}

void Joint::drive() {
  Woken woken;
  Lock lock(mutex_);
  if (is_to_be_driven()) go_on(lock, woken, overdue_.passed());
}

Deadline Joint::due() {
  const std::lock_guard lock(mutex_);
  return is_to_be_driven() ? earlier(overdue_, up_.look_again) : Deadline::never();
}

void Joint::end() {
  Woken woken;
  Lock lock(mutex_);
  break_up("the server has ended", woken);
  if (to_be_told_ && !driven_) tell_above(lock, woken);
  lock.unlock();
  above_.reset();
}

}  // namespace eventspace
