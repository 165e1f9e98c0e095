#include "scopes/metrics/distribution/server_evaluation.h"

#include <algorithm>
#include <utility>

namespace eventspace::metrics {

ServerEvaluation::ServerEvaluation(ServerPart part, std::uint64_t server, const PlanNames& names)
    : part_(std::move(part)),
      server_(server),
      history_(part_.definition, names, part_.cut),
      evaluator_(part_.definition, history_),
      chosen_(part_.definition.parameters.size()),
      sent_(part_.definition.samplers.size()),
      of_samplers_(part_.definition.samplers.size() + part_.definition.streams.size()) {}

void ServerEvaluation::settle(bool arrived) {
  if (!arrived) return;
  history_.mark_read();
  threads_arrived_ = history_.objects().threads().size();
  waiting_.values.clear();
  for (OfSampler& of : of_samplers_) of.waiting = 0;
  waiting_.collected.clear();
}

/// Events that ended before the first view are not measured.
void ServerEvaluation::begin(const View& view) {
  if (std::exchange(has_begun_, true)) return;
  moments_.start_ns = part_.start_ns;
  if (moments_.start_ns == 0) {
    for (const ProcessReport& report : view.processes)
      moments_.start_ns = std::max(moments_.start_ns, report.here(report.now_ticks).ns);
  }
  has_begun_ = moments_.start_ns != 0;  // without a process, the clock is not known yet
  moments_.last_ns = moments_.start_ns;
}

void ServerEvaluation::prepare(const View& view) {
  begin(view);
  for (const ProcessReport& report : view.processes) (void)history_.process(report.process);
  choose_objects(part_.definition, part_.objects, history_.objects(), chosen_);
}

void ServerEvaluation::take(const View& view, std::span<const TimedEvents::Event> events) {
  for (const TimedEvents::Event& event : events) sample(event);
  history_.take_in_flight(view, moments_.start_ns);
  gather();
}

void ServerEvaluation::sample(const TimedEvents::Event& event) {
  if (!history_.needs(*event.last)) return;  // only another metric needs it
  const auto passage = history_.add(event, moments_.start_ns);
  if (!passage) return;
  Moments at = moments_;
  at.now_ns = event.end_ns;
  evaluator_.sample(*passage, at, chosen_);
}

void ServerEvaluation::gather() {
  choose_objects(part_.definition, part_.objects, history_.objects(), chosen_);
  evaluator_.begin_reading(moments_, chosen_);
  waited_ = waiting_.collected.size();
  waiting_.reached.clear();  // the new values reach at least as far
  gather_values();
  for (std::uint32_t i = 0; i < part_.definition.streams.size(); ++i) gather_stream(i);
  for (std::uint32_t i = 0; i < part_.definition.collections.size(); ++i) gather_collection(i);
}

void ServerEvaluation::gather_values() {
  for (const std::uint32_t sampler : part_.samplers) {
    const auto of_objects = history_.samples().of_all(sampler);
    sent_[sampler].resize(of_objects.size());
    for (std::uint32_t i = 0; i < of_objects.size(); ++i) {
      std::optional<Step>& sent = sent_[sampler][i];
      const auto steps = of_objects[i].steps();
      const auto from = sent ? std::ranges::upper_bound(steps, *sent) : steps.begin();
      for (auto at = static_cast<std::size_t>(from - steps.begin()); at < steps.size(); ++at)
        keep(Tokens::Value{sampler, object(part_.definition.samplers[sampler].object, i), steps[at],
                           of_objects[i].values()[at]});
      sent = of_objects[i].last();
    }
  }
}

void ServerEvaluation::gather_stream(std::uint32_t stream) {
  const Part& part = part_.definition.streams[stream];
  const Base base = part_.definition.variables[part.object].type.base;
  const std::uint32_t sampler = number_of_stream(stream);
  for (std::uint32_t i = 0; i < history_.objects().count(base); ++i) {
    if (!is_chosen(part.object, i)) continue;
    const Tokens::Object of = object(base, i);
    evaluator_.for_new_values(part, i, [&](const Step& step, const Datum& datum) {
      keep(Tokens::Value{sampler, of, step, datum});
    });
    if (const auto step = evaluator_.reached(part, i))
      waiting_.reached.push_back({sampler, object(base, i), *step});
  }
}

void ServerEvaluation::gather_collection(std::uint32_t collection) {
  const Part& part = part_.definition.collections[collection];
  const Base base = part_.definition.variables[part.object].type.base;
  for (std::uint32_t i = 0; i < history_.objects().count(base); ++i) {
    if (!is_chosen(part.object, i)) continue;
    const Tally tally = evaluator_.newly_collected(part, i);
    if (!tally.is_empty()) keep(Tokens::Collected{collection, object(base, i), tally.state()});
  }
}

/// Nothing is sent about an object that was not chosen.
bool ServerEvaluation::is_chosen(std::uint32_t variable, std::uint32_t object) const {
  const auto given = std::ranges::find(part_.definition.given, variable,
                                       &std::pair<const std::uint32_t, std::uint32_t>::second);
  if (given == part_.definition.given.end()) return true;
  const Chosen& chosen = chosen_[given->first];
  return object >= chosen.size() || chosen[object];
}

Tokens::Object ServerEvaluation::object(Base base, std::uint32_t number) const {
  const ObservedObjects& objects = history_.objects();
  if (base != Base::thread) return {objects.processes()[number].number, 0};
  const ObservedObjects::Thread& thread = objects.threads()[number];
  return {objects.processes()[thread.process].number, thread.number};
}

std::optional<std::uint32_t> ServerEvaluation::probe_of(std::optional<std::uint32_t> region) const {
  return region ? std::optional(history_.objects().probe_of_region(*region)) : std::nullopt;
}

void ServerEvaluation::keep(Tokens::Value value) {
  value.datum.text = {};
  if (of_samplers_[value.sampler].waiting >= max_waiting) drop_oldest_half(value.sampler);
  ++of_samplers_[value.sampler].waiting;
  waiting_.values.push_back(value);
}

/// Values of other samplers stay: another metric may need them.
void ServerEvaluation::drop_oldest_half(std::uint32_t sampler) {
  std::size_t left = max_waiting / 2;
  std::erase_if(waiting_.values, [&](const Tokens::Value& value) {
    if (value.sampler != sampler || left == 0) return false;
    --left;
    return true;
  });
  of_samplers_[sampler].waiting -= max_waiting / 2;
  of_samplers_[sampler].dropped += max_waiting / 2;
}

/// Adds to the tally of a view that did not arrive, so that each object has one token.
void ServerEvaluation::keep(Tokens::Collected collected) {
  const auto end = waiting_.collected.begin() + static_cast<std::ptrdiff_t>(waited_);
  const auto same = std::find_if(waiting_.collected.begin(), end, [&](const Tokens::Collected& other) {
    return other.collection == collected.collection && other.of == collected.of;
  });
  if (same == end) {
    waiting_.collected.push_back(std::move(collected));
    return;
  }
  const TypedNode& what = *part_.definition.collections[collected.collection].value;
  Tally both(what.aggregate, what.value);
  both.add(same->state);
  both.add(collected.state);
  same->state = both.state();
}

Tokens ServerEvaluation::tokens(std::uint32_t metric) const {
  Tokens all = waiting_;
  all.metric = metric;
  all.server = server_;
  for (const ObservedObjects::Process& process : history_.objects().processes())
    all.process = std::min(all.process.value_or(process.number), process.number);
  for (const std::uint32_t counter : part_.counters) {
    for (const CounterTotals::Count& count : history_.totals(counter).changed())
      all.counts.push_back(
          {counter, object(Base::thread, count.thread), count.partner, count.total, probe_of(count.region)});
    for (const auto& [thread, since_ns] : history_.totals(counter).in_flight())
      all.in_flight.push_back({counter, object(Base::thread, thread), since_ns});
  }
  add_what_is_known_of_probes(all);
  add_what_was_given_up(all);
  add_what_was_lost(all);
  for (std::size_t i = threads_arrived_; i < history_.objects().threads().size(); ++i)
    all.threads.push_back(object(Base::thread, static_cast<std::uint32_t>(i)));
  return all;
}

void ServerEvaluation::add_what_is_known_of_probes(Tokens& all) const {
  const Definition& definition = part_.definition;
  for (std::uint32_t i = 0; i < definition.samplers.size(); ++i) {
    if (!history_.samples().was_passed(i)) continue;
    all.passed.push_back({i});
    for (const Samples& samples : history_.samples().of_all(i))
      all.passed.back().repeated += samples.repeated();
  }
}

void ServerEvaluation::add_what_was_given_up(Tokens& all) const {
  const Definition& definition = part_.definition;
  for (std::uint32_t i = 0; i < definition.streams.size(); ++i) {
    if (const std::uint64_t steps = evaluator_.given_up(definition.streams[i]))
      all.streams_given_up.push_back({number_of_stream(i), steps, number_of_stream(i)});
  }
  for (std::uint32_t i = 0; i < definition.collections.size(); ++i) {
    const std::uint64_t steps = evaluator_.given_up(definition.collections[i]);
    const std::uint64_t unmatched = evaluator_.unmatched(definition.collections[i]);
    if (steps + unmatched == 0) continue;
    std::uint32_t first = 0;
    while (first < i &&
           !evaluator_.are_taken_together(definition.collections[first], definition.collections[i]))
      ++first;
    all.collections_given_up.push_back({i, steps, first, unmatched});
  }
}

void ServerEvaluation::add_what_was_lost(Tokens& all) const {
  for (std::uint32_t i = 0; i < of_samplers_.size(); ++i) {
    const bool is_sampler = i < part_.definition.samplers.size();  // the others are streams
    const std::uint64_t unnumbered = is_sampler ? history_.samples().left_out(i) : 0;
    const std::uint64_t dropped = of_samplers_[i].dropped + unnumbered;
    if (dropped > 0) all.dropped.push_back({i, dropped});
  }
  for (std::uint32_t i = 0; i < part_.definition.counters.size(); ++i) {
    const Tokens::LeftOut left_out{i, history_.totals(i).left_out(), history_.regions_left_out(i)};
    if (left_out.events + left_out.regions > 0) all.left_out.push_back(left_out);
  }
}

}  // namespace eventspace::metrics
