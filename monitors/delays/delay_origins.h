#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "monitors/delays/origin_shares.h"
#include "monitors/moments/moment.h"

namespace eventspace {

/// A signal that one thread gives and others await: the `number`-th of a channel, such as a tuple of an
/// element.
struct DelaySignal {
  std::uint64_t channel{0};
  std::uint64_t number{0};
  friend auto operator<=>(const DelaySignal&, const DelaySignal&) = default;  // NOLINT
};

/// A recorded piece of a thread's time. The time between two steps of a thread is its own work.
struct DelayStep {
  std::uint32_t thread{0};
  Moment begin{};
  Moment end{};
  std::optional<DelaySignal> awaits{};  ///< the step waited until this was given, unless it had been given
                                        ///< before
  std::optional<DelaySignal> gives{};   ///< at its end
  bool is_last_to_await{true};          ///< for a signal with one giver: no further step will await it
  bool waits_for_unknown{false};        ///< the step waited for an unrecorded cause
  bool follows_gap{false};              ///< records of the thread are missing before it
  std::uint64_t tag{0};                 ///< any number of the caller, for an observer
};

/// Finds the threads that cause waiting. A late thread is not necessarily the cause of a wait for it: it may
/// have waited itself. As in the delay analysis of Scalasca (Boehme, Geimer, Arnold, Voigtlaender, Wolf:
/// Identifying the root causes of wait states in large-scale parallel applications), a wait of thread A for
/// thread B is followed back to the previous time that B gave A a signal on the same channel. Since then
///
///     own      is the time that B worked longer than A did,
///     through  is the time that B waited itself.
///
/// The wait is divided in proportion: `own` is the share of B, and `through` is the share of the threads that
/// caused B's waits in that time. These are already known, because B waited before it gave. So each wait is
/// followed to its origin over any number of threads in a single pass.
///
/// Add the steps of one thread in order; steps of different threads may interleave in any order. A step that
/// awaits a signal that has not been given yet is kept, with all later steps of its thread, until the signal
/// is given; `give_up` ends that. The origin is unknown where records are missing: for a wait whose signal
/// was never seen, and for a wait with a gap since the previous signal. The first wait on a channel for a
/// thread is not counted, because it lacks a previous signal.
///
/// Memory is bounded by `Limits`. Pure. Not thread-safe.
class DelayOrigins {
 public:
  struct Limits {
    std::size_t threads{65536};  ///< others are ignored, and counted in left_out()
    std::size_t signals{65536};  ///< given but not awaited yet; beyond this, the oldest is forgotten
    std::size_t pairs{65536};    ///< of threads that have met on a channel; others are counted in left_out()
    std::size_t steps{262144};   ///< kept, of all threads; beyond this, the first is given up
  };
  DelayOrigins() : DelayOrigins(Limits{}) {}
  explicit DelayOrigins(const Limits& limits) : limits_(limits) {}

  /// Each signal of `channel` is given by `givers` threads, and a step that awaits it waits for the last of
  /// them. Without this call, one thread gives each signal.
  void expect(std::uint64_t channel, std::size_t givers);
  void add(const DelayStep& step);
  /// Gives up all kept steps that ended before `before`: the causes of their waits are unknown.
  void give_up(const Moment& before);
  void give_up_all();
  /// `observe` is called for each wait that is longer than the error of the clocks, with its step and how it
  /// is divided among its origins.
  using Observe = std::function<void(const DelayStep&, const OriginShares&)>;
  void set_observer(Observe observe) { observe_ = std::move(observe); }
  /// Multiplies all sums by `keep`, so that older waits count less than newer ones.
  void fade(double keep);

