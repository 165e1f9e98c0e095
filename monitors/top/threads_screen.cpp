#include <fmt/format.h>

#include <algorithm>

#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_record.h"
#include "monitors/text/text_format.h"
#include "monitors/top/figures.h"
#include "monitors/top/screen.h"
#include "pathmaps/plan/plan_names.h"

namespace eventspace::top {
namespace {

constexpr std::size_t longest_name = 24;

// The sort key: the worst state is the smallest.
double rank_of(const ThreadState& thread) {
  switch (thread.health.verdict) {
    case Verdict::dead:
      return thread.is_culprit ? 0 : 1;
    case Verdict::stopped:
      return thread.is_culprit ? 0 : 2;
    case Verdict::computing:
      return thread.is_culprit ? 0 : 3;
    case Verdict::blocked:
    case Verdict::silent:
      return thread.is_culprit ? 0 : 4;
    case Verdict::stuck:
      return thread.is_culprit ? 0 : 5;
    case Verdict::unreachable:
      return 6;
    case Verdict::running:
    case Verdict::waiting:
    case Verdict::apart:
      return 7;
    case Verdict::not_collected:
      return 8;
    case Verdict::not_started:
      return 9;
    case Verdict::ended:
      return 10;
  }
  return 11;
}

Field operation_field(const ThreadState& thread, const Context& context) {
  const ThreadHealth& health = thread.health;
  if (health.in_flight) return {"in " + describe_operation(*health.in_flight, *context.names)};
  if (health.last) return {"last " + describe_operation(*health.last, *context.names), {}, Style::faint};
  return {health.detail, {}, Style::warning};
}

std::size_t name_width(const State& state, const Context& context) {
  std::size_t width = 7;
  for (const ThreadState& thread : state.threads)
    width = std::max(width, context.names->thread_name(thread.health.thread).size());
  return std::min(width, longest_name);
}

class ThreadsScreen final : public Screen {
 public:
  [[nodiscard]] std::string name() const override { return "threads"; }
  [[nodiscard]] std::size_t sorted_by() const override { return 1; }

  [[nodiscard]] Page page(const State& state, const Context& context) const override {
    Page page;
    page.columns = {{"THREAD", name_width(state, context)}, {"STATE", 9},
                    {"EVENTS/S", 9, true, true, true},      {"SILENT", 7, true, true, true},
                    {"CPU", 5, true, true, true},           {"S", 1, false, false},
                    {"STEP", 8, true, true, true, 1},       {"EVENTS", 7, true, true, true, 2},
                    {"NODE", 8, false, false, false, 3},    {"PROCESS", 8, false, false, false, 4},
                    {"OPERATION", 32, false, false}};
    page.enters = "paths";
    if (state.pulls == 0) return page;
    page.when_empty = context.filter.text().empty() ? "the scope reads no thread"
                                                    : "no thread matches the filter " + context.filter.text();
    for (const ThreadState& thread : state.threads) {
      if (context.filter.shows(thread, state)) page.rows.push_back(row_of(thread, context));
    }
    return page;
  }

 private:
  static Row row_of(const ThreadState& thread, const Context& context) {
    const ThreadHealth& health = thread.health;
    const auto process = process_of_thread(*context.plan, health.thread).value_or(0);
    Row row;
    row.id = health.thread;
    row.thread = health.thread;
    if (thread.is_culprit) {
      row.mark = "!";
      row.mark_style = Style::bad;
    }
    Field step{"-"};
    const bool has_step = health.last && health.last->kind != mpi_kind && health.last->kind != pvm_kind &&
                          !(health.last->kind == probe_kind && !has_virtual_time(health.last->virtual_time));
    if (has_step) step = count_field(health.last->virtual_time);
    row.fields = {
        {std::string(context.names->thread_name(health.thread)), static_cast<double>(health.thread),
         Style::strong},
        {std::string(words_of(health.verdict).brief), rank_of(thread), verdict_style(health.verdict)},
        rate_field(thread.rate.per_second),
        duration_field(health.silent_for),
        share_field(thread.cpu_share),
        {std::string(1, thread.kernel_state)},
        std::move(step),
        count_field(thread.rate.events),
        {std::string(context.names->node_of_process(process))},
        {std::string(context.names->process_name(process))},
        operation_field(thread, context)};
    return row;
  }
};

}  // namespace

std::unique_ptr<Screen> threads_screen() { return std::make_unique<ThreadsScreen>(); }

}  // namespace eventspace::top
