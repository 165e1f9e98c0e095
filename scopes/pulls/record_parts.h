#pragma once

#include <cstddef>
#include <optional>

#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"
#include "paths/views/view.h"

namespace eventspace {

/// Sends records of one view to the client before the reply, in messages of their own (parts, see
/// paths/wire/wire.h). Not thread-safe; `parts` must outlive this object.
class RecordParts final : public RecordsAhead {
 public:
  explicit RecordParts(PartSink& parts) noexcept : parts_(&parts) {}

  /// Sends all records of `view` if they are enough for a part, unless the reply would become too large.
  void offer(View& view) override;

 private:
  PartSink* parts_;
};

/// Returns the records of a part, which stay in its message; nothing if the body is malformed.
[[nodiscard]] std::optional<RecordBlock> read_record_part(const ReplyPart& part);

/// Returns the size of a part's message without its records, in bytes.
[[nodiscard]] std::size_t record_part_overhead() noexcept;

}  // namespace eventspace
