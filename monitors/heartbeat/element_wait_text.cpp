#include "monitors/heartbeat/element_wait_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "monitors/text/counted.h"

namespace eventspace {
namespace {

constexpr std::size_t max_named = 8;

std::string joined(std::vector<std::string> words) {
  const std::size_t more = words.size() > max_named ? words.size() - max_named : 0;
  words.resize(words.size() - more);
  return fmt::format("{}{}", fmt::join(words, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string described(const ElementUser& user, const PlanNames& names) {
  const std::string verdict = user.verdict ? std::string(to_string(*user.verdict)) : "not watched";
  const std::string last = user.last ? fmt::format(", last a {}", to_string(*user.last)) : "";
  return fmt::format("{} ({}{})", names.thread_name(user.thread), verdict, last);
}

std::string waiting_of(const ElementWait& wait, const PlanNames& names) {
  std::vector<std::string> threads;
  for (const std::uint32_t thread : wait.waiting) threads.emplace_back(names.thread_name(thread));
  std::vector<std::string> verbs;
  for (const Verb verb : wait.verbs) verbs.emplace_back(to_string(verb));
  return fmt::format("{} {} to {}", joined(threads), wait.waiting.size() == 1 ? "waits" : "wait",
                     fmt::join(verbs, " or "));
}

std::string ends_of(const ElementWait& wait, const PlanNames& names) {
  const char* const verb = wait.what == ElementWait::For::room ? "take" : "write";
  if (wait.could_end.empty()) return fmt::format("no other thread could {}", verb);
  std::vector<std::string> users;
  for (const ElementUser& user : wait.could_end) users.push_back(described(user, names));
  return fmt::format(
      "{}: {}",
      wait.are_all_gone() ? fmt::format("no thread is left to {}", verb) : fmt::format("could {}", verb),
      joined(std::move(users)));
}

// Whether the wait is at the end of a chain of stuck threads.
bool ends_a_chain(const ElementWait& wait) {
  const auto is_stuck = [](const ElementUser& user) { return user.verdict == Verdict::stuck; };
  return wait.could_end.empty() || !std::all_of(wait.could_end.begin(), wait.could_end.end(), is_stuck);
}

}  // namespace

std::string text_of(const std::optional<ElementFill>& fill) {
  return fill ? fmt::format("{} of {} tuples", fill->kept, fill->capacity) : "?";
}

std::string describe_wait(const ElementWait& wait, const Plan& plan, const PlanNames& names) {
  const std::string fill = wait.fill ? text_of(wait.fill) + "; " : "";
  return fmt::format("WAIT at {}: {}{}; {}", plan.elements[wait.element].name, fill, waiting_of(wait, names),
                     ends_of(wait, names));
}

std::vector<std::string> describe_waits(const std::vector<ElementWait>& waits, const Plan& plan,
                                        const PlanNames& names, bool all) {
  std::vector<const ElementWait*> shown;
  shown.reserve(waits.size());
  for (const ElementWait& wait : waits) shown.push_back(&wait);
  if (!all && waits.size() > max_named) {
    const auto ends = std::stable_partition(shown.begin(), shown.end(),
                                            [](const ElementWait* wait) { return ends_a_chain(*wait); });
    const auto count_of_ends = static_cast<std::size_t>(ends - shown.begin());
    shown.resize(std::min(count_of_ends > 0 ? count_of_ends : shown.size(), max_named));
  }
  std::vector<std::string> lines;
  lines.reserve(shown.size() + 1);
  for (const ElementWait* const wait : shown) lines.push_back(describe_wait(*wait, plan, names));
  if (shown.size() < waits.size())
    lines.push_back(fmt::format("WAIT at {}: --list all lists them",
                                counted(waits.size() - shown.size(), "more element")));
  return lines;
}

Json json_of(const ElementWait& wait, const Plan& plan, const PlanNames& names) {
  Json waiting = Json::array();
  for (const std::uint32_t thread : wait.waiting) waiting.add(names.thread_name(thread));
  Json could_end = Json::array();
  for (const ElementUser& user : wait.could_end) {
    const auto verdict = user.verdict ? std::optional(to_string(*user.verdict)) : std::nullopt;
    const auto last = user.last ? std::optional(to_string(*user.last)) : std::nullopt;
    could_end.add(
        Json::object({{"thread", names.thread_name(user.thread)}, {"verdict", verdict}, {"last", last}}));
  }
  return Json::object({{"element", plan.elements[wait.element].name},
                       {"for", wait.what == ElementWait::For::room ? "room" : "tuple"},
                       {"kept", wait.fill ? std::optional(wait.fill->kept) : std::nullopt},
                       {"capacity", wait.fill ? std::optional(wait.fill->capacity) : std::nullopt},
                       {"waiting", waiting},
                       {"could_end", could_end},
                       {"all_gone", wait.are_all_gone()}});
}

}  // namespace eventspace
