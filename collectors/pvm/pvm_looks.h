#pragma once

#include "collectors/looks.h"
#include "collectors/pvm/pvm_calls.h"
#include "collectors/pvm/pvm_record.h"

namespace eventspace {

/// Calls of pvm_nrecv and pvm_probe that find no message.
struct LooksOfPvm {
  using Record = PvmCallRecord;
  struct Sought {};  // the record has everything
  static bool is_of(const PvmCallRecord& look, const PvmCallRecord& call) noexcept {
    return look.call == call.call && look.site == call.site && look.marks == call.marks &&
           look.word6() == call.word6();
  }
  static PvmCallRecord look_of(const PvmCallRecord& call) noexcept {
    PvmCallRecord look = call;
    look.of = PvmClass::look;
    look.calls = 0;
    return look;
  }
  static Sought sought_by(const PvmCallRecord&) noexcept { return {}; }
};
using PvmLooks = Looks<LooksOfPvm>;

/// Whether the call returns at once, with or without a message.
constexpr bool is_look(const PvmCallRecord& call) noexcept {
  constexpr auto receive = number_of_pvm_call("pvm_nrecv");
  return call.of == PvmClass::probe || call.call == receive;
}

}  // namespace eventspace
