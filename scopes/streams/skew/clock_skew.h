#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <eventspace/deadline.h>
#include "paths/views/rank_set.h"
#include "scopes/streams/back_end.h"
#include "scopes/streams/front_end.h"

/// Measures how far the clocks of back-ends are ahead of the front-end's, through the tree, so that the
/// front-end asks only its own children (Roth, Arnold, Miller: MRNet, SC'03, section 3.1). In the first phase
/// each process measures the clocks of its children, by questions that go down the tree and answers that come
/// up. In the second phase the differences are summed on the way from each back-end to the front-end. The
/// error of each sum is bounded by the sum of half the times of the fastest answers.
///
///     // the front-end
///     const auto skews = measure_clock_skew(front_end, {}, Deadline::after(10s));
///     const auto begin = sample.begin - skews.at(rank).ahead;        // by the front-end's clock
///
///     // a back-end
///     while (const auto received = back_end.receive(Deadline::never())) {
///       if (answer_clock_skew(back_end, *received)) continue;
///       ...
namespace eventspace::streams {

struct ClockSkew {
  std::chrono::nanoseconds ahead{0};  ///< the back-end's clock minus the front-end's
  std::chrono::nanoseconds bound{0};  ///< of the error, as long as no clock is set during the measurement
};
using ClockSkews = std::map<RankSet::Rank, ClockSkew>;

/// Reads a clock, in nanoseconds.
using ClockReading = std::function<std::int64_t()>;

struct ClockSkewOptions {
  std::uint32_t rounds{20};  ///< questions of the first phase; the fastest answer counts
  RankSet members{};         ///< the back-ends. Empty: all
  /// The name of a filter in the FilterRegistry of each process with children. A filter other than the
  /// built-in one reads another clock than the time of day (clock_skew_filter).
  std::string filter{"clock_skew"};
  /// A silent back-end delays each round by this time, and is left out if it is silent in all rounds.
  std::chrono::nanoseconds time_out{std::chrono::seconds(1)};
};

/// Blocks until all rounds are over. At the deadline, partial measurements are lost and the result is empty.
/// Leaves out back-ends that have not answered.
[[nodiscard]] ClockSkews measure_clock_skew(FrontEnd& front_end, const ClockSkewOptions& options,
                                            Deadline deadline);

/// Measures by asking one back-end after the other, without the help of the processes in between: for
/// comparison. The front-end takes half of the answer time as the time of one way. As in the paper (section
/// 4.2.1), the round with the smallest difference of the clocks counts.
[[nodiscard]] ClockSkews measure_clock_skew_directly(FrontEnd& front_end, const ClockSkewOptions& options,
                                                     Deadline deadline, const ClockReading& clock = {});

/// Answers a packet of one of the functions above; returns false, without effect, for other packets. `clock`
/// is the back-end's; empty: the time of day. To be called soon: a slow back-end makes the bound larger.
bool answer_clock_skew(BackEnd& back_end, const Received& received, const ClockReading& clock = {});

/// A filter that measures another clock than the time of day, to be added to the FilterRegistry of each
/// process: `clock` reads the clock of the process with this number in the topology.
[[nodiscard]] FilterInfo clock_skew_filter(std::string name,
                                           std::function<std::int64_t(std::uint32_t process)> clock);

}  // namespace eventspace::streams
