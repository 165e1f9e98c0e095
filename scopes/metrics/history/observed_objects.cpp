#include "scopes/metrics/history/observed_objects.h"

#include <algorithm>

#include "tuplespace/parsing/number_in.h"

namespace eventspace::metrics {

std::optional<std::uint32_t> rank_of(std::uint32_t process, const PlanNames& names) {
  if (const auto member = names.member_of_process(process)) return member->first_job_rank();
  const std::string_view name = names.process_name(process);
  const auto last = name.find_last_not_of("0123456789");
  return number_in<std::uint32_t>(name.substr(last == std::string_view::npos ? 0 : last + 1));
}

std::uint32_t ObservedObjects::process(std::uint32_t process, const PlanNames& names) {
  const auto [known, is_new] =
      process_numbers_.try_emplace(process, static_cast<std::uint32_t>(processes_.size()));
  if (!is_new) return known->second;
  const std::uint32_t of = node(names.node_of_process(process), names.cluster_of_process(process));
  processes_.push_back({std::string(names.process_name(process)), rank_of(process, names), of, {}, process});
  return known->second;
}

std::uint32_t ObservedObjects::node(std::string_view name, std::string_view cluster) {
  const auto known = std::ranges::find(nodes_, name);
  if (known != nodes_.end()) return static_cast<std::uint32_t>(known - nodes_.begin());
  if (cluster.empty()) cluster = "-";
  auto site = std::ranges::find(sites_, cluster);
  if (site == sites_.end()) site = sites_.insert(sites_.end(), std::string(cluster));
  nodes_.emplace_back(name);
  site_of_node_.push_back(static_cast<std::uint32_t>(site - sites_.begin()));
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::optional<std::uint32_t> ObservedObjects::region(std::uint32_t probe, const PlanNames& names) {
  const auto known = region_numbers_.find(probe);
  if (known != region_numbers_.end()) return known->second;
  if (regions_.size() >= max_regions) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(regions_.size());
  regions_.push_back({std::string(names.probe_name(probe)), probe});
  region_numbers_.emplace(probe, number);
  return number;
}

std::uint32_t ObservedObjects::thread(std::uint32_t thread, std::uint32_t process, const PlanNames& names) {
  if (last_thread_ && last_thread_->first == thread) return last_thread_->second;
  const auto [known, is_new] =
      thread_numbers_.try_emplace(thread, static_cast<std::uint32_t>(threads_.size()));
  last_thread_ = *known;
  if (!is_new) return known->second;
  const std::uint32_t of = this->process(process, names);
  processes_[of].threads.push_back(known->second);
  threads_.push_back({std::string(names.thread_name(thread)), of, thread});
  return known->second;
}

std::size_t ObservedObjects::count(Base base) const noexcept {
  if (base == Base::process) return processes_.size();
  if (base == Base::thread) return threads_.size();
  if (base == Base::region) return regions_.size();
  if (base == Base::site) return sites_.size();
  return base == Base::node ? nodes_.size() : 0;
}

std::string_view ObservedObjects::name(Base base, std::uint32_t number) const noexcept {
  if (base == Base::process) return processes_[number].name;
  if (base == Base::region) return regions_[number].name;
  if (base == Base::site) return sites_[number];
  return base == Base::thread ? std::string_view(threads_[number].name) : nodes_[number];
}

std::vector<std::uint32_t> ObservedObjects::threads_of(Base base, std::uint32_t number) const {
  if (base == Base::thread) return {number};
  if (base == Base::process) return processes_[number].threads;
  std::vector<std::uint32_t> all;
  for (const Process& process : processes_) {
    if (is_of(base, number, process)) all.insert(all.end(), process.threads.begin(), process.threads.end());
  }
  return all;
}

std::vector<std::uint32_t> ObservedObjects::processes_of(Base base, std::uint32_t number) const {
  if (base == Base::process) return {number};
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; base != Base::thread && i < processes_.size(); ++i) {
    if (is_of(base, number, processes_[i])) all.push_back(i);
  }
  return all;
}

/// Whether a process belongs to a node or site.
bool ObservedObjects::is_of(Base base, std::uint32_t number, const Process& process) const {
  return (base == Base::site ? site_of_node_[process.node] : process.node) == number;
}

}  // namespace eventspace::metrics
