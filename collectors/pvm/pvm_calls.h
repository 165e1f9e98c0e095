#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "collectors/pvm/pvm_record.h"

namespace eventspace {

/// A function whose calls are recorded.
struct PvmCall {
  std::string_view name;
  PvmClass of{PvmClass::manage};
};

/// All recorded functions. The number of a function in records is its index + 1. Numbers are part of the
/// record format: new functions are appended. The first 39 come from figure 3.5 of Zabel's thesis. Functions
/// of class `manage` are included because they communicate with daemons and the group server, and their inner
/// calls are not calls of the program.
inline constexpr std::array pvm_calls{
    PvmCall{"pvm_barrier", PvmClass::group},
    PvmCall{"pvm_bcast", PvmClass::group},
    PvmCall{"pvm_mcast", PvmClass::send},
    PvmCall{"pvm_nrecv", PvmClass::receive},
    PvmCall{"pvm_precv", PvmClass::receive},
    PvmCall{"pvm_psend", PvmClass::send},
    PvmCall{"pvm_recv", PvmClass::receive},
    PvmCall{"pvm_reduce", PvmClass::group},
    PvmCall{"pvm_send", PvmClass::send},
    PvmCall{"pvm_trecv", PvmClass::receive},
    PvmCall{"pvm_scatter", PvmClass::group},
    PvmCall{"pvm_gather", PvmClass::group},
    PvmCall{"pvm_pkbyte", PvmClass::pack},
    PvmCall{"pvm_pkcplx", PvmClass::pack},
    PvmCall{"pvm_pkdcplx", PvmClass::pack},
    PvmCall{"pvm_pkdouble", PvmClass::pack},
    PvmCall{"pvm_pkfloat", PvmClass::pack},
    PvmCall{"pvm_pkint", PvmClass::pack},
    PvmCall{"pvm_pkuint", PvmClass::pack},
    PvmCall{"pvm_pklong", PvmClass::pack},
    PvmCall{"pvm_pkulong", PvmClass::pack},
    PvmCall{"pvm_pkshort", PvmClass::pack},
    PvmCall{"pvm_pkushort", PvmClass::pack},
    PvmCall{"pvm_pkstr", PvmClass::pack},
    PvmCall{"pvm_vpackf", PvmClass::pack},
    PvmCall{"pvm_upkbyte", PvmClass::unpack},
    PvmCall{"pvm_upkcplx", PvmClass::unpack},
    PvmCall{"pvm_upkdcplx", PvmClass::unpack},
    PvmCall{"pvm_upkdouble", PvmClass::unpack},
    PvmCall{"pvm_upkfloat", PvmClass::unpack},
    PvmCall{"pvm_upkint", PvmClass::unpack},
    PvmCall{"pvm_upkuint", PvmClass::unpack},
    PvmCall{"pvm_upklong", PvmClass::unpack},
    PvmCall{"pvm_upkulong", PvmClass::unpack},
    PvmCall{"pvm_upkshort", PvmClass::unpack},
    PvmCall{"pvm_upkushort", PvmClass::unpack},
    PvmCall{"pvm_upkstr", PvmClass::unpack},
    PvmCall{"pvm_vunpackf", PvmClass::unpack},
    PvmCall{"pvm_initsend", PvmClass::pack},
    // System calls, made by the functions above.
    PvmCall{"select", PvmClass::wait},
    PvmCall{"read", PvmClass::input},
    PvmCall{"write", PvmClass::output},
    // Other functions that send or wait.
    PvmCall{"pvm_probe", PvmClass::probe},
    PvmCall{"pvm_mytid"},
    PvmCall{"pvm_exit"},
    PvmCall{"pvm_spawn"},
    PvmCall{"pvm_parent"},
    PvmCall{"pvm_joingroup"},
    PvmCall{"pvm_lvgroup"},
    PvmCall{"pvm_freezegroup"},
    PvmCall{"pvm_gettid"},
    PvmCall{"pvm_getinst"},
    PvmCall{"pvm_gsize"},
    PvmCall{"pvm_addhosts"},
    PvmCall{"pvm_delhosts"},
    PvmCall{"pvm_config"},
    PvmCall{"pvm_tasks"},
    PvmCall{"pvm_pstat"},
    PvmCall{"pvm_mstat"},
    PvmCall{"pvm_notify"},
    PvmCall{"pvm_kill"},
    PvmCall{"pvm_sendsig"},
    PvmCall{"pvm_halt"},
    PvmCall{"pvm_hostsync"},
    PvmCall{"pvm_putinfo"},
    PvmCall{"pvm_recvinfo"},
    PvmCall{"pvm_delinfo"},
    PvmCall{"pvm_getmboxinfo"},
    PvmCall{"pvm_newcontext"},
    PvmCall{"pvm_freecontext"},
    PvmCall{"pvm_catchout"},
    PvmCall{"pvm_siblings"},
    PvmCall{"pvm_start_pvmd"},
};
inline constexpr std::size_t pvm_calls_of_thesis = 39;
static_assert(pvm_calls[pvm_calls_of_thesis - 1].name == "pvm_initsend");

/// The number of a function; 0 for an unknown name.
constexpr std::uint16_t number_of_pvm_call(std::string_view name) noexcept {
  for (std::size_t i = 0; i < pvm_calls.size(); ++i)
    if (pvm_calls[i].name == name) return static_cast<std::uint16_t>(i + 1);
  return 0;
}
/// Names by number, as the words of a field.
std::span<const std::string_view> pvm_call_names();
/// The name of a function, or "call 77" for an unknown number.
std::string name_of_pvm_call(std::uint16_t number);
/// "pvm_send to t40002 tag 7"; a task is shown as by the console of PVM.
std::string describe_pvm_call(const PvmCallRecord& call);
std::string name_of_pvm_task(std::uint32_t task);

}  // namespace eventspace
