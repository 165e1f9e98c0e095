#include "monitors/web/timeline/operation_class.h"

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_record.h"

namespace eventspace::web {
namespace {

OperationClass class_of_verb(Verb verb) noexcept {
  switch (verb) {
    case Verb::write:
      return OperationClass::send;
    case Verb::read:
    case Verb::take:
      return OperationClass::receive;
    case Verb::exchange:
      return OperationClass::collective;
    case Verb::discard:
    case Verb::pull:
      break;
  }
  return OperationClass::other;
}

OperationClass class_of_call(MpiClass of) noexcept {
  switch (of) {
    case MpiClass::send:
      return OperationClass::send;
    case MpiClass::receive:
      return OperationClass::receive;
    case MpiClass::complete:
    case MpiClass::probe:
    case MpiClass::look:
    case MpiClass::window:
      return OperationClass::wait;
    case MpiClass::collective:
      return OperationClass::collective;
    case MpiClass::input:
    case MpiClass::output:
    case MpiClass::file:
      return OperationClass::file;
    case MpiClass::manage:
    case MpiClass::start:
      break;
  }
  return OperationClass::other;
}

OperationClass class_of_call(PvmClass of) noexcept {
  switch (of) {
    case PvmClass::send:
    case PvmClass::output:
      return OperationClass::send;
    case PvmClass::receive:
    case PvmClass::input:
      return OperationClass::receive;
    case PvmClass::probe:
    case PvmClass::wait:
    case PvmClass::look:
      return OperationClass::wait;
    case PvmClass::group:
      return OperationClass::collective;
    case PvmClass::pack:
    case PvmClass::unpack:
    case PvmClass::manage:
      break;
  }
  return OperationClass::other;
}

}  // namespace

OperationClass class_of(const TraceTuple& record) noexcept {
  const auto within_kind = (record.words[3] >> 12) & 0xf;  // see RecordHeader
  switch (header_of(record).kind) {
    case operation_kind:
      return class_of_verb(static_cast<Verb>(within_kind));
    case mpi_kind:
      return class_of_call(static_cast<MpiClass>(within_kind));
    case pvm_kind:
      return class_of_call(static_cast<PvmClass>(within_kind));
    case probe_kind:
      return OperationClass::region;
    default:
      return OperationClass::other;
  }
}

}  // namespace eventspace::web
