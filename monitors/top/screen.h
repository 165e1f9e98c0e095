#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "monitors/top/model.h"
#include "monitors/top/terminal/page.h"
#include "monitors/top/thread_filter.h"
#include "pathmaps/plan/plan.h"

namespace eventspace::top {

/// What screens use in addition to the state.
struct Context {
  const Plan* plan{nullptr};
  const PlanNames* names{nullptr};
  ThreadFilter filter{};
  std::string when{};  ///< for a recording: the time of day shown; empty for a running session
};

/// A screen: a function from a state to a page. Pure. To add one, write a file with a derived class and a
/// function that makes it, declare that function below, and list it in screens.cpp. Keys, scrolling, sorting
/// and drawing are common to all screens.
class Screen {
 public:
  virtual ~Screen() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< as shown in the bar
  [[nodiscard]] virtual Page page(const State& state, const Context& context) const = 0;
  /// The initial sort column.
  [[nodiscard]] virtual std::size_t sorted_by() const { return 0; }
  [[nodiscard]] virtual bool needs_servers() const { return false; }
  [[nodiscard]] virtual bool needs_collectives() const { return false; }
  [[nodiscard]] virtual bool needs_streams() const { return false; }
};

std::unique_ptr<Screen> threads_screen();
std::unique_ptr<Screen> servers_screen();
std::unique_ptr<Screen> watching_screen();
std::unique_ptr<Screen> collectives_screen();
std::unique_ptr<Screen> streams_screen();
/// All screens for an application with this plan, in the order of their keys.
std::vector<std::unique_ptr<Screen>> all_screens(const Plan& plan);

/// The screen of one thread with all its paths. Not in all_screens(), because Enter on a row opens it.
std::unique_ptr<Screen> thread_screen(std::uint32_t thread);

/// The lines above every screen: the states of threads, the culprits of a stall, missing parts, and the cost
/// of watching.
std::vector<Line> status_lines(const State& state, const Context& context);

}  // namespace eventspace::top
