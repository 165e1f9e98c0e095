#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "monitors/whatif/actions/program.h"
#include "monitors/whatif/simulation/outcome.h"
#include "monitors/whatif/simulation/task_runs.h"
#include "monitors/whatif/switched/switched_job.h"

namespace eventspace::whatif {

/// A message of a simulation in SimGrid, from the begin of its send.
struct Carried {
  std::uint32_t from{0}, to{0};
  std::uint64_t bytes{0};
  Picoseconds began{0};
  bool is_sync{false};
  Picoseconds posted{0};                ///< time of its receive, once matched
  simgrid::s4u::CommPtr comm{};         ///< once it has left
  simgrid::s4u::Actor* waits{nullptr};  ///< its sender, until it leaves
};

/// A receive that was posted.
struct Posted {
  Picoseconds at{0};
  std::shared_ptr<Carried> message{};
  simgrid::s4u::Actor* waits{nullptr};  ///< its task, until a message is there
};

/// Matches messages with receives, in order for each sender, receiver, tag and group. Passes the messages to
/// SimGrid: small messages when they are sent, others when their receive is posted. Runs in SimGrid's only
/// thread.
class SimgridMail {
 public:
  struct Key {
    std::uint32_t from{0}, to{0}, group{0}, tag{0};
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// `hosts`: by task; must outlive it.
  SimgridMail(const std::vector<simgrid::s4u::Host*>& hosts, std::uint64_t rendezvous)
      : hosts_(&hosts), rendezvous_(rendezvous) {}

  std::shared_ptr<Carried> send(const Key& key, std::uint64_t bytes, Picoseconds began, bool is_sync);
  /// Sends without waiting for a receive, whatever the size.
  std::shared_ptr<Carried> send_at_once(const Key& key, std::uint64_t bytes, Picoseconds began);
  /// Blocks the calling task until an answer without data has come back to the sender.
  void answer(const Carried& message) const;
  [[nodiscard]] bool is_local(std::uint32_t one, std::uint32_t other) const {
    return (*hosts_)[one] == (*hosts_)[other];
  }
  std::shared_ptr<Posted> receive(const Key& key);
  /// Whether its sender waits until it has been carried.
  [[nodiscard]] bool waits(std::uint64_t bytes, bool is_sync) const { return is_sync || bytes > rendezvous_; }
  /// Bytes of messages that partial receives have not taken.
  std::uint64_t& rest(const Key& key) { return rests_[key]; }

  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  std::shared_ptr<Carried> put(const Key& key, std::shared_ptr<Carried> message);
  struct Channel {
    std::deque<std::shared_ptr<Carried>> messages{};
    std::deque<std::shared_ptr<Posted>> receives{};
  };
  void carry(Carried& message) const;
  void meet(Carried& message, Posted& receive) const;

  const std::vector<simgrid::s4u::Host*>* hosts_;
  std::uint64_t rendezvous_;
  std::unordered_map<Key, Channel, Hash> channels_;  // only channels where something waits
  std::unordered_map<Key, std::uint64_t, Hash> rests_;
  std::uint64_t messages_{0};
  std::uint64_t bytes_{0};
};

/// The simulation of a program, each task an actor of SimGrid.
class SimgridTasks {
 public:
  /// The arguments must outlive it. `hosts`: by task.
  SimgridTasks(const Program& program, const SwitchedJob& job, const std::vector<simgrid::s4u::Host*>& hosts);
  /// Runs all tasks to their ends, or until no task can continue. Call once.
  void run();

  [[nodiscard]] Outcome outcome() const;
  /// The tasks that have not ended.
  [[nodiscard]] const std::vector<TaskRuns::Waiting>& waiting() const noexcept { return waiting_; }

 private:
  const Program* program_;
  const SwitchedJob* job_;
  const std::vector<simgrid::s4u::Host*>* hosts_;
  SimgridMail mail_;
  Outcome outcome_;
  std::vector<TaskRuns::Waiting> waiting_;
};

}  // namespace eventspace::whatif
