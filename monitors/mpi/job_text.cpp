#include "monitors/mpi/job_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/mpi/mpi_text.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

constexpr std::size_t longest_ranks = 60;  // bytes of a list of ranks
constexpr std::size_t max_groups = 4;
constexpr std::size_t max_parts = 3;

std::string ranks_of(const RankSet& ranks) { return ranks.to_text(longest_ranks); }

// "rank 5", "ranks 0-3", "rank 5 of job 2"
std::string ranks_with_noun(const RankSet& ranks, const JobVerdict& verdict) {
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", ranks_of(ranks),
                     verdict.is_of_several ? fmt::format(" of job {}", verdict.job) : "");
}

std::string_view of_one(const RankSet& ranks, std::string_view one, std::string_view more) {
  return ranks.size() == 1 ? one : more;
}

// "from 3 tag 9", "to 4 (1.0 MiB)", "from any"
std::string message_text(const AwaitedPart& part) {
  if (part.what == AwaitedPart::What::window) return fmt::format("for {}", *part.partner);
  if (part.what == AwaitedPart::What::lock) return fmt::format("for the lock of {}", *part.partner);
  const bool is_send = part.what == AwaitedPart::What::send;
  std::string text = is_send ? "to " : "from ";
  text += part.partner ? fmt::format("{}", *part.partner) : std::string("any");
  if (part.tag) text += fmt::format(" tag {}", *part.tag);
  if (is_send && part.bytes > 0) text += fmt::format(" ({})", short_size(part.bytes));
  return text;
}

std::string part_text(const AwaitedPart& part) {
  if (part.what != AwaitedPart::What::collective) return message_text(part);
  return part.operation.number == 0 ? std::string("its operation")
                                    : fmt::format("operation #{}", part.operation.number);
}

// " from 3 tag 9", " for 3 messages: from 3 tag 9, to 4, ..."
std::string awaited_text(const JobCall& call, bool has_one_partner) {
  const bool is_own_operation = call.of == MpiClass::collective || call.of == MpiClass::manage;
  if (is_own_operation || call.awaits.empty()) return "";
  if (!has_one_partner) {
    if (call.of == MpiClass::window) return " for others";
    return call.awaits.front().what == AwaitedPart::What::receive ? " each from another" : " each to another";
  }
  if (call.awaits.size() == 1) return " " + part_text(call.awaits.front());
  std::string text = fmt::format(" for {} of {}: ", call.needs_any ? "any" : "all", call.awaits.size());
  for (std::size_t i = 0; i < std::min(call.awaits.size(), max_parts); ++i)
    text += (i == 0 ? "" : ", ") + part_text(call.awaits[i]);
  return text + (call.awaits.size() > max_parts ? ", ..." : "");
}

std::string call_with_number(const JobCall& call) {
  std::string text = name_of_mpi_call(call.function);
  if (call.ordinal != 0) text += fmt::format(" #{}", call.ordinal);
  return text;
}

std::string outside_text(const JobGroup& group) {
  const std::string_view what = group.process == JobProcess::computing ? "computing"
                                : group.process == JobProcess::hidden
                                    ? "outside MPI or stopped (not seen: another PID namespace)"
                                    : "asleep outside MPI";
  if (!group.last) return std::string(what);
  return fmt::format("{} for {}", what, short_duration(group.longest));
}

std::string state_text(const JobGroup& group) {
  switch (group.process) {
    case JobProcess::stopped:
      return "stopped by a signal";
    case JobProcess::dead:
      return "dead";
    case JobProcess::ended:
      return "ended";
    case JobProcess::unseen:
      return "not seen";
    case JobProcess::computing:
    case JobProcess::sleeping:
    case JobProcess::hidden:
      return group.in_flight ? "" : outside_text(group);
  }
  return "?";
}

std::string doing_text(const JobGroup& group, const PlanNames& names) {
  std::string text = state_text(group);
  if (group.in_flight) {
    const bool is_poll = group.in_flight->is_poll;
    text += fmt::format("{}{} {}{} for {}", text.empty() ? "" : ", ", is_poll ? "polling" : "in",
                        describe_call(*group.in_flight, names, group.has_one_partner),
                        is_poll ? " in vain" : "", short_duration(group.longest));
  } else if (group.last) {
    text += " after " + describe_call(*group.last, names);
  }
  return text;
}

