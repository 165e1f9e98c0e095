#include <fmt/format.h>

#include <ostream>
#include <vector>

#include "monitors/whatif/actions/smpi_trace.h"
#include "tuplespace/system/error.h"

namespace eventspace::whatif {
namespace {

/// Writes the actions of one task. A request is named by its source, destination and tag.
class SmpiTask {
 public:
  SmpiTask(std::ostream& out, const Program& program, std::uint32_t task, const SmpiSettings& settings)
      : out_(&out),
        program_(&program),
        task_(task),
        settings_(settings),
        open_(program.tasks[task].requests) {}

  void write() {
    *out_ << task_ << " init\n";  // sizes are bytes
    for (const Action& action : program_->tasks[task_].actions) write(action);
    *out_ << task_ << " finalize\n";
  }

 private:
  void line(const std::string& text) { *out_ << task_ << ' ' << text << '\n'; }
  void work(Picoseconds duration) {
    if (duration > 0) line(fmt::format("compute {}", in_seconds(duration) * settings_.flops_per_second));
  }

  void write(const Action& of) {
    switch (of.kind) {
      case ActionKind::compute:
      case ActionKind::overhead:
        return work(of.takes);
      case ActionKind::idle:
        if (of.takes > 0) line(fmt::format("sleep {}", in_seconds(of.takes)));
        return;
      case ActionKind::send:
        return message("send", of.peer, of);
      case ActionKind::receive:
        return message("recv", of.peer, of);
      case ActionKind::isend:
      case ActionKind::ireceive:
        open_[of.request] = &of;
        return message(of.kind == ActionKind::isend ? "isend" : "irecv", of.peer, of);
      case ActionKind::wait:
        return wait(of);
      case ActionKind::multicast:
        for (const std::uint32_t task : program_->destinations[of.peer]) message("send", task, of);
        return;
      case ActionKind::group:
        return group(of);
    }
  }

  void message(const char* word, std::uint32_t peer, const Action& of) {
    line(fmt::format("{} {} {} {}", word, peer, of.tag, of.bytes));
    if (of.kind != ActionKind::multicast) work(of.takes);
  }

  void wait(const Action& of) {
    const Action& begun = *open_[of.request];
    const bool sends = begun.sends();
    line(fmt::format("wait {} {} {}", sends ? task_ : begun.peer, sends ? begun.peer : task_, begun.tag));
    work(of.takes);
  }

  void group(const Action& of) {
    const std::uint64_t bytes = of.bytes;
    const auto tasks = program_->tasks.size();
    switch (of.operation) {
      case GroupOperation::barrier:
        line("barrier");
        break;
      case GroupOperation::broadcast:
        line(fmt::format("bcast {} {}", bytes, of.peer));
        break;
      case GroupOperation::reduce:
        line(fmt::format("reduce {} 0 {}", bytes, of.peer));
        break;
      case GroupOperation::all_reduce:
        line(fmt::format("allreduce {} 0", bytes));
        break;
      case GroupOperation::gather:
        line(fmt::format("gather {0} {0} {1}", bytes, of.peer));
        break;
      case GroupOperation::scatter:
        line(fmt::format("scatter {0} {0} {1}", bytes, of.peer));
        break;
      case GroupOperation::all_gather:
        line(fmt::format("allgather {0} {0}", bytes));
        break;
      case GroupOperation::all_to_all:
        line(fmt::format("alltoall {0} {0}", bytes));
        break;
      case GroupOperation::reduce_scatter: {
        std::string counts;
        for (std::size_t i = 0; i < tasks; ++i) counts += fmt::format(" {}", bytes / tasks);
        line(fmt::format("reducescatter{} 0", counts));
        break;
      }
      case GroupOperation::scan:
        line(fmt::format("scan {} 0", bytes));
        break;
    }
    work(of.takes);
  }

  std::ostream* out_;
  const Program* program_;
  std::uint32_t task_;
  SmpiSettings settings_;
  std::vector<const Action*> open_;
};

}  // namespace

std::string write_smpi_trace(std::ostream& out, const Program& program, const SmpiSettings& settings) {
  bool has_multicast = false;
  for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
    for (const Action& action : program.tasks[task].actions) {
      if (action.group != 0)
        throw ConfigurationError(
            fmt::format("{}: a trace of SMPI has no groups but the one of all tasks", program.source));
      if (action.has(Mark::partial))
        throw ConfigurationError(fmt::format("{}: a trace of SMPI has no partial receives", program.source));
      has_multicast = has_multicast || action.kind == ActionKind::multicast;
    }
    SmpiTask(out, program, task, settings).write();
  }
  return has_multicast ? "multicasts are written as a send to each destination" : "";
}

}  // namespace eventspace::whatif
