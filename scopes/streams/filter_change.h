#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scopes/streams/frame.h"
#include "scopes/streams/wave_passing.h"

namespace eventspace::streams {

/// The replacement of the filters of one stream in one process, until all processes of the network have the
/// new ones. Waves are held during this time, so that there is a wave that no process has passed on: the new
/// filters begin with that wave.
///
///     front-end: begin() --> change --> each process makes the filters and holds its waves
///                begin <---- agreed <-- the largest number of a wave that was passed on, plus one
///                   \------> begin ---> waves continue; from this number on by the new filters
///
/// Back-ends do not process waves, so they answer only if they cannot make the filters, and then leave the
/// stream.
///
///     idle --- begin(), on_change() --> in progress --- end(), on_begin() --> idle, with the new filters
///                                                  \--- drop(), on_keep() --> idle, with the old filters
///
/// Invariants:
/// 1. Waves are held if and only if a change is in progress.
/// 2. The generation of a change is larger than that of the filters in use.
/// 3. The process above gets one answer to each change, after all children that are processes have answered
/// or left.
///
/// The functions for frames from peers throw PacketError, without effect, for a frame that breaks the rules.
/// A frame about a change that is over is ignored. Not thread-safe.
class FilterChange {
 public:
  /// All of these must outlive this object. `options` gets the new filters when they are in use.
  FilterChange(std::uint32_t stream, StreamOptions& options, WavePassing& passing, StreamPlace place)
      : stream_(stream), options_(options), passing_(passing), parent_(place.parent), below_(place.below) {}
  FilterChange(const FilterChange&) = delete;
  FilterChange& operator=(const FilterChange&) = delete;

  // --- in the front-end

  /// Makes the filters, and requests the same from all processes below. Throws ConfigurationError, without
  /// effect, for filters that cannot be made, or if too many changes are in progress.
  void begin(const std::vector<FilterUse>& up, const std::vector<FilterUse>& down);
  /// Whether all processes have answered, or one of them cannot make the filters, or no change is in
  /// progress.
  [[nodiscard]] bool has_answers() const;
  /// Completes the change. Returns the first wave of the new filters, or nullopt if a process has not
  /// answered. Throws ConfigurationError if a process cannot make the filters. After both, all processes
  /// continue with the old filters.
  std::optional<std::uint64_t> end();
  /// All processes continue with the old filters.
  void drop();

  // --- in each process

  void on_change(const Frame& frame);
  void on_agreed(Child child, const Frame& frame);
  void on_begin(const Frame& frame);
  void on_keep(const Frame& frame);
  /// No answer of this child comes any more.
  void child_left(Child child);
  /// A new parent has opened the stream again; it may have begun or dropped the change of the previous
  /// parent. Returns the reason if this process cannot make the filters that the parent uses.
  [[nodiscard]] std::optional<std::string> catch_up(const Frame& open);
  /// The request for a child that joins while a change is in progress.
  [[nodiscard]] std::optional<Frame> request() const;

 private:
  struct Pending {
    std::uint32_t generation{0};
    StreamOptions options{};  ///< with the new filters
    FilterSet filters{};
    std::set<Child> awaited{};    ///< children that have not answered
    std::uint64_t first_wave{0};  ///< the first wave that was not processed, here or below
    std::string failure{};        ///< why a process cannot make the filters
    bool is_answered{false};      ///< to the process above
  };

  void prepare(StreamOptions options, std::uint32_t generation);
  [[nodiscard]] bool concerns(const Frame& frame) const;
  void answer();
  void use(std::uint64_t first_wave, std::uint64_t first_packet);
  void join_filters(std::uint64_t first_wave);
  void forget();

  std::uint32_t stream_;
  StreamOptions& options_;
  WavePassing& passing_;
  ParentLink& parent_;
  const EndPointsBelow& below_;
  std::optional<Pending> pending_;
};

}  // namespace eventspace::streams
