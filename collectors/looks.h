#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace eventspace {

/// Counts polls of one thread that find nothing, such as calls of MPI_Test and pvm_nrecv. A program may make
/// millions of them while it waits, so they are counted by function and call site, and recorded together.
///
/// Times the first calls of each function and call site, then one call in eight; the others are assumed to
/// have the same mean duration. The counts must be taken after a call for which end() returns true: every
/// millisecond at first, later at intervals of a sixteenth of the series' age, up to 64 milliseconds. So a
/// thread that polls for minutes does not displace the records of its other calls. A *series* is all
/// unsuccessful polls since forget().
///
/// `Library` describes the calls of the message library:
///
///     struct Library {
///       using Record = ...;                                             // with a member `calls`
///       using Sought = ...;                                             // what else is known of a place
///       static bool is_of(const Record& look, const Record& call);      // whether it looks for the same
///       static Record look_of(const Record& call);                      // no calls, for the same
///       static Sought sought_by(const Record& call);                    // of the first call at a place
///     };
///
/// Does no I/O and reads no clock; times are in ticks of one clock. Not thread-safe.
template <class Library>
class Looks {
 public:
  using Record = typename Library::Record;
  using Sought = typename Library::Sought;
  static constexpr std::size_t max_places = 16;  ///< the functions and places of one loop, by turns
  static constexpr std::uint32_t first_timed = 16;
  static constexpr std::uint32_t one_timed_in = 8;
  static constexpr std::uint64_t rarest = 64;  ///< in units of the shortest interval

  /// A function and its call site, with the objects that it polls, if the library distinguishes them.
  struct Place {
    Record look;
    std::uint32_t timed{0};
    std::uint64_t ticks{0};  ///< of the timed calls
    Sought sought{};
    /// Estimated duration of all calls.
    [[nodiscard]] std::uint64_t took() const noexcept { return timed == 0 ? 0 : ticks / timed * look.calls; }
  };

  /// `shortest`: a millisecond.
  explicit Looks(std::uint64_t shortest) noexcept : shortest_(shortest) {}

  /// The place of a call that is about to be made; null if it has not been unsuccessful since forget(). Valid
  /// until forget().
  [[nodiscard]] Place* find(const Record& call) noexcept {
    for (std::size_t i = 0; i < known_; ++i) {
      if (next_ >= known_) next_ = 0;  // a loop reaches its places in order
      Place& place = places_[next_++];
      if (Library::is_of(place.look, call)) return &place;
    }
    return nullptr;
  }
  /// Notes that the call, which began at `start`, found nothing and has its own record; later calls are
  /// counted. If the table is full, it replaces all other places, which must not have counts then. Returns
  /// its place.
  Place& remember(const Record& call, std::uint64_t start) noexcept {
    if (known_ == 0) series_ = start;
    if (Place* const known = find(call)) return *known;
    if (known_ == max_places) {
      known_ = 0;
      has_dropped_ = true;
    }
    places_[known_] = {.look = Library::look_of(call), .sought = Library::sought_by(call)};
    return places_[known_++];
  }
  void forget() noexcept {
    known_ = 0;
    has_dropped_ = false;
  }
  /// Start of the first call of the series. Only between remember() and forget().
  [[nodiscard]] std::uint64_t series() const noexcept { return series_; }

  /// Whether the next call at the place is timed.
  [[nodiscard]] static bool is_timed(const Place& place) noexcept {
    return place.look.calls < first_timed || place.look.calls % one_timed_in == 0;
  }
  /// Counts a call at the place; `now` is its end, or `start` if it is not timed. Returns whether the counts
  /// must be taken.
  bool end(Place& place, std::uint64_t start, std::uint64_t now) noexcept {
    if (!counts_) first_ = start;
    counts_ = true;
    if (is_timed(place)) {
      place.ticks += now - start;
      ++place.timed;
    }
    ++place.look.calls;
    return now - first_ >= interval();
  }

  [[nodiscard]] std::uint64_t shortest() const noexcept { return shortest_; }
  [[nodiscard]] bool counts() const noexcept { return counts_; }
  /// Start of the first counted call. Only if counts().
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  /// The places of the series; if has_dropped(), places that did not fit are missing.
  [[nodiscard]] std::span<const Place> places() const noexcept { return std::span(places_).first(known_); }
  [[nodiscard]] bool has_dropped() const noexcept { return has_dropped_; }
  /// Calls take(START, END, LOOK) for each place with calls, in consecutive spans from the start of the first
  /// call, and resets the counts.
  template <class Take>
  void take(std::uint64_t now, const Take& take) noexcept {
    counts_ = false;
    std::uint64_t at = first_;
    for (Place& place : std::span(places_).first(known_)) {
      if (place.look.calls == 0) continue;
      const std::uint64_t end = at + std::min(place.took(), now - at);
      take(at, end, place.look);
      at = end;
      place = {.look = Library::look_of(place.look), .sought = place.sought};
    }
  }

 private:
  [[nodiscard]] std::uint64_t interval() const noexcept {
    return std::clamp((first_ - series_) / 16, shortest_, rarest * shortest_);
  }

  std::array<Place, max_places> places_{};
  std::size_t known_{0};
  std::size_t next_{0};  // the place after the last find
  std::uint64_t shortest_;
  std::uint64_t series_{0};  // start of the first call of the series
  std::uint64_t first_{0};   // start of the first call that is counted
  bool counts_{false};
  bool has_dropped_{false};
};

}  // namespace eventspace
