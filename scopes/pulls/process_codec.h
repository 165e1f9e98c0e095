#pragma once

// Private to scopes/.
// Encodes and decodes a ProcessReport inside a message body.

#include "paths/views/view.h"
#include "paths/wire/msgpack_body.h"

namespace eventspace::msgpack_body {

/// Packs the numbers as one block of little-endian 64-bit words, because each pull brings them for each
/// process, then the threads, and how much it records.
void pack_process(Packer& packer, const ProcessReport& process);
/// Throws BodyError if the body is malformed or holds impossible values: negative bounds, rates that are not
/// finite.
ProcessReport read_process(Entries entries);

}  // namespace eventspace::msgpack_body
