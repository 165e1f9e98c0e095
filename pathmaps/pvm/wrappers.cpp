// The wrappers of the functions of pvm_calls.h, and of the system calls that they use. A wrapper records the
// call and calls the next function of its name. The functions themselves jump through a jump table, so that
// their parameters are declared only in pvm3.h.
#include <pvm3.h>
#include <sys/select.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "collectors/pvm/pvm_calls.h"
#include "pathmaps/preloading/next_function.h"
#include "pathmaps/pvm/real_pvm.h"
#include "pathmaps/pvm/recording.h"

// pvm3.h declares them only after <stdio.h>, or not at all.
extern "C" {
int pvm_vpackf(const char*, va_list);
int pvm_vunpackf(const char*, va_list);
int pvm_catchout(FILE*);
}

namespace eventspace::pvm {
namespace {

// The facts of a call, from its arguments before it begins and from its result.

struct Plain {
  template <class... Arguments>
  static void before(Recording& /*recording*/, Arguments... /*arguments*/) noexcept {}
  template <class... Arguments>
  static void after(Recording& /*recording*/, long /*result*/, Arguments... /*arguments*/) noexcept {}
};

template <std::size_t bytes, class Value>
void count(Recording& recording, const Value* /*values*/, int values) noexcept {
  if (values > 0)
    recording.call().bytes = static_cast<std::uint32_t>(bytes * static_cast<std::size_t>(values));
}

template <std::size_t bytes>
struct Values : Plain {
  template <class Value>
  static void before(Recording& recording, const Value* values, int count_of, int /*stride*/) noexcept {
    count<bytes>(recording, values, count_of);
  }
};

struct PackedText : Plain {
  static void before(Recording& recording, const char* text) noexcept {
    if (text != nullptr) recording.call().bytes = static_cast<std::uint32_t>(std::strlen(text) + 1);
  }
};

struct UnpackedText : Plain {
  static void after(Recording& recording, long result, const char* text) noexcept {
    if (result >= 0) recording.call().bytes = static_cast<std::uint32_t>(std::strlen(text) + 1);
  }
};

// The packed bytes are the growth of the message.
struct PackedFormat : Plain {
  template <class... Arguments>
  static void after(Recording& recording, long /*result*/, Arguments... /*arguments*/) noexcept {
    pvmminfo message{};
    const std::uint32_t before = recording.call().bytes;
    if (message_to_send(message) && message.len >= 0)
      recording.call().bytes = static_cast<std::uint32_t>(message.len) - before;
  }
  template <class... Arguments>
  static void before(Recording& recording, Arguments... /*arguments*/) noexcept {
    pvmminfo message{};
    if (message_to_send(message) && message.len > 0)
      recording.call().bytes = static_cast<std::uint32_t>(message.len);
  }
};

struct InitialSend : Plain {
  static void before(Recording& recording, int encoding) noexcept {
    switch (encoding) {
      case PvmDataDefault:
        recording.call().encoding = PvmEncoding::portable;
        break;
      case PvmDataRaw:
        recording.call().encoding = PvmEncoding::raw;
        break;
      case PvmDataInPlace:
        recording.call().encoding = PvmEncoding::in_place;
        break;
      case PvmDataTrace:
        recording.call().encoding = PvmEncoding::trace;
        break;
      default:  // PVM refuses it
        break;
    }
  }
};

struct Send : Plain {
  static void before(Recording& recording, int task, int tag) noexcept {
    recording.partner(task);
    recording.tag(tag);
    recording.sends();
  }
};

struct Multicast : Plain {
  static void before(Recording& recording, const int* tasks, int count, int tag) noexcept {
    recording.destinations(tasks, count);
    recording.tag(tag);
    recording.sends();
  }
};

std::size_t size_of(int type) noexcept {
  switch (type) {
    case PVM_SHORT:
    case PVM_USHORT:
      return sizeof(short);
    case PVM_INT:
    case PVM_UINT:
      return sizeof(int);
    case PVM_LONG:
    case PVM_ULONG:
      return sizeof(long);
    case PVM_FLOAT:
      return sizeof(float);
    case PVM_DOUBLE:
    case PVM_CPLX:
      return sizeof(double);
    case PVM_DCPLX:
      return 2 * sizeof(double);
    default:
      return 1;
  }
}

std::uint32_t bytes_of(int values, int type) noexcept {
  return values > 0 ? static_cast<std::uint32_t>(static_cast<std::size_t>(values) * size_of(type)) : 0;
}

struct DirectSend : Plain {
  static void before(Recording& recording, int task, int tag, const void* /*data*/, int values,
                     int type) noexcept {
    recording.partner(task);
    recording.tag(tag);
    recording.call().bytes = bytes_of(values, type);
    recording.call().encoding = PvmEncoding::in_place;
  }
};

// Polls or waits for a message.
struct Receive {
  template <class... More>
  static void before(Recording& recording, int task, int tag, More... /*more*/) noexcept {
    recording.partner(task);
    recording.tag(tag);
  }
  template <class... More>
  static void after(Recording& recording, long buffer, int /*task*/, int /*tag*/, More... /*more*/) noexcept {
    recording.received(static_cast<int>(buffer));
  }
};

struct DirectReceive : Receive {
  template <class... More>
  static void after(Recording& recording, long result, int /*task*/, int /*tag*/, More... /*more*/) noexcept {
    if (result >= 0) recording.received_inside();
  }
};

struct Barrier : Plain {
  static void before(Recording& recording, const char* group, int tasks) noexcept {
    recording.group(group);
    if (tasks > 0) recording.call().tasks = static_cast<std::uint32_t>(tasks);
  }
};

struct Broadcast : Plain {
  static void before(Recording& recording, const char* group, int tag) noexcept {
    recording.group(group);
    recording.tag(tag);
    recording.sends();
  }
};

// pvm_reduce(), pvm_gather(), pvm_scatter()
struct Collective : Plain {
  template <class First>
  static void before(Recording& recording, First /*first*/, const void* /*data*/, int values, int type,
                     int tag, const char* group, int root) noexcept {
    recording.group(group);
    recording.tag(tag);
    recording.partner(root);
    recording.call().bytes = bytes_of(values, type);
  }
};

struct GroupMember : Plain {
  static void after(Recording& recording, long instance, const char* group) noexcept {
    recording.group(group);
    if (instance >= 0) recording.call().partner = static_cast<std::uint32_t>(instance);
  }
};

struct GroupName : Plain {
  static void before(Recording& recording, const char* group) noexcept { recording.group(group); }
};

struct SystemBytes : Plain {
  template <class... Arguments>
  static void after(Recording& recording, long result, Arguments... /*arguments*/) noexcept {
    if (result > 0) recording.call().bytes = static_cast<std::uint32_t>(result);
  }
};

// The functions, in the order of pvm_calls.h, with their facts.
#define EVENTSPACE_PVM_FUNCTIONS(X)           \
  X(pvm_barrier, Barrier)                     \
  X(pvm_bcast, Broadcast)                     \
  X(pvm_mcast, Multicast)                     \
  X(pvm_nrecv, Receive)                       \
  X(pvm_precv, DirectReceive)                 \
  X(pvm_psend, DirectSend)                    \
  X(pvm_recv, Receive)                        \
  X(pvm_reduce, Collective)                   \
  X(pvm_send, Send)                           \
  X(pvm_trecv, Receive)                       \
  X(pvm_scatter, Collective)                  \
  X(pvm_gather, Collective)                   \
  X(pvm_pkbyte, Values<1>)                    \
  X(pvm_pkcplx, Values<2 * sizeof(float)>)    \
  X(pvm_pkdcplx, Values<2 * sizeof(double)>)  \
  X(pvm_pkdouble, Values<sizeof(double)>)     \
  X(pvm_pkfloat, Values<sizeof(float)>)       \
  X(pvm_pkint, Values<sizeof(int)>)           \
  X(pvm_pkuint, Values<sizeof(int)>)          \
  X(pvm_pklong, Values<sizeof(long)>)         \
  X(pvm_pkulong, Values<sizeof(long)>)        \
  X(pvm_pkshort, Values<sizeof(short)>)       \
  X(pvm_pkushort, Values<sizeof(short)>)      \
  X(pvm_pkstr, PackedText)                    \
  X(pvm_vpackf, PackedFormat)                 \
  X(pvm_upkbyte, Values<1>)                   \
  X(pvm_upkcplx, Values<2 * sizeof(float)>)   \
  X(pvm_upkdcplx, Values<2 * sizeof(double)>) \
  X(pvm_upkdouble, Values<sizeof(double)>)    \
  X(pvm_upkfloat, Values<sizeof(float)>)      \
  X(pvm_upkint, Values<sizeof(int)>)          \
  X(pvm_upkuint, Values<sizeof(int)>)         \
  X(pvm_upklong, Values<sizeof(long)>)        \
  X(pvm_upkulong, Values<sizeof(long)>)       \
  X(pvm_upkshort, Values<sizeof(short)>)      \
  X(pvm_upkushort, Values<sizeof(short)>)     \
  X(pvm_upkstr, UnpackedText)                 \
  X(pvm_vunpackf, Plain)                      \
  X(pvm_initsend, InitialSend)                \
  X(select, Plain)                            \
  X(read, SystemBytes)                        \
  X(write, SystemBytes)                       \
  X(pvm_probe, Receive)                       \
  X(pvm_mytid, Plain)                         \
  X(pvm_exit, Plain)                          \
  X(pvm_spawn, Plain)                         \
  X(pvm_parent, Plain)                        \
  X(pvm_joingroup, GroupMember)               \
  X(pvm_lvgroup, GroupName)                   \
  X(pvm_freezegroup, Plain)                   \
  X(pvm_gettid, Plain)                        \
  X(pvm_getinst, Plain)                       \
  X(pvm_gsize, Plain)                         \
  X(pvm_addhosts, Plain)                      \
  X(pvm_delhosts, Plain)                      \
  X(pvm_config, Plain)                        \
  X(pvm_tasks, Plain)                         \
  X(pvm_pstat, Plain)                         \
  X(pvm_mstat, Plain)                         \
  X(pvm_notify, Plain)                        \
  X(pvm_kill, Plain)                          \
  X(pvm_sendsig, Plain)                       \
  X(pvm_halt, Plain)                          \
  X(pvm_hostsync, Plain)                      \
  X(pvm_putinfo, Plain)                       \
  X(pvm_recvinfo, Plain)                      \
  X(pvm_delinfo, Plain)                       \
  X(pvm_getmboxinfo, Plain)                   \
  X(pvm_newcontext, Plain)                    \
  X(pvm_freecontext, Plain)                   \
  X(pvm_catchout, Plain)                      \
  X(pvm_siblings, Plain)                      \
  X(pvm_start_pvmd, Plain)

enum Slot : std::uint16_t {
#define EVENTSPACE_SLOT(name, facts) slot_##name,
  EVENTSPACE_PVM_FUNCTIONS(EVENTSPACE_SLOT)
#undef EVENTSPACE_SLOT
};

constexpr const char* names[] = {
#define EVENTSPACE_NAME(name, facts) #name,
    EVENTSPACE_PVM_FUNCTIONS(EVENTSPACE_NAME)
#undef EVENTSPACE_NAME
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (pvm_calls[i].name != names[i]) return false;
  return std::size(names) == pvm_calls.size();
}
static_assert(is_in_order(), "the functions are those of pvm_calls.h, in its order");

void* next[std::size(names)];
extern const preloading::Table table;

template <class Function, std::size_t slot, class Facts, PvmClass of>
struct Wrapper;

template <class Result, class... Arguments, std::size_t slot, class Facts, PvmClass of>
struct Wrapper<Result(Arguments...), slot, Facts, of> {
  static constexpr bool is_of_system =
      of == PvmClass::wait || of == PvmClass::input || of == PvmClass::output;

