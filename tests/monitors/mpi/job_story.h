#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/mpi/mpi_text.h"
#include "monitors/mpi/job_analysis.h"
#include "monitors/mpi/job_text.h"

/// Made-up looks of MPI jobs: tests set the state of each rank by name.
namespace eventspace::test {

using namespace std::chrono_literals;

/// The number of a function in records; 0 if there is none.
inline std::uint16_t function(const std::string& name) {
  for (std::uint16_t number = 1; number < 1024; ++number)
    if (name_of_mpi_call(number) == name) return number;
  return 0;
}

/// The name of the n-th named function.
inline std::string name_of(std::uint32_t n) { return name_of_mpi_call(static_cast<std::uint16_t>(n + 1)); }

/// Names of communicators: "world", "rows", ...
class JobNames final : public PlanNames {
 public:
  [[nodiscard]] std::string_view thread_name(std::uint32_t) const override { return "?"; }
  [[nodiscard]] std::string_view path_name(std::uint32_t) const override { return "?"; }
  [[nodiscard]] std::string_view process_name(std::uint32_t) const override { return "?"; }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t) const override { return "?"; }
  [[nodiscard]] std::string_view communicator_name(std::uint32_t number) const override {
    return number == 10 ? "world" : number == 11 ? "rows" : "?";
  }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t, std::uint16_t) const override {
    return std::nullopt;
  }
};

struct Job {
  static constexpr std::uint32_t world = 10;
  static constexpr std::uint32_t rows = 11;

  explicit Job(std::uint32_t size) {
    look.ranks.resize(size);
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      look.ranks[rank].process = JobProcess::computing;
      look.ranks[rank].threads = {{.thread = rank}};
    }
    look.members[world] = RankSet::of_range(0, size - 1);
    look.members[rows] = RankSet::of_range(0, size - 1);
  }

  using Call = JobCall;
  JobCall& in(std::uint32_t rank, const std::string& name, MpiClass of, std::uint32_t communicator,
              std::chrono::nanoseconds age) {
    JobCall call;
    call.function = function(name);
    call.of = of;
    call.communicator = communicator;
    call.age = age;
    look.ranks[rank].threads.front().in_flight = call;
    return *look.ranks[rank].threads.front().in_flight;
  }
  JobCall& collective(std::uint32_t rank, const std::string& name, std::uint32_t ordinal,
                      std::uint32_t communicator = world, std::chrono::nanoseconds age = 3s) {
    JobCall& call = in(rank, name, MpiClass::collective, communicator, age);
    call.ordinal = ordinal;
    const JobOperation operation{communicator, 0, ordinal};
    call.awaits = {
        {.what = AwaitedPart::What::collective, .communicator = communicator, .operation = operation}};
    begun(rank, ordinal, communicator);
    return call;
  }
  void begun(std::uint32_t rank, std::uint32_t ordinal, std::uint32_t communicator = world) {
    auto& newest = look.begun[{rank, communicator, std::uint16_t{0}}];
    newest = std::max(newest, ordinal);
  }
  JobCall& receive(std::uint32_t rank, std::optional<std::uint32_t> from, std::uint32_t tag = 0,
                   std::chrono::nanoseconds age = 3s) {
    JobCall& call = in(rank, "MPI_Recv", MpiClass::receive, world, age);
    call.awaits = {part(AwaitedPart::What::receive, from, tag)};
    return call;
  }
  JobCall& send(std::uint32_t rank, std::uint32_t to, std::uint32_t tag = 0,
                std::chrono::nanoseconds age = 3s) {
    JobCall& call = in(rank, "MPI_Send", MpiClass::send, world, age);
    call.awaits = {part(AwaitedPart::What::send, to, tag)};
    call.awaits[0].bytes = 1 << 20;
    return call;
  }
  JobCall& wait(std::uint32_t rank, const std::string& name, std::vector<AwaitedPart> parts,
                bool needs_any = false) {
    JobCall& call = in(rank, name, MpiClass::complete, world, 3s);
    call.awaits = std::move(parts);
    call.needs_any = needs_any;
    return call;
  }
  /// A series of unsuccessful polls.
  JobCall& poll(std::uint32_t rank, const std::string& name, std::vector<AwaitedPart> parts,
                std::chrono::nanoseconds age = 3s) {
    JobCall& call = in(rank, name, MpiClass::look, world, age);
    call.needs_any = parts.size() > 1;
    call.awaits = std::move(parts);
    call.is_poll = true;
    return call;
  }
  static AwaitedPart part(AwaitedPart::What what, std::optional<std::uint32_t> partner,
                          std::uint32_t tag = 0) {
    return {.what = what, .communicator = world, .partner = partner, .tag = tag};
  }
  void left(std::uint32_t rank, const std::string& name, std::uint32_t ordinal,
            std::chrono::nanoseconds ago) {
    JobCall call;
    call.function = function(name);
    call.of = MpiClass::collective;
    call.communicator = world;
    call.ordinal = ordinal;
    call.age = ago;
    look.ranks[rank].threads.front().last = call;
    begun(rank, ordinal);
  }
  void becomes(std::uint32_t rank, JobProcess process) { look.ranks[rank].process = process; }

  [[nodiscard]] JobReport report() const { return judge(look, limits); }
  [[nodiscard]] std::vector<std::string> lines() const { return describe_verdicts(report(), names); }
  /// "absent 5 <- 0-4,6-7", one for each verdict.
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const JobVerdict& verdict : report().verdicts)
      all.push_back(std::string(to_string(verdict.fault)) + " " + verdict.culprits.to_text() + " <- " +
                    verdict.waiting.to_text());
    return all;
  }

  JobLook look;
  CallLimits limits{2s};
  JobNames names;
};

}  // namespace eventspace::test
