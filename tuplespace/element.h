#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "tuplespace/operation.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// What a write does when the element holds `threshold` tuples already.
enum class WhenFull : std::uint8_t {
  discard,  ///< the oldest tuple goes, counted: right for traces and progress
  wait      ///< the writer waits for room: back-pressure, right for channels of an application
};

struct ElementConfig {
  std::string name;
  Signature signature;
  std::size_t threshold{200};  ///< tuples kept, at least 1
  WhenFull when_full{WhenFull::wait};
  std::size_t max_tuple_bytes{16u << 20};  ///< larger tuples are refused
};

/// A named, bounded sequence of tuples of one type (PastSet's element; Linda's out, rd and in).
///
/// 1. Tuples are numbered from 1 in the order in which their writes were accepted.
/// 2. At most `threshold` tuples are kept; tuples that a full discarding element dropped are counted.
/// 3. A wrong signature or an oversized tuple is refused, never stored.
///
/// Thread-safe. An operation either happens entirely or not at all.
class Element {
 public:
  /// Throws ConfigurationError for a threshold of 0 or an empty signature.
  explicit Element(ElementConfig config);
  ~Element();
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  [[nodiscard]] const ElementConfig& config() const noexcept { return config_; }

  /// Does `operation` (write, read, take, discard), waiting until its deadline at the longest, and sets its
  /// status, sequence, tuple and missed.
  void perform(Operation& operation);

  /// As perform, without waiting: an operation that would have to wait keeps Status::under_way and, when
  /// it has a waker, is registered for one wake-up at the next change that may help it. The deadline is
  /// not looked at. Registering the same waker twice counts once.
  void attempt(Operation& operation);

  /// Forgets a registered waker; after the return it is not called any more. No effect when unknown.
  void forget(Waker& waker);

  /// Ends all waiting with Status::closed, and every later operation too.
  void close();

  struct Counts {
    std::uint64_t written{0};    ///< also the newest sequence number
    std::uint64_t taken{0};
    std::uint64_t discarded{0};  ///< dropped by a full discarding element
    std::uint64_t dropped{0};    ///< dropped by Verb::discard
    std::uint64_t refused{0};
    std::size_t kept{0};
  };
  [[nodiscard]] Counts counts() const;
};

}  // namespace eventspace
