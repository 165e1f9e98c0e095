#pragma once

// Private to monitors/.

#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "monitors/cli/stop_signals.h"
#include "monitors/tune/paired_slices.h"
#include "monitors/tune/step_count.h"
#include "pathmaps/sessions/consumer.h"

namespace eventspace::tune {

/// Measures scopes on the running application, in slices of time: with pulls through the scope and without,
/// side by side in pairs, in random order, so that what the application does by itself in the course of its
/// run touches both. Used by one thread, and for one tuning.
class Slices {
 public:
  using Clock = std::chrono::steady_clock;

  struct Settings {
    std::chrono::nanoseconds slice;
    std::size_t pairs;  ///< of each measurement
    double pace;        ///< pulls a second at most; 0: as fast as they go
    std::chrono::nanoseconds
        patience;           ///< with an application that makes no step, and servers that do not answer
    Clock::time_point end;  ///< when the time is up
    std::uint64_t seed;
  };

  /// All must outlive it.
  Slices(Consumer& consumer, StepCount& steps, StopSignals& signals, const Settings& settings);

  /// Waits for the application's steps; where they are rare it makes slices longer, so that each has some. To
  /// be called first.
  void settle();

  struct Trial {
    std::vector<SlicePair> pairs;
    std::string unusable;  ///< why there is none, when that is the scope's fault
  };
  Trial measure(const ScopeTree& tree);

  /// Why nothing more can be measured; empty: it can.
  [[nodiscard]] const std::string& over() const noexcept { return over_; }
  /// Whether it is over as what should be measured could not be reached or does not run, not by the time or a
  /// signal.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::chrono::nanoseconds slice() const noexcept { return settings_.slice; }

 private:
  /// Events a slice should have, so that its beginning and end do not matter much.
  static constexpr std::uint64_t wanted_steps = 30;
  static constexpr std::chrono::seconds longest_slice{5};

  struct Slice {
    double steps{0};  ///< a second
    double views{0};  ///< whole ones, a second
  };
  struct Pulls {
    std::size_t whole{0};
    std::string missing;
    double rate{0};
  };
  bool is_over();
  void give_up(std::string why);
  std::optional<StepReading> read();
  std::optional<StepReading> wait_for_step_after(const StepReading& reading);
  std::optional<Slice> run(EventScope* scope, Trial& trial);
  Pulls pull(EventScope& scope);
  bool warm_up(EventScope& scope, Trial& trial);
  std::optional<SlicePair> pair(EventScope& scope, Trial& trial);

  Consumer& consumer_;
  StepCount& steps_;
  StopSignals& signals_;
  Settings settings_;
  std::mt19937_64 random_;
  std::string over_;
  bool failed_{false};
};

}  // namespace eventspace::tune
