#include "monitors/metrics/measurable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string_view>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/result_table.h"
#include "monitors/questions/asked_watch.h"
#include "paths/parameters/glob.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/measured_metric.h"
#include "scopes/metrics/metric_files.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

using metrics::Definition;

/// A metric that may be measured; without a definition, the reason why it cannot be.
struct Candidate {
  std::string name;
  std::optional<Definition> definition{};
  std::string fault{};
};

std::vector<Candidate> candidates_of(const MetricFiles& read) {
  std::vector<Candidate> made;
  for (const std::string& name : metric_names(read.library)) {
    Candidate candidate{name};
    try {
      candidate.definition = definitions_of({name}, read.library).front();
    } catch (const ConfigurationError& error) {
      candidate.fault = error.what();
    }
    made.push_back(std::move(candidate));
  }
  return made;
}

/// `objects`: a glob over the names of objects; empty: all.
void print(const std::vector<Candidate>& candidates, const Measurable& measurable, const std::string& objects,
           Format format) {
  ResultTable table({"kind", "name", "measurable", "unit"});
  for (const Candidate& candidate : candidates) {
    const std::string verdict =
        candidate.definition ? measurable.verdict(*candidate.definition) : "no: " + candidate.fault;
    table.add(
        {"metric", candidate.name, verdict, candidate.definition ? candidate.definition->unit.label : ""});
  }
  for (const Measurable::Object& object : measurable.objects()) {
    if (objects.empty() || glob_match(objects, object.name))
      table.add({object.kind, object.name, object.where, ""});
  }
  for (const std::string& probe : measurable.probes()) table.add({"probe", probe, "yes", ""});
  table.print(std::cout, format);
}

}  // namespace

void Measurable::add(const Definition& definition) {
  for (const metrics::Counter& counter : definition.counters) {
    if (!wanted_.contains(counter.condition))
      wanted_.emplace(counter.condition, metrics::EventCondition(counter.condition, *names_));
  }
}

void Measurable::take(const View& view) {
  processes_.learn(view);
  for (const ProcessReport& report : view.processes) {
    was_sampled_ = was_sampled_ || report.usage;
    note_process(report.process);
  }
  const FieldReader probe("probe");
  for_each_event(view.records, [&](std::span<const TraceTuple> records) {
    const ObservedEvent event{records.back(), processes_.of(header_of(records.back())),
                              records.first(records.size() - 1)};
    std::erase_if(wanted_, [&](const auto& wanted) { return wanted.second.holds(event); });
    if (event.process != nullptr)
      threads_.insert({"thread", std::string(names_->thread_name(header_of(records.back()).thread)),
                       fmt::format("of {}", names_->process_name(event.process->process))});
    const auto name = probe.text(event, *names_);
    if (name && !name->empty()) probes_.emplace(*name);
  });
}

void Measurable::note_process(std::uint32_t process) {
  const std::string_view node = names_->node_of_process(process);
  const std::string_view cluster = names_->cluster_of_process(process);
  const std::string site(cluster.empty() ? "-" : cluster);
  sites_.insert({"site", site, ""});
  nodes_.insert({"node", std::string(node), "in " + site});
  seen_processes_.insert({"process", std::string(names_->process_name(process)), fmt::format("on {}", node)});
}

std::vector<Measurable::Object> Measurable::objects() const {
  std::vector<Object> all;
  for (const auto* const kind : {&sites_, &nodes_, &seen_processes_, &threads_})
    all.insert(all.end(), kind->begin(), kind->end());
  return all;
}

std::string Measurable::verdict(const Definition& definition) const {
  if (definition.takes_usage && !was_sampled_) return "no: no process was sampled";
  for (const metrics::Sampler& sampler : definition.samplers) {
    if (!probes_.contains(sampler.probe))
      return fmt::format("no: the probe {} was not passed", sampler.probe);
  }
  const auto was_seen = [this](const metrics::Counter& counter) {
    return !wanted_.contains(counter.condition);
  };
  if (definition.counters.empty() || std::ranges::any_of(definition.counters, was_seen)) return "yes";
  const metrics::Counter& counter = definition.counters.front();
  const auto& built_in = metrics::built_in_metrics()[counter.built_in];
  if (built_in.takes_condition()) return fmt::format("no: there were no events with {}", counter.condition);
  // "number of sends of MPI", "time in calls of MPI"
  const std::string_view help = built_in.help;
  return fmt::format("no: there were no {}", help.substr(help.find(' ', help.find(' ') + 1) + 1));
}

int list_measurable(const MeasureOptions& options) {
  const MetricFiles read = read_metric_files(options.files);
  if (!read.faults.empty()) throw ConfigurationError(fmt::format("{}", fmt::join(read.faults, "\n")));
  const std::vector<Candidate> candidates = candidates_of(read);
  AskedWatch watch(options, {Played::Part::end, 1, 1}, [&](const Plan& /*plan*/) {
    AskedScope asked = options.asked;
    asked.question.where = "true";
    return asked;
  });
  Measurable measurable(watch.names());
  for (const Candidate& candidate : candidates) {
    if (candidate.definition) measurable.add(*candidate.definition);
  }
  watch.run([&]() -> WatchLoop::Pause {
    do {
      const View view = watch.pull({.with_usage = true});
      watch.tally().events += view.record_count();
      measurable.take(view);
    } while (watch.loop().has_rest());
    return std::nullopt;
  });
  print(candidates, measurable, options.objects, options.format);
  return watch.conclude();
}

}  // namespace eventspace
