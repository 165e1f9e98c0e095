#include "monitors/efficiency/call_waits.h"

#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/mpi/mpi_text.h"
#include "monitors/mpi/call_reader.h"
#include "scopes/metrics/language/waiting.h"

namespace eventspace::efficiency {
namespace {

// Channels of collectives of the plan follow after all communicators.
constexpr std::uint64_t first_of_plan = std::uint64_t{1} << 40;

bool is_for_all(const std::string& function) {
  constexpr std::array<std::string_view, 5> names{"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather",
                                                  "MPI_Alltoall", "MPI_Reduce_scatter"};
  for (const std::string_view name : names)
    if (function.starts_with(name)) return true;
  return false;
}

bool may_poll(MpiClass of) noexcept {
  return of == MpiClass::look || of == MpiClass::probe || of == MpiClass::complete;
}

}  // namespace

CallWaits::CallWaits(const Plan* plan, const PlanNames& names)
    : names_(&names), waits_for_others_(metrics::waiting_condition, names), communicators_(names) {
  if (plan == nullptr) return;
  for (const CollectiveIndex number : plan->collectives.indices()) {
    const auto& participants = plan->collectives[number].participants;
    for (const PathIndex path : participants)
      collective_of_path_[path.number32()] = {number.number32(), participants.size()};
  }
  for (const PathIndex number : plan->paths.indices()) {
    const ElementPlan& end = plan->elements[plan->paths[number].element];
    const auto* const element = std::get_if<TupleElement>(&end.kind);
    if (element != nullptr && element->config.when_full == WhenFull::wait)
      waits_for_room_.insert(number.number32());
  }
}

CallWaits::Waits CallWaits::of(std::span<const TraceTuple> event, const ProcessReport& process) {
  const TraceTuple& record = event.back();
  const bool may_wait = waits_for_others_.holds({record, &process, event.first(event.size() - 1)});
  const std::uint8_t kind = header_of(record).kind;
  if (kind == mpi_kind) return of_mpi(record, process, may_wait);
  if (kind == operation_kind) return of_operation(record, may_wait);
  return {may_wait ? IdealClocks::Waits::unknown : IdealClocks::Waits::never};
}

CallWaits::Waits CallWaits::of_mpi(const TraceTuple& record, const ProcessReport& process, bool may_wait) {
  const MpiCallRecord call = mpi_call_of(record);
  if (may_wait && may_poll(call.of)) return {IdealClocks::Waits::unknown};
  if (is_immediate(call)) return {IdealClocks::Waits::never};
  // Processes may make communicators, and read and write files, together.
  const bool may_be_collective = call.of == MpiClass::manage || call.of == MpiClass::file ||
                                 call.of == MpiClass::input || call.of == MpiClass::output;
  if (!may_wait) return {may_be_collective ? IdealClocks::Waits::unknown : IdealClocks::Waits::never};
  const bool is_known = call.of == MpiClass::collective && call.is_whole() && call.ordinal != 0;
  const auto* const members = is_known ? communicators_.find(call.communicator) : nullptr;
  const std::string function = name_of_mpi_call(call.call);
  const auto member = names_->member_of_process(process.process);
  const bool is_of_all = members != nullptr && members->other_group.empty() && member &&
                         members->ranks_of_group.contains(member->rank);
  if (!is_of_all || function.find("eighbor") != std::string::npos) return {IdealClocks::Waits::unknown};
  return {is_for_all(function) ? IdealClocks::Waits::for_all : IdealClocks::Waits::some,
          {call.communicator, call.ordinal},
          members->group.size()};
}

CallWaits::Waits CallWaits::of_operation(const TraceTuple& tuple, bool may_wait) const {
  const EventRecord record = decode(tuple);
  const auto collective = collective_of_path_.find(record.path);
  if (record.verb == Verb::exchange && record.status == Status::ok && collective != collective_of_path_.end())
    return {IdealClocks::Waits::for_all,
            {first_of_plan + collective->second.number, record.parameter},
            collective->second.members};
  const bool may_lack_room = record.verb == Verb::write && waits_for_room_.contains(record.path);
  return {may_wait || may_lack_room ? IdealClocks::Waits::unknown : IdealClocks::Waits::never};
}

}  // namespace eventspace::efficiency
