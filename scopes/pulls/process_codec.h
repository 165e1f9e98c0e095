#pragma once

// Private to scopes/.
// A ProcessReport inside a message body.

#include "paths/views/view.h"
#include "paths/wire/msgpack_body.h"

namespace eventspace::msgpack_body {

/// Its numbers as one block of words of 64 bits, little-endian, as each pull brings them of each process;
/// then its threads.
void pack_process(Packer& packer, const ProcessReport& process);
/// Throws BodyError, also for what no report can be: bounds below zero, rates that are no numbers.
ProcessReport read_process(Entries entries);

}  // namespace eventspace::msgpack_body
