#pragma once

#include <memory>
#include <string_view>

#include <eventspace/operation.h>

namespace eventspace {

class PushOutlet;
class PushReceiver;

/// One step of a path. A call has two phases, so that one thread can have operations on many paths under way
/// at once: `begin` starts an operation without blocking; `finish` completes it and blocks at most until its
/// deadline.
///
///     begin(op)  ->  [ready(op) ...]  ->  finish(op)
///
/// 1. The caller calls finish exactly once after each begin, with the same operation at the same address.
/// 2. A path carries one operation at a time.
/// 3. After finish, operation.status is not Status::under_way.
/// 4. ready never blocks. If it returns true, finish will not block either. If it returns false and the
///    operation has a waker, the stage calls the waker once when another call of ready is worthwhile. From
///    operation.look_again on, another call is worthwhile even without that.
/// 5. begin and ready may move operation.deadline to an earlier time, if waiting longer is pointless.
/// 6. Outcomes are values (Operation::status and reason). An exception is a fault of the stage, not an
///    outcome. If begin or ready throws, the caller still calls finish, with a deadline that has passed, so
///    that the stages below let go of the operation. If finish or call throws, the operation is over. In both
///    cases it is unknown whether it happened. Event collectors record it as refused; a server answers it
///    with the exception's text and continues.
///
/// 7. Between begin and finish, the caller may set operation.deadline to Deadline::now() to end the operation
///    early, and the next ready or finish acts on it. An operation that has already succeeded keeps its
///    result. A server on the way ends the operation too, and answers with what has happened; if it does not
///    do so soon, and the operation may have changed something, it ends with Status::closed.
///
/// A caller that overlaps two operations:
///
///     near.begin(first);
///     far.begin(second);  // both are under way
///     near.finish(first);
///     far.finish(second);
///
/// Not thread-safe: one thread at a time uses a path; handing it over to another thread requires a
/// happens-before.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual void begin(Operation& operation) = 0;
  virtual bool ready(Operation& operation) = 0;
  virtual void finish(Operation& operation) = 0;

  /// Blocks like finish, but does not give up the operation at its deadline: returns false if it is still
  /// under way then, and ready may return true later. Returns true if the caller should call finish. The
  /// default suits stages whose finish delivers a result at the deadline in any case.
  virtual bool await(Operation& /*operation*/) { return true; }

  /// Aborts the collective that the path leads to, giving `why`, a sentence, as the reason. An operation
  /// under way ends, but must still be finished; later ones end with Status::closed. The caller stays a
  /// member of the collective until leave(). Has no effect unless the path leads to a joint.
  virtual void break_off(std::string_view /*why*/) {}
  /// Ends the caller's membership in the collective; the next operation begins a new one. Has no effect
  /// unless the path leads to a joint.
  virtual void leave() {}

  /// Connects a stage behind a server's target with its peer, for messages that are not replies. `outlet`
  /// sends to the peer and is valid until the stage is destroyed. Returns the receiver of the peer's
  /// messages, which must be valid for as long; null if the stage neither sends nor receives any.
  virtual PushReceiver* open_pushes(PushOutlet& /*outlet*/) { return nullptr; }

  /// begin and finish in one call. Overridden by stages that can do both at less cost.
  virtual void call(Operation& operation) {
    begin(operation);
    finish(operation);
  }

 protected:
  Stage() = default;
  Stage(const Stage&) = default;
  Stage& operator=(const Stage&) = default;
};

/// A stage that forwards every call to the next stage, which it owns. A wrapper derives from it and overrides
/// the calls in which it acts:
///
///     class CountingWrapper final : public Wrapper {
///       void finish(Operation& operation) override {
///         Wrapper::finish(operation);
///         ++finished_;
///       }
///     };
///
/// A wrapper that overrides begin, ready or finish need not override call(), which uses them. await() is not
/// forwarded.
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