// "5: computing ...; 6-7: in ..."; without the ranks if there is one group.
std::string groups_text(const std::vector<JobGroup>& groups, const PlanNames& names, bool with_ranks) {
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), max_groups); ++i) {
    if (i > 0) text += ", ";
    if (with_ranks) text += ranks_of(groups[i].ranks) + " ";
    text += doing_text(groups[i], names);
  }
  if (groups.size() > max_groups) text += fmt::format(", and {} more", groups.size() - max_groups);
  return text;
}

// The arguments of one party of a mismatch, as only they can differ.
std::string party_text(const JobGroup& group, const JobVerdict& verdict) {
  const JobCall& call = group.in_flight ? *group.in_flight : *group.last;
  std::string text =
      fmt::format("{} called {}", ranks_with_noun(group.ranks, verdict), name_of_mpi_call(call.function));
  if (call.root) text += fmt::format(" root {}", *call.root);
  if (call.bytes > 0) text += fmt::format(" of {} B", call.bytes);
  return text;
}

std::string place_text(const JobVerdict& verdict, const PlanNames& names) {
  if (verdict.there) return describe_call(*verdict.there, names);
  return fmt::format("operation #{} on {}", verdict.at->number,
                     names.communicator_name(verdict.at->communicator));
}

std::string mismatch_text(const JobVerdict& verdict, const PlanNames& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(verdict.doing.size(), max_groups); ++i)
    text += (i == 0 ? "" : ", ") + party_text(verdict.doing[i], verdict);
  if (verdict.doing.size() > max_groups) text += ", ...";
  return fmt::format("{} as #{} on {}", text, verdict.at->number,
                     names.communicator_name(verdict.at->communicator));
}

std::string unreceived_text(const std::vector<JobLook::Lost>& lost) {
  std::string text = "; sent to it and not received: ";
  for (std::size_t i = 0; i < std::min(lost.size(), max_parts); ++i)
    text += fmt::format("{}tag {} ({})", i == 0 ? "" : ", ", lost[i].tag, short_size(lost[i].bytes));
  return text + (lost.size() > max_parts ? ", ..." : "");
}

std::string lost_text(const JobVerdict& verdict, const PlanNames& names) {
  std::string text =
      fmt::format("{} {} a message that has no other side: {}", ranks_with_noun(verdict.culprits, verdict),
                  of_one(verdict.culprits, "waits for", "wait for"),
                  groups_text(verdict.doing, names, verdict.doing.size() > 1));
  if (!verdict.unreceived.empty()) text += unreceived_text(verdict.unreceived);
  return text;
}

std::string across_text(const JobVerdict& verdict, const PlanNames& names) {
  return fmt::format("{} {} for another job: {}", ranks_with_noun(verdict.culprits, verdict),
                     of_one(verdict.culprits, "waits", "wait"),
                     groups_text(verdict.doing, names, verdict.doing.size() > 1));
}

std::string cause_text(const JobVerdict& verdict, const PlanNames& names) {
  std::string ranks = ranks_with_noun(verdict.culprits, verdict);
  const std::string doing = groups_text(verdict.doing, names, verdict.doing.size() > 1);
  switch (verdict.fault) {
    case JobFault::mismatch:
      return mismatch_text(verdict, names);
    case JobFault::order:
      return ranks + " entered operations in another order: " + groups_text(verdict.doing, names, true);
    case JobFault::lost_message:
      return lost_text(verdict, names);
    case JobFault::cycle:
      return fmt::format("{} wait for each other in a circle: {}", ranks,
                         groups_text(verdict.doing, names, true));
    case JobFault::inside:
      return fmt::format("{} {} {}, which does not end", ranks, of_one(verdict.culprits, "is", "are"), doing);
    case JobFault::across:
      return across_text(verdict, names);
    case JobFault::absent:
    case JobFault::alive:
      if (verdict.at) {
        return fmt::format("{} {} not come to {}: {}", ranks, of_one(verdict.culprits, "has", "have"),
                           place_text(verdict, names), doing);
      }
      [[fallthrough]];
    case JobFault::dead:
    case JobFault::stopped:
      return fmt::format("{}: {}", ranks, doing);
  }
  return ranks;
}

