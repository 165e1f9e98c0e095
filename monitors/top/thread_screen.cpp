#include <fmt/format.h>

#include <algorithm>

#include "monitors/heartbeat/health_text.h"
#include "monitors/text/text_format.h"
#include "monitors/top/figures.h"
#include "monitors/top/screen.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::top {
namespace {

const char* kernel_word(char state) {
  switch (state) {
    case 'R':
      return "running or ready";
    case 'S':
      return "sleeping";
    case 'D':
      return "waiting for a device";
    case 'T':
      return "stopped";
    case 't':
      return "held by a debugger";
    case 'Z':
    case 'X':
      return "ended";
    default:
      return "unknown";
  }
}

class ThreadScreen final : public Screen {
 public:
  explicit ThreadScreen(std::uint32_t thread) noexcept : thread_(thread) {}

  [[nodiscard]] std::string name() const override { return "thread"; }

  [[nodiscard]] Page page(const State& state, const Context& context) const override {
    Page page;
    page.columns = {{"PATH", 22},
                    {"EVENTS/S", 9, true, true, true},
                    {"ENDED", 7, true, true, false},
                    {"TOOK", 7, true, true, true},
                    {"IN FOR", 7, true, true, true},
                    {"KEPT", 7, true, true, false, 1},
                    {"EVENTS", 7, true, true, true, 2},
                    {"BYTES", 7, true, true, true, 3},
                    {"STATUS", 9, false, false, false, 4},
                    {"OPERATION", 16, false, false}};
    page.enters = "peer";
    page.when_empty = "no event of this thread yet";
    const auto thread = std::find_if(state.threads.begin(), state.threads.end(),
                                     [this](const auto& t) { return t.health.thread == thread_; });
    if (thread == state.threads.end()) return page;
    page.lines = about(*thread, state, context);
    for (const PathState& path : thread->paths) {
      page.columns[0].width =
          std::max(page.columns[0].width, std::min<std::size_t>(name_of(path, context).size(), 40));
      page.rows.push_back(row_of(path, page.rows.size(), context));
    }
    return page;
  }

 private:
  static std::string name_of(const PathState& path, const Context& context) {
    const auto point = static_cast<CollectPoint>(path.point);
    return fmt::format("{}{}{}", context.names->path_name(path.path),
                       point == CollectPoint::thread ? "" : "@",
                       point == CollectPoint::thread ? "" : to_string(point));
  }

  static std::vector<Line> about(const ThreadState& thread, const State& state, const Context& context) {
    const ThreadHealth& health = thread.health;
    const auto number = process_of_thread(*context.plan, health.thread).value_or(0);
    const auto process = state.processes.find(number);
    std::string where = fmt::format(" of process {} on node {}", context.names->process_name(number),
                                    context.names->node_of_process(number));
    if (process != state.processes.end())
      where += fmt::format(" (pid {}, {})", process->second.pid, to_string(process->second.state));
    std::string kernel =
        fmt::format("  kernel: {} {}, {} CPU, {} used", thread.kernel_state, kernel_word(thread.kernel_state),
                    share_text(thread.cpu_share), duration_text(thread.cpu));
    if (thread.tid != 0) kernel += fmt::format(" (tid {})", thread.tid);
    std::string verdict = fmt::format(", silent for {}, {} events/s", duration_text(health.silent_for),
                                      rate_text(thread.rate.per_second));
    if (thread.is_culprit) verdict += "; " + waiting_text(thread.waiting);
    if (!health.absent_from.empty()) verdict += "; it has not come to " + absences_of(health, *context.names);
    return {{{fmt::format("thread {}", context.names->thread_name(health.thread)), Style::strong}, {where}},
            {{fmt::format("  {}", to_string(health.verdict)), verdict_style(health.verdict)},
             {verdict + (health.detail.empty() ? "" : "; " + health.detail)}},
            {{kernel}}};
  }

  static Row row_of(const PathState& path, std::size_t number, const Context& context) {
    const EventRecord& shown = path.in_flight ? *path.in_flight : *path.last;
    Row row;
    row.id = (static_cast<std::uint64_t>(path.path) << 16U) | path.point;
    if (shown.is_operation() && shown.peer != no_peer) row.thread = shown.peer;
    if (path.in_flight) row.mark = "▶";
    const bool has_status = path.last && path.last->is_operation();
    Field bytes{"-"};
    if (has_status) bytes = count_field(path.last->bytes);
    const bool is_fine = !has_status || path.last->status == Status::ok;
    row.fields = {{name_of(path, context), static_cast<double>(number), Style::strong},
                  rate_field(path.rate.per_second),
                  duration_field(path.ended_ago),
                  duration_field(path.took),
                  duration_field(path.in_flight_for, Style::warning),
                  duration_field(path.kept_for),
                  count_field(path.rate.events),
                  std::move(bytes),
                  {has_status ? std::string(to_string(path.last->status)) : "-",
                   {},
                   is_fine ? Style::plain : Style::warning},
                  {operation_of(shown, context)}};
    return row;
  }

  // Without the path, which has a column of its own.
  static std::string operation_of(const EventRecord& shown, const Context& context) {
    if (!shown.is_operation()) return describe_operation(shown, *context.names);
    std::string operation(to_string(shown.verb));
    if (shown.peer == no_peer) return operation;
    return operation + fmt::format(" {} {}", shown.verb == Verb::write ? "to" : "from",
                                   context.names->thread_name(shown.peer));
  }

  std::uint32_t thread_;
};

}  // namespace

std::unique_ptr<Screen> thread_screen(std::uint32_t thread) { return std::make_unique<ThreadScreen>(thread); }

}  // namespace eventspace::top
