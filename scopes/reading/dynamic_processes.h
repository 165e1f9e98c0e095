#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/reading/generations.h"
#include "scopes/reading/process_numbers.h"
#include "scopes/tree/local_ids.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// A dynamic process of a session, which is not in the plan: it joined by itself, and its segment has the
/// fingerprint 0.
struct DynamicProcess {
  std::uint32_t number{0};  ///< unique in the session; see ProcessNumbers
  std::string name;
  std::string node;
  std::optional<JobMember> member;
  std::shared_ptr<const Generation> run;  ///< its segment; never null
};

/// The dynamic processes whose segments are on this machine. LocalSegments adds the segments that it finds,
/// and reports the remaining files after each reading of the directory.
///
/// A process stays in the list while its file exists, so a killed process stays until its segment is removed;
/// its number stays taken until its last reader has released the segment. Not thread-safe.
class DynamicProcesses {
 public:
  /// A node whose processes are taken, and their numbers. The ranges of two entries are equal or disjoint.
  struct Node {
    std::string name;  ///< as in the segment; empty: every node without an entry
    ProcessRange numbers;
  };

  explicit DynamicProcesses(std::vector<Node> nodes);

  /// Whether processes of `node` are taken; an empty name stands for nodes without an entry.
  [[nodiscard]] bool takes(std::string_view node) noexcept { return find(node) != nullptr; }
  [[nodiscard]] bool takes_any() const noexcept { return !nodes_.empty(); }
  /// Adds the process that made `segment`, with a number of its node. Does nothing if the node is not taken.
  /// Returns false, and counts the process, if all numbers of its node are taken; the next reading may find
  /// one.
  bool add(std::unique_ptr<SegmentView> segment);
  /// Ends a reading of the directory: removes the processes whose file is not among `files`, sorted by name.
  void keep_only(const std::vector<std::filesystem::path>& files);
  /// See ProcessNumbers::prefer.
  void prefer(std::uint32_t number, const ProcessNumbers::Run& run);

  [[nodiscard]] const std::vector<DynamicProcess>& list() const noexcept { return list_; }
  /// Rises with each change of the list.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  /// The number of processes that did not get a number at the last reading.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  struct Taken {
    std::string name;
    std::shared_ptr<ProcessNumbers> numbers;  // shared by entries with one range
  };
  [[nodiscard]] Taken* find(std::string_view node) noexcept;
  void replace(const std::filesystem::path& file);
  void release_unused();

  std::vector<Taken> nodes_;
  std::vector<DynamicProcess> list_;
  std::vector<DynamicProcess> gone_;  // not in the list any more, but perhaps still read
  std::uint64_t version_{0};
  std::uint64_t refused_{0};
  std::uint64_t refused_now_{0};  // in the current reading
};

}  // namespace eventspace
