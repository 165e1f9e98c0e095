#include "monitors/top/screen.h"

namespace eventspace::top {

std::vector<std::unique_ptr<Screen>> all_screens(const Plan& plan) {
  std::vector<std::unique_ptr<Screen>> screens;
  screens.push_back(threads_screen());
  screens.push_back(servers_screen());
  screens.push_back(watching_screen());
  if (!plan.collectives.empty()) screens.push_back(collectives_screen());
  screens.push_back(streams_screen());
  return screens;
}

}  // namespace eventspace::top
