#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "paths/stage.h"
#include "tuplespace/operation.h"

namespace eventspace {

/// What a read, a take or an exchange yields. True when it holds a tuple.
struct Received {
  Status status{Status::empty};
  Tuple tuple;
  std::uint64_t sequence{0};
  std::uint64_t missed{0};  ///< Path::next: tuples discarded before this reader came
  std::string reason;       ///< unless ok: what was wrong, when it is known
  explicit operator bool() const noexcept { return status == Status::ok; }
};

/// How one thread uses one element: a chain of stages with Linda's verbs in front. Nothing here says where
/// the element is or what stands on the way; the pathmap does.
///
/// Used by one thread at a time, one operation at a time. Deadline::now() makes the non-blocking forms.
class Path {
 public:
  Path(std::string name, std::unique_ptr<Stage> first) noexcept
      : name_(std::move(name)), first_(std::move(first)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// ok, or why not: full, timed_out, closed, refused. A tuple that is not accepted is not stored.
  [[nodiscard]] Status write(Tuple tuple, Deadline deadline = Deadline::never());
  [[nodiscard]] Received read(From from = From::oldest, Deadline deadline = Deadline::never(),
                              const Template* match = nullptr);
  [[nodiscard]] Received take(From from = From::oldest, Deadline deadline = Deadline::never(),
                              const Template* match = nullptr);
  /// Reads tuple number `sequence`.
  [[nodiscard]] Received read_at(std::uint64_t sequence, Deadline deadline = Deadline::never());
  /// Reads the first tuple after the one that this path's last next() yielded, or the oldest.
  [[nodiscard]] Received next(Deadline deadline = Deadline::never(), const Template* match = nullptr);
  /// On a path to a collective: contributes `tuple` and waits for the result, which paths/joints/collective.h
  /// describes; all participants do it, and each result has the number of the operation as its sequence. When
  /// the deadline passes first it is timed_out and the collective is broken, for all: every exchange under
  /// way and later is closed, with a reason that says by whom. One that is refused breaks it, too.
  [[nodiscard]] Received exchange(Tuple tuple = {}, Deadline deadline = Deadline::never());
  /// Drops every tuple up to and including number `sequence`.
  [[nodiscard]] Status discard(std::uint64_t sequence);

  /// For operations that are begun here and finished later; see Stage.
  [[nodiscard]] Stage& stage() noexcept { return *first_; }

 private:
  Received receive(Operation operation);

  std::string name_;
  std::unique_ptr<Stage> first_;
  std::uint64_t last_read_{0};
};

}  // namespace eventspace
