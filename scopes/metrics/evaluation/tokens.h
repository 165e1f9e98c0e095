#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scopes/metrics/evaluation/tally.h"
#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/history/partners.h"
#include "scopes/metrics/history/samples.h"

namespace eventspace::metrics {

/// A server's results for a part of metrics since the last view that arrived (the result tokens of
/// grid-distributed-evaluation, section 6.8). Times are nanoseconds of CLOCK_MONOTONIC of its node. Plain
/// data.
struct Tokens {
  /// A process or thread, by its numbers in reports and records.
  struct Object {
    std::uint32_t process{0};
    std::uint32_t thread{0};
    friend auto operator<=>(const Object&, const Object&) = default;  // NOLINT
  };
  /// A counter's count for a thread since the server began.
  struct Count {
    std::uint32_t counter{0};
    Object of{};
    std::optional<Partner> partner{};
    double total{0.0};
    std::optional<std::uint32_t> region{};  ///< the number of the region's probe in records
  };
  /// An operation in flight of a thread that a counter will count.
  struct InFlight {
    std::uint32_t counter{0};
    Object of{};
    std::int64_t since_ns{0};
  };
  /// The value of a sampler or of a stream. Streams are numbered after the samplers.
  struct Value {
    std::uint32_t sampler{0};
    Object of{};
    Step step{};
    Datum datum{};  ///< without a text; if it is not present, it never will be
  };
  /// The step that an object has reached in a stream, if that is beyond its last value.
  struct Reached {
    std::uint32_t sampler{0};
    Object of{};
    Step step{};
    friend bool operator==(const Reached&, const Reached&) = default;
  };
  /// The values that a collection has taken since the last view that arrived.
  struct Collected {
    std::uint32_t collection{0};
    Object of{};
    Tally::State state{};
  };

  /// A sampler whose probe was passed, and how often it was passed again in one virtual time.
  struct Passed {
    std::uint32_t sampler{0};
    std::uint64_t repeated{0};
    friend bool operator==(const Passed&, const Passed&) = default;
  };
  /// Virtual times that a stream (numbered as a sampler) or a collection has taken without an object that had
  /// not reached them.
  struct GivenUp {
    std::uint32_t number{0};
    std::uint64_t steps{0};
    /// The number in the part of the first stream or collection that took its virtual times together with it.
    /// They gave up the same virtual times, which count once.
    std::uint32_t together_with{0};
    std::uint64_t unmatched{0};  ///< values of a collection that were left out (Evaluator::unmatched)
    friend bool operator==(const GivenUp&, const GivenUp&) = default;
  };

  /// Values of a sampler or a stream that were dropped because too many waited for their view to arrive.
  struct Dropped {
    std::uint32_t sampler{0};
    std::uint64_t values{0};
    friend bool operator==(const Dropped&, const Dropped&) = default;
  };
  /// Events that a counter did not count, and regions that no counter by region counted, because there was no
  /// room for their partner or region. All counters by region have the same number of regions.
  struct LeftOut {
    std::uint32_t counter{0};
    std::uint64_t events{0};
    std::uint64_t regions{0};
    friend bool operator==(const LeftOut&, const LeftOut&) = default;
  };

  std::uint32_t metric{0};  ///< number of the part in the list of parts that the server evaluates
  /// A number of the evaluation that made the tokens. It changes when the server is restarted.
  std::uint64_t server{0};
  /// The least number of a process that the server knows. If `server` differs, that process's server was
  /// restarted.
  std::optional<std::uint32_t> process{};
  std::vector<Object> threads{};  ///< new threads; some of them may have nothing counted
  std::vector<Count> counts{};
  std::vector<InFlight> in_flight{};
  std::vector<Value> values{};
  std::vector<Reached> reached{};
  std::vector<Collected> collected{};
  // Since the server began.
  std::vector<Passed> passed{};
  std::vector<GivenUp> streams_given_up{};
  std::vector<GivenUp> collections_given_up{};
  std::vector<Dropped> dropped{};
  std::vector<LeftOut> left_out{};
};

}  // namespace eventspace::metrics
