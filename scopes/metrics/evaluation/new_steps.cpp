#include "scopes/metrics/evaluation/new_steps.h"

#include <functional>

namespace eventspace::metrics {

std::size_t NewSteps::KeyHash::operator()(const Key& key) const noexcept {
  std::size_t hash = std::hash<const ValueNode*>()(key.first);
  for (const std::int64_t part : key.second)
    hash = (hash ^ static_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15U + (hash >> 29U);
  return hash;
}

Progress& NewSteps::progress(const ValueNode& node, const Binding& binding) {
  Key key{&node, {}};
  for_free_variables(context_.definition, node, binding,
                     [&key](std::int64_t part) { key.second.push_back(part); });
  return progress_[key];
}

void NewSteps::begin_reading() {
  for (auto& [key, progress] : progress_) {
    for (Progress::Taken& taken : progress.taken) taken.last.reset();
  }
}

std::optional<Step> NewSteps::reached(const ValueNode& node, std::uint32_t object) const {
  std::optional<Step> least;
  for (const auto& [sampler, shift] : node.asked) {
    const Samples* const samples = context_.history.samples().find(sampler, object);
    if (samples == nullptr || !samples->last()) return std::nullopt;
    const Step step{samples->last()->epoch, samples->last()->virtual_time - shift};
    least = least ? std::min(*least, step) : step;
  }
  const auto progress = progress_.find({&node, {object}});
  const bool has_value = progress != progress_.end() && progress->second.done;
  return has_value && least && *least <= *progress->second.done ? std::nullopt : least;
}

void NewSteps::append(const Samples& samples, const std::optional<Step>& done, std::vector<Step>& steps) {
  const auto all = samples.steps();
  steps.insert(steps.end(), done ? std::ranges::upper_bound(all, *done) : all.begin(), all.end());
}

std::vector<Step> NewSteps::after(const std::optional<Step>& done, const ValueNode& node,
                                  const Binding& binding) const {
  const ProbeSamples& all = context_.history.samples();
  std::vector<Step> steps;
  for (const std::uint32_t sampler : node.samplers) {
    if (node.passer != ValueNode::nothing) {
      const Samples* const own = all.find(sampler, binding.objects[node.passer]);
      if (own != nullptr) append(*own, done, steps);
      continue;
    }
    for (const Samples& samples : all.of_all(sampler)) append(samples, done, steps);
  }
  if (std::ranges::is_sorted(steps, std::ranges::less_equal())) return steps;
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace eventspace::metrics
