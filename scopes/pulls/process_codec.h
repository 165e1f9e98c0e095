#pragma once

// Private to scopes/.
// Encodes and decodes a ProcessReport inside a message body.

#include "paths/views/view.h"
#include "paths/wire/msgpack_body.h"

namespace eventspace::msgpack_body {

/// Packs the numbers as one block of little-endian 64-bit words, because each pull sends them for each
/// process. Then come the threads, its collect setting, the operations in flight, and, if requested, the
/// resource usage.
void pack_process(Packer& packer, const ProcessReport& process);
/// Throws BodyError if the body is malformed or holds impossible values: negative bounds, rates that are not
/// finite, a load below 0, or 0 processors.
ProcessReport read_process(Entries entries);

}  // namespace eventspace::msgpack_body
