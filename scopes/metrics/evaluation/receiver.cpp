#include "scopes/metrics/evaluation/receiver.h"

#include <algorithm>
#include <utility>

namespace eventspace::metrics {
namespace {

constexpr double ns_of_second = 1e9;

/// Entries that gave up the same virtual times count once.
std::uint64_t given_up_in(const std::vector<Tokens::GivenUp>& all) {
  std::uint64_t steps = 0;
  std::set<std::uint32_t> counted;
  for (const Tokens::GivenUp& each : all)
    if (counted.insert(each.together_with).second) steps += each.steps;
  return steps;
}

/// The maximum over collections of the same probes.
std::uint64_t unmatched_in(const std::vector<Tokens::GivenUp>& all) {
  std::uint64_t most = 0;
  for (const Tokens::GivenUp& each : all) most = std::max(most, each.unmatched);
  return most;
}

/// Values that were dropped, and events and regions that were not counted.
std::uint64_t lost_in(const Tokens& tokens) {
  std::uint64_t all = 0;
  std::uint64_t regions = 0;
  for (const Tokens::Dropped& dropped : tokens.dropped) all += dropped.values;
  for (const Tokens::LeftOut& left_out : tokens.left_out) {
    all += left_out.events;
    regions = std::max(regions, left_out.regions);
  }
  return all + regions;
}

}  // namespace

void Receiver::take(const Tokens& tokens, const View& view) {
  note_servers(tokens, view);
  for (const Tokens::Object& thread : tokens.threads) (void)object_of(thread, Base::thread);
  for (const Tokens::Count& count : tokens.counts) take_count(count, tokens.server);
  // Measurement::take(View) has cleared the operations in flight of the processes that the view reports.
  for (const Tokens::InFlight& in_flight : tokens.in_flight) take_in_flight(in_flight);
  for (const Tokens::Value& value : tokens.values) take_value(value, tokens.server);
  for (const Tokens::Reached& reached : tokens.reached) take_reached(reached, tokens.server);
  for (const Tokens::Collected& collected : tokens.collected) take_collected(collected);
  for (const Tokens::Passed& passed : tokens.passed) {
    if (passed.sampler < definition_->samplers.size()) history_->samples().note_passed(passed.sampler);
  }
  count_faults(tokens);
}

/// Notes the server of each process, and the relation of its clock.
void Receiver::note_servers(const Tokens& tokens, const View& view) {
  ClockRelation& relation = said_[tokens.server].second;
  const auto note = [&](const Tokens::Object& of) {
    note_server(of.process, tokens.server);
    const auto report = std::ranges::find(view.processes, of.process, &ProcessReport::process);
    if (report != view.processes.end()) relation = report->relation;
  };
  if (tokens.process) note({*tokens.process, 0});
  if (!tokens.counts.empty()) note(tokens.counts.front().of);
  if (!tokens.values.empty()) note(tokens.values.front().of);
  if (!tokens.collected.empty()) note(tokens.collected.front().of);
  relation_ = relation;
}

/// A server reports its totals since it began.
void Receiver::count_faults(const Tokens& tokens) {
  Said now{given_up_in(tokens.streams_given_up) + given_up_in(tokens.collections_given_up), 0,
           lost_in(tokens), unmatched_in(tokens.collections_given_up)};
  for (const Tokens::Passed& passed : tokens.passed) now.repeated += passed.repeated;
  const Said before = std::exchange(said_[tokens.server].first, now);
  given_up_ += now.given_up - std::min(before.given_up, now.given_up);
  repeated_ += now.repeated - std::min(before.repeated, now.repeated);
  dropped_ += now.dropped - std::min(before.dropped, now.dropped);
  unmatched_ += now.unmatched - std::min(before.unmatched, now.unmatched);
}

void Receiver::note_server(std::uint32_t process, std::uint64_t server) {
  const auto [known, is_new] = servers_.try_emplace(process, server);
  if (!is_new && std::exchange(known->second, server) != server) ++restarts_;
}

/// Returns the number of the object, which is added if it is new.
std::uint32_t Receiver::object_of(const Tokens::Object& object, Base base) {
  if (base == Base::thread) return history_->thread(object.thread, object.process);
  return history_->process(object.process);
}

void Receiver::take_count(const Tokens::Count& count, std::uint64_t server) {
  const bool is_sound = count.counter < definition_->counters.size() &&
                        count.region.has_value() == definition_->counters[count.counter].by_region;
  if (!is_sound) {
    ++dropped_;
    return;
  }
  note_server(count.of.process, server);
  const std::uint32_t thread = object_of(count.of, Base::thread);
  std::optional<std::uint32_t> region;
  if (count.region) region = history_->region(*count.region);
  if (count.region && !region) {  // too many regions
    ++dropped_;
    return;
  }
  Total& total = totals_[{count.counter, thread, count.partner, region}];
  if (total.server != server) total = {server, total.before + total.now, 0.0};
  total.now = count.total;
  history_->totals(count.counter).receive({thread, count.partner, total.before + total.now, region});
}

void Receiver::take_in_flight(const Tokens::InFlight& in_flight) {
  if (in_flight.counter >= definition_->counters.size()) {
    ++dropped_;
    return;
  }
  history_->totals(in_flight.counter)
      .note_in_flight(object_of(in_flight.of, Base::thread), here(in_flight.since_ns));
}

void Receiver::take_value(const Tokens::Value& value, std::uint64_t server) {
  if (value.sampler >= definition_->samplers.size()) {
    ++dropped_;
    return;
  }
  note_server(value.of.process, server);
  const Sampler& sampler = definition_->samplers[value.sampler];
  const std::uint32_t object = object_of(value.of, sampler.object);
  Samples& samples = history_->samples().of(value.sampler, object);
  const std::int64_t before = epochs_before(value.sampler, object, server, value.step);
  Datum datum = value.datum;
  if (!datum.is_timeless()) {
    // A time of the clock is converted with the same shift as the moment at which it was taken.
    datum.number += sampler.times * static_cast<double>(here(datum.time_ns) - datum.time_ns) / ns_of_second;
    datum.time_ns = here(datum.time_ns);
    datum.begin_ns = here(datum.begin_ns);
    datum.end_ns = here(datum.end_ns);
  }
  samples.keep({before + value.step.epoch, value.step.virtual_time}, datum);
}

/// The epochs of the servers that the object had before. `step`: the first of a new server, which continues
/// the last epoch if its virtual time does.
std::int64_t Receiver::epochs_before(std::uint32_t sampler, std::uint32_t object, std::uint64_t server,
                                     const Step& step) {
  Epochs& epochs = epochs_[{sampler, object}];
  if (epochs.server != server) {
    const auto& last = history_->samples().of(sampler, object).last();
    const bool goes_on = last && step.epoch == 0 && step.virtual_time >= last->virtual_time;
    epochs = {server, last ? last->epoch + (goes_on ? 0 : 1) : 0};
  }
  return epochs.before;
}

void Receiver::take_reached(const Tokens::Reached& reached, std::uint64_t server) {
  if (reached.sampler >= definition_->samplers.size()) {
    ++dropped_;
    return;
  }
  const std::uint32_t object = object_of(reached.of, definition_->samplers[reached.sampler].object);
  const std::int64_t before = epochs_before(reached.sampler, object, server, reached.step);
  history_->samples()
      .of(reached.sampler, object)
      .reach({before + reached.step.epoch, reached.step.virtual_time});
}

void Receiver::take_collected(const Tokens::Collected& collected) {
  if (collected.collection >= definition_->collections.size()) {
    ++dropped_;
    return;
  }
  const Part& part = definition_->collections[collected.collection];
  const std::uint32_t object = object_of(collected.of, definition_->variables[part.object].type.base);
  Tally::State state = collected.state;
  if (state.timed > 0) {
    const std::int64_t shift = here(state.end_ns) - state.end_ns;
    ExactSum shifts{static_cast<double>(shift)};
    shifts.multiply(static_cast<double>(state.timed));
    state.times.add(shifts);
    state.begin_ns = here(state.begin_ns);
    state.end_ns = here(state.end_ns);
    // The least and greatest of times; the result of any other collection is not a time.
    state.least += part.times * static_cast<double>(shift) / ns_of_second;
    state.greatest += part.times * static_cast<double>(shift) / ns_of_second;
  }
  evaluator_->receive(collected.collection, object, state);
}

}  // namespace eventspace::metrics
