#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuplespace/segment.h"
#include "tuplespace/view.h"

namespace eventspace {

/// The segments of one session's processes on this machine, as a reader finds them: opened when first
/// asked for, kept for as long as nothing newer of that process appears. Looks into the directory at most
/// every `rescan`, and only when something is asked for. Not thread-safe.
class LocalSegments {
 public:
  struct Config {
    std::string session;
    std::string node;              ///< only this node's; empty: of every node
    std::uint64_t fingerprint{0};  ///< a segment made from another plan is refused
    std::filesystem::path directory = segment_directory();
    std::chrono::nanoseconds rescan{std::chrono::milliseconds(50)};
  };

  explicit LocalSegments(Config config) : config_(std::move(config)) {}

  /// One process's segment, or why there is none.
  struct Found {
    const SegmentView* view{nullptr};  ///< until the next call of find
    std::uint64_t generation{0};       ///< rises when a newer segment takes the place of an older one
    std::string refusal;               ///< why the file that is there was refused; empty: there is none
  };
  Found find(const std::string& process);

  /// What is known of a process whose segment this is; the kernel is asked at most every few milliseconds.
  RunState state_of(const SegmentView& view);

 private:
  struct Entry {
    std::unique_ptr<SegmentView> view;
    std::uint64_t generation{0};
    std::string refusal;
  };
  struct KnownState {
    RunState state{};
    std::uint64_t start_ticks{0};
    std::chrono::steady_clock::time_point until;
  };

  void rescan_if_due();
  void consider(const std::filesystem::path& file);
  void adopt(std::unique_ptr<SegmentView> view);

  Config config_;
  std::chrono::steady_clock::time_point next_scan_;
  std::uint64_t last_generation_{0};
  std::map<std::string, Entry> entries_;       // by process
  std::map<std::int32_t, KnownState> states_;  // by pid
};

}  // namespace eventspace