  /// Sums of one thread; times in nanoseconds.
  struct Sum {
    double observed{0};  ///< from its first step to its last one
    double waited{0};    ///< for other threads, as far as the origin is known
    double lost{0};      ///< waits with an unknown origin
    double cost{0};      ///< waits of other threads that this thread caused
    double waits{0};     ///< number of waits with the largest share in this thread
    double direct{0};    ///< waits of its direct takers for its own work
    double squares{0};   ///< sum of squares of `direct` per single piece of its work
  };
  [[nodiscard]] const std::map<std::uint32_t, Sum>& sums() const noexcept { return sums_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }
  /// Waits that are shorter than the error of the clocks; they are not counted.
  [[nodiscard]] std::uint64_t unclear() const noexcept { return unclear_; }

 private:
  // A thread at one moment of its time.
  struct State {
    Moment at{};
    double waited{0};  // since its first step
    OriginShares origins{};
    std::uint64_t gaps{0};
  };
  using StatePtr = std::shared_ptr<const State>;
  struct Thread {
    std::deque<DelayStep> kept{};
    std::optional<State> now{};  // after its last processed step
  };
  struct Given {
    std::uint32_t thread{0};
    StatePtr state{};
    StatePtr before{};  // when the thread last gave on this channel, if it has several givers
  };
  struct Signal {
    std::vector<Given> given{};
    std::size_t awaited{0};  // times
  };
  // The last time that `giver` gave `taker` a signal on the channel; on a channel with several givers, the
  // last time that the thread (both are equal) took part.
  struct PairKey {
    std::uint64_t channel{0};
    std::uint32_t taker{0};
    std::uint32_t giver{0};
    friend auto operator<=>(const PairKey&, const PairKey&) = default;  // NOLINT
  };
  struct Pair {
    StatePtr taker{};
    StatePtr giver{};
  };
  struct Channel {
    std::size_t givers{1};
    std::optional<std::uint32_t> only_giver{};
    bool has_several{false};
    std::uint64_t newest{0};
  };

  Thread* thread_of(std::uint32_t number);
  void run(std::uint32_t first);
  bool advance(std::uint32_t number, Thread& thread, std::vector<std::uint32_t>& woken);
  [[nodiscard]] bool must_wait(const DelayStep& step) const;
  [[nodiscard]] bool is_missing(const DelaySignal& signal) const;
  void perform(const DelayStep& step, Thread& thread, std::vector<std::uint32_t>& woken);
  void wait_in(const DelayStep& step, State& now);
  void lose(std::uint32_t thread, State& now, double ns);
  void take(const DelayStep& step, State& now, Signal& signal);
  [[nodiscard]] const Pair* last_time(const DelayStep& step, const Given& last, Pair& of_several) const;
  [[nodiscard]] OriginShares share_of(const DelayStep& step, const State& now, const Given& last,
                                      double wait);
  void note_piece(const Given& last, const Moment& before, double ns);
  void count(std::uint32_t thread, const OriginShares& shares, double wait);
  void remember(const DelayStep& step, const State& now, const Signal& signal);
  void keep_pair(const PairKey& key, Pair pair);
  void give(const DelayStep& step, const State& now, std::vector<std::uint32_t>& woken);
  void forget_signals();
  bool give_up_first(std::int64_t before_ns);

  Limits limits_;
  std::map<std::uint32_t, Thread> threads_;
  std::map<std::uint64_t, Channel> channels_;
  std::map<DelaySignal, Signal> signals_;
  std::deque<DelaySignal> order_;  // of signals_, the oldest first; may include removed ones
  std::map<PairKey, Pair> pairs_;
  std::map<DelaySignal, std::set<std::uint32_t>> waiting_;  // threads whose first kept step awaits it
  std::map<std::uint32_t, Sum> sums_;
  // The last piece of a thread's work for which others waited: the time of its signal, and the sum of their
  // waits.
  struct Piece {
    Moment at{};
    double cost{0};
  };
  std::map<std::uint32_t, Piece> pieces_;
  std::size_t kept_{0};  // steps of all threads
  std::uint64_t left_out_{0};
  std::uint64_t unclear_{0};
  Observe observe_;
};

}  // namespace eventspace
