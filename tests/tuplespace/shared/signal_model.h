#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace eventspace::test {

/// A model of a signal of a shared element (tuplespace/shared/signal_watch.h), small enough to visit every
/// state that two threads that raise it once, one that closes the element and two that wait can reach. All of
/// them access one word, or two words in sequentially consistent order, so each execution is an interleaving
/// of their steps.
///
/// A waiting thread checks whether the element has ended, reads the count, checks again, marks that it
/// sleeps, and goes to sleep. In the model it wakes up only if it is woken, and once because its time is up.
/// In the real code, sleeps are also limited, which would hide a lost wake-up for a second.
class SignalModel {
 public:
  enum class Design : std::uint8_t {
    bit_in_the_count,      ///< as in the code
    flag_beside_the_count  ///< which the signalling thread clears
  };
  enum class EndIsSought : std::uint8_t {
    before_and_after_the_count,  ///< as in the code
    before_the_count
  };

  struct Verdict {
    std::size_t states{0};
    std::size_t final_states{0};  ///< in which all threads are done
    std::size_t lost{0};          ///< thereof with a thread that sleeps in spite of an event
  };

  explicit SignalModel(Design design, EndIsSought sought = EndIsSought::before_and_after_the_count)
      : design_(design), sought_(sought) {}

  /// Visits all states.
  [[nodiscard]] Verdict run() {
    State first;
    first.raisers[closer].closes = true;
    reach(first);
    Verdict verdict;
    while (!pending_.empty()) {
      const State state = pending_.back();
      pending_.pop_back();
      ++verdict.states;
      const std::size_t before = steps_;
      for (std::size_t i = 0; i < raiser_count; ++i) raise(state, i);
      for (std::size_t i = 0; i < sleeper_count; ++i) wait(state, i);
      if (steps_ > before) continue;
      ++verdict.final_states;
      if (is_lost(state)) ++verdict.lost;
    }
    return verdict;
  }

 private:
  static constexpr std::size_t raiser_count = 3;
  static constexpr std::size_t closer = 2;
  static constexpr std::size_t sleeper_count = 2;

  enum class Raising : std::uint8_t { begins, counts, looks, clears, wakes, is_over };
  struct Raiser {
    Raising step{Raising::begins};
    bool closes{false};
    std::uint8_t count{0};  // the count that it read
    bool bit{false};
    auto operator<=>(const Raiser&) const = default;
  };
  enum class Waiting : std::uint8_t { looks, reads, looks_again, marks, falls_asleep, sleeps, is_over };
  struct Sleeper {
    Waiting step{Waiting::looks};
    std::uint8_t seen{0};
    bool was_late{false};  // its time was up once
    auto operator<=>(const Sleeper&) const = default;
  };
  struct State {
    std::uint8_t count{0};
    bool bit{false};  // or the flag
    bool has_ended{false};
    std::array<Raiser, raiser_count> raisers{};
    std::array<Sleeper, sleeper_count> sleepers{};
    auto operator<=>(const State&) const = default;
  };

  // The identity of threads does not matter, except the closer's.
  void reach(State state) {
    std::sort(state.raisers.begin(), state.raisers.begin() + closer);
    std::sort(state.sleepers.begin(), state.sleepers.end());
    if (visited_.insert(state).second) pending_.push_back(state);
  }
  // Counts steps even if they lead to known states.
  void go(const State& state) {
    ++steps_;
    reach(state);
  }

  static bool is_lost(const State& state) {
    for (const Sleeper& sleeper : state.sleepers) {
      if (sleeper.step == Waiting::sleeps && (sleeper.seen != state.count || state.has_ended)) return true;
    }
    return false;
  }

  // --- raise() -------------------------------------------------------------------------------------

  void raise(State state, std::size_t index) {
    Raiser& self = state.raisers[index];
    switch (self.step) {
      case Raising::begins:
        if (self.closes) state.has_ended = true;  // the closer's store before it raises the signal
        if (design_ == Design::bit_in_the_count) read(state, self);
        self.step = Raising::counts;
        break;
      case Raising::counts:
        design_ == Design::bit_in_the_count ? exchange(state, self) : increment(state, self);
        break;
      case Raising::looks:
        self.step = state.bit ? Raising::clears : Raising::is_over;
        break;
      case Raising::clears:
        self.step = state.bit ? Raising::wakes : Raising::is_over;
        state.bit = false;
        break;
      case Raising::wakes:
        for (Sleeper& sleeper : state.sleepers) {
          if (sleeper.step == Waiting::sleeps) again(sleeper);
        }
        self.step = Raising::is_over;
        break;
      case Raising::is_over:
        return;
    }
    go(state);
  }
  // The compare-exchange of count and bit. If it fails, it is tried again with the found value.
  static void exchange(State& state, Raiser& self) {
    if (self.count != state.count || self.bit != state.bit) return read(state, self);
    ++state.count;
    state.bit = false;
    self.step = self.bit ? Raising::wakes : Raising::is_over;
    forget(self);
  }
  static void increment(State& state, Raiser& self) {
    ++state.count;
    self.step = Raising::looks;
  }
  static void read(const State& state, Raiser& self) {
    self.count = state.count;
    self.bit = state.bit;
  }
  // Unused values must not distinguish states.
  static void forget(Raiser& self) {
    self.count = 0;
    self.bit = false;
  }

  // --- await() -------------------------------------------------------------------------------------

  void wait(State state, std::size_t index) {
    Sleeper& self = state.sleepers[index];
    switch (self.step) {
      case Waiting::looks:
        self.step = state.has_ended ? Waiting::is_over : Waiting::reads;
        break;
      case Waiting::reads:
        self.seen = state.count;
        self.step =
            sought_ == EndIsSought::before_and_after_the_count ? Waiting::looks_again : Waiting::marks;
        break;
      case Waiting::looks_again:
        self.step = state.has_ended ? Waiting::is_over : Waiting::marks;
        break;
      case Waiting::marks:
        mark(state, self);
        break;
      case Waiting::falls_asleep:  // the kernel compares the word
        fall_asleep(state, self);
        break;
      case Waiting::sleeps:
        if (self.was_late) return;
        // It need not happen, so it does not count as remaining work.
        self.was_late = true;
        again(self);
        return reach(state);
      case Waiting::is_over:
        return;
    }
    go(state);
  }
  void mark(State& state, Sleeper& self) const {
    const bool marks = design_ == Design::flag_beside_the_count || self.seen == state.count;
    if (!marks) return again(self);
    state.bit = true;
    self.step = Waiting::falls_asleep;
  }
  static void again(Sleeper& self) {
    self.step = Waiting::looks;
    self.seen = 0;
  }
  void fall_asleep(const State& state, Sleeper& self) const {
    const bool is_marked = design_ == Design::flag_beside_the_count || state.bit;
    if (self.seen != state.count || !is_marked) return again(self);
    self.step = Waiting::sleeps;
  }

  Design design_;
  EndIsSought sought_;
  std::set<State> visited_;
  std::vector<State> pending_;
  std::size_t steps_{0};
};

}  // namespace eventspace::test
