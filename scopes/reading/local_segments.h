#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "paths/views/view.h"
#include "scopes/reading/clock_rate.h"
#include "scopes/reading/generations.h"
#include "tuplespace/system/directory_watch.h"
#include "tuplespace/system/process_stat.h"
#include "tuplespace/trace/node_clock.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// The segments of one session's processes on this machine, as a reader finds them. The newest of each
/// process stays mapped; older ones for as long as somebody reads them, see Generations. Looks into the
/// directory at most every `rescan`, when something is asked for, and when it is told to: a process that
/// started and ended in an orderly way between two looks was never there. Not thread-safe but for state_of.
///
/// Of two segments of one process the one made later is the newer; but one whose process runs is never taken
/// for older than one whose process is gone, as the machine's clock may have been set back between them.
class LocalSegments {
 public:
  struct Config {
    std::string session;
    std::string node;              ///< only this node's; empty: of every node
    std::uint64_t fingerprint{0};  ///< a segment made from another plan is refused
    std::filesystem::path directory = segment_directory();
    std::chrono::nanoseconds rescan{std::chrono::milliseconds(50)};
    NodeClock clock{};  ///< of this machine
    /// Segments of node servers have this one, when the paths of scopes are in their plan; 0: `fingerprint`.
    std::uint64_t servers_fingerprint{0};
  };

  explicit LocalSegments(Config config) : config_(std::move(config)) {}

  /// Looks into the directory now. When somebody asks next it is looked again, if that is due: this may have
  /// been before the process was there.
  void look();
  /// Has `appeared` called, by another thread, each time that look() would find a new segment.
  [[nodiscard]] std::unique_ptr<DirectoryWatch> watch(std::function<void()> appeared) const;

  /// One process's newest generation, and whether there is a file that should be a newer one.
  struct Found {
    std::shared_ptr<const Generation> newest;  ///< never null; number 0: no segment was found yet
    std::string refusal;                       ///< why that file was refused; empty: there is none
  };
  Found find(const std::string& process);

  /// Where somebody goes on who read a run whose segment was made at `created_ns`: that run, or else the
  /// oldest that came after it of which there is a segment; the newest if there is none.
  struct Since {
    std::shared_ptr<const Generation> first;
    std::uint64_t given_up{
        0};  ///< runs between the two that are more than `generations_kept` before the newest
  };
  Since find_since(const std::string& process, std::int64_t created_ns);

  /// What is known of a process whose segment, which must be intact, this is; the kernel is asked at most
  /// every 20 ms. Keeps a descriptor of each process of which that was asked within the last
  /// second. Any thread, any number of them at a time.
  RunState state_of(const SegmentView& segment);

  [[nodiscard]] const NodeClock& clock() const noexcept { return config_.clock; }
  /// How fast that runs. For whoever reads it beside the clock of a process, on any thread.
  [[nodiscard]] ClockRate& clock_rate() noexcept { return clock_rate_; }

 private:
  /// What tells which of two segments of one process is the newer.
  struct Rank {
    bool runs{false};
    std::int64_t created_ns{0};
    friend bool operator<(const Rank& a, const Rank& b) noexcept {
      return std::tie(a.runs, a.created_ns) < std::tie(b.runs, b.created_ns);
    }
  };
  struct Candidate {
    Rank rank;
    std::unique_ptr<const SegmentView> segment;
  };
  struct Entry {
    Generations generations;
    std::vector<Candidate> candidates;  ///< of the scan under way, the oldest first
    std::uint64_t skipped{0};           ///< candidates older than those that there was no room for
    Rank refused;
    std::string refusal;
  };
  struct KnownState {
    MainThread process;
    std::uint64_t start_ticks{0};
    RunState state{};
    std::chrono::steady_clock::time_point until;
  };

  [[nodiscard]] std::vector<std::filesystem::path> files_now();
  void look_if_due();
  void consider(const std::filesystem::path& file);
  [[nodiscard]] bool is_of_plan(const SegmentView& segment) const noexcept;
  static Rank rank_of(const SegmentView& segment);
  static void propose(Entry& entry, Candidate candidate);
  static void refuse(Entry& entry, Rank rank, std::string why);
  void adopt(Entry& entry);
  std::pair<std::shared_ptr<const Generation>, std::uint64_t> add_older(Entry& entry,
                                                                        const std::string& escaped_process,
                                                                        std::int64_t created_ns);
  [[nodiscard]] std::vector<std::unique_ptr<const SegmentView>> segments_between(
      const std::string& escaped_process, std::int64_t from_ns, std::int64_t to_ns);

  Config config_;
  ClockRate clock_rate_;
  std::chrono::steady_clock::time_point next_scan_;
  std::map<std::string, Entry> entries_;                     // by process, its name escaped
  std::map<std::filesystem::path, SegmentView::File> seen_;  // not to be opened again
  std::string unreadable_;                                   // why the directory could not be read last time
  std::mutex states_mutex_;
  std::map<std::int32_t, KnownState> states_;  // by pid
};

}  // namespace eventspace
