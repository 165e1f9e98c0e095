#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/tuplespace/element_talk.h"

namespace eventspace::test {

/// A model of Element in the plainest code possible: it keeps all tuples ever written, and the fate of each.
/// Never waits; for one thread.
class ElementModel {
 public:
  static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

  /// `room` bounds the bytes of the encodings of all tuples kept, `largest` the bytes of one tuple.
  ElementModel(std::size_t threshold, WhenFull when_full, std::size_t room = any, std::size_t largest = any)
      : threshold_(threshold), when_full_(when_full), room_(room), largest_(largest) {}

  /// Returns the same text as summary() after Element::perform() with Deadline::now().
  std::string perform(const Operation& operation) {
    if (operation.verb == Verb::write) return write(operation.tuple);
    if (operation.verb == Verb::discard) return discard(operation.sequence);
    return operation.from == From::at ? fetch_at(operation) : fetch(operation);
  }

  [[nodiscard]] Element::Counts counts() const {
    return {fates_.size(),        count(Fate::taken), count(Fate::discarded),
            count(Fate::dropped), refused_,           static_cast<std::size_t>(count(Fate::kept))};
  }

 private:
  enum class Fate { kept, taken, discarded, dropped };
  struct Past {
    Tuple tuple;
    Fate fate;
  };
  using Number = std::uint64_t;

  std::string write(const Tuple& tuple) {
    if (tuple.encoded().size() > std::min(room_, largest_)) {
      ++refused_;
      return "refused";
    }
    while (!has_room_for(tuple)) {
      if (when_full_ == WhenFull::wait) return "full";
      at(first_kept_after(0)).fate = Fate::discarded;
    }
    fates_.push_back({tuple, Fate::kept});
    return "#" + std::to_string(fates_.size());
  }

  [[nodiscard]] bool has_room_for(const Tuple& tuple) const {
    std::size_t bytes = tuple.encoded().size();
    for (const Past& past : fates_)
      if (past.fate == Fate::kept) bytes += past.tuple.encoded().size();
    return count(Fate::kept) < threshold_ && bytes <= room_;
  }

  std::string discard(Number through) {
    for (Number number = 1; number <= fates_.size() && number <= through; ++number)
      if (at(number).fate == Fate::kept) at(number).fate = Fate::dropped;
    return "#" + std::to_string(through);
  }

  std::string fetch_at(const Operation& fetch) {
    if (fetch.sequence > fates_.size()) return "empty";
    if (fetch.sequence == 0 || at(fetch.sequence).fate != Fate::kept) return "gone";
    return matches(fetch, fetch.sequence) ? got(fetch, fetch.sequence) : "empty";
  }

  std::string fetch(const Operation& fetch) {
    const Number cursor = fetch.from == From::after ? fetch.sequence : 0;
    for (Number number = 1; number <= fates_.size(); ++number) {
      const bool newer_kept = fetch.from == From::newest && first_kept_after(number) != 0;
      if (number > cursor && at(number).fate == Fate::kept && !newer_kept && matches(fetch, number))
        return got(fetch, number);
    }
    return "empty";
  }

  std::string got(const Operation& fetch, Number number) {
    if (fetch.verb == Verb::take) at(number).fate = Fate::taken;
    Operation outcome = fetch;
    outcome.status = Status::ok;
    outcome.sequence = number;
    outcome.tuple = at(number).tuple;
    outcome.missed = fetch.from == From::after ? discarded_after(fetch.sequence) : 0;
    return summary(outcome);
  }

  [[nodiscard]] bool matches(const Operation& fetch, Number number) {
    return fetch.match == nullptr || fetch.match->matches(at(number).tuple);
  }
  [[nodiscard]] Number discarded_after(Number cursor) {
    Number result = 0;
    for (Number number = cursor + 1; number <= fates_.size(); ++number)
      if (at(number).fate == Fate::discarded) ++result;
    return result;
  }
  [[nodiscard]] Number first_kept_after(Number cursor) {
    for (Number number = cursor + 1; number <= fates_.size(); ++number)
      if (at(number).fate == Fate::kept) return number;
    return 0;
  }
  [[nodiscard]] std::uint64_t count(Fate fate) const {
    std::uint64_t result = 0;
    for (const Past& past : fates_) result += past.fate == fate ? 1 : 0;
    return result;
  }
  Past& at(Number number) { return fates_[number - 1]; }

  std::size_t threshold_;
  WhenFull when_full_;
  std::size_t room_;
  std::size_t largest_;
  std::uint64_t refused_{0};
  std::vector<Past> fates_;
};

}  // namespace eventspace::test
