#pragma once

#include "monitors/whatif/recording/recorded_program.h"

namespace eventspace::whatif {

/// Marks the sends of a PVM program that established a connection as `sync`. With PvmRouteDirect, a task
/// connects before its first message to each other task, which answers only when it calls PVM. So a first
/// send waited for the connection if it began at least a millisecond before the receive was called, and
/// lasted until then.
void mark_pvm_connections(RecordedProgram& recorded);

}  // namespace eventspace::whatif
