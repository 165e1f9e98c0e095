#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "scopes/metrics/events/timed_events.h"
#include "scopes/metrics/history/samples.h"
#include "scopes/metrics/language/definition.h"
#include "scopes/tree/field_reader.h"

namespace eventspace::metrics {

/// The values that the samplers of a definition took from objects when these passed probes.
///
/// 1. A sampler has passed (was_passed) as soon as the name of its probe occurred in a record.
/// 2. A passage that no sampler can place, since its record has no number or comes late, is counted for each
///    sampler of the probe, and yields nothing.
///
/// Not thread-safe.
class ProbeSamples {
 public:
  /// Both must outlive it.
  ProbeSamples(const Definition& definition, const PlanNames& names);

  /// A passage of a probe that has samplers.
  struct Passage {
    std::span<const std::uint32_t> samplers;
    std::uint32_t thread{0};
    std::uint32_t process{0};
    Samples::Place place{};
    bool is_before{false};                             ///< before the measurement began
    std::span<const std::optional<double>, 8> values;  ///< valid until the next call of passage()
  };
  /// Returns the passage that an event of a probe is, if the probe has samplers. `thread` and `process`:
  /// numbers of ObservedObjects.
  [[nodiscard]] std::optional<Passage> passage(const TimedEvents::Event& event, std::uint32_t thread,
                                               std::uint32_t process);

  [[nodiscard]] Samples& of(std::uint32_t sampler, std::uint32_t object);
  /// Null means that the object has not passed the probe.
  [[nodiscard]] const Samples* find(std::uint32_t sampler, std::uint32_t object) const noexcept {
    const std::vector<Samples>& all = samples_[sampler];
    return object < all.size() ? &all[object] : nullptr;
  }
  /// The samples of all objects, by object number; empty for some objects that have not passed the probe.
  [[nodiscard]] std::span<const Samples> of_all(std::uint32_t sampler) const noexcept {
    return samples_[sampler];
  }
  /// Whether the definition has samplers, so that the order of events matters.
  [[nodiscard]] bool has_samplers() const noexcept { return !samples_.empty(); }
  void note_passed(std::uint32_t sampler) { was_passed_[sampler] = true; }
  [[nodiscard]] bool was_passed(std::uint32_t sampler) const { return was_passed_[sampler]; }
  /// The number of passages that one sampler misses.
  [[nodiscard]] std::uint64_t left_out(std::uint32_t sampler) const { return left_out_[sampler]; }
  /// The sum over all samplers.
  [[nodiscard]] std::uint64_t left_out() const;

 private:
  [[nodiscard]] const std::vector<std::uint32_t>* samplers_at(std::uint32_t probe);

  const Definition* definition_;
  const PlanNames* names_;
  std::vector<std::vector<Samples>> samples_;  // by sampler and object
  std::vector<bool> was_passed_;               // by sampler
  std::vector<std::uint64_t> left_out_;        // by sampler
  std::map<std::uint32_t, std::vector<std::uint32_t>> samplers_of_probes_;
  std::pair<std::uint32_t, const std::vector<std::uint32_t>*> last_probe_{0, nullptr};
  std::vector<FieldReader> values_;  // as many as samplers need
  std::array<std::optional<double>, 8> values_of_passage_{};
};

}  // namespace eventspace::metrics
