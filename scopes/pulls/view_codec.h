#pragma once

// Encodes and decodes a View inside a message body.

#include <memory>
#include <optional>

#include "paths/views/view.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// Appends the body of a reply.
void write_view(const View& view, wire::Message& reply);
/// Decodes the body of a reply; nothing if it is malformed. The records stay in the memory of the body as a
/// block of the view, which shares ownership of `message`, the owner of that memory. If `message` is null,
/// the records are copied.
[[nodiscard]] std::optional<View> read_view(Bytes body, const std::shared_ptr<const void>& message = nullptr);

}  // namespace eventspace
