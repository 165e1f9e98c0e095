#pragma once

#include "collectors/pvm/pvm_recorder.h"
#include "pathmaps/preloading/joined_process.h"

namespace eventspace::pvm {

/// A process joins the session as "PROGRAM.tTASK", with its first task in hexadecimal, as the console of PVM
/// shows it.
using PvmThread = preloading::ThreadUse<PvmRecorder>;

/// Whether the process is one of PVM's own programs: a daemon, the console, or the group server. They do not
/// record.
bool is_program_of_pvm() noexcept;

}  // namespace eventspace::pvm
