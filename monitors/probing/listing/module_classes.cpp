#include "monitors/probing/listing/module_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "tuplespace/system/fnv.h"

namespace eventspace {
namespace {

/// The place of a class's process in the order of those that may represent it.
auto turn_of(const ModuleClass& one) {
  const auto hash = fnv1a<std::uint64_t>(fmt::format("{} {}:{}", one.key, one.machine, one.pid));
  return std::make_tuple(hash, one.machine, one.pid);
}

void join(ListedClass& known, ListedClass added) {
  ModuleClass& module = known.module;
  if (turn_of(added.module) < turn_of(module)) {
    module.machine = added.module.machine;
    module.pid = added.module.pid;
  }
  module.path = std::min(module.path, added.module.path);
  module.processes += added.module.processes;
  if (known.listed.rows.empty() && known.listed.looked_at == 0) known.listed = std::move(added.listed);
}

std::size_t bytes_of(const ListedClass& one) {
  std::size_t bytes = 0;
  for (const ListedRow& row : one.listed.rows) {
    bytes += 8 * row.numbers.size();
    for (const std::string& text : row.texts) bytes += 16 + text.size();
  }
  return bytes;
}

}  // namespace

std::string ModuleClass::build_id() const { return key.starts_with("content:") ? "" : key; }

bool ListingAnswer::has_room_for(const ListedClass& added) {
  const std::size_t bytes = bytes_of(added);
  if (classes.size() >= most_classes || bytes > most_bytes - bytes_) {
    left_out += std::max<std::size_t>(added.listed.rows.size(), 1);
    return false;
  }
  bytes_ += bytes;
  return true;
}

void ListingAnswer::add(ListedClass added) {
  const auto key = [](const ListedClass& one) -> const std::string& { return one.module.key; };
  const auto at = keeps_apart ? classes.end() : std::ranges::lower_bound(classes, added.module.key, {}, key);
  if (at != classes.end() && key(*at) == added.module.key) return join(*at, std::move(added));
  if (has_room_for(added)) classes.insert(at, std::move(added));
}

void ListingAnswer::merge(ListingAnswer other) {
  processes += other.processes;
  done += other.done;
  left_out += other.left_out;
  keeps_apart |= other.keeps_apart;
  for (const auto& [reason, those] : other.refusals.by_reason()) refusals.add(reason, those);
  for (ListedClass& one : other.classes) add(std::move(one));
}

ListingAnswer put_together(ListingAnswer apart) {
  std::vector<ListedClass> classes = std::exchange(apart.classes, {});
  apart.keeps_apart = false;
  ListingAnswer together;
  together.merge(std::move(apart));
  for (ListedClass& one : classes) together.add(std::move(one));
  return together;
}

}  // namespace eventspace
