#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "monitors/export/reading/model.h"
#include "monitors/watching/watched.h"
#include "monitors/web/timeline/operation_store.h"

namespace eventspace::web {

/// A recording with its operations in memory.
struct LoadedTimeline {
  Watched watched;  ///< the recording
  std::shared_ptr<const OperationStore> store;
  exports::Totals totals{};
  std::int64_t recording_began{0};  ///< since the origin of the store; events before it were still in memory
  std::int64_t realtime_ns{0};      ///< CLOCK_REALTIME of the recorder's machine when its clock was 0
};
using SharedTimeline = std::shared_ptr<const LoadedTimeline>;

/// Reads the recording to its end. `goes_on` gets the share that is done, 0 to 1, and returns whether to
/// continue; the result is null if it does not. Throws EnvironmentError if the file cannot be read.
SharedTimeline load_timeline(Watched recording, const std::function<bool(double)>& goes_on,
                             const OperationStore::Limits& limits = {});

/// Reads the present content of the trace elements of a running session: the last events of each thread, as
/// many as the elements have room for. The data go through a file in the temporary folder, which is removed.
/// Throws EnvironmentError.
class SnapshotLoader {
 public:
  explicit SnapshotLoader(Watched running);
  ~SnapshotLoader();
  SnapshotLoader(const SnapshotLoader&) = delete;
  SnapshotLoader& operator=(const SnapshotLoader&) = delete;

  SharedTimeline load(const std::function<bool(double)>& goes_on);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::web
