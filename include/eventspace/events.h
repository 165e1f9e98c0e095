#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <eventspace/loss.h>

namespace eventspace {

/// One field of all events of an Events, in contiguous memory. Belongs to its Events, and is valid as long as
/// a copy of that exists. Immutable; thread-safe.
///
/// An event may lack a field: the tag of a message is not a field of a probe. Its element then holds the
/// value that stands for "missing" below, and has() is false.
class EventColumn {
 public:
  enum class Type : std::uint8_t {
    natural,  ///< std::uint64_t; missing: 0
    integer,  ///< std::int64_t, such as a time in nanoseconds since 1970; missing: no_integer
    real,     ///< double, such as a duration in nanoseconds; missing: NaN
    boolean,  ///< std::uint8_t, 0 or 1; missing: 0
    text      ///< std::uint32_t: an index into names(); missing: no_name
  };
  static constexpr std::int64_t no_integer = std::numeric_limits<std::int64_t>::min();
  static constexpr std::uint32_t no_name = std::numeric_limits<std::uint32_t>::max();

  /// A name in a text column. Two names of a column may have the same text: processes may give two threads
  /// one name, and the numbers distinguish them. The number of a thread, path, process, probe, communicator
  /// or site is the same in all Events of one Monitor; for other fields it is the index of the name.
  struct Name {
    std::uint32_t number{0};
    std::string text;
  };

  /// The same for all columns of a field, whatever the events have. Numbers that are not always naturals are
  /// reals, such as the values of probes, except those that are always integers.
  [[nodiscard]] Type type() const noexcept { return type_; }
  [[nodiscard]] std::size_t size() const noexcept { return present_.size(); }
  /// Whether the event has the field. Requires that `event` is less than size().
  [[nodiscard]] bool has(std::size_t event) const noexcept { return present_[event] != 0; }
  /// For each event 1 if it has the field, otherwise 0.
  [[nodiscard]] std::span<const std::uint8_t> present() const noexcept { return present_; }

  /// The values. Each function throws ConfigurationError if the column has another type.
  [[nodiscard]] std::span<const std::uint64_t> naturals() const;
  [[nodiscard]] std::span<const std::int64_t> integers() const;
  [[nodiscard]] std::span<const double> reals() const;
  [[nodiscard]] std::span<const std::uint8_t> booleans() const;
  [[nodiscard]] std::span<const std::uint32_t> codes() const;
  /// The names to which codes() refer, in the order in which events use them.
  [[nodiscard]] std::span<const Name> names() const;

  /// The value as a double, or the text, of one event; nothing, or empty, if it lacks the field or the column
  /// has another type. Require that `event` is less than size().
  [[nodiscard]] std::optional<double> number(std::size_t event) const noexcept;
  [[nodiscard]] std::string_view text(std::size_t event) const noexcept;

 private:
  friend class ColumnMaker;
  using Values = std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>,
                              std::vector<std::uint8_t>, std::vector<std::uint32_t>>;
  Type type_{Type::natural};
  std::vector<std::uint8_t> present_;
  Values values_;
  std::vector<Name> names_;
};

class Events;

/// One event of an Events, by its place. Valid as long as the Events object that returned it. Cheap to copy;
/// thread-safe. Texts are valid as long as a copy of the Events exists.
class Event {
 public:
  Event(const Events& events, std::size_t place) noexcept : events_(&events), place_(place) {}

  /// The names of the thread that the event belongs to, the path on which it was recorded, the process that
  /// recorded it, and the node of that process; "?" for a name that is not known, and empty for a process
  /// that is not known.
  [[nodiscard]] std::string_view thread() const;
  [[nodiscard]] std::string_view path() const;
  [[nodiscard]] std::string_view process() const;
  [[nodiscard]] std::string_view node() const;
  [[nodiscard]] std::string_view kind() const;    ///< "operation", "probe", "mpi", "pvm"
  [[nodiscard]] std::string_view verb() const;    ///< such as "write", "region", "receive"
  [[nodiscard]] std::string_view status() const;  ///< of an operation, such as "ok"; otherwise empty

  /// Nanoseconds since 1970 (UTC) by the clock of the event's node; nothing if the clock of its process is
  /// not known, and no end while it is in flight.
  [[nodiscard]] std::optional<std::int64_t> start_ns() const;
  [[nodiscard]] std::optional<std::int64_t> end_ns() const;
  [[nodiscard]] std::optional<double> duration_ns() const;
  [[nodiscard]] bool in_flight() const;

  /// The value of a field (Events::column) as a double, or its text; nothing, or empty, if the event lacks
  /// it. Throw ConfigurationError for an unknown field.
  [[nodiscard]] std::optional<double> number(std::string_view field) const;
  [[nodiscard]] std::string_view text(std::string_view field) const;

 private:
  const Events* events_;
  std::size_t place_;
};

/// The events of one pull, or of a part of a recording, with an account of those that are missing. A value:
/// copies share the events, which never change, and outlive the Monitor or Recording that they came from.
/// Thread-safe, except for assignment.
///
///     for (const Event& event : events) std::cout << event.thread() << ' ' << event.verb() << '\n';
///
///     const EventColumn& bytes = events.column("bytes");  // the same for all events, in one array
///     const auto sum = std::reduce(bytes.naturals().begin(), bytes.naturals().end());
///
/// An operation that is recorded at both ends of its path is two events, whose field `point` differs.
class Events {
 public:
  Events() noexcept;  ///< no events

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  /// The names of the fields that these events can have, first these:
  ///
  ///     start_ns, end_ns   nanoseconds since 1970 (UTC) by the clock of the event's node
  ///     start_here_ns      the start by the clock of the machine that holds the events, for comparisons of
  ///                        events of different nodes; missing if the clocks have not been compared
  ///     error_ns           bound of the error of start_here_ns; missing if there is none
  ///
  /// and then those of docs/expressions.md. `duration` and `age` are in nanoseconds.
  [[nodiscard]] std::vector<std::string> fields() const;
  /// The column of a field. The first call for a field makes its column, later calls return the same object.
  /// Throws ConfigurationError, with near names, for an unknown field. All events lack a known field that is
  /// not in fields().
  [[nodiscard]] const EventColumn& column(std::string_view field) const;

  /// How many events are missing, by cause, since the previous pull; and the sources that could not be read.
  [[nodiscard]] const Loss& loss() const noexcept;
  [[nodiscard]] std::span<const Missing> missing() const noexcept;
  /// Whether more events were ready than one pull takes: the next pull returns them. For a running session
  /// it may be true although no more events are ready.
  [[nodiscard]] bool has_more() const noexcept;

  class Iterator {
   public:
    using value_type = Event;
    using difference_type = std::ptrdiff_t;
    Iterator() noexcept = default;
    Iterator(const Events& events, std::size_t place) noexcept : events_(&events), place_(place) {}
    [[nodiscard]] Event operator*() const noexcept { return {*events_, place_}; }
    Iterator& operator++() noexcept {
      ++place_;
      return *this;
    }
    Iterator operator++(int) noexcept { return {*events_, place_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.place_ == b.place_; }

   private:
    const Events* events_{nullptr};
    std::size_t place_{0};
  };
  [[nodiscard]] Iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] Iterator end() const noexcept { return {*this, size()}; }
  /// Requires that `place` is less than size().
  [[nodiscard]] Event operator[](std::size_t place) const noexcept { return {*this, place}; }

  struct State;
  explicit Events(std::shared_ptr<const State> state) noexcept;  ///< for the library

 private:
  friend class Event;
  std::shared_ptr<const State> state_;
};

}  // namespace eventspace
