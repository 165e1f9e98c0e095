#include "monitors/watching/watch_tally.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "monitors/text/counted.h"
#include "monitors/text/loss_text.h"

namespace eventspace {

void WatchTally::add(const View& view, const PlanNames& names) {
  ++pulls;
  partial_pulls += view.missing.empty() ? 0 : 1;
  loss += view.loss;
  saw_process |= !view.processes.empty();
  saw_answer |= std::ranges::none_of(view.missing, [](const Missing& part) {
    return part.cause == MissingCause::no_answer || part.cause == MissingCause::late ||
           part.cause == MissingCause::skipped;
  });
  for (const Missing& part : view.missing) {
    missing.insert(part.what + " (" +
                   (part.detail.empty() ? std::string(to_string(part.cause)) : part.detail) + ")");
  }
  for (const ProcessReport& process : view.processes) {
    if (process.relation.jumps > 0) jumped.emplace(names.node_of_process(process.process));
    if (process.collecting.is_complete()) continue;
    thinned.insert(process.process);
    if (thinned_to.size() < max_settings) thinned_to.insert(describe(process.collecting));
  }
}

std::string WatchTally::thinned_text() const {
  if (thinned.empty()) return {};
  return fmt::format(
      "{} did not record all events at times ({}): counts, totals and rates of these events are too low",
      counted(thinned.size(), "process"), fmt::join(thinned_to, "; "));
}

Found WatchTally::found() const noexcept {
  if (saw_process) return loss.filtered > 0 ? Found::others : Found::processes;
  return saw_answer || pulls == 0 ? Found::no_process : Found::no_answer;
}

void WatchTally::print(std::ostream& out, std::chrono::nanoseconds elapsed) const {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  // A single pull does not have a rate, and a recording can be read at one moment.
  const std::string in_time = seconds == 0 ? "" : fmt::format(" in {:.1f} s", seconds);
  std::vector<std::string> notes;
  if (pulls >= 2 && seconds > 0)
    notes.push_back(fmt::format("{:.1f} a second", static_cast<double>(pulls) / seconds));
  if (partial_pulls > 0) notes.push_back(fmt::format("{} partial", partial_pulls));
  out << fmt::format("{}{}, {}{}\n", counted(events, "event"), in_time, counted(pulls, "pull"),
                     notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, ", ")));
  print_loss(out, loss, "this monitor");
  if (not_shown > 0)
    out << fmt::format("stopped: {} of the last view {} not shown\n", counted(not_shown, "more event"),
                       not_shown == 1 ? "is" : "are");
  if (unread > 0)
    out << fmt::format("stopped: {} that had ended {} not read\n", counted(unread, "record"),
                       unread == 1 ? "was" : "were");
  if (const std::string text = thinned_text(); !text.empty()) out << text << '\n';
  for (const std::string& part : missing) out << "missing at times: " << part << '\n';
  for (const std::string& node : jumped) {
    out << "a clock on the way to node " << node << " jumped; times before the jump cannot be compared\n";
  }
}

}  // namespace eventspace
