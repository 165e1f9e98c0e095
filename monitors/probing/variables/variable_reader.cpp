#include "monitors/probing/variables/variable_reader.h"

#include "tuplespace/system/error.h"

namespace eventspace {

VariableReader::Known VariableReader::look_up(std::int32_t pid, const std::string& variable) {
  Known known;
  try {
    known.variable.emplace(pid, parse_variable(variable));
  } catch (const Error& error) {
    known.refusal = error.what();
  }
  return known;
}

VariableReader::Reading VariableReader::read(std::int32_t pid, const std::string& variable) {
  auto found = known_.find({pid, variable});
  if (found == known_.end()) found = known_.emplace(std::pair(pid, variable), look_up(pid, variable)).first;
  Known& known = found->second;
  known.was_read = true;
  if (!known.variable) return {std::nullopt, known.refusal};
  try {
    return {known.variable->read(), {}};
  } catch (const EnvironmentError& error) {
    known_.erase(found);  // it runs another program now, or another process has its id
    return {std::nullopt, error.what()};
  }
}

void VariableReader::forget_unread() {
  std::erase_if(known_, [](const auto& one) { return !one.second.was_read; });
  for (auto& [name, known] : known_) known.was_read = false;
}

}  // namespace eventspace
