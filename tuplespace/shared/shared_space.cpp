#include "tuplespace/shared/shared_space.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/processes/process_sight.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether `file` is named "eventspace.UID.SESSION.NODE.PROCESS.PID.elements" after this process.
bool is_of(const std::string& process, const std::filesystem::path& file) {
  const std::filesystem::path without_pid = file.stem().stem();
  return without_pid.extension() == "." + session_files::escaped(process);
}

// By the file's name alone, for files that cannot be opened. Whether the id has been reused is unknown then.
bool may_be_alive(const std::filesystem::path& file) {
  const std::string pid = file.stem().extension().string();
  return read_process_stat(pid.empty() ? 0 : leading_number<std::int32_t>(pid.substr(1))).has_value();
}

}  // namespace

void SharedSpace::host(const std::string& name, std::vector<SharedElementSpec> elements) {
  own_file_.emplace(ElementFile::Config{
      {config_.session, config_.node, name, config_.fingerprint}, std::move(elements), config_.directory});
  const std::lock_guard lock(mutex_);
  // A pointer without ownership: the view belongs to own_file_, which outlives the map.
  homes_[name].file = {std::shared_ptr<void>(), &own_file_->view()};
}

SharedSpace::Found SharedSpace::find(const std::string& process, std::string_view element) {
  const std::lock_guard lock(mutex_);
  if (closed_) return {.status = Status::closed, .why = "the session was closed"};
  const Home& home = look_for(process);
  if (!home.file) {
    if (!home.refusal.empty()) return {.status = Status::refused, .why = home.refusal};
    return {.status = Status::timed_out, .why = why_missing(process)};
  }
  if (SharedElement* const found = home.file->find(element)) return {home.file, found};
  return {.status = Status::refused,
          .why = fmt::format("{} has no element '{}'", home.file->path().string(), element)};
}

std::string SharedSpace::why_missing(const std::string& process) const {
  return fmt::format("process {} of session '{}' has no element file in {}: it has not joined, or has left",
                     process, config_.session, config_.directory.string());
}

std::shared_ptr<ElementFileView> SharedSpace::find_process(const std::string& process) {
  const std::lock_guard lock(mutex_);
  return look_for(process).file;
}

/// If a process has several files, the one created last by a process that is alive is used: killed processes
/// leave theirs behind.
SharedSpace::Home& SharedSpace::look_for(const std::string& process) {
  Home& home = homes_[process];
  if (home.file || Clock::now() < home.next_look) return home;
  home.next_look = Clock::now() + look_interval;
  home.refusal.clear();
  try {
    for (const auto& path : find_element_files(config_.session, config_.node, config_.directory)) {
      if (!is_of(process, path)) continue;
      auto file = open(path, home);
      if (file && (!home.file || home.file->created_realtime_ns() < file->created_realtime_ns()))
        home.file = std::move(file);
    }
  } catch (const EnvironmentError& error) {
    home.refusal = error.what();
  }
  return home;
}

std::shared_ptr<ElementFileView> SharedSpace::open(const std::filesystem::path& path, Home& home) const {
  try {
    auto file = std::make_shared<ElementFileView>(path);
    if (file->has_ended() || !may_live(presence_of(file->owner(), [&] { return lock_on(path); })))
      return nullptr;
    // Its locks identify threads by their ids (RobustLock).
    if (!is_same_pid_namespace(file->owner().origin, own_origin())) {
      home.refusal = fmt::format(
          "element file {} belongs to a process in another PID namespace, such as a container; processes "
          "that share elements must be in the same namespace: place its process on a node of its own",
          path.string());
      return nullptr;
    }
    if (file->identity().fingerprint == config_.fingerprint) return file;
    home.refusal =
        fmt::format("element file {} was made from another pathmap; restart all processes", path.string());
  } catch (const Error& error) {
    // The file of a process that is gone does not matter, whatever its fault.
    if (is_in_use(path) || may_be_alive(path)) home.refusal = error.what();
  }
  return nullptr;
}

void SharedSpace::abandon(const std::string& process, const std::shared_ptr<ElementFileView>& file) {
  const std::lock_guard lock(mutex_);
  const bool own = own_file_ && file.get() == &own_file_->view();
  if (auto home = homes_.find(process); !own && home != homes_.end() && home->second.file == file)
    home->second.file.reset();
}

void SharedSpace::wait_a_little(Deadline deadline) {
  const auto until = std::min(deadline.time(), Clock::now() + look_interval);
  std::unique_lock lock(mutex_);
  closing_.wait_until(lock, until, [this] { return closed_; });
}

void SharedSpace::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  closing_.notify_all();
  for (const auto& [process, home] : homes_)
    if (home.file) home.file->leave();
  if (!own_file_) return;
  own_file_->view().end();
}

}  // namespace eventspace
