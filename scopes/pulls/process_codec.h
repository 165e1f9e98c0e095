#pragma once

// Private to scopes/.
// Encodes and decodes a ProcessReport inside a message body.

#include "paths/views/view.h"
#include "paths/wire/msgpack_body.h"

namespace eventspace::msgpack_body {

/// Packs the numbers as one block of little-endian 64-bit words, because each pull brings them for each
/// process, then the threads, how much it records, what is in flight, and, if it was asked for, what it has
/// used.
void pack_process(Packer& packer, const ProcessReport& process);
/// Throws BodyError if the body is malformed or holds impossible values: negative bounds, rates that are not
/// finite, a load below 0, or no processor.
ProcessReport read_process(Entries entries);

}  // namespace eventspace::msgpack_body
