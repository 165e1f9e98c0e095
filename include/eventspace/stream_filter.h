#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <eventspace/extend.h>
#include <eventspace/packet.h>
#include <eventspace/rank_set.h>

/// Filters and rules of streams, written by users: filters combine the packets of a wave, and rules decide
/// which packets form one. Programs add them to a registry, or shared objects offer them.
namespace eventspace::streams {

struct FilterUse;  // the name of a filter in a stream's options: <eventspace/streams.h>

// --- filters

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
  /// stopped one. With a limit it runs in a thread of its own, and the process continues after the limit.
  std::chrono::nanoseconds limit{0};
};

/// The filters that streams can name: the built-in ones, and those that programs add before they open a
/// network. Every process of a network needs the filters that its streams name. See Registry about threads.
class FilterRegistry {
 public:
  static Registry<FilterInfo>& instance();
};

/// Makes a filter of the FilterRegistry. Throws ConfigurationError for an unknown name or invalid parameters;
/// the text has the known ones.
[[nodiscard]] std::unique_ptr<Filter> make_filter(const FilterUse& use, FilterPlace place);

// --- rules

/// The queue of one child of a process in a stream: packets that wait to be part of a wave.
struct Waiting {
  Child child{0};
  const RankSet* ranks{nullptr};  ///< the child's end-points
  std::size_t packets{0};
  const Packet* first{nullptr};                  ///< the oldest packet; null if there is none
  std::chrono::steady_clock::time_point came{};  ///< when the process received it
};

/// A user-defined rule for when packets are passed on, and which of them form a wave: synchronisation beyond
/// the Synchronise values. Each process has its own object for each stream, which keeps state and is
/// destroyed with the stream. Used by one thread.
///
/// Packets of one child stay in order: a wave has the oldest packets of some children. Waves are numbered by
/// the process that forms them; Packet::wave is the number that the packet had below. Each wave names the
/// end-points that are not in it.
///
/// If a rule throws, the oldest packet of each child is lost: the process counts them as late, and reports a
/// fault of the stream, which continues.
class WaveRule {
 public:
  using Clock = std::chrono::steady_clock;
  /// Children by their numbers. Children without packets, and unknown ones, are ignored.
  struct Choice {
    std::vector<Child> pass{};  ///< their oldest packets form the next wave
    std::vector<Child> drop{};  ///< their oldest packets are dropped, and counted as late
  };

  virtual ~WaveRule() = default;
  /// Chooses the next wave, or packets to drop; an empty choice waits. Called again as long as it chooses
  /// packets. `waiting` has all children that take part, in rank order; at least one has a packet.
  virtual Choice choose(std::span<const Waiting> waiting, Clock::time_point now) = 0;
  /// When choose() has to be called again even if no packet comes. Called after choose().
  [[nodiscard]] virtual std::optional<Clock::time_point> due() const { return std::nullopt; }
};

/// A kind of rule, by name. `make` gets complete parameters and throws ConfigurationError if they contradict
/// each other.
struct RuleInfo {
  std::string name;
  std::string help;
  std::vector<ParameterSpec> parameters;
  std::function<std::unique_ptr<WaveRule>(const Parameters& parameters)> make;
};

/// The rules that streams can name: programs add them before they open a network, in every process of the
/// network. There are no built-in rules. See Registry about threads.
class RuleRegistry {
 public:
  static Registry<RuleInfo>& instance();
};

/// Makes a rule of the RuleRegistry. Throws ConfigurationError for an unknown name or invalid parameters.
[[nodiscard]] std::unique_ptr<WaveRule> make_rule(const FilterUse& use);

}  // namespace eventspace::streams

// --- shared objects

