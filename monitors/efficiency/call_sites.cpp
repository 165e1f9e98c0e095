#include "monitors/efficiency/call_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/mpi/mpi_text.h"
#include "collectors/pvm/pvm_calls.h"
#include "monitors/text/code_places.h"
#include "scopes/tree/local_ids.h"

namespace eventspace::efficiency {

CallSites::Call CallSites::call_of(const TraceTuple& record) {
  const RecordHeader header = header_of(record);
  if (header.kind == mpi_kind) {
    const MpiCallRecord call = mpi_call_of(record);
    return {{header.kind, call.call, site_in_scope(header.thread, call.site), std::bit_width(call.bytes)},
            call.calls};
  }
  if (header.kind == pvm_kind) {
    const PvmCallRecord call = pvm_call_of(record);
    return {{header.kind, call.call, site_in_scope(header.thread, call.site), std::bit_width(call.bytes)},
            call.calls};
  }
  const EventRecord operation = decode(record);
  return {{header.kind, std::uint64_t{header.path} << 8 | static_cast<std::uint64_t>(operation.verb), no_site,
           std::bit_width(operation.bytes)}};
}

void CallSites::add(const TraceTuple& record, std::int64_t duration_ns, bool may_wait) {
  const Call call = call_of(record);
  Sum* const sum = sums_.entry(call.key);
  if (sum == nullptr) return;
  const auto duration = static_cast<double>(duration_ns);
  const double each = duration / std::max(call.calls, 1U);
  sum->shortest_ns = sum->calls == 0 ? each : std::min(sum->shortest_ns, each);
  sum->calls += call.calls;
  sum->time_ns += duration;
  sum->may_wait = sum->may_wait || may_wait;
}

std::string CallSites::name_of(const Key& key) const {
  const auto& [kind, function, site, size] = key;
  if (kind == operation_kind)
    return fmt::format("{} {}", to_string(static_cast<Verb>(function & 0xff)),
                       names_->path_name(static_cast<std::uint32_t>(function >> 8)));
  const auto number = static_cast<std::uint16_t>(function);
  const std::string name =
      kind == mpi_kind ? name_of_mpi_call(number) : std::string(name_of_pvm_call(number));
  const std::string place = short_place(names_->site_name(site));
  return place.empty() ? name : name + " at " + place;
}

// Places have different numbers in different processes, so classes are merged by name.
std::vector<CallSites::Site> CallSites::sites() const {
  std::map<std::pair<std::string, int>, Sum> classes;
  for (const auto& [key, sum] : sums_.entries()) {
    Sum& of = classes[{name_of(key), std::get<int>(key)}];
    of.shortest_ns = of.calls == 0 ? sum.shortest_ns : std::min(of.shortest_ns, sum.shortest_ns);
    of.calls += sum.calls;
    of.time_ns += sum.time_ns;
    of.may_wait = of.may_wait || sum.may_wait;
  }
  std::map<std::string, Site> merged;
  for (const auto& [key, sum] : classes) {
    Site& site = merged.try_emplace(key.first, Site{.name = key.first, .transfer_ns = 0}).first->second;
    site.calls += sum.calls;
    site.time_ns += sum.time_ns;
    if (sum.may_wait && sum.calls < min_calls) site.transfer_ns.reset();
    if (!site.transfer_ns) continue;
    *site.transfer_ns += sum.may_wait ? sum.shortest_ns * static_cast<double>(sum.calls) : sum.time_ns;
  }
  std::vector<Site> all;
  for (auto& [name, site] : merged) all.push_back(std::move(site));
  std::ranges::stable_sort(all, std::greater(), &Site::time_ns);
  return all;
}

}  // namespace eventspace::efficiency
