#include "monitors/watching/watch_tally.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "monitors/text/counted.h"
#include "monitors/text/loss_text.h"

namespace eventspace {
namespace {

// The events that were left when the monitor was stopped.
std::vector<std::string> at_the_end(const WatchTally& tally) {
  std::vector<std::string> sentences;
  if (tally.not_shown > 0)
    sentences.push_back(fmt::format("{} of the last view {} not shown",
                                    counted(tally.not_shown, "more event"),
                                    tally.not_shown == 1 ? "is" : "are"));
  if (tally.unread > 0)
    sentences.push_back(fmt::format("{} that had ended {} not read", counted(tally.unread, "record"),
                                    tally.unread == 1 ? "was" : "were"));
  return sentences;
}

std::string jump_of(const std::string& node) {
  return fmt::format("a clock on the way to node {} jumped, so times before the jump cannot be compared",
                     node);
}

}  // namespace

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
    std::string text =
        part.what + " (" + (part.detail.empty() ? std::string(to_string(part.cause)) : part.detail) + ")";
    // A process that has not started, or has ended, has no unread events.
    if (part.cause != MissingCause::no_segment) unread_parts.insert(text);
    missing.insert(std::move(text));
  }
  for (const ProcessReport& process : view.processes) {
    if (process.relation.jumps > 0) jumped.emplace(names.node_of_process(process.process));
    if (process.collecting.is_complete()) continue;
    thinned.insert(process.process);
    if (thinned_to.size() <= max_settings) thinned_to.insert(describe(process.collecting));
  }
}

std::string WatchTally::thinned_text() const {
  if (thinned.empty()) return {};
  std::vector<std::string> settings(thinned_to.begin(), thinned_to.end());
  if (settings.size() > max_settings) settings.back() = "and others";
  return fmt::format(
      "{} did not record all events at times ({}): counts, totals and rates of these events are too low",
      counted(thinned.size(), "process"), fmt::join(settings, "; "));
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
  print_losses(out);
}

void WatchTally::print_losses(std::ostream& out) const {
  print_loss(out, loss, "this monitor");
  for (const std::string& sentence : at_the_end(*this)) out << "stopped: " << sentence << '\n';
  if (const std::string text = thinned_text(); !text.empty()) out << text << '\n';
  for (const std::string& part : missing) out << "missing at times: " << part << '\n';
  for (const std::string& node : jumped) out << jump_of(node) << '\n';
}

std::string WatchTally::incomplete(bool of_recording) const {
  std::vector<std::string> sentences =
      loss_sentences(loss_that_matters(loss, of_recording), of_recording ? "the recording" : "this monitor");
  std::ranges::move(at_the_end(*this), std::back_inserter(sentences));
  if (std::string text = thinned_text(); !text.empty()) sentences.push_back(std::move(text));
  if (!unread_parts.empty()) {
    constexpr std::size_t most = 3;
    std::vector<std::string> parts(unread_parts.begin(), unread_parts.end());
    const std::size_t more = parts.size() > most ? parts.size() - most : 0;
    parts.resize(parts.size() - more);
    sentences.push_back(fmt::format("missing at times: {}{}", fmt::join(parts, ", "),
                                    more > 0 ? fmt::format(" and {} more (--verbose names all)", more) : ""));
  }
  for (const std::string& node : jumped) sentences.push_back(jump_of(node));
  return incomplete_text(sentences);
}

}  // namespace eventspace
