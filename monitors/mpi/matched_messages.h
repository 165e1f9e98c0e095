#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "monitors/moments/moment.h"
#include "monitors/mpi/call_reader.h"
#include "monitors/mpi/message_waits.h"

namespace eventspace {

/// Point-to-point messages of an MPI job, matched with one another: the k-th send from one rank to another on
/// a communicator with a tag belongs to the k-th receive there, as MPI delivers messages in order. This shows
/// which rank waited for which, and how long; durations alone (message_waits.h) do not:
///
///     late sender    the receive, or the wait for it, began before the send: it waited until then
///     late receiver  a send, or the wait for it, lasted beyond the beginning of the receive: it waited until
///                    then
///
/// Receives of one rank with one partner, communicator and tag are assumed to be received in the order of
/// their completion. If a call waits for several messages, only the longest wait counts.
///
/// Needs all calls of all ranks from the first; is_exact() returns whether it has them. Not thread-safe; does
/// no I/O.
class MatchedMessages {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  using Pair = MessageWaits::Pair;
  static constexpr std::size_t max_open = 1 << 18;  ///< messages with only one side known; see is_exact()
  /// Requests of a rank that are remembered: as many as the library follows. Older requests were complete
  /// when they were made.
  static constexpr std::uint32_t max_requests = 32768;

  /// `reader` must outlive it.
  explicit MatchedMessages(const CallReader& reader) noexcept : reader_(&reader) {}

  /// Adds an ended call of `rank`, with all records of its event, in the order of its thread. `node` is the
  /// number of the node to whose clock `process` relates.
  void add(std::uint32_t rank, std::span<const TraceTuple> event, const ProcessReport& process,
           std::uint32_t node);
  /// Whether all calls were present and consistent. Permanently false after records were discarded before
  /// they were read, recording was switched off, or a call completed more messages than its records list.
  /// Also false while the send of a received message is missing.
  [[nodiscard]] bool is_exact() const;

  struct Sum {
    std::uint64_t messages{0};  ///< with a wait
    std::uint64_t unclear{0};   ///< of these, waits shorter than the error of the clocks
    nanoseconds waited{0};
    nanoseconds error{0};
  };
  [[nodiscard]] const std::map<Pair, Sum>& sums() const noexcept { return sums_; }

 private:
  // A call that waits for one or several messages.
  struct Wait {
    Moment begin{}, end{};
    std::size_t open{1};  // messages whose other side is not known yet, and 1 while they are added
    std::optional<std::pair<Pair, Difference>> longest{};
  };
  struct Message {
    std::uint32_t from{0}, to{0};
    std::optional<Moment> sent{}, received{};  // when each side began
    Moment arrived{};                          // when the receive was complete
    std::shared_ptr<Wait> of_send{}, of_receive{};
  };
  using MessagePtr = std::shared_ptr<Message>;
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  struct Unmatched {
    std::deque<MessagePtr> sends, receives;
  };
  // The operation of a request until its completion.
  struct Posted {
    Moment at{};
    bool is_persistent{false};
    MessagePtr send{};
  };
  struct Call;

  [[nodiscard]] bool lacks_sends() const;
  void follow(std::span<const TraceTuple> event);
  void take(const Call& call, std::span<const TraceTuple> event, const std::shared_ptr<Wait>& wait);
  void send(const Call& call, const MpiCallRecord& message, const std::shared_ptr<Wait>& wait);
  void receive(const Call& call, const MpiCallRecord& message, const Moment& at,
               const std::shared_ptr<Wait>& wait);
  void start(const Call& call, std::span<const TraceTuple> event);
  void complete(const Call& call, std::span<const TraceTuple> event, const std::shared_ptr<Wait>& wait);
  void match(const Key& key);
  void remember(std::uint32_t rank, std::uint32_t request, Posted posted);
  void count(Message& message);
  void count(Wait& wait, const Pair& pair, const Moment& other_began);
  void release(Wait& wait);

  const CallReader* reader_;
  std::map<std::uint32_t, std::uint64_t> next_;  // sequence number, by thread
  std::map<std::uint32_t, Moment> newest_;       // end of the newest call, by rank
  std::map<Key, Unmatched> unmatched_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Posted> posted_;  // by rank and request
  std::map<Pair, Sum> sums_;
  std::size_t open_{0};
  bool is_exact_{true};
};

}  // namespace eventspace