/// The interface of filters and rules of streams in shared objects, which streams name by
/// FilterUse::library. examples/streams/median.cpp is a whole one.
///
///     class Median final : public eventspace::streams::Filter { ... };
///     eventspace::streams::plugin::Offer my_filters() { return {.filters = {{"median", ...}}}; }
///     EVENTSPACE_STREAM_FILTERS(my_filters)          // once in the shared object, outside of all namespaces
///
/// A filter runs in a thread of its own, one call at a time, and within a limit (FilterUse::limit). A rule
/// runs in the thread of the process. Exceptions are caught.
///
/// The shared object and the program that loads it exchange C++ objects, so both must be built from the same
/// headers, by compilers with the same ABI; the loader compares both first (TableHead). Each side destroys
/// the filters and rules that it made.
namespace eventspace::streams::plugin {

using eventspace::plugin::ErrorText;
using eventspace::plugin::guarded;
using eventspace::plugin::succeeds;
using eventspace::plugin::TableHead;

/// The version of the interface. It is raised with each change of the types that a program and a plugin
/// exchange: Table, Offer, Filter, WaveRule and the arguments of their functions.
inline constexpr std::uint32_t abi = 1;

/// Describes the library and memory layout, which must be the same on both sides.
inline const char* built_with() noexcept {
  static const auto text = [] {
    std::array<char, 128> made{};
    std::snprintf(made.data(), made.size(),
                  "%s of ABI %d, packets of %zu bytes, waves of %zu, filters of %zu, places of %zu",
                  eventspace::plugin::cxx_library, eventspace::plugin::cxx_library_abi, sizeof(Packet),
                  sizeof(Wave), sizeof(FilterInfo), sizeof(FilterPlace));
    return made;
  }();
  return text.data();
}

/// The filters and rules of a shared object.
struct Offer {
  std::vector<FilterInfo> filters{};
  std::vector<RuleInfo> rules{};
};

/// The functions of a shared object, returned by its entry point. After an exception, functions that return a
/// pointer return null, and those that return bool return false; its text is in `error`.
struct Table : TableHead {
  const Offer* (*offer)(ErrorText error) noexcept;
  /// Used instead of FilterInfo::make.
  Filter* (*make_filter)(const FilterInfo& info, const Parameters& given, const FilterPlace& place,
                         ErrorText error) noexcept;
  bool (*apply)(Filter& filter, const Wave& wave, std::vector<Packet>& out, ErrorText error) noexcept;
  bool (*join)(Filter& filter, Child child, const RankSet& ranks, ErrorText error) noexcept;
  bool (*leave)(Filter& filter, Child child, std::vector<Packet>& out, ErrorText error) noexcept;
  void (*destroy_filter)(Filter* filter) noexcept;
  /// Used instead of RuleInfo::make.
  WaveRule* (*make_rule)(const RuleInfo& info, const Parameters& given, ErrorText error) noexcept;
  bool (*choose)(WaveRule& rule, std::span<const Waiting> waiting, WaveRule::Clock::time_point now,
                 WaveRule::Choice& choice, ErrorText error) noexcept;
  bool (*due)(const WaveRule& rule, std::optional<WaveRule::Clock::time_point>& when,
              ErrorText error) noexcept;
  void (*destroy_rule)(WaveRule* rule) noexcept;
};

/// The name of the entry point, a function that returns the table.
inline constexpr const char* entry_name = "eventspace_stream_filters";

/// Implements the table for one offer.
template <Offer (*offer_function)()>
struct Functions {
  static const Offer& the_offer() {
    static const Offer offer = offer_function();
    return offer;
  }
  static const Offer* offer(ErrorText error) noexcept {
    return guarded([] { return &the_offer(); }, static_cast<const Offer*>(nullptr), error);
  }
  static Filter* make_filter(const FilterInfo& info, const Parameters& given, const FilterPlace& place,
                             ErrorText error) noexcept {
    return guarded([&] { return info.make(given, place).release(); }, static_cast<Filter*>(nullptr), error);
  }
  static bool apply(Filter& filter, const Wave& wave, std::vector<Packet>& out, ErrorText error) noexcept {
    return succeeds([&] { filter.apply(wave, out); }, error);
  }
  static bool join(Filter& filter, Child child, const RankSet& ranks, ErrorText error) noexcept {
    return succeeds([&] { filter.join(child, ranks); }, error);
  }
  static bool leave(Filter& filter, Child child, std::vector<Packet>& out, ErrorText error) noexcept {
    return succeeds([&] { filter.leave(child, out); }, error);
  }
  static void destroy_filter(Filter* filter) noexcept { delete filter; }
  static WaveRule* make_rule(const RuleInfo& info, const Parameters& given, ErrorText error) noexcept {
    return guarded([&] { return info.make(given).release(); }, static_cast<WaveRule*>(nullptr), error);
  }
  static bool choose(WaveRule& rule, std::span<const Waiting> waiting, WaveRule::Clock::time_point now,
                     WaveRule::Choice& choice, ErrorText error) noexcept {
    return succeeds([&] { choice = rule.choose(waiting, now); }, error);
  }
  static bool due(const WaveRule& rule, std::optional<WaveRule::Clock::time_point>& when,
                  ErrorText error) noexcept {
    return succeeds([&] { when = rule.due(); }, error);
  }
  static void destroy_rule(WaveRule* rule) noexcept { delete rule; }
  static const Table* table() noexcept {
    static const Table made{{abi, built_with()}, &offer,     &make_filter, &apply, &join,        &leave,
                            &destroy_filter,     &make_rule, &choose,      &due,   &destroy_rule};
    return &made;
  }
};

}  // namespace eventspace::streams::plugin

/// Defines the entry point of this shared object. `offer_function` returns the Offer with its filters and
/// rules.
#define EVENTSPACE_STREAM_FILTERS(offer_function)                                          \
  extern "C" __attribute__((visibility("default"))) const ::eventspace::plugin::TableHead* \
  eventspace_stream_filters() {                                                            \
    return ::eventspace::streams::plugin::Functions<(offer_function)>::table();            \
  }
