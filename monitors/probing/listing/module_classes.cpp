#include "monitors/probing/listing/module_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "tuplespace/system/fnv.h"

namespace eventspace {
namespace {

/// The rank of a class's process among its candidates for representative.
auto turn_of(const ModuleClass& one) {
  const auto hash = fnv1a<std::uint64_t>(fmt::format("{} {}:{}", one.key, one.machine, one.pid));
  return std::make_tuple(hash, one.machine, one.pid);
}

// Upper bound of the overhead of a text in a packet: its length, and padding to a multiple of 8.
constexpr std::size_t max_around_text = 16;

std::size_t bytes_of(const ModuleClass& one) {
  constexpr std::size_t numbers = 7;  // for the class and its rows
  return 8 * numbers + 2 * max_around_text + one.key.size() + one.path.size();
}

std::size_t bytes_of(const ListedRows& listed) {
  std::size_t bytes = 0;
  for (const ListedRow& row : listed.rows) {
    bytes += 8 * row.numbers.size();
    for (const std::string& text : row.texts) bytes += max_around_text + text.size();
  }
  return bytes;
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
  if (path < module.path && try_take(path.size() - std::min(path.size(), module.path.size())))
    module.path = std::move(path);
  module.processes += added.module.processes;
  if (!known.listed.rows.empty() || known.listed.looked_at != 0) return;
  if (try_take(bytes_of(added.listed)))
    known.listed = std::move(added.listed);
  else
    left_out += added.listed.rows.size();
}

void ListingAnswer::add(ListedClass added) {
  const auto key = [](const ListedClass& one) -> const std::string& { return one.module.key; };
  const auto at = keeps_apart ? classes.end() : std::ranges::lower_bound(classes, added.module.key, {}, key);
  if (at != classes.end() && key(*at) == added.module.key) return join(*at, std::move(added));
  if (classes.size() < max_classes && try_take(bytes_of(added.module) + bytes_of(added.listed)))
    classes.insert(at, std::move(added));
  else
    left_out += std::max<std::size_t>(added.listed.rows.size(), 1);
}

void ListingAnswer::merge(ListingAnswer other) {
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
