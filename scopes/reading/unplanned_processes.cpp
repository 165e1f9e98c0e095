#include "scopes/reading/unplanned_processes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace eventspace {
namespace {

ProcessNumbers::Run run_of(const SegmentView& segment) {
  return {segment.pid(), segment.created_realtime_ns()};
}

std::shared_ptr<const Generation> only_generation(std::unique_ptr<SegmentView> segment) {
  auto generation = std::make_shared<Generation>();
  generation->number = 1;
  generation->segment = std::move(segment);
  return generation;
}

}  // namespace

UnplannedProcesses::UnplannedProcesses(std::vector<Node> nodes) {
  for (Node& node : nodes) {
    if (node.numbers.count > 0) nodes_.push_back({std::move(node.name), ProcessNumbers(node.numbers)});
  }
}

const UnplannedProcesses::Taken* UnplannedProcesses::find(std::string_view node) const noexcept {
  const auto named = std::ranges::find(nodes_, node, &Taken::name);
  const auto found = named != nodes_.end() ? named : std::ranges::find(nodes_, "", &Taken::name);
  return found == nodes_.end() ? nullptr : &*found;
}

void UnplannedProcesses::add(std::unique_ptr<SegmentView> segment) {
  auto* const node = const_cast<Taken*>(find(segment->identity().node));  // NOLINT: of this object
  if (node == nullptr) return;
  const auto number = node->numbers.number_of(run_of(*segment));
  if (!number) {
    ++refused_;
    return;
  }
  replace(segment->path());
  const SegmentIdentity& identity = segment->identity();
  UnplannedProcess process{*number, identity.process, identity.node, nullptr};
  process.run = only_generation(std::move(segment));
  list_.push_back(std::move(process));
  ++version_;
}

// A process that replaces itself by exec has the same id, and may have the same name.
void UnplannedProcesses::replace(const std::filesystem::path& file) {
  const auto same = std::ranges::find_if(
      list_, [&](const UnplannedProcess& process) { return process.run->segment->path() == file; });
  if (same == list_.end()) return;
  gone_.push_back(std::move(*same));
  list_.erase(same);
}

void UnplannedProcesses::keep_only(const std::vector<std::filesystem::path>& files) {
  const auto left = std::stable_partition(list_.begin(), list_.end(), [&](const UnplannedProcess& process) {
    return std::ranges::binary_search(files, process.run->segment->path());
  });
  if (left != list_.end()) {
    gone_.insert(gone_.end(), std::make_move_iterator(left), std::make_move_iterator(list_.end()));
    list_.erase(left, list_.end());
    ++version_;
  }
  release_unused();
}

void UnplannedProcesses::release_unused() {
  std::erase_if(gone_, [this](const UnplannedProcess& process) {
    if (process.run.use_count() > 1) return false;
    for (Taken& node : nodes_) {
      if (node.numbers.range().has(process.number)) node.numbers.release(run_of(*process.run->segment));
    }
    return true;
  });
}

void UnplannedProcesses::prefer(std::uint32_t number, const ProcessNumbers::Run& run) {
  for (Taken& node : nodes_) node.numbers.prefer(number, run);
}

}  // namespace eventspace