// "3 ranks wait there for 2.2s: 0-1,3"; with their calls, unless these are the operation that was already
// named.
std::string waiting_text_of(const JobVerdict& verdict, const PlanNames& names) {
  const std::string_view verb = of_one(verdict.waiting, "waits", "wait");
  const std::string who = counted(verdict.waiting.size(), "rank");
  const bool are_there = verdict.waits.size() == 1 && verdict.there && verdict.waits.front().in_flight &&
                         verdict.waits.front().in_flight->awaits == verdict.there->awaits;
  if (are_there) {
    return fmt::format("{} {} there for {}: {}", who, verb, short_duration(verdict.waits.front().longest),
                       ranks_of(verdict.waiting));
  }
  return fmt::format("{} {}: {}", who, verb, groups_text(verdict.waits, names, true));
}

std::string_view direction_of(const AwaitedPart& part) noexcept {
  switch (part.what) {
    case AwaitedPart::What::send:
      return "send";
    case AwaitedPart::What::receive:
      return "receive";
    case AwaitedPart::What::window:
      return "window";
    case AwaitedPart::What::lock:
      return "lock";
    case AwaitedPart::What::collective:
      break;
  }
  return "collective";
}

Json json_of_part(const AwaitedPart& part) {
  if (part.what == AwaitedPart::What::collective) return Json::object({{"ordinal", part.operation.number}});
  return Json::object({{"direction", direction_of(part)},
                       {"partner", part.partner},
                       {"tag", part.tag},
                       {"bytes", part.bytes}});
}

Json json_of_call(const JobCall& call, const PlanNames& names) {
  Json awaits = Json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(call.awaits.size(), 16); ++i)
    awaits.add(json_of_part(call.awaits[i]));
  Json json = Json::object({{"call", name_of_mpi_call(call.function)}});
  if (call.communicator != MpiCallRecord::no_communicator)
    json.set("communicator", names.communicator_name(call.communicator));
  if (call.ordinal != 0) json.set("ordinal", call.ordinal);
  if (call.root) json.set("root", call.root);
  if (call.bytes != 0) json.set("bytes", call.bytes);
  json.set("awaits", std::move(awaits));
  if (call.is_poll) json.set("in_vain", true);
  return json;
}

std::string_view word_of(JobProcess process) noexcept {
  switch (process) {
    case JobProcess::computing:
      return "computing";
    case JobProcess::sleeping:
      return "sleeping";
    case JobProcess::hidden:
      return "unknown";
    case JobProcess::stopped:
      return "stopped";
    case JobProcess::dead:
      return "dead";
    case JobProcess::ended:
      return "ended";
    case JobProcess::unseen:
      return "unseen";
  }
  return "?";
}

Json json_of_groups(const std::vector<JobGroup>& groups, const PlanNames& names) {
  Json all = Json::array();
  for (const JobGroup& group : groups) {
    Json json = Json::object({{"ranks", group.ranks.to_text()},
                              {"process", word_of(group.process)},
                              {"for_s", std::chrono::duration<double>(group.longest).count()}});
    if (group.in_flight) json.set("in", json_of_call(*group.in_flight, names));
    if (group.last) json.set("after", json_of_call(*group.last, names));
    all.add(std::move(json));
  }
  return all;
}

// "job 2: 4 ranks, spawned by rank 1 of job 1"
std::string summary_text(const JobSummary& job) {
  std::string text = fmt::format("job {}: {}", job.job, counted(job.ranks, "rank"));
  if (job.parent)
    text += fmt::format(", spawned by rank {} of job {}{}", job.parent->rank, job.parent->job,
                        job.is_parent_seen ? "" : ", which is not seen");
  else if (job.is_spawned())
    text += ", spawned by an unknown process";
  return text + (job.not_judged.empty() ? "" : "; not judged: " + job.not_judged);
}

}  // namespace

