#include "monitors/wait_states/activity_sink.h"

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "collectors/pvm/pvm_record.h"

namespace eventspace {

ActivitySink::ActivitySink(const Plan& plan, const PlanNames& names, const Limits& limits)
    : run_(limits.run),
      partners_(run_, limits.partners),
      threads_(run_, names),
      mpi_(run_, threads_, partners_, names),
      paths_(run_, threads_, partners_, plan) {}

void ActivitySink::add(const exports::Slice& slice) {
  const exports::Track& track = tracks_[slice.track];
  if (slice.kind == probe_kind) return threads_.add_region(slice, track);
  if (slice.kind == operation_kind) return paths_.add(slice, track);
  if (slice.kind == pvm_kind) ++reservations_.pvm_calls;
  if (slice.kind != mpi_kind) return;
  if (track.rank) return mpi_.add(slice, track);
  ++reservations_.other_jobs_calls;
}

void ActivitySink::end(const exports::Totals& totals) {
  threads_.finish();
  mpi_.finish();
  reservations_.lost_records = totals.lost_records + totals.removed_records + totals.damaged_records;
  reservations_.damaged_chunks = totals.damaged_chunks;
  reservations_.thinned_processes = totals.thinned_processes;
  partners_.finish(reservations_.lost_records > 0);
  reservations_.likely_ends = mpi_.likely_ends();
  reservations_.left_out = run_.left_out() + partners_.left_out() + mpi_.left_out() + totals.refused;
}

}  // namespace eventspace
