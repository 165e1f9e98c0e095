#pragma once

#include <memory>
#include <string_view>

#include "paths/pushes.h"
#include "tuplespace/operation.h"

namespace eventspace {

/// One step of a path. A call is two-phase, so that one thread can have operations on many paths under
/// way at once: `begin` starts an operation and does not wait; `finish` completes it and waits until its
/// deadline at the longest.
///
///     begin(op)  ->  [ready(op) ...]  ->  finish(op)
///
/// 1. Each begin is followed by exactly one finish of the same operation, which stays where it is.
/// 2. A path carries one operation at a time.
/// 3. finish leaves operation.status with anything but Status::under_way.
/// 4. ready never waits; true says that finish would not either. While it is false and the operation has
///    a waker, the waker is told once when it is worth asking again; from operation.look_again on it is worth
///    that without being told.
/// 5. begin and ready may bring operation.deadline forward, to when there is nothing left to wait for.
///
/// Not thread-safe: one thread uses a path, or hands it over with a happens-before.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual void begin(Operation& operation) = 0;
  virtual bool ready(Operation& operation) = 0;
  virtual void finish(Operation& operation) = 0;

  /// Waits as finish would, but leaves what is not ready at the deadline under way: then it is false, and
  /// ready may come true later. A stage that always has something to finish with need not override it.
  virtual bool await(Operation& /*operation*/) { return true; }

  /// What the users of this path do together cannot go on, for the reason that `why` tells in a sentence; the
  /// one that says so stays one of them until it leaves. An operation under way ends, and still has to be
  /// finished; later ones end as closed. Only joints, and what leads to them, act on this and on leave.
  virtual void break_off(std::string_view /*why*/) {}
  /// The path has no user any more, until the next operation is begun.
  virtual void leave() {}

  /// Opens the way for messages that answer nothing, for a stage behind a server's target: `outlet` leads to
  /// the peer, and is valid until the stage is destroyed. Yields what takes the peer's messages, valid as
  /// long; null: the stage takes and sends none.
  virtual PushReceiver* open_pushes(PushOutlet& /*outlet*/) { return nullptr; }

  /// begin and finish. A stage that can do both at less cost overrides it.
  virtual void call(Operation& operation) {
    begin(operation);
    finish(operation);
  }

 protected:
  Stage() = default;
  Stage(const Stage&) = default;
  Stage& operator=(const Stage&) = default;
};

/// A stage that forwards to one next stage; a wrapper overrides what it acts in.
class Wrapper : public Stage {
 public:
  explicit Wrapper(std::unique_ptr<Stage> next) : next_(std::move(next)) {}
  void begin(Operation& operation) override { next_->begin(operation); }
  bool ready(Operation& operation) override { return next_->ready(operation); }
  void finish(Operation& operation) override { next_->finish(operation); }
  void break_off(std::string_view why) override { next_->break_off(why); }
  void leave() override { next_->leave(); }
  PushReceiver* open_pushes(PushOutlet& outlet) override { return next_->open_pushes(outlet); }

 protected:
  [[nodiscard]] Stage& next() noexcept { return *next_; }

 private:
  std::unique_ptr<Stage> next_;
};

}  // namespace eventspace
