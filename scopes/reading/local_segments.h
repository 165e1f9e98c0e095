#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "paths/views/view.h"
#include "scopes/reading/clock_rate.h"
#include "scopes/reading/dynamic_processes.h"
#include "scopes/reading/generations.h"
#include "tuplespace/processes/process_sight.h"
#include "tuplespace/system/directory_watch.h"
#include "tuplespace/trace/node_clock.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// Finds and maps the segments of one session's processes on this machine. The newest segment of each process
/// stays mapped, older ones as long as they have readers, see Generations. look() reads the directory, and so
/// do the find functions, at most once every `rescan`. A process that starts and ends normally between two
/// readings is therefore not seen.
///
/// Of two segments of one process, the one made later is newer, except that the segment of a running process
/// is always newer than the segment of an ended one, because the machine's clock may have been set back.
///
/// Not thread-safe, except for look_at, state_of and the result of clock_rate().
class LocalSegments {
 public:
  struct Config {
    std::string session;
    std::string node;              ///< only segments of this node; empty means all nodes
    std::uint64_t fingerprint{0};  ///< segments made from another plan are refused
    std::filesystem::path directory = segment_directory();
    std::chrono::nanoseconds rescan{std::chrono::milliseconds(50)};
    NodeClock clock{};  ///< of this machine
    /// The fingerprint of node servers' segments, if the plan contains paths of scopes; 0: `fingerprint`.
    std::uint64_t servers_fingerprint{0};
    /// The nodes whose dynamic processes are found, and their numbers. An entry without a name stands for all
    /// nodes that the plan does not have.
    std::vector<DynamicProcesses::Node> dynamic{};
    std::set<std::string> nodes_of_plan{};  ///< needed with such an entry and `node`
    /// Further directories in which processes may have annexes of their segments.
    std::vector<std::filesystem::path> annex_directories{};
  };

  explicit LocalSegments(Config config);

  /// Reads the directory now. This does not delay the next reading by a find function, because a process may
  /// appear right after this call.
  void look();
  /// Calls `appeared`, in another thread, each time that look() would find a new segment, until the result is
  /// destroyed.
  [[nodiscard]] std::unique_ptr<DirectoryWatch> watch(std::function<void()> appeared) const;

  /// The newest generation of a process, and the refusal of a file that should be a newer one.
  struct Found {
    std::shared_ptr<const Generation> newest;  ///< never null; number 0: a segment was not found yet
    std::string refusal;                       ///< why the file was refused; empty: not found
  };
  Found find(const std::string& process);

  /// Where a reader continues after reading the run whose segment was made at `created_ns`: that run if its
  /// segment still exists, otherwise the oldest later run with a segment, otherwise the newest generation.
  struct Since {
    std::shared_ptr<const Generation> first;
    /// Number of runs between the two that are more than `generations_kept` before the newest.
    std::uint64_t given_up{0};
  };
  Since find_since(const std::string& process, std::int64_t created_ns);

  /// The dynamic processes, as of a reading of the directory that is at most `rescan` old.
  const DynamicProcesses& find_dynamic();
  /// See ProcessNumbers::prefer.
  void prefer_number(std::uint32_t number, const ProcessNumbers::Run& run) { dynamic_.prefer(number, run); }

  /// The state of a process, and the handle for asking the kernel about it.
  struct Seen {
    RunState state{};
    std::shared_ptr<const ProcessSight> process;  ///< null if it has ended
  };
  /// Gets the state of the process that made `segment`, which must be intact. Asks the kernel at most every
  /// 20 ms. Keeps a file descriptor of each process that was queried within the last second. Thread-safe.
  Seen look_at(const SegmentView& segment);
  RunState state_of(const SegmentView& segment) { return look_at(segment).state; }

  [[nodiscard]] const NodeClock& clock() const noexcept { return config_.clock; }
  [[nodiscard]] const Config& config() const noexcept { return config_; }
  /// The rate of that clock. Thread-safe.
  [[nodiscard]] ClockRate& clock_rate() noexcept { return clock_rate_; }

 private:
  /// Orders the segments of one process by age: the newer one is greater.
  struct Rank {
    bool runs{false};
    std::int64_t created_ns{0};
    friend bool operator<(const Rank& a, const Rank& b) noexcept {
      return std::tie(a.runs, a.created_ns) < std::tie(b.runs, b.created_ns);
    }
  };
  struct Candidate {
    Rank rank;
    std::unique_ptr<SegmentView> segment;
  };
  struct Entry {
    Generations generations;
    std::vector<Candidate> candidates;  ///< of the current scan, oldest first
    std::uint64_t skipped{0};           ///< number of older candidates that were dropped
    Rank refused;
    std::string refusal;
  };
  struct KnownState {
    Seen seen;
    std::uint64_t start_ticks{0};
    std::chrono::steady_clock::time_point until;
  };
  /// A process by its PID namespace and its id there; the namespace by the boot and the number of its file.
  using ProcessKey = std::tuple<std::uint64_t, std::uint64_t, std::int32_t>;

  /// The files of one run: its annexes and its segment, which is empty if only annexes are left.
  struct Files {
    std::filesystem::path segment;
    std::vector<std::filesystem::path> annexes;
    [[nodiscard]] const std::filesystem::path& first() const noexcept {
      return segment.empty() ? annexes.front() : segment;
    }
    [[nodiscard]] SegmentView open() const;
    [[nodiscard]] bool are_there() const;
  };
  [[nodiscard]] std::vector<Files> files_now();
  void look_if_due();
  void consider(const Files& files);
  [[nodiscard]] bool is_of_plan(const SegmentView& segment) const noexcept;
  [[nodiscard]] bool has_plan(const SegmentView& segment) const noexcept;
  [[nodiscard]] bool is_of_other_node(const std::string& segment_name) const;
  static Rank rank_of(const SegmentView& segment);
  static void propose(Entry& entry, Candidate candidate);
  static void refuse(Entry& entry, Rank rank, std::string why);
  void adopt(Entry& entry);
  std::pair<std::shared_ptr<const Generation>, std::uint64_t> add_older(Entry& entry,
                                                                        const std::string& escaped_process,
                                                                        std::int64_t created_ns);
  [[nodiscard]] std::vector<std::unique_ptr<SegmentView>> segments_between(const std::string& escaped_process,
                                                                           std::int64_t from_ns,
                                                                           std::int64_t to_ns);

  Config config_;
  ClockRate clock_rate_;
  std::chrono::steady_clock::time_point next_scan_;
  DynamicProcesses dynamic_;
  bool looks_at_all_nodes_;               // nodes that the plan does not have can have any name
  std::set<std::string> other_nodes_;     // escaped; nodes of the plan that other servers read
  std::map<std::string, Entry> entries_;  // by escaped name of the process
  std::map<std::filesystem::path, SegmentView::File> seen_;  // files that need not be opened again
  std::string unreadable_;  // why the directory could not be read the last time
  std::mutex states_mutex_;
  std::map<ProcessKey, KnownState> states_;
};

}  // namespace eventspace
