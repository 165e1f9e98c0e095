#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectors/event_record.h"
#include "paths/views/view.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace::testing_campaign {

/// What a monitor of unread events was told of each trace element, held against what guarantees.md promises:
///
/// 1. Each view moves trace elements on, and every sequence number that it moves over is a record of that
/// view,
///    or counted in its Loss: no more, no less.
/// 2. Records lie within what their view moves over, in the order of their numbers: none comes twice.
/// 3. A trace element goes from one run of its process to a later one, never back. That it was read to its
/// end
///    before, or that the view names the process as restarted, is for whoever knows the runs: see Change.
class Account {
 public:
  /// Which trace element an event collector writes; nothing: none that there is.
  using SourceOf = std::function<std::optional<SourceRef>(std::uint32_t path, std::uint16_t point)>;
  /// And what the names of processes are.
  using NameOf = std::function<std::string(std::uint32_t process)>;
  Account(SourceOf source_of, NameOf name_of)
      : source_of_(std::move(source_of)), name_of_(std::move(name_of)) {}

  /// From one run to the next, or, with `next.pid` 0, the end of the account.
  struct Change {
    ReadPosition left;
    ReadPosition next;
    bool is_named{false};
  };

  /// What is wrong with the view, a line for each fault; empty: all is accounted for.
  std::vector<std::string> take(const View& view);
  /// The changes since the last call.
  std::vector<Change> take_changes() { return std::exchange(changes_, {}); }
  /// Where each trace element stands.
  [[nodiscard]] std::vector<ReadPosition> positions() const;
  /// Whether the last view moved anything on.
  [[nodiscard]] bool has_moved() const noexcept { return !windows_.empty(); }

 private:
  struct Window {
    std::uint64_t after;
    std::uint64_t last;
    std::uint64_t newest;  ///< of the records so far
  };

  void move(const ReadPosition& position, const View& view, std::vector<std::string>& faults);
  void place(const EventRecord& record, std::vector<std::string>& faults);
  void weigh(const View& view, std::vector<std::string>& faults) const;
  [[nodiscard]] std::string told(const ReadPosition& position) const;

  SourceOf source_of_;
  NameOf name_of_;
  std::map<SourceRef, ReadPosition> positions_;
  std::map<SourceRef, Window> windows_;  // of the last view
  std::vector<Change> changes_;
};

}  // namespace eventspace::testing_campaign
