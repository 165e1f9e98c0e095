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
#include "scopes/tree/own_numbers.h"
#include "tuplespace/trace/segment.h"

namespace eventspace {

/// A process of a session that no plan has: it joined by itself, and its segment says so by the fingerprint
/// 0.
struct UnplannedProcess {
  std::uint32_t number{0};  ///< unique in the session; see ProcessNumbers
  std::string name;
  std::string node;
  std::shared_ptr<const Generation> run;  ///< its segment; never null
};

/// The processes without a plan whose segments are on this machine. LocalSegments adds the segments that it
/// finds, and says after each look at the directory which files are left.
///
/// A process stays in the list while its file is there, so one that was killed stays until its segment is
/// removed; its number stays taken until its last reader has released the segment. Not thread-safe.
class UnplannedProcesses {
 public:
  /// Which nodes' processes are taken, and their numbers. The ranges of two entries are equal or have no
  /// number in common.
  struct Node {
    std::string name;  ///< as in the segment; empty: every node that has no entry of its own
    ProcessRange numbers;
  };

  explicit UnplannedProcesses(std::vector<Node> nodes);

  /// Whether processes of `node` are taken; of no name: of nodes that have no entry of their own.
  [[nodiscard]] bool takes(std::string_view node) noexcept { return find(node) != nullptr; }
  [[nodiscard]] bool takes_any() const noexcept { return !nodes_.empty(); }
  /// Adds the process that made `segment`, with a number of its node. Does nothing if the node is not taken.
  /// Returns false, and counts the process, if its node has no number left: it may have one at the next look.
  bool add(std::unique_ptr<SegmentView> segment);
  /// Ends a look at the directory: removes the processes whose file is not among `files`, sorted by name.
  void keep_only(const std::vector<std::filesystem::path>& files);
  /// See ProcessNumbers::prefer.
  void prefer(std::uint32_t number, const ProcessNumbers::Run& run);

  [[nodiscard]] const std::vector<UnplannedProcess>& list() const noexcept { return list_; }
  /// Rises with each change of the list.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  /// How many processes had no number left at the last look.
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
  std::vector<UnplannedProcess> list_;
  std::vector<UnplannedProcess> gone_;  // not in the list any more, but perhaps still read
  std::uint64_t version_{0};
  std::uint64_t refused_{0};
  std::uint64_t refused_now_{0};  // at the look that is under way
};

}  // namespace eventspace