  static Result call(Arguments... arguments) {
    const auto function =
        reinterpret_cast<Result (*)(Arguments...)>(preloading::next_of(table, slot, libraries_of_pvm));
    if (is_of_system && !is_inside_pvm()) return function(arguments...);
    Recording recording(static_cast<std::uint16_t>(slot + 1), of, __builtin_return_address(0));
    if (!recording) return function(arguments...);
    Facts::before(recording, arguments...);
    recording.begin();
    const Result result = function(arguments...);
    recording.has_returned();
    Facts::after(recording, static_cast<long>(result), arguments...);
    recording.end(is_of_system ? 0 : static_cast<long>(result));
    return result;
  }
};

#define EVENTSPACE_WRAPPER(name, facts) \
  reinterpret_cast<void*>(Wrapper<decltype(::name), slot_##name, facts, pvm_calls[slot_##name].of>::call),

}  // namespace

// The attributes of read(2) concern its callers.
#pragma GCC diagnostic ignored "-Wignored-attributes"
extern "C" {
__attribute__((visibility("hidden"))) void* eventspace_pvm_slots[std::size(names)] = {
    EVENTSPACE_PVM_FUNCTIONS(EVENTSPACE_WRAPPER)};
}

namespace {

const preloading::Table table{names, next, eventspace_pvm_slots};

// A signal handler may call them, where a lookup is not safe.
__attribute__((constructor)) void find_those_of_the_system() {
  for (const Slot slot : {slot_select, slot_read, slot_write})
    (void)preloading::next_of(table, slot, libraries_of_pvm);
}

}  // namespace
}  // namespace eventspace::pvm

// A single piece of assembly, in which the assembler counts the slots.
#define EVENTSPACE_PVM_JUMP(name, facts)                                     \
  EVENTSPACE_JUMP_TEXT("eventspace_pvm_slots", #name, "eventspace_pvm_slot") \
  ".set eventspace_pvm_slot, eventspace_pvm_slot + 8\n"
__asm__(".set eventspace_pvm_slot, 0\n" EVENTSPACE_PVM_FUNCTIONS(EVENTSPACE_PVM_JUMP));
