#include "monitors/probing/groups/process_condition.h"

namespace eventspace {
namespace {

constexpr std::string_view of_environment = "env_";

WalkedCondition::Value value_of(std::string_view field, const ProcessFacts& process) {
  if (field == "pid") return static_cast<double>(process.pid);
  if (field == "name") return std::string_view(process.name);
  if (field == "host") return std::string_view(process.host);
  if (field == "rank")
    return process.rank ? WalkedCondition::Value(static_cast<double>(*process.rank))
                        : WalkedCondition::Value();
  if (field == "job") return process.job();
  if (field == "session") return process.session();
  if (field == "threads") return static_cast<double>(process.threads);
  if (field == "memory") return static_cast<double>(process.memory);
  const auto found = process.environment.find(field.substr(of_environment.size()));
  return found == process.environment.end() ? WalkedCondition::Value()
                                            : WalkedCondition::Value(std::string_view(found->second));
}

}  // namespace

WalkedCondition process_condition(std::string_view condition) {
  using Type = WalkedCondition::Type;
  return {condition,
          {{"pid", Type::number},
           {"name", Type::text},
           {"host", Type::text},
           {"rank", Type::number},
           {"job", Type::text},
           {"session", Type::text},
           {"threads", Type::number},
           {"memory", Type::number},
           {std::string(of_environment) + '*', Type::text}},
          "processes"};
}

bool needs_recorded(const WalkedCondition& condition) { return condition.has_field("session"); }

bool holds(const WalkedCondition& condition, const ProcessFacts& process) {
  return condition.holds([&](std::string_view field) { return value_of(field, process); });
}

}  // namespace eventspace
