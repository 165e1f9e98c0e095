#include "monitors/probing/listing/module_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "monitors/probing/listing/listing_layout.h"
#include "paths/wire/encoded_size.h"
#include "tuplespace/system/fnv.h"

namespace eventspace {
namespace {

/// The rank of a class's process among its candidates for representative.
auto turn_of(const ModuleClass& one) {
  const auto hash = fnv1a<std::uint64_t>(fmt::format("{} {}:{}", one.key, one.machine, one.pid));
  return std::make_tuple(hash, one.machine, one.pid);
}

// A class in a packet. Its numbers grow when classes are merged.
std::size_t bytes_of(const ListedClass& one) {
  constexpr std::size_t max_growth = 3 * sizeof(std::uint64_t);
  return wire::encoded_size(one) + max_growth;
}

bool has_shape(const ListedRows& listed, RowShape shape) {
  return std::ranges::all_of(listed.rows, [&](const ListedRow& row) {
    return row.numbers.size() == shape.numbers && row.texts.size() == shape.texts;
  });
}

}  // namespace

std::string ModuleClass::build_id() const { return key.starts_with("content:") ? "" : key; }

bool ListingAnswer::try_take(std::size_t bytes) {
  if (bytes > max_bytes - bytes_) return false;
  bytes_ += bytes;
  return true;
}

void ListingAnswer::join(ListedClass& known, ListedClass added) {
  ModuleClass& module = known.module;
  if (turn_of(added.module) < turn_of(module)) {
    module.machine = added.module.machine;
    module.pid = added.module.pid;
  }
  std::string& path = added.module.path;
  const std::size_t known_bytes = wire::encoded_size(module.path);
  if (path < module.path && try_take(std::max(wire::encoded_size(path), known_bytes) - known_bytes))
    module.path = std::move(path);
  module.processes += added.module.processes;
  if (!known.listed.rows.empty() || known.listed.looked_at != 0) return;
  if (try_take(wire::encoded_size(added.listed)))
    known.listed = std::move(added.listed);
  else
    left_out += added.listed.rows.size();
}

void ListingAnswer::add(ListedClass added) {
  const auto key = [](const ListedClass& one) -> const std::string& { return one.module.key; };
  const auto at = keeps_apart ? classes.end() : std::ranges::lower_bound(classes, added.module.key, {}, key);
  if (at != classes.end() && key(*at) == added.module.key) return join(*at, std::move(added));
  if (classes.size() < max_classes && try_take(bytes_of(added)))
    classes.insert(at, std::move(added));
  else
    left_out += std::max<std::size_t>(added.listed.rows.size(), 1);
}

void ListingAnswer::merge(ListedModules other) {
  processes += other.processes;
  done += other.done;
  left_out += other.left_out;
  keeps_apart |= other.keeps_apart;
  for (const auto& [reason, those] : other.refusals.by_reason()) refusals.add(reason, those);
  for (ListedClass& one : other.classes) add(std::move(one));
}

void refuse_other_rows(ListingAnswer& answer, Listing listing) {
  std::erase_if(answer.classes, [&](const ListedClass& one) {
    if (has_shape(one.listed, shape_of(listing))) return false;
    const ModuleClass& module = one.module;
    answer.refusals.add(
        fmt::format("{} cannot be listed: its rows have an unexpected format; use the same version of "
                    "eventspace on all machines",
                    module.path),
        {module.processes, {std::to_string(module.pid)}});
    return true;
  });
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
