#include "monitors/probing/work/listing_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <eventspace/error.h>
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/group_answer.h"
#include "monitors/probing/symbols/mapped_build_id.h"
#include "monitors/probing/symbols/module_symbols.h"
#include "monitors/probing/work/module_list.h"
#include "tuplespace/system/fnv.h"

namespace eventspace {
namespace {

constexpr std::size_t max_tried = 4;  // processes with a module, until its file can be read

std::string content_key(const std::filesystem::path& file) {
  const std::vector<std::byte> bytes = read_whole_file(file).bytes;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return fmt::format("content:{}:{:016x}", bytes.size(), fnv1a<std::uint64_t>(text));
}

ListedRows rows_in(std::int32_t pid, const ProcessModule& module, const ListingOrder& order) {
  const std::filesystem::path file = file_of(pid, module);
  const ModuleSymbols symbols = read_module(file);
  return rows_of(order.listing, order.functions, symbols, file);
}

}  // namespace

ListingAnswer ListingHere::carry_out(const ListingOrder& order) {
  ListingAnswer answer;
  switch (order.step) {
    case ListingStep::classify:
      mapped_.clear();
      for_modules(order, answer, [&](ModuleClass one, const ProcessModule& module) {
        mapped_[one.key].emplace_back(one.pid, module);
        answer.add({std::move(one), {}});
      });
      break;
    case ListingStep::read:
      for (const ModuleClass& module : order.classes)
        if (module.machine == machine_) read(order, module, answer);
      break;
    case ListingStep::read_apart:
      answer.keeps_apart = true;
      for_modules(order, answer, [&](ModuleClass one, const ProcessModule& module) {
        ListedRows rows = rows_in(one.pid, module, order);
        answer.add({std::move(one), std::move(rows)});
      });
      break;
  }
  return answer;
}

template <class See>
void ListingHere::for_modules(const ListingOrder& order, ListingAnswer& answer, See see) {
  for (const ProcessFacts& process : members_here(order.choice, order.groups)) {
    ++answer.processes;
    const auto refuse = [&](const Error& error) {
      answer.refusals.add(process.pid, error.what(), name_of(process));
    };
    try {
      for (const ProcessModule& module : modules_of(mapped_ranges(process.pid))) {
        if (!module_matches(order.modules, module.path)) continue;
        try {
          see(ModuleClass{key_of(process.pid, module), module.path, 1, machine_, process.pid}, module);
        } catch (const Error& error) {
          refuse(error);
        }
      }
      ++answer.done;
    } catch (const Error& error) {
      refuse(error);
    }
  }
}

std::string ListingHere::key_of(std::int32_t pid, const ProcessModule& module) {
  if (std::string id = mapped_build_id(ProcessMemory(pid), module); !id.empty()) return id;
  std::string& known = contents_[{module.device, module.inode, module.path}];
  if (known.empty()) known = content_key(file_of(pid, module));
  return known;
}

void ListingHere::read(const ListingOrder& order, const ModuleClass& module, ListingAnswer& answer) {
  auto found = mapped_.find(module.key);
  std::vector<Mapped> processes = found == mapped_.end() ? std::vector<Mapped>() : found->second;
  // The representative comes first: if it has ended since, another process of this machine has the same
  // module.
  std::ranges::stable_sort(processes, {}, [&](const Mapped& one) { return one.first != module.pid; });
  std::string reason = "its processes have ended";
  for (std::size_t i = 0; i < std::min(processes.size(), max_tried); ++i) {
    try {
      return answer.add({module, rows_in(processes[i].first, processes[i].second, order)});
    } catch (const Error& error) {
      reason = error.what();
    }
  }
  answer.refusals.add(fmt::format("{} cannot be listed: {}", module.path, reason),
                      {module.processes, {fmt::format("{}:{}", own_host(), module.pid)}});
}

}  // namespace eventspace
