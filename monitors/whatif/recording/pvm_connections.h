#pragma once

// Private to monitors/whatif/recording/.

#include "monitors/whatif/recording/recorded_program.h"

namespace eventspace::whatif {

/// Of a program of PVM: marks the sends that connected to the other task as `sync`. A task that sends
/// directly (PvmRouteDirect) connects before its first message to each other task, which answers when it
/// calls PVM: a first send that lasted from at least a millisecond before its receive was called until then
/// has waited for that.
void mark_pvm_connections(RecordedProgram& recorded);

}  // namespace eventspace::whatif
