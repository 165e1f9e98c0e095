#include <eventspace/probe.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "pathmaps/c_api/calls.h"

struct es_site {
  eventspace_probe_site site;
};

namespace eventspace::c_api {
namespace {

constexpr std::size_t max_values = 8;  // of a probe, see <eventspace/probe.h>

static_assert(eventspace_integer == 1 && eventspace_natural == 2 && eventspace_real == 3);

/// The places so far. They are never destroyed: threads may record while the process exits.
class Sites {
 public:
  es_site* of(const char* name, const char* values) {
    const std::lock_guard lock(mutex_);
    auto& [key, made] = *sites_.try_emplace({name, values}).first;
    if (made == nullptr)
      made = std::make_unique<es_site>(es_site{{key.first.c_str(), key.second.c_str(), 0, 0}});
    return made.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<es_site>> sites_;
};

/// The values in the form of the header for C++.
class ProbeValues {
 public:
  ProbeValues(const es_number* numbers, std::size_t count) noexcept
      : count_(numbers == nullptr ? 0 : std::min(count, max_values)) {
    for (std::size_t i = 0; i < count_; ++i) values_[i] = {numbers[i].bits, numbers[i].form};
  }
  [[nodiscard]] const eventspace_value* data() const noexcept { return values_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  std::array<eventspace_value, max_values> values_;
  std::size_t count_;
};

es_number number_of(const eventspace_value& value) noexcept { return {value.bits, value.form}; }

/// The functions that record, unless there is nothing to record.
const eventspace_probes* probes_for(const es_site* site) noexcept {
  return site != nullptr ? eventspace_find_probes() : nullptr;
}

}  // namespace
}  // namespace eventspace::c_api

using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace): the functions are C

es_number es_integer(int64_t value) { return number_of(eventspace_value_of_integer(value)); }
es_number es_natural(uint64_t value) { return number_of(eventspace_value_of_natural(value)); }
es_number es_real(double value) { return number_of(eventspace_value_of_real(value)); }

es_site* es_site_of(const char* name, const char* values) {
  es_site* site = nullptr;
  (void)guarded([&] {
    static Sites& sites = *new Sites;
    site = sites.of(need_text(name, "name"), values != nullptr ? values : "");
    return ES_OK;
  });
  return site;
}

void es_probe(es_site* site, const es_number* values, size_t count) {
  const ProbeValues given(values, count);
  if (const auto* const probes = probes_for(site)) probes->point(&site->site, given.data(), given.size());
}
void es_region_begin(es_site* site) {
  if (const auto* const probes = probes_for(site)) probes->begin(&site->site);
}
void es_region_end(es_site* site, const es_number* values, size_t count) {
  const ProbeValues given(values, count);
  if (const auto* const probes = probes_for(site)) probes->end(&site->site, given.data(), given.size());
}

// A library of version 1, which may be preloaded, records the event without its virtual time.
void es_probe_at(es_site* site, uint64_t virtual_time, const es_number* values, size_t count) {
  const ProbeValues given(values, count);
  const auto* const probes = probes_for(site);
  if (probes == nullptr) return;
  if (probes->version < 2) return probes->point(&site->site, given.data(), given.size());
  probes->point_at(&site->site, virtual_time, given.data(), given.size());
}
void es_region_end_at(es_site* site, uint64_t virtual_time, const es_number* values, size_t count) {
  const ProbeValues given(values, count);
  const auto* const probes = probes_for(site);
  if (probes == nullptr) return;
  if (probes->version < 2) return probes->end(&site->site, given.data(), given.size());
  probes->end_at(&site->site, virtual_time, given.data(), given.size());
}
