#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace eventspace::test {

/// A model of a signal of a shared element (tuplespace/shared/signal_watch.h), small enough to visit every
/// state that two threads that raise it, one that closes the element and two that wait can reach. All of them
/// access one word, or two words in sequentially consistent order, so each execution is an interleaving of
/// their steps.
///
/// A thread that waits looks whether the element has ended, reads the count, looks again, marks that it
/// sleeps, and goes to sleep. In the model it wakes up only if it is woken, and once because its time is up:
/// the sleep of the real one is limited too, which would hide a lost wake-up for a second.
class SignalModel {
 public:
  enum class Design : std::uint8_t {
    bit_in_the_count,      ///< as in the code
    flag_beside_the_count  ///< that the thread clears that raises the signal
  };
  enum class EndIsSought : std::uint8_t {
    before_and_after_the_count,  ///< as in the code
    before_the_count
  };

  struct Verdict {
    std::size_t states{0};
    std::size_t final_states{0};  ///< in which no thread has anything left to do
    std::size_t lost{0};          ///< of these, with a thread that sleeps although something has happened
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
      for (std::size_t i = 0; i < raisers; ++i) raise(state, i);
      for (std::size_t i = 0; i < sleepers; ++i) wait(state, i);
      if (steps_ > before) continue;
      ++verdict.final_states;
      if (is_lost(state)) ++verdict.lost;
    }
    return verdict;
  }

 private:
  static constexpr std::size_t raisers = 3;
  static constexpr std::size_t closer = 2;
  static constexpr std::size_t sleepers = 2;
  static constexpr std::uint8_t rounds = 2;  // how often each of the other two raises the signal

  enum class Raising : std::uint8_t { begins, counts, looks, clears, wakes, is_over };
  struct Raiser {
    Raising step{Raising::begins};
    bool closes{false};
    std::uint8_t round{0};
    std::uint8_t count{0};  // what it read
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
    std::array<Raiser, raisers> raisers{};
    std::array<Sleeper, sleepers> sleepers{};
    auto operator<=>(const State&) const = default;
  };

  void reach(const State& state) {
    if (visited_.insert(state).second) pending_.push_back(state);
  }
  // Counts steps even if they lead to states that are known.
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
        self.count = state.count;
        self.bit = state.bit;
        self.step = Raising::counts;
        break;
      case Raising::counts:
        design_ == Design::bit_in_the_count ? exchange(state, self) : increment(state, self);
        break;
      case Raising::looks:
        self.step = state.bit ? Raising::clears : next(self);
        break;
      case Raising::clears:
        self.step = state.bit ? Raising::wakes : next(self);
        state.bit = false;
        break;
      case Raising::wakes:
        for (Sleeper& sleeper : state.sleepers) {
          if (sleeper.step == Waiting::sleeps) sleeper.step = Waiting::looks;
        }
        self.step = next(self);
        break;
      case Raising::is_over:
        return;
    }
    go(state);
  }
  // The compare-exchange of count and bit. If it fails it is tried again with what it found.
  static void exchange(State& state, Raiser& self) {
    if (self.count == state.count && self.bit == state.bit) {
      ++state.count;
      state.bit = false;
      self.step = self.bit ? Raising::wakes : next(self);
    }
    self.count = state.count;
    self.bit = state.bit;
  }
  static void increment(State& state, Raiser& self) {
    ++state.count;
    self.step = Raising::looks;
  }
  static Raising next(Raiser& self) {
    return ++self.round < (self.closes ? 1 : rounds) ? Raising::begins : Raising::is_over;
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
        self.step = is_as_marked(state, self) ? Waiting::sleeps : Waiting::looks;
        break;
      case Waiting::sleeps:
        if (self.was_late) return;
        // It need not happen, so it does not count as something that is left to do.
        self.was_late = true;
        self.step = Waiting::looks;
        return reach(state);
      case Waiting::is_over:
        return;
    }
    go(state);
  }
  void mark(State& state, Sleeper& self) const {
    const bool marks = design_ == Design::flag_beside_the_count || self.seen == state.count;
    if (marks) state.bit = true;
    self.step = marks ? Waiting::falls_asleep : Waiting::looks;
  }
  [[nodiscard]] bool is_as_marked(const State& state, const Sleeper& self) const {
    return self.seen == state.count && (design_ == Design::flag_beside_the_count || state.bit);
  }

  Design design_;
  EndIsSought sought_;
  std::set<State> visited_;
  std::vector<State> pending_;
  std::size_t steps_{0};
};

}  // namespace eventspace::test
