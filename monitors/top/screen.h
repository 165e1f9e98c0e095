#pragma once

// Private to monitors/.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monitors/top/model.h"
#include "monitors/top/terminal/page.h"
#include "monitors/top/thread_filter.h"
#include "pathmaps/plan/plan.h"

namespace eventspace::top {

/// What screens know beside the state.
struct Context {
  const Plan* plan{nullptr};
  const PlanNames* names{nullptr};
  ThreadFilter filter{};
};

/// One screen: makes a page of a state. Pure. To add one: a file with a class like those below and a function
/// that makes it, declared here and listed in screens.cpp; its keys, scrolling, sorting and drawing come by
/// themselves.
class Screen {
 public:
  virtual ~Screen() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< in the bar
  [[nodiscard]] virtual Page page(const State& state, const Context& context) const = 0;
  /// The column that it is sorted by at first.
  [[nodiscard]] virtual std::size_t sorted_by() const { return 0; }
  [[nodiscard]] virtual bool needs_servers() const { return false; }
  [[nodiscard]] virtual bool needs_collectives() const { return false; }
};

std::unique_ptr<Screen> threads_screen();
std::unique_ptr<Screen> servers_screen();
std::unique_ptr<Screen> watching_screen();
std::unique_ptr<Screen> collectives_screen();
/// All that there are for an application with this plan, in the order of their keys.
std::vector<std::unique_ptr<Screen>> all_screens(const Plan& plan);

/// What a thread does on each of its paths; not in the list: it is entered from a row.
std::unique_ptr<Screen> thread_screen(std::uint32_t thread);

/// The lines above every screen: who runs, who is to blame for a stall, what is missing, what watching costs.
std::vector<Line> status_lines(const State& state, const Context& context);

}  // namespace eventspace::top
