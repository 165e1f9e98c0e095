#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/parameters/registry.h"
#include "paths/views/rank_set.h"
#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// Numbers the children of a process in one stream, in the order of their least ranks when they joined. A
/// number is never used again.
using Child = std::uint32_t;

/// One packet of a wave, and the child that sent it.
struct Contribution {
  Child child{0};
  Packet packet;
};

/// Packets that belong together: at most one from each child with synchronisation, exactly one without. They
/// are in rank order.
struct Wave {
  std::uint64_t number{0};
  std::vector<Contribution> packets;
  RankSet missing;  ///< the end-points below this process that have contributed nothing to it
};

/// Combines the packets of a wave into others. Each process has an object of its own for each stream and
/// direction, which keeps the state and is destroyed with the stream. Used by one thread.
///
/// A filter that throws loses the wave: the process counts it and reports it to the front-end as a fault of
/// the stream, which goes on.
class Filter {
 public:
  virtual ~Filter() = default;
  /// Appends any number of packets to `out`. Sets tag and body of each; the network sets the rest. Packets of
  /// the wave that are `combined` were made by the same filter of the child's process.
  virtual void apply(const Wave& wave, std::vector<Packet>& out) = 0;
  /// A child has joined, or has these end-points from now on. Called before its packets come.
  virtual void join(Child /*child*/, const RankSet& /*ranks*/) {}
  /// A child will send nothing more. Appends what had only waited for this child.
  virtual void leave(Child /*child*/, std::vector<Packet>& /*out*/) {}
};

/// Where a filter works.
struct FilterPlace {
  bool is_root{false};  ///< in the front-end: what it makes is for the user
  bool down{false};
};

/// A kind of filter, by name. `make` gets complete parameters and throws ConfigurationError if they do not
/// fit together.
struct FilterInfo {
  std::string name;
  std::string help;
  std::vector<ParameterSpec> parameters;
  /// Whether each wave makes exactly one packet, so that the packet has the wave's number.
  bool keeps_waves{true};
  std::function<std::unique_ptr<Filter>(const Parameters& parameters, FilterPlace place)> make;
};

/// The filters that streams can name: the built-in ones, and those that programs add before they open a
/// network. Every process of a network needs those that its streams name. See Registry about threads.
class FilterRegistry {
 public:
  static Registry<FilterInfo>& instance();
};

/// A filter as a stream names it.
struct FilterUse {
  std::string name;
  Parameters parameters;
};

/// Makes a filter. Throws ConfigurationError for an unknown name or faulty parameters; the text says what is
/// known.
[[nodiscard]] std::unique_ptr<Filter> make_filter(const FilterUse& use, FilterPlace place);

}  // namespace eventspace::streams
