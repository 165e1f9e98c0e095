#include <eventspace/session.h>
#include <eventspace/session_network.h>
#include "pathmaps/networks/network_of_plan.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

std::unique_ptr<streams::BackEnd> Session::back_end(Deadline deadline, const std::string& network) const {
  const auto self = plan().has_pathmap ? plan().find_process(process()) : std::nullopt;
  return open_back_end(name(), self ? rank_of_process(plan(), *self) : std::nullopt, deadline, network);
}

}  // namespace eventspace
