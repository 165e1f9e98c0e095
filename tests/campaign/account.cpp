#include "tests/campaign/account.h"

#include <fmt/format.h>

#include <algorithm>

namespace eventspace::testing_campaign {

std::vector<std::string> Account::take(const View& view) {
  std::vector<std::string> faults;
  windows_.clear();
  for (const ReadPosition& position : view.positions) move(position, view, faults);
  for (const TraceTuple& tuple : view.records) {
    const EventRecord record = decode(tuple);
    if (!record.in_flight()) place(record, faults);
  }
  weigh(view, faults);
  return faults;
}

void Account::move(const ReadPosition& position, const View& view, std::vector<std::string>& faults) {
  const SourceRef source{position.trace, position.process};
  const auto [known, is_new] = positions_.try_emplace(source, ReadPosition{position.trace, position.process});
  const ReadPosition before = std::exchange(known->second, position);
  const bool same_run = before.pid == position.pid && before.created_ns == position.created_ns;
  const std::uint64_t after = same_run ? before.sequence : 0;
  if (position.sequence < after) faults.push_back(fmt::format("{} after {}", told(position), told(before)));
  if (!windows_.emplace(source, Window{after, std::max(after, position.sequence), after}).second)
    faults.push_back(fmt::format("{} is told twice", told(position)));
  if (same_run || is_new || before.pid == 0) return;
  if (position.created_ns < before.created_ns)
    faults.push_back(fmt::format("{} after the later {}", told(position), told(before)));
  const std::string process = fmt::format("process {}", name_of_(position.process));
  const bool is_named = std::any_of(view.missing.begin(), view.missing.end(), [&](const Missing& missing) {
    return missing.cause == MissingCause::restarted && missing.what == process;
  });
  changes_.push_back({before, position, is_named});
}

void Account::place(const EventRecord& record, std::vector<std::string>& faults) {
  const auto source = source_of_(record.path, record.point);
  const auto window = source ? windows_.find(*source) : windows_.end();
  if (window == windows_.end()) {
    faults.push_back(
        fmt::format("record {} of path {} is of nothing that was moved on", record.sequence, record.path));
    return;
  }
  if (record.sequence <= window->second.newest || record.sequence > window->second.last) {
    faults.push_back(fmt::format("record {} of {} comes after {}, in a view of {} to {}", record.sequence,
                                 told(positions_[*source]), window->second.newest, window->second.after + 1,
                                 window->second.last));
    return;
  }
  window->second.newest = record.sequence;
}

void Account::weigh(const View& view, std::vector<std::string>& faults) const {
  std::uint64_t moved = 0;
  for (const auto& [source, window] : windows_) moved += window.last - window.after;
  const auto records = static_cast<std::uint64_t>(
      std::count_if(view.records.begin(), view.records.end(),
                    [](const TraceTuple& tuple) { return !decode(tuple).in_flight(); }));
  const Loss& loss = view.loss;
  const std::uint64_t lost =
      loss.discarded + loss.torn + loss.filtered + loss.reduced + loss.earlier + loss.emptied;
  if (moved != records + lost) {
    faults.push_back(
        fmt::format("{} numbers are accounted for by {} records and {} lost (discarded {}, torn {}, filtered "
                    "{}, reduced {}, earlier {}, emptied {})",
                    moved, records, lost, loss.discarded, loss.torn, loss.filtered, loss.reduced,
                    loss.earlier, loss.emptied));
  }
  if (loss.repeated != 0) faults.push_back(fmt::format("{} records came again", loss.repeated));
  std::uint64_t numbered = 0;
  for (const Aggregate& aggregate : view.aggregates) numbered += aggregate.count;
  if (!view.aggregates.empty() && numbered != loss.reduced)
    faults.push_back(fmt::format("{} records were reduced, and {} are in numbers", loss.reduced, numbered));
}

std::vector<ReadPosition> Account::positions() const {
  std::vector<ReadPosition> list;
  for (const auto& [source, position] : positions_) list.push_back(position);
  return list;
}

std::string Account::told(const ReadPosition& position) const {
  return fmt::format("number {} of trace element {} of {} (pid {})", position.sequence, position.trace,
                     name_of_(position.process), position.pid);
}

}  // namespace eventspace::testing_campaign
