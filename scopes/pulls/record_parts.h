#pragma once

// Private to scopes/.

#include <cstddef>
#include <memory>
#include <optional>

#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"
#include "paths/views/view.h"

namespace eventspace {

/// Sends records of one view ahead of its reply, as parts (paths/wire/wire.h). Not thread-safe; `parts` must
/// outlive it.
class RecordParts final : public RecordsAhead {
 public:
  explicit RecordParts(PartSink& parts) noexcept : parts_(&parts) {}

  /// Takes all there is when that is worth a part, unless it would be too much for the reply.
  void offer(View& view) override;

 private:
  PartSink* parts_;
};

/// The records of a part, which stay in its message. Nothing when the body is not what it should be.
[[nodiscard]] std::optional<RecordBlock> read_record_part(const ReplyPart& part);

/// How many bytes the message of a part has beside its records.
[[nodiscard]] std::size_t record_part_overhead() noexcept;

}  // namespace eventspace
