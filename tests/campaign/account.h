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

/// Checks the views of a monitor of unread events against the promises in docs/guarantees.md:
///
/// 1. A view advances the read positions of trace elements. Each sequence number between the old and the new
/// position is
///    either that of a record in the view, or counted in its Loss.
/// 2. The numbers of a view's records lie between the old and the new positions and ascend: no record is
/// repeated.
/// 3. A trace element changes from one run of its process to a later one, never to an earlier one. The
/// account does not
///    know the runs, so it cannot check that the earlier run was read to its end, or that the view names the
///    process as restarted. Runs does that, with the changes that take_changes returns.
class Account {
 public:
  /// Returns the trace element of an event collector; nullopt if the collector does not exist.
  using SourceOf = std::function<std::optional<SourceRef>(std::uint32_t path, std::uint16_t point)>;
  /// Returns the name of a process.
  using NameOf = std::function<std::string(std::uint32_t process)>;
  Account(SourceOf source_of, NameOf name_of)
      : source_of_(std::move(source_of)), name_of_(std::move(name_of)) {}

  /// A change from one run to another; or, if `next.pid` is 0, the final position.
  struct Change {
    ReadPosition left;
    ReadPosition next;
    bool is_named{false};
  };

  /// Adds a view. Returns a line for each violation that it finds.
  std::vector<std::string> take(const View& view);
  /// Returns the changes since the last call.
  std::vector<Change> take_changes() { return std::exchange(changes_, {}); }
  /// Returns the read position of each trace element.
  [[nodiscard]] std::vector<ReadPosition> positions() const;
  /// Returns true if the last view advanced any position.
  [[nodiscard]] bool has_moved() const noexcept { return !windows_.empty(); }

 private:
  struct Window {
    std::uint64_t after;
    std::uint64_t last;
    std::uint64_t newest;  ///< the newest number among the records so far
  };

  void move(const ReadPosition& position, const View& view, std::vector<std::string>& faults);
  void place(const EventRecord& record, std::vector<std::string>& faults);
  void weigh(const View& view, std::vector<std::string>& faults) const;
  [[nodiscard]] std::string told(const ReadPosition& position) const;

  SourceOf source_of_;
  NameOf name_of_;
  std::map<SourceRef, ReadPosition> positions_;
  std::map<SourceRef, Window> windows_;  // by trace element; of the last view only
  std::vector<Change> changes_;
};

}  // namespace eventspace::testing_campaign
