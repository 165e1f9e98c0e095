#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "monitors/export/reading/recorded_events.h"
#include "monitors/wait_states/activity_sink.h"
#include "monitors/watching/recorded_session.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/plan/session_plan.h"
#include "scopes/recordings/recording_writer.h"
#include "tests/monitors/mpi/job_view.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::test {

/// A recording of an MPI job, made up call by call. Times are microseconds since the job's begin.
class RecordedJob {
 public:
  explicit RecordedJob(std::uint32_t ranks) : job(ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t process = rank + 1;
      name(OwnNameOf::process, process, "app." + std::to_string(rank));
      name(OwnNameOf::node, process, "n1");
      name(OwnNameOf::member, process, "1:" + std::to_string(rank));
      name(OwnNameOf::thread, JobView::thread(rank), "app." + std::to_string(rank));
      name(OwnNameOf::path, JobView::thread(rank), "mpi");
    }
    communicator(JobView::world, "MPI_COMM_WORLD (" + std::to_string(ranks) + ")",
                 "0-" + std::to_string(ranks - 1));
  }

  void name(OwnNameOf of, std::uint32_t number, const std::string& text) {
    names_.push_back({of, number, text});
  }
  void communicator(std::uint32_t number, const std::string& text, const std::string& members) {
    name(OwnNameOf::communicator, number, text);
    name(OwnNameOf::communicator_members, number, members);
    job.names.communicators[number] = text;
    job.names.members[number] = members;
  }
  /// A call. Returns its record, to be changed.
  TraceTuple& call(std::uint32_t rank, const MpiCallRecord& record, std::int64_t begin, std::int64_t end) {
    job.add(rank, record, at(begin), at(end));
    last_ = std::max(last_, std::max(begin, end));
    return job.view.records.whole().back();
  }
  void send(std::uint32_t rank, std::uint32_t to, std::int64_t begin, std::int64_t end) {
    call(rank, JobView::message("MPI_Send", MpiClass::send, to), begin, end);
  }
  void receive(std::uint32_t rank, std::uint32_t from, std::int64_t begin, std::int64_t end) {
    call(rank, JobView::message("MPI_Recv", MpiClass::receive, from), begin, end);
  }
  void collective(std::uint32_t rank, const std::string& function, std::uint32_t ordinal, std::int64_t begin,
                  std::int64_t end) {
    call(rank, JobView::collective(function, ordinal), begin, end);
  }
  /// A call of class `manage`.
  void manage(std::uint32_t rank, const std::string& function, std::int64_t begin, std::int64_t end) {
    call(rank, JobView::call(function, MpiClass::manage), begin, end);
  }
  /// A region that the program has named.
  void region(std::uint32_t rank, const std::string& text, std::int64_t begin, std::int64_t end) {
    const auto number = static_cast<std::uint32_t>(100 + names_.size());
    name(OwnNameOf::probe, number, text);
    job.region(rank, number, at(begin), at(end));
  }
  /// A call that had not ended when recording ended.
  void in_flight(std::uint32_t rank, const MpiCallRecord& record, std::int64_t begin) {
    in_flight_.push_back(call(rank, record, begin, begin));
    in_flight_.back().words[4] = 0;
    lose();
  }
  /// The newest record of all is lost.
  void lose() { job.view.records.whole().pop_back(); }
  /// The bound of the error of the clocks of all processes.
  void set_clock_error(std::chrono::nanoseconds error) {
    for (ProcessReport& report : job.view.processes) report.now_error_ns = error.count();
  }

  /// Writes it to a file.
  void write(const std::filesystem::path& file) {
    const std::int64_t end = at(last_).count() + 1'000'000;
    job.at(std::chrono::nanoseconds(end));
    for (ProcessReport& report : job.view.processes) report.now_monotonic_ns = end;
    job.view.names = names_;
    const NamesOfPlan names(plan_of_session("job"));
    names.learn(names_);
    RecordingWriter writer({.file = file,
                            .session = {"job", "", "n1", "0.1", 0, 5'000'000'000},
                            .names = &names,
                            .replaces = true});
    View state = job.view;
    state.records = Records(in_flight_);
    writer.add_events(View(job.view), end);
    writer.add_state(state, end);
    writer.end({.reason = "end", .ended_ns = end});
  }

  static std::chrono::nanoseconds at(std::int64_t microseconds) {
    return std::chrono::seconds(1) + std::chrono::microseconds(microseconds);
  }

  JobView job;

 private:
  std::vector<OwnName> names_;
  std::vector<TraceTuple> in_flight_;
  std::int64_t last_{0};
};

/// The fixture of tests that read recordings of made-up jobs.
class RecordedJobTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file(const std::string& name = "job.evs") const {
    return directory_.path() / name;
  }
  /// Passes the run that is read from a file to `use`.
  void read(const std::filesystem::path& from, const std::function<void(const ActivitySink&)>& use,
            const ActivitySink::Limits& limits = {}) const {
    const Watched watched = open_recorded(from, "");
    ActivitySink sink(*watched.plan, watched.recorded->names(), limits);
    exports::RecordedEvents events(watched, {.directory = directory_.path()});
    ASSERT_TRUE(events.run(sink).has_value());
    use(sink);
  }

 private:
  TemporaryDirectory directory_;
};

}  // namespace eventspace::test
