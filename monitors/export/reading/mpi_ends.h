#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectors/mpi/mpi_record.h"
#include "monitors/export/reading/message_numbers.h"
#include "monitors/export/reading/model.h"
#include "monitors/mpi/job_communicators.h"

namespace eventspace::exports {

/// Finds the messages that MPI calls send and receive, and numbers them (MessageNumbers). A message that a
/// request receives belongs to the call that completed the request; its place among the receives of its route
/// is given by the call that posted it. A receive from any source gets its place when it is completed, and
/// delays the numbering of later receives; where the order cannot be decided, the ends are not certain.
///
/// Keeps at most `max_posted` posted receives until they are completed. Further receives, and receives of
/// requests whose begin was lost, are numbered at completion, and are not certain. Not thread-safe.
class MpiEnds {
 public:
  static constexpr std::size_t max_posted = std::size_t{1} << 18;

  /// `names` must outlive it.
  explicit MpiEnds(const PlanNames& names) : communicators_(names) {}

  /// An event of a process of this rank; the messages in it are added to `ends` and `messages`.
  struct Call {
    std::uint32_t rank{0};
    std::uint32_t process{0};
    std::span<const TraceTuple> records;  ///< of the event; the last is the event's own record
    std::int64_t end_ns{0};
    bool in_flight{false};
  };
  void read(const Call& call, std::vector<MessageEnd>& ends, std::vector<MpiMessage>& messages);
  /// Events of a rank are missing before `time`.
  void lose(std::uint32_t rank, std::int64_t time) { numbers_.lose(rank, time); }
  [[nodiscard]] std::uint64_t unnumbered() const noexcept { return numbers_.unnumbered() + unknown_; }

 private:
  struct Posted {
    std::uint64_t order{0};
    std::uint32_t communicator{0};
    bool is_wild{false};
    std::optional<MessageEnd> end{};  // for a receive that was numbered when it was posted
  };
  struct Process {
    std::map<std::uint32_t, Posted> posted;  // by request
    std::uint64_t next_order{0};
  };
  struct Out {
    const Call* call;
    std::vector<MessageEnd>* ends;
    std::vector<MpiMessage>* messages;
  };
  void send(const MpiCallRecord& message, const Out& out);
  void receive(const MpiCallRecord& message, bool is_certain, const Out& out);
  void post(const MpiCallRecord& call, const Out& out);
  void complete(std::vector<MpiCallRecord> completed, const Out& out);
  void complete_one(const MpiCallRecord& message, const Out& out);
  void start(const Out& out);
  [[nodiscard]] bool waits_for_wild(const Process& process, std::uint32_t communicator,
                                    std::uint64_t before) const;
  std::optional<MessageNumbers::Route> route(const MpiCallRecord& message, std::uint32_t own, bool receives);

  JobCommunicators communicators_;
  MessageNumbers numbers_;
  std::unordered_map<std::uint32_t, Process> processes_;
  std::size_t posted_{0};
  std::uint64_t unknown_{0};  // ends whose route is not known
};

}  // namespace eventspace::exports
