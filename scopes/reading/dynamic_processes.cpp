#include "scopes/reading/dynamic_processes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace eventspace {
namespace {

ProcessNumbers::Run run_of(const SegmentView& segment) {
  return {segment.pid(), segment.created_realtime_ns()};
}

std::shared_ptr<const Generation> only_generation(std::unique_ptr<SegmentView> segment) {
  Generations generations;
  generations.add(std::move(segment));
  return generations.newest();
}

}  // namespace

DynamicProcesses::DynamicProcesses(std::vector<Node> nodes) {
  for (Node& node : nodes) {
    if (node.numbers.count == 0) continue;
    const auto same =
        std::ranges::find(nodes_, node.numbers, [](const Taken& taken) { return taken.numbers->range(); });
    auto numbers = same != nodes_.end() ? same->numbers : std::make_shared<ProcessNumbers>(node.numbers);
    nodes_.push_back({std::move(node.name), std::move(numbers)});
  }
}

DynamicProcesses::Taken* DynamicProcesses::find(std::string_view node) noexcept {
  const auto named = std::ranges::find(nodes_, node, &Taken::name);
  const auto found = named != nodes_.end() ? named : std::ranges::find(nodes_, "", &Taken::name);
  return found == nodes_.end() ? nullptr : &*found;
}

bool DynamicProcesses::add(std::unique_ptr<SegmentView> segment) {
  Taken* const node = find(segment->identity().node);
  if (node == nullptr) return true;
  const auto number = node->numbers->number_of(run_of(*segment));
  if (!number) {
    ++refused_now_;
    return false;
  }
  replace(segment->path());
  const SegmentIdentity& identity = segment->identity();
  DynamicProcess process{*number, identity.process, identity.node, identity.member, nullptr};
  process.run = only_generation(std::move(segment));
  list_.push_back(std::move(process));
  ++version_;
  return true;
}

// A process that replaces itself by exec has the same id, and may have the same name.
void DynamicProcesses::replace(const std::filesystem::path& file) {
  const auto same = std::ranges::find_if(
      list_, [&](const DynamicProcess& process) { return process.run->segment->path() == file; });
  if (same == list_.end()) return;
  gone_.push_back(std::move(*same));
  list_.erase(same);
}

void DynamicProcesses::keep_only(const std::vector<std::filesystem::path>& files) {
  const auto left = std::stable_partition(list_.begin(), list_.end(), [&](const DynamicProcess& process) {
    return std::ranges::binary_search(files, process.run->segment->path());
  });
  if (left != list_.end()) {
    gone_.insert(gone_.end(), std::make_move_iterator(left), std::make_move_iterator(list_.end()));
    list_.erase(left, list_.end());
    ++version_;
  }
  release_unused();
  refused_ = std::exchange(refused_now_, 0);
}

void DynamicProcesses::release_unused() {
  std::erase_if(gone_, [this](const DynamicProcess& process) {
    if (process.run.use_count() > 1) return false;
    for (Taken& node : nodes_) {
      if (node.numbers->range().has(process.number)) node.numbers->release(run_of(*process.run->segment));
    }
    return true;
  });
}

void DynamicProcesses::prefer(std::uint32_t number, const ProcessNumbers::Run& run) {
  for (Taken& node : nodes_) node.numbers->prefer(number, run);
}

}  // namespace eventspace
