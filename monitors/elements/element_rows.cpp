#include "monitors/elements/element_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collectors/event_record.h"
#include "monitors/cli/result_table.h"
#include "monitors/text/name_ranges.h"
#include "pathmaps/plan/match.h"

namespace eventspace {
namespace {

using Users = std::map<std::string, std::string>;
/// The names of users, by element and by operation.
using NamedUsers = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

Users text_of(const NamedUsers& named) {
  Users users;
  for (const auto& [element, by_use] : named) {
    std::string& text = users[element];
    for (const auto& [use, names] : by_use)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", use, collapse_numbered(names));
  }
  return users;
}

std::string host_of(const Plan& plan, const ElementPlan& element) {
  return match(
      element.host, [&](const ProcessIndex& process) { return "process " + plan.processes[process].name; },
      [&](const NodeIndex& node) { return "node " + plan.nodes[node].name; });
}

// The name of the host that is queried for the element.
std::string teller_of(const Plan& plan, const ElementPlan& element) {
  return element.is_shared() ? "node " + plan.nodes[plan.node_of(element.host)].name : host_of(plan, element);
}

/// The states in the answers, by host and element.
class States {
 public:
  explicit States(const std::vector<ElementAnswer>& answers) {
    for (const ElementAnswer& answer : answers)
      for (const ElementState& state : answer.states) states_[{answer.host, state.name}] = &state;
  }
  // Null if there is none.
  [[nodiscard]] const ElementState* find(const std::string& host, const std::string& element) const {
    const auto found = states_.find({host, element});
    return found == states_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, const ElementState*> states_;
};

std::string why_unknown(const Plan& plan, ElementIndex element, const std::string& teller,
                        const std::vector<ElementAnswer>& answers) {
  if (!can_be_asked(plan, element)) return "only threads of its process use it, and that has no server";
  const auto answer = std::ranges::find(answers, teller, &ElementAnswer::host);
  if (answer == answers.end() || answer->refusal.empty()) return "its process has not made it yet";
  return answer->refusal;
}

// An element with a lower count than before was recreated: then the rate is not known yet.
std::optional<double> rate(std::uint64_t now, std::uint64_t before, std::chrono::nanoseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  if (now < before || seconds <= 0) return std::nullopt;
  return static_cast<double>(now - before) / seconds;
}

void set_state(ElementRow& row, const ElementState& state, const ElementState* before,
               std::chrono::nanoseconds elapsed) {
  if (!state.is_known) {
    row.detail = "it changed whenever it was looked at, or its memory is damaged";
    return;
  }
  row.state = state;
  if (before == nullptr || !before->is_known) return;
  row.written_rate = rate(state.written, before->written, elapsed);
  row.taken_rate = rate(state.taken, before->taken, elapsed);
}

std::string users_of(const Users& users, const std::string& element) {
  const auto found = users.find(element);
  return found == users.end() ? "" : found->second;
}

std::vector<ElementRow> rows_without_plan(const Users& users, const std::vector<ElementAnswer>& answers,
                                          const States& before, std::chrono::nanoseconds elapsed) {
  std::vector<ElementRow> rows;
  for (const ElementAnswer& answer : answers) {
    for (const ElementState& state : answer.states) {
      ElementRow& row = rows.emplace_back(ElementRow{state.name, answer.host, users_of(users, state.name)});
      set_state(row, state, before.find(answer.host, state.name), elapsed);
    }
  }
  return rows;
}

std::optional<double> rounded(const std::optional<double>& rate) {
  return rate ? std::optional(std::round(*rate * 10) / 10) : std::nullopt;
}

std::string plain(const std::optional<double>& rate) { return rate ? fmt::format("{:.1f}", *rate) : "-"; }

void print_text(std::ostream& out, const std::vector<ElementRow>& rows) {
  ResultTable table({"element", "kind", "kept", "oldest", "newest", "written/s", "taken/s", "users", ""});
  for (const ElementRow& row : rows) {
    const auto& state = row.state;
    const auto number = [&](std::uint64_t of) { return of > 0 ? fmt::format("#{}", of) : "-"; };
    table.add({row.name, state ? (state->place == ElementPlace::shared ? "shared" : "memory") : "-",
               state ? fmt::format("{} of {}", state->kept, state->capacity) : "-",
               state ? number(state->oldest) : "-", state ? number(state->newest) : "-",
               plain(row.written_rate), plain(row.taken_rate), row.users, row.detail});
  }
  table.print(out, Format::text);
}

// In JSON and CSV. Unknown values are null.
std::vector<Json> values_of(const ElementRow& row) {
  const bool is_known = row.state.has_value();
  const ElementState state = row.state.value_or(ElementState());
  const bool is_shared = state.place == ElementPlace::shared;
  const auto if_known = [&](const auto& value) { return is_known ? Json(value) : Json(); };
  const auto of_shared = [&](std::uint64_t value) { return is_known && is_shared ? Json(value) : Json(); };
  const auto of_tuple = [&](std::uint64_t value) { return is_known && value > 0 ? Json(value) : Json(); };
  return {row.name,
          row.host,
          if_known(is_shared ? "shared" : "memory"),
          if_known(state.type),
          if_known(state.waits ? "wait" : "discard"),
          if_known(state.kept),
          if_known(state.capacity),
          of_shared(state.bytes),
          of_shared(state.room),
          of_tuple(state.oldest),
          of_tuple(state.newest),
          if_known(state.written),
          if_known(state.taken),
          if_known(state.discarded),
          if_known(state.dropped),
          if_known(state.refused),
          rounded(row.written_rate),
          rounded(row.taken_rate),
          row.users,
          row.detail};
}

}  // namespace

Users users_in(const Plan& plan) {
  NamedUsers named;
  for (const PathPlan& path : plan.paths) {
    const ElementPlan& end = plan.elements[path.element];
    if (!end.is_element()) continue;
    auto& names = named[end.name][std::string(to_string(path.use))];
    const std::string& thread = plan.threads[path.thread].name;
    if (std::ranges::find(names, thread) == names.end()) names.push_back(thread);
  }
  return text_of(named);
}

Users users_in(const View& newest, const PlanNames& names) {
  NamedUsers named;
  for (const TraceTuple& tuple : newest.records) {
    const EventRecord record = decode(tuple);
    if (!record.is_operation()) continue;
    auto& threads = named[std::string(names.path_name(record.path))][std::string(to_string(record.verb))];
    const std::string thread(names.thread_name(record.thread));
    if (std::ranges::find(threads, thread) == threads.end()) threads.push_back(thread);
  }
  return text_of(named);
}

std::vector<ElementRow> element_rows(const Plan& plan, const Users& users,
                                     const std::vector<ElementAnswer>& answers,
                                     const std::vector<ElementAnswer>& before,
                                     std::chrono::nanoseconds elapsed) {
  const States now(answers);
  const States earlier(before);
  if (!plan.has_pathmap) return rows_without_plan(users, answers, earlier, elapsed);
  std::vector<ElementRow> rows;
  for (const ElementIndex index : plan.elements.indices()) {
    const ElementPlan& element = plan.elements[index];
    if (!element.is_element()) continue;
    const std::string teller = teller_of(plan, element);
    ElementRow& row =
        rows.emplace_back(ElementRow{element.name, host_of(plan, element), users_of(users, element.name)});
    if (const ElementState* const state = now.find(teller, element.name)) {
      set_state(row, *state, earlier.find(teller, element.name), elapsed);
    } else {
      row.detail = why_unknown(plan, index, teller, answers);
    }
  }
  return rows;
}

void print_rows(std::ostream& out, Format format, const std::vector<ElementRow>& rows) {
  if (format == Format::text) return print_text(out, rows);
  ResultTable table({"element", "host",    "kind",          "type",        "when_full", "kept",  "capacity",
                     "bytes",   "room",    "oldest",        "newest",      "written",   "taken", "discarded",
                     "dropped", "refused", "written_per_s", "taken_per_s", "users",     "detail"});
  for (const ElementRow& row : rows) table.add(values_of(row));
  table.print(out, format);
}

}  // namespace eventspace
