#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/parameters/registry.h"
#include "paths/views/rank_set.h"
#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// A number for a child of a process in one stream, in the order of their least ranks when they joined.
/// Numbers are not reused.
using Child = std::uint32_t;

/// One packet of a wave, and the child that sent it.
struct Contribution {
  Child child{0};
  Packet packet;
  std::chrono::steady_clock::time_point came{};  ///< when this process got the packet
};

/// Packets that belong together: up to one from each child with synchronisation, exactly one without. They
/// are in rank order.
struct Wave {
  std::uint64_t number{0};
  std::vector<Contribution> packets;
  RankSet missing;  ///< end-points below this process without a contribution
  /// The generation of the filters to be used (Packet::generation).
  std::uint32_t generation{1};
};

/// Combines the packets of a wave into others. Each process has its own object for each stream and direction,
/// which keeps state and is destroyed with the stream. Used by one thread.
///
/// If a filter throws, the wave is lost: the process counts it and reports it to the front-end as a fault of
/// the stream, which continues.
class Filter {
 public:
  virtual ~Filter() = default;
  /// Appends any number of packets to `out`. Sets tag and body of each; the network sets the rest. Packets of
  /// the wave that are `combined` were made by the same filter in the child's process.
  virtual void apply(const Wave& wave, std::vector<Packet>& out) = 0;
  /// A child has joined, or its end-points have changed to these. Called before its packets come.
  virtual void join(Child /*child*/, const RankSet& /*ranks*/) {}
  /// A child will send nothing more. Appends packets that had only waited for this child.
  virtual void leave(Child /*child*/, std::vector<Packet>& /*out*/) {}
};

/// State that the filters of one stream in one process share, in both directions: objects by name, which the
/// first filter that requests one makes. Not for filters with a limit, which run in other threads.
class FilterShare {
 public:
  /// All requests for a name must use the same type.
  template <class State>
  [[nodiscard]] std::shared_ptr<State> get(const std::string& name) {
    std::shared_ptr<void>& kept = kept_[name];
    if (kept == nullptr) kept = std::make_shared<State>();
    return std::static_pointer_cast<State>(kept);
  }

 private:
  std::map<std::string, std::shared_ptr<void>> kept_;
};

/// The place of a filter in the network.
struct FilterPlace {
  bool is_root{false};  ///< in the front-end: its results are for the user
  bool down{false};
  /// The process's number in the topology. Nullopt in back-ends, and in processes that the topology lacks.
  std::optional<std::uint32_t> process{};
  std::shared_ptr<FilterShare> share{std::make_shared<FilterShare>()};
};

/// A kind of filter, by name. `make` gets complete parameters and throws ConfigurationError if they
/// contradict each other.
struct FilterInfo {
  std::string name;
  std::string help;
  std::vector<ParameterSpec> parameters;
  /// Whether each wave makes exactly one packet, so that the packet has the wave's number.
  bool keeps_waves{true};
  std::function<std::unique_ptr<Filter>(const Parameters& parameters, FilterPlace place)> make;
  /// Limit for the time of apply(). Zero: it is trusted to return; a process in which it hangs is like a
  /// stopped one. With a limit it runs in a thread of its own, see WatchedFilter (plugins/watched_filter.h).
  std::chrono::nanoseconds limit{0};
};

/// The filters that streams can name: the built-in ones, and those that programs add before they open a
/// network. Every process of a network needs the filters that its streams name. See Registry about threads.
class FilterRegistry {
 public:
  static Registry<FilterInfo>& instance();
};

/// A filter as a stream names it.
struct FilterUse {
  std::string name;
  Parameters parameters{};
  /// The shared object with the filter (plugins/plugin.h): an absolute path, from which each process of the
  /// network loads it. Empty: the filter is in the FilterRegistry of each process.
  std::filesystem::path library{};
  /// The processes that run the filter, by their ranks as end-points (rank_of_internal in
  /// commands/commands.h; the front-end is rank_of_internal(0)). Empty: all, and on the way down also
  /// back-ends. A process that runs no filters of a stream forwards packets unchanged.
  RankSet processes{};
  /// Replaces FilterInfo::limit. Zero: FilterInfo::limit, or `library_limit` for a filter in a shared object
  /// without one.
  std::chrono::nanoseconds limit{0};

  static constexpr std::chrono::milliseconds library_limit{100};
  static constexpr std::chrono::seconds max_limit{60};
  static constexpr std::size_t longest_library = 4096;  ///< bytes of the path
};

/// Makes a filter of the FilterRegistry. Throws ConfigurationError for an unknown name or invalid parameters;
/// the text has the known ones.
[[nodiscard]] std::unique_ptr<Filter> make_filter(const FilterUse& use, FilterPlace place);

}  // namespace eventspace::streams