std::string describe_call(const JobCall& call, const PlanNames& names, bool has_one_partner) {
  std::string text = call_with_number(call);
  if (call.root) text += fmt::format(" root {}", *call.root);
  text += awaited_text(call, has_one_partner);
  if (call.communicator != MpiCallRecord::no_communicator)
    text += fmt::format(" on {}", names.communicator_name(call.communicator));
  return text;
}

std::vector<std::string> describe_verdicts(const JobReport& report, const PlanNames& names,
                                           std::size_t most) {
  std::vector<std::string> lines;
  for (const JobVerdict& verdict : report.verdicts) {
    if (lines.size() + 1 == most && report.verdicts.size() > most) break;
    std::string line = fmt::format("STALL {}: {}", to_string(verdict.fault), cause_text(verdict, names));
    if (verdict.fault == JobFault::across) line += ", and no rank that is seen goes on";
    if (!verdict.waiting.empty()) line += "; " + waiting_text_of(verdict, names);
    lines.push_back(std::move(line));
  }
  if (lines.size() < report.verdicts.size())
    lines.push_back(fmt::format("and {} more", counted(report.verdicts.size() - lines.size(), "stall")));
  return lines;
}

std::vector<std::string> describe_unfollowed(const JobReport& report, const PlanNames& names,
                                             std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(report.unfollowed.size(), most); ++i) {
    const JobVerdict& wait = report.unfollowed[i];
    lines.push_back("not followed: " + cause_text(wait, names) +
                    (wait.waiting.empty() ? "" : "; " + waiting_text_of(wait, names)));
  }
  if (lines.size() < report.unfollowed.size())
    lines.push_back(fmt::format("not followed: {} more", report.unfollowed.size() - lines.size()));
  return lines;
}

std::vector<std::string> describe_spawned(const JobReport& report, std::size_t most) {
  std::vector<std::string> lines;
  std::size_t spawned = 0;
  for (const JobSummary& job : report.jobs) {
    const bool is_worth_a_line = job.is_spawned() || !job.not_judged.empty();
    if (is_worth_a_line && ++spawned <= most) lines.push_back(summary_text(job));
  }
  if (spawned > most) lines.push_back(fmt::format("and {} more", counted(spawned - most, "spawned job")));
  return lines;
}

Json json_of(const JobSummary& job) {
  Json json = Json::object({{"job", job.job}, {"ranks", job.ranks}, {"judged", job.not_judged.empty()}});
  if (!job.not_judged.empty()) json.set("not_judged", job.not_judged);
  if (job.is_spawned())
    json.set("spawned_by", job.parent ? Json::object({{"job", job.parent->job},
                                                      {"rank", job.parent->rank},
                                                      {"seen", job.is_parent_seen}})
                                      : Json());
  return json;
}

Json json_of(const JobVerdict& verdict, const PlanNames& names) {
  Json unreceived = Json::array();
  for (const JobLook::Lost& lost : verdict.unreceived)
    unreceived.add(Json::object({{"communicator", names.communicator_name(lost.communicator)},
                                 {"tag", lost.tag},
                                 {"bytes", lost.bytes}}));
  Json json = Json::object({{"job", verdict.job},
                            {"fault", to_string(verdict.fault)},
                            {"ranks", verdict.culprits.to_text()},
                            {"waiting", verdict.waiting.to_text()},
                            {"longest_s", std::chrono::duration<double>(verdict.longest).count()},
                            {"doing", json_of_groups(verdict.doing, names)},
                            {"waits", json_of_groups(verdict.waits, names)},
                            {"unreceived", std::move(unreceived)}});
  if (verdict.at) {
    json.set("communicator", names.communicator_name(verdict.at->communicator));
    if (verdict.there) json.set("call", name_of_mpi_call(verdict.there->function));
    json.set("ordinal", verdict.at->number);
  }
  return json;
}

}  // namespace eventspace
