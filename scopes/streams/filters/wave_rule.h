#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/parameters/registry.h"
#include "paths/views/rank_set.h"
#include "scopes/streams/filters/filter.h"
#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// What one child of a process has sent in a stream, and waits to be part of a wave.
struct Waiting {
  Child child{0};
  const RankSet* ranks{nullptr};  ///< its end-points
  std::size_t packets{0};
  const Packet* first{nullptr};                  ///< the oldest of them; null if there is none
  std::chrono::steady_clock::time_point came{};  ///< when the process got that one
};

/// A rule of your own for when packets are passed on, and which of them form a wave: synchronisation that the
/// Synchronise values do not have. Each process has an object of it for each stream, which keeps the state
/// and is destroyed with the stream. Used by one thread.
///
/// Packets of one child stay in order: a wave has the oldest packet of some children. Waves are numbered by
/// the process that forms them; Packet::wave is the number that the packet had below. Each wave names the
/// end-points that are not in it.
///
/// A rule that throws loses the oldest packet of each child: the process counts them as late, and reports a
/// fault of the stream, which goes on.
class WaveRule {
 public:
  using Clock = std::chrono::steady_clock;
  /// Children by their numbers. Those without a packet, and unknown ones, are ignored.
  struct Choice {
    std::vector<Child> pass{};  ///< their oldest packets form the next wave
    std::vector<Child> drop{};  ///< their oldest packets are dropped, and counted as late
  };

  virtual ~WaveRule() = default;
  /// Chooses the next wave, or what to drop; nothing: it waits. Asked again as long as it chooses something.
  /// `waiting` has all children that take part, in rank order; at least one has a packet.
  virtual Choice choose(std::span<const Waiting> waiting, Clock::time_point now) = 0;
  /// When it has to be asked again even if no packet comes. Asked after choose().
  [[nodiscard]] virtual std::optional<Clock::time_point> due() const { return std::nullopt; }
};

/// A kind of rule, by name. `make` gets complete parameters and throws ConfigurationError if they do not fit
/// together.
struct RuleInfo {
  std::string name;
  std::string help;
  std::vector<ParameterSpec> parameters;
  std::function<std::unique_ptr<WaveRule>(const Parameters& parameters)> make;
};

/// The rules that streams can name: those that programs add before they open a network, in every process of
/// the network. There are no built-in ones. See Registry about threads.
class RuleRegistry {
 public:
  static Registry<RuleInfo>& instance();
};

/// Makes a rule of the RuleRegistry. Throws ConfigurationError for an unknown name or faulty parameters.
[[nodiscard]] std::unique_ptr<WaveRule> make_rule(const FilterUse& use);

}  // namespace eventspace::streams
