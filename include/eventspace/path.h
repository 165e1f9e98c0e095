#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <eventspace/operation.h>
#include <eventspace/stage.h>

namespace eventspace {

/// The reaction to a lost connection to a server, whose process died or whose host vanished.
enum class WhenLost : std::uint8_t {
  reconnect,  ///< the link reconnects; later operations wait for that until their deadlines
  end         ///< the link ends; later operations end with Status::closed and the reason
};

/// The outcome of a read, a take or an exchange. Converts to true if the status is ok.
struct Received {
  Status status{Status::empty};
  Tuple tuple;                ///< empty unless the status is ok
  std::uint64_t sequence{0};  ///< the number of the tuple, or of the collective operation
  std::uint64_t missed{0};    ///< Path::next: tuples discarded before this reader could read them
  std::string reason;         ///< unless the status is ok: the cause, if known
  explicit operator bool() const noexcept { return status == Status::ok; }
};

/// Gives one thread access to one element: a chain of stages behind Linda's verbs. The program does not
/// depend on the location of the element, or on the wrappers on the way to it; the pathmap defines both.
///
/// Operations block until their deadline, by default without limit; with Deadline::now() they do not block.
/// Outcomes are values. Not thread-safe: one thread at a time, and one operation at a time. The path owns its
/// stages.
///
///     if (path.write(Tuple::of({std::int64_t{7}})) != Status::ok) ...
///     const Received received = path.take(From::oldest, Deadline::after(std::chrono::seconds(1)));
///     if (received) use(received.tuple.get<std::int64_t>(0));
class Path {
 public:
  Path(std::string name, std::unique_ptr<Stage> first) noexcept;
  Path(Path&& other) noexcept;
  Path& operator=(Path&& other) noexcept;
  ~Path();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Returns Status::ok, or full, timed_out, closed or refused. A tuple that was refused or timed out was not
  /// stored; after closed it may have been stored, if a server was lost on the way.
  [[nodiscard]] Status write(Tuple tuple, Deadline deadline = Deadline::never());
  [[nodiscard]] Received read(From from = From::oldest, Deadline deadline = Deadline::never(),
                              const Template* match = nullptr);
  [[nodiscard]] Received take(From from = From::oldest, Deadline deadline = Deadline::never(),
                              const Template* match = nullptr);
  /// Reads tuple number `sequence`. Blocks until it is written; Status::gone if it is no longer kept.
  [[nodiscard]] Received read_at(std::uint64_t sequence, Deadline deadline = Deadline::never());
  /// Reads the first tuple after the one that the last successful next() of this path returned; the first
  /// call returns the oldest tuple kept.
  [[nodiscard]] Received next(Deadline deadline = Deadline::never(), const Template* match = nullptr);
  /// On a path to a collective: contributes `tuple` and waits for the result (docs/library.md, "Exchange").
  /// Every participant calls it; Received::sequence is the number of the collective operation. If the
  /// deadline passes first, the exchange ends with timed_out and the collective is broken: every other
  /// exchange under way, and each later one, ends with closed and a reason that names the participant that
  /// gave up. A refused contribution also breaks the collective.
  [[nodiscard]] Received exchange(Tuple tuple = {}, Deadline deadline = Deadline::never());
  /// Drops every tuple up to and including number `sequence`.
  [[nodiscard]] Status discard(std::uint64_t sequence);

  /// The first stage (eventspace/stage.h), for a caller that begins operations and finishes them later.
  [[nodiscard]] Stage& stage() noexcept { return *first_; }

 private:
  Received receive(Operation operation);

  std::string name_;
  std::unique_ptr<Stage> first_;
  std::uint64_t last_read_{0};
};

/// Packing of several tuples into one tuple with a single field of bytes. The root of a gather receives such
/// a tuple, and the root of a scatter contributes one; it holds a tuple for each participant, in the order of
/// the threads. The number of tuples is not limited to Signature::max_fields. For each tuple the field holds
/// the size of its encoding in bytes (32 bits, little-endian) and the encoding.
///
///     const auto parts = unpack_tuples(path.exchange(mine).tuple);   // at the root of a gather

/// Throws ConfigurationError if the encoding of a tuple has 4 GiB or more.
Tuple pack_tuples(std::span<const Tuple> tuples);

/// Throws ConfigurationError if `packed` is malformed. Never reads beyond its end, and allocates no more than
/// a small multiple of its size.
std::vector<Tuple> unpack_tuples(const Tuple& packed);

}  // namespace eventspace
