#pragma once

#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "monitors/tune/paced_pulls.h"
#include "monitors/tune/paired_slices.h"
#include "monitors/tune/step_count.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace::tune {

/// Measures scopes on the running application in pairs of neighbouring slices of time, one with and one
/// without pulls through the scope, in random order. Changes in the application's own speed therefore affect
/// both alike. Used by one thread at a time, for one tuning.
class Slices {
 public:
  using Clock = std::chrono::steady_clock;

  struct Settings {
    std::chrono::nanoseconds slice;
    std::size_t pairs;                  ///< in each measurement
    double pace;                        ///< maximum pulls per second; 0 means unlimited
    std::chrono::nanoseconds patience;  ///< for an application without a step, or a silent server
    Clock::time_point end;              ///< when the time for tuning is up
    std::uint64_t seed;
    SliceObserver* observer{nullptr};  ///< may be null; must outlive the slices
  };

  /// `wait` is for all waits: measuring ends when it returns true. `steps` must outlive this object.
  Slices(StepCount& steps, EndingWait wait, const Settings& settings);

  /// Measures how often the application makes a step, and makes the slices longer if steps are rare, so that
  /// each slice has some. Call it first.
  void settle();

  struct Trial {
    std::vector<SlicePair> pairs;
    std::string unusable;  ///< why `pairs` is empty, if the scope is the cause
  };
  /// `consumer` pulls through the tree in the calling thread, for which another thread may wait.
  Trial measure(Consumer& consumer, const ScopeTree& tree);

  /// Why nothing more can be measured; empty while it can.
  [[nodiscard]] const std::string& over() const noexcept { return over_; }
  /// Whether it is over because the application or a server could not be reached or does not run; false for
  /// the end of the time and for signals.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::chrono::nanoseconds slice() const noexcept { return settings_.slice; }

 private:
  /// Steps that a slice should have, so that the partial steps at its ends hardly matter.
  static constexpr std::uint64_t wanted_steps = 30;
  static constexpr std::chrono::seconds longest_slice{5};

  struct Slice {
    double steps{0};  ///< steps per second
    double views{0};  ///< complete views per second
  };
  bool is_over();
  void give_up(std::string why);
  std::optional<StepReading> read();
  std::optional<StepReading> wait_for_step_after(const StepReading& reading);
  std::optional<Slice> run(EventScope* scope, Trial& trial);
  bool warm_up(EventScope& scope, Trial& trial);
  std::optional<SlicePair> pair(EventScope& scope, Trial& trial);

  StepCount& steps_;
  EndingWait wait_;
  Settings settings_;
  std::mt19937_64 random_;
  std::string over_;
  bool failed_{false};
};

}  // namespace eventspace::tune
