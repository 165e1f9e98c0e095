#include "monitors/requests/request_lines.h"

#include <fmt/format.h>

#include <iostream>
#include <utility>

#include "monitors/text/json.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

using Kind = RequestAction::Kind;

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

/// In seconds, if it is a sum of durations.
double sum_of(const RequestAction& action, double sum) { return action.is_time ? sum / 1e9 : sum; }
std::string sum_text(const RequestAction& action, double sum) {
  return action.is_time ? duration_of_ns(sum) : number_text(sum);
}

}  // namespace

RequestLines::RequestLines(Format format, std::string request)
    : format_(format), request_(std::move(request)) {
  if (format_ == Format::csv) std::cout << "time_s,request,event,thread,process,matches,sum\n";
}

void RequestLines::print(const ObservedEvent& event, const PlanNames& names,
                         std::chrono::nanoseconds time) const {
  const std::string thread(thread_.text(event, names).value_or("?"));
  const std::string process(event.process == nullptr ? "?" : names.process_name(event.process->process));
  const std::string what = describe_event(event, names);
  if (format_ == Format::text)
    std::cout << fmt::format("{:>7}  {} of {}: {}\n", short_duration(time), thread, process, what);
  if (format_ == Format::json)
    std::cout << Json::object({{"time_s", seconds(time)},
                               {"request", request_},
                               {"event", what},
                               {"thread", thread},
                               {"process", process}})
                     .dump()
              << '\n';
  if (format_ == Format::csv)
    std::cout << fmt::format("{:.6f},{},{},{},{},,\n", seconds(time), request_, csv_value(what),
                             csv_value(thread), csv_value(process));
}

void RequestLines::tell(const std::vector<RequestAction>& actions, std::uint64_t matches,
                        const std::vector<double>& sums, std::chrono::nanoseconds time) const {
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const bool is_sum = actions[i].kind == Kind::integrate;
    if (!is_sum && actions[i].kind != Kind::count) continue;
    if (format_ == Format::text)
      std::cout << fmt::format("{:>7}  {}  {}\n", short_duration(time), actions[i].text,
                               is_sum ? sum_text(actions[i], sums[i]) : std::to_string(matches));
    if (format_ == Format::json)
      std::cout << Json::object({{"time_s", seconds(time)},
                                 {"request", request_},
                                 {"matches", matches},
                                 {"sum", is_sum ? Json(sum_of(actions[i], sums[i])) : Json()}})
                       .dump()
                << '\n';
    if (format_ == Format::csv)
      std::cout << fmt::format("{:.6f},{},,,,{},{}\n", seconds(time), request_, matches,
                               is_sum ? fmt::format("{}", sum_of(actions[i], sums[i])) : "");
  }
}

}  // namespace eventspace
