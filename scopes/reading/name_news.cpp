#include "scopes/reading/name_news.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "scopes/tree/local_ids.h"

namespace eventspace {
namespace {

// The names of the process itself count as one.
std::size_t names_from_reader(const NamedProcess& process) { return process.dynamic() != nullptr ? 1 : 0; }

void report_itself(const DynamicProcess& process, View& view) {
  view.names.push_back({OwnNameOf::process, process.number, process.name});
  view.names.push_back({OwnNameOf::node, process.number, process.node});
  if (process.member) view.names.push_back({OwnNameOf::member, process.number, process.member->text()});
}

// A process names its own threads and paths, and numbers with one meaning in all processes, but not other
// processes.
std::optional<OwnName> name_in_scope(const SegmentName& name, std::uint32_t process,
                                     const ProcessSources& sources) {
  const auto of = static_cast<OwnNameOf>(name.of);
  switch (of) {
    case OwnNameOf::probe:
    case OwnNameOf::values:
    case OwnNameOf::communicator:
    case OwnNameOf::named_communicator:
    case OwnNameOf::communicator_members:
    case OwnNameOf::spawned_job:
      return OwnName{of, name.number, name.text};
    case OwnNameOf::thread:
    case OwnNameOf::path:
    case OwnNameOf::site:
      break;
    default:  // of the reader, or of a newer program
      return std::nullopt;
  }
  const std::uint32_t number = sources.number_in_scope(name.number);
  if (!is_local_id(number) || process_of_local_id(number) != process) return std::nullopt;
  return OwnName{of, number, name.text};
}

}  // namespace

void NameNews::report(const NamedProcess& process, const SegmentView& segment, const ProcessSources& sources,
                      View& view) {
  constexpr std::size_t max_bytes = 256 << 10;  // in one view; the others are in the next
  const auto& names = segment.names();
  const std::size_t from_reader = names_from_reader(process);
  std::size_t next = reported_.committed;
  if (next < from_reader) {
    report_itself(*process.dynamic(), view);
    next = from_reader;
  }
  for (std::size_t bytes = 0; next - from_reader < names.size() && bytes < max_bytes; ++next) {
    const SegmentName& name = names[next - from_reader];
    bytes += name.text.size() + sizeof(OwnName);
    if (auto in_scope = name_in_scope(name, process.number(), sources))
      view.names.push_back(std::move(*in_scope));
  }
  reported_.sent = next;
}

bool NameNews::are_all_reported(const NamedProcess& process, const SegmentView& segment) const {
  return reported_.committed >= names_from_reader(process) + segment.names().size();
}

}  // namespace eventspace
