#include <eventspace/metric.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pathmaps/c_api/calls.h"
#include "pathmaps/c_api/monitors.h"

using namespace eventspace;         // NOLINT(google-build-using-namespace): the functions are C
using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace)

static_assert(static_cast<int>(MetricQuery::Each::as_defined) == ES_AS_DEFINED);
static_assert(static_cast<int>(MetricQuery::Each::objects) == ES_OBJECTS);
static_assert(static_cast<int>(MetricQuery::Each::partners) == ES_PARTNERS);
static_assert(static_cast<int>(MetricQuery::Each::regions) == ES_REGIONS);

struct es_metric {
  es_metric(Monitor& monitor, const MetricQuery& query)
      : reader(std::in_place, monitor, query), name(reader.get()->metric()), unit(reader.get()->unit()) {}
  OfThisProcess<MetricReader> reader;
  const std::string name;
  const std::string unit;
};

struct es_samples {
  std::vector<MetricSample> samples;
};

namespace eventspace::c_api {
namespace {

MetricQuery query_of(const es_metric_query* from) {
  constexpr std::size_t smallest = offsetof(es_metric_query, per_second) + sizeof(bool);
  const es_metric_query given = structure_of(from, es_metric_query ES_METRIC(nullptr), smallest, "query");
  if (given.each < ES_AS_DEFINED || given.each > ES_REGIONS)
    throw Misuse("query->each is " + std::to_string(static_cast<int>(given.each)));
  MetricQuery query{.metric = need_text(given.metric, "query->metric")};
  query.text = text_or_empty(given.text);
  if (given.file != nullptr) query.files.emplace_back(given.file);
  query.each = static_cast<MetricQuery::Each>(given.each);
  query.objects = text_or_empty(given.objects);
  query.partners = text_or_empty(given.partners);
  query.regions = text_or_empty(given.regions);
  query.since_last = given.since_last;
  query.per_second = given.per_second;
  return query;
}

MetricReader& need_reader(const es_metric* metric) {
  return need_here(need(metric, "metric").reader, "the metric");
}

std::unique_ptr<es_samples> handle_of(std::vector<MetricSample> samples) {
  return std::make_unique<es_samples>(es_samples{std::move(samples)});
}

/// The sample, or null if there is none.
const MetricSample* sample_at(const es_samples* samples, std::size_t index) {
  return index < es_samples_size(samples) ? &samples->samples[index] : nullptr;
}

}  // namespace
}  // namespace eventspace::c_api

es_status es_metric_open(es_monitor* monitor, const es_metric_query* query, es_metric** metric) {
  return make_handle(metric, "metric",
                     [&] { return std::make_unique<es_metric>(need_monitor(monitor), query_of(query)); });
}
void es_metric_free(es_metric* metric) { delete metric; }
const char* es_metric_name(const es_metric* metric) { return metric != nullptr ? metric->name.c_str() : ""; }
const char* es_metric_unit(const es_metric* metric) { return metric != nullptr ? metric->unit.c_str() : ""; }
uint64_t es_metric_lost(const es_metric* metric) {
  return guarded_value<uint64_t>(0, [&] { return need_reader(metric).lost(); });
}

es_status es_metric_read(es_metric* metric, int64_t wait_ns, es_samples** samples) {
  return make_handle(samples, "samples", [&] {
    MetricReader& reader = need_reader(metric);
    return handle_of(wait_ns == ES_USUAL ? reader.read() : reader.read(deadline_of(wait_ns)));
  });
}
es_status es_metric_read_at(es_metric* metric, int64_t realtime_ns, es_samples** samples) {
  return make_handle(samples, "samples", [&] { return handle_of(need_reader(metric).read_at(realtime_ns)); });
}

void es_samples_free(es_samples* samples) { delete samples; }
size_t es_samples_size(const es_samples* samples) { return samples != nullptr ? samples->samples.size() : 0; }

double es_samples_value(const es_samples* samples, size_t index) {
  const MetricSample* const sample = sample_at(samples, index);
  return sample != nullptr && sample->value ? *sample->value : std::numeric_limits<double>::quiet_NaN();
}
const char* es_samples_problem(const es_samples* samples, size_t index) {
  const MetricSample* const sample = sample_at(samples, index);
  return sample != nullptr ? sample->problem.c_str() : "";
}
int64_t es_samples_time_ns(const es_samples* samples, size_t index) {
  const MetricSample* const sample = sample_at(samples, index);
  return sample != nullptr ? sample->time_ns : 0;
}
size_t es_samples_object_count(const es_samples* samples, size_t index) {
  const MetricSample* const sample = sample_at(samples, index);
  return sample != nullptr ? sample->objects.size() : 0;
}
const char* es_samples_object(const es_samples* samples, size_t index, size_t object) {
  return object < es_samples_object_count(samples, index) ? samples->samples[index].objects[object].c_str()
                                                          : nullptr;
}
bool es_samples_virtual_time(const es_samples* samples, size_t index, int64_t* virtual_time) {
  const MetricSample* const sample = sample_at(samples, index);
  if (sample == nullptr || !sample->virtual_time) return false;
  if (virtual_time != nullptr) *virtual_time = *sample->virtual_time;
  return true;
}
