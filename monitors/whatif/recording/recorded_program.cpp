#include "monitors/whatif/recording/recorded_program.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <span>

#include <eventspace/error.h>
#include "collectors/mpi/mpi_text.h"
#include "collectors/pvm/pvm_calls.h"
#include "monitors/export/reading/recorded_events.h"
#include "monitors/whatif/recording/mpi_actions.h"
#include "monitors/whatif/recording/path_actions.h"
#include "monitors/whatif/recording/pvm_actions.h"
#include "monitors/whatif/recording/pvm_connections.h"
#include "tuplespace/system/temporary_folder.h"

namespace eventspace::whatif {
namespace {

/// Receives the events of a recording like an export.
class ProgramSink final : public exports::Sink {
 public:
  ProgramSink(const Watched& watched, const RecordingSettings& settings)
      : mpi_tasks_(source(watched), settings.recorder_ns),
        pvm_tasks_(source(watched), settings.recorder_ns),
        path_tasks_(source(watched), settings.recorder_ns),
        mpi_(mpi_tasks_, watched.recorded->names(), settings.is_detailed),
        pvm_(pvm_tasks_, settings.recorder_ns),
        paths_(path_tasks_, *watched.plan, settings.is_detailed) {}

  using Sink::add;  // overloads that are not used here
  void add(const exports::Track& track) override { tracks_[track.id] = track; }

  void add(const exports::Slice& slice) override {
    const exports::Track& track = tracks_[slice.track];
    if (slice.kind == mpi_kind && track.rank) return add_call(slice, track, *track.rank);
    if (slice.kind == pvm_kind) return add_pvm_call(slice, track);
    const RecordHeader header = slice.event.header();
    if (slice.kind == operation_kind && header.point == 0 && !slice.in_flight)
      paths_.add(decode(slice.event.record), track.thread, {slice.begin_ns, slice.end_ns});
  }

  // After a loss, the rank's program is known only up to the last event before the loss.
  void add(const exports::LostEvents& lost) override {
    const exports::Track& track = tracks_[lost.track];
    const std::string who = track.rank ? fmt::format("rank {}", *track.rank) : std::string(track.thread);
    const std::string reason = fmt::format("{} records of {} were lost", lost.records, who);
    if (track.rank) return mpi_tasks_.cut(lost.begin_ns, reason);
    path_tasks_.cut(lost.begin_ns, reason);
    // The first remaining record may be of an inner call, whose outer call began earlier and also remains.
    const bool is_before_all = lost.begin_ns == lost.end_ns;
    pvm_tasks_.cut(is_before_all ? std::numeric_limits<std::int64_t>::min() : lost.begin_ns, reason);
  }

  void end(const exports::Totals& totals) override { damaged_ = totals.damaged_chunks; }

  RecordedProgram finish() {
    if (!mpi_tasks_.is_empty()) {
      mpi_.finish();
      return finish(mpi_tasks_, "rank");
    }
    if (!pvm_.is_empty()) {
      pvm_.finish();
      RecordedProgram made = finish(pvm_tasks_, "task");
      made.sends_may_wait = false;
      mark_pvm_connections(made);
      return made;
    }
    if (paths_.messages() == 0)
      throw ConfigurationError(
          fmt::format("{}: found nothing to predict: no calls of MPI or PVM, and no tuples that one "
                      "thread writes and one other thread takes",
                      path_tasks_.builder().program().source));
    paths_.finish();
    return finish(path_tasks_, "task");
  }

 private:
  static std::string source(const Watched& watched) {
    return watched.recorded->replay().recording().file().string();
  }

  RecordedProgram finish(RecordedTasks& tasks, std::string_view what) const {
    if (damaged_ > 0) tasks.note(fmt::format("{} parts of the recording are damaged", damaged_));
    return tasks.finish(what);
  }

  std::span<const TraceTuple> records_of(const exports::Slice& slice) {
    records_.assign(slice.event.continuations.begin(), slice.event.continuations.end());
    records_.push_back(slice.event.record);
    return records_;
  }

  void add_pvm_call(const exports::Slice& slice, const exports::Track& track) {
    const ActionTime time{slice.begin_ns, slice.end_ns};
    if (!slice.in_flight) return pvm_.add(records_of(slice), track.process_name, time);
    const PvmCallRecord call = pvm_call_of(slice.event.record);
    pvm_tasks_.cut(slice.begin_ns, fmt::format("recording ended while task {} was in {}",
                                               name_of_pvm_task(call.task), name_of_pvm_call(call.call)));
  }

  void add_call(const exports::Slice& slice, const exports::Track& track, std::uint32_t rank) {
    const auto thread = threads_.try_emplace(rank, track.first).first;
    if (thread->second != track.first)
      throw ConfigurationError(
          fmt::format("rank {} has several threads that call MPI, or the recording contains two jobs; "
                      "only programs with one such thread per rank can be predicted",
                      rank));
    if (slice.in_flight) {
      const std::uint16_t call = mpi_call_of(slice.event.record).call;
      return mpi_tasks_.cut(slice.begin_ns, fmt::format("recording ended while rank {} was in {}", rank,
                                                        name_of_mpi_call(call)));
    }
    const auto records = records_of(slice);
    if (!mpi_tasks_.has_begun(rank)) mpi_tasks_.builder().name(rank, std::string(track.process_name));
    mpi_.add(rank, records, {slice.begin_ns, slice.end_ns});
  }

  RecordedTasks mpi_tasks_;
  RecordedTasks pvm_tasks_;
  RecordedTasks path_tasks_;
  MpiActions mpi_;
  PvmActions pvm_;
  PathActions paths_;
  std::map<exports::TrackId, exports::Track> tracks_;
  std::map<std::uint32_t, exports::TrackId> threads_;  // by rank
  std::vector<TraceTuple> records_;
  std::uint64_t damaged_{0};
};

}  // namespace

std::optional<RecordedProgram> read_recorded_program(const Watched& watched,
                                                     const RecordingSettings& settings) {
  ProgramSink sink(watched, settings);
  exports::RecordedEvents events(watched, {.directory = temporary_folder(), .progress = settings.progress});
  if (!events.run(sink)) return std::nullopt;
  return sink.finish();
}

}  // namespace eventspace::whatif
