#include "collectors/mpi/mpi_text.h"

#include <fmt/format.h>

#include "collectors/mpi/mpi_calls.h"

namespace eventspace {
namespace {

// " from 2", " to no process" (MPI_PROC_NULL), " root 0"
std::string partner_of(const MpiCallRecord& call) {
  const MpiClass of = call.request_of.value_or(call.of);
  const bool has_root = of == MpiClass::collective || of == MpiClass::manage;
  const bool is_received = of == MpiClass::receive || of == MpiClass::probe || of == MpiClass::look;
  // Without a known or completed request, the role would be a guess.
  if (call.of == MpiClass::complete && !call.request_of) return "";
  const std::string_view role = has_root ? "root" : is_received ? "from" : "to";
  if (call.has(MpiWildcards::null_process)) return fmt::format(" {} no process", role);
  if (call.partner != MpiCallRecord::none) return fmt::format(" {} {}", role, call.partner);
  return call.has(MpiWildcards::any_source) ? " from any" : "";
}

std::string tag_of(const MpiCallRecord& call) {
  if (call.tag != MpiCallRecord::none) return fmt::format(" tag {}", call.tag);
  return call.has(MpiWildcards::any_tag) ? " with any tag" : "";
}

}  // namespace

std::string name_of_mpi_call(std::uint16_t number) {
  const auto names = mpi_call_names();
  const std::string_view name = number < names.size() ? names[number] : std::string_view();
  return name.empty() ? fmt::format("call {}", number) : std::string(name);
}

std::string describe_mpi_call(const MpiCallRecord& call, std::string_view communicator) {
  std::string text = name_of_mpi_call(call.call);
  if (!call.is_whole()) return text;
  if (call.ordinal != 0) text += fmt::format(" #{}", call.ordinal);
  if (call.request_of == MpiClass::collective) text += " for a collective operation";
  text += partner_of(call) + tag_of(call);
  if (call.communicator != MpiCallRecord::no_communicator) text += fmt::format(" on {}", communicator);
  if (call.of == MpiClass::look) text += fmt::format(", {} in vain", call.calls);
  if (call.requests > 1) {
    const std::string_view more = call.requests == MpiCallRecord::max_requests ? " or more" : "";
    text += fmt::format(", {}{} requests", call.requests, more);
  }
  return text;
}

}  // namespace eventspace
