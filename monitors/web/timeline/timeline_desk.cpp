#include "monitors/web/timeline/timeline_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "monitors/text/json.h"
#include "monitors/web/timeline/timeline_tile.h"
#include "scopes/expressions/expression.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace::web {
namespace {

Answer answer_of(unsigned status, std::string text) {
  return {.status = status, .body = share(std::move(text) + "\n")};
}

Answer refusal(unsigned status, std::string_view reason) {
  return answer_of(status, Json::object({{"reason", reason}}).dump());
}

constexpr std::string_view read_anew = "the timeline has been read anew";

std::string state_text(std::string_view state) { return Json::object({{"state", state}}).dump(); }

template <class Number>
std::optional<Number> parameter_of(const Request& request, std::string_view name) {
  const std::string* const text = request.parameter(name);
  return text == nullptr ? std::nullopt : number_in<Number>(*text);
}

Json operation_json(const OperationStore& store, const OperationSearch::Found& found) {
  const StoredOperation& operation = found.operation;
  return Json::object({{"row", found.row},
                       {"begin", operation.begin},
                       {"end", operation.end},
                       {"in_flight", operation.in_flight},
                       {"name", store.names()[operation.name]},
                       {"class", static_cast<unsigned>(operation.of)},
                       {"path", operation.place.path},
                       {"point", operation.place.point},
                       {"sequence", operation.place.sequence}});
}

}  // namespace

TimelineDesk::TimelineDesk(Open open, const TimelineLimits& limits)
    : open_(std::move(open)), limits_(limits) {
  thread_ = start_library_thread([this] { run(); });
}

TimelineDesk::~TimelineDesk() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::optional<Answer> TimelineDesk::ask(std::string_view question, const Request& request) {
  const std::lock_guard lock(mutex_);
  asked_ = Clock::now();
  changed_.notify_one();
  if (question == "timeline") return timeline(request);
  if (question == "event") return event(request);
  if (question == "find") return find(request);
  return std::nullopt;
}

Answer TimelineDesk::timeline(const Request& request) {
  if (timeline_ == nullptr && !failure_.empty()) return refusal(503, failure_);
  if (timeline_ == nullptr)
    return answer_of(202, Json::object({{"state", "loading"}, {"progress", progress_}}).dump());
  return request.parameter("from") != nullptr ? tile(request) : rows();
}

// Times and numbers of rows are of one reading.
bool TimelineDesk::is_of_other_reading(const Request& request) const {
  const auto generation = parameter_of<std::uint64_t>(request, "generation");
  return generation && *generation != generation_;
}

Answer TimelineDesk::tile(const Request& request) const {
  if (is_of_other_reading(request)) return refusal(409, read_anew);
  const auto wanted = tile_request(request, timeline_->store->rows().size());
  if (!wanted) {
    return refusal(400,
                   fmt::format("a tile needs from < to in nanoseconds, rows as in 0-3,7 (at most {}) and "
                               "pixels (at most {})",
                               TileRequest::most_rows, TileRequest::most_bins));
  }
  return answer_of(200, text_of(*timeline_->store, *wanted, make_tile(*timeline_->store, *wanted)));
}

Answer TimelineDesk::rows() const {
  return answer_of(
      200, fmt::format("{{\"state\":\"ready\",\"generation\":{},\"live\":{},\"began_ns\":{},\"realtime_ns\":"
                       "{},\"failure\":{},{}}}",
                       generation_, is_live_, timeline_->recording_began, timeline_->realtime_ns,
                       Json(failure_).dump(), rows_text(*timeline_->store)));
}

Answer TimelineDesk::event(const Request& request) {
  const auto path = parameter_of<std::uint32_t>(request, "path");
  const auto point = parameter_of<std::uint16_t>(request, "point");
  const auto sequence = parameter_of<std::uint64_t>(request, "sequence");
  if (!path || !point || !sequence) return refusal(400, "an event needs path, point and sequence");
  if (is_of_other_reading(request)) return refusal(409, read_anew);
  const RecordPlace place{*sequence, *path, *point};
  return ask_job(fmt::format("event {} {} {}", *path, *point, *sequence), [this, place](Job& /*job*/) {
    const auto found = search_->find(place);
    if (!found) return state_text("none");
    Json operation = operation_json(*search_->timeline().store, *found);
    const auto fields = search_->fields(place);
    return Json::object({{"state", "found"},
                         {"operation", std::move(operation)},
                         {"fields", fields ? *fields : Json::array()}})
        .dump();
  });
}

Answer TimelineDesk::find(const Request& request) {
  const std::string* const where = request.parameter("where");
  const auto from = parameter_of<std::int64_t>(request, "from");
  if (where == nullptr || where->empty() || !from || *from < -1)
    return refusal(400, "a search needs where=CONDITION and from=NANOSECONDS");
  if (where->size() > limits_.where_bytes) return refusal(400, "the condition is too long");
  const std::array<ValueType, 1> allowed{ValueType::boolean};
  if (const auto fault = Expression::fault(*where, allowed)) return refusal(400, fault->text);
  if (is_of_other_reading(request)) return refusal(409, read_anew);
  return ask_job(
      fmt::format("find {} {}", *from, *where), [this, condition = *where, after = *from](Job& job) {
        bool is_whole = true;
        const auto goes_on = [&](std::int64_t reached) {
          const std::lock_guard lock(mutex_);
          job.reached = reached;
          return is_whole = !is_over_ && is_wanted(job) && Clock::now() - job.begun < limits_.job_time;
        };
        const auto found = search_->next(condition, after, goes_on);
        if (!is_whole) return Json::object({{"state", "given up"}, {"reached", job.reached}}).dump();
        if (!found) return state_text("none");
        Json operation = operation_json(*search_->timeline().store, *found);
        return Json::object({{"state", "found"}, {"operation", std::move(operation)}}).dump();
      });
}

Answer TimelineDesk::ask_job(const std::string& key, std::function<std::string(Job&)> work) {
  if (timeline_ == nullptr) return refusal(409, "the timeline is not loaded");
  SharedJob& job = jobs_[key];
  if (job == nullptr) {
    job = std::make_shared<Job>();
    job->work = std::move(work);
  }
  job->asked = Clock::now();
  job->is_delivered = !job->answer.empty();
  Answer answer =
      job->answer.empty()
          ? answer_of(202, Json::object({{"state", "searching"}, {"reached", job->reached}}).dump())
          : answer_of(200, job->answer);
  make_room();
  return answer;
}

// The job that was not asked for the longest time goes; one that works ends when it notices.
void TimelineDesk::make_room() {
  while (jobs_.size() > limits_.jobs) {
    const auto oldest =
        std::ranges::min_element(jobs_, {}, [](const auto& entry) { return entry.second->asked; });
    oldest->second->asked = {};
    jobs_.erase(oldest);
  }
}

bool TimelineDesk::is_wanted(const Job& job) const { return Clock::now() - job.asked < limits_.unwanted; }

TimelineDesk::SharedJob TimelineDesk::next_job() const {
  for (const auto& [key, job] : jobs_)
    if (job->answer.empty() && is_wanted(*job)) return job;
  return nullptr;
}

// A new reading forgets the answers to questions about the one before, so it waits until pages have got them.
bool TimelineDesk::is_load_due() const {
  const auto now = Clock::now();
  for (const auto& [key, job] : jobs_)
    if (is_wanted(*job) && !job->is_delivered) return false;
  const bool is_asked = asked_ != Clock::time_point() && now - asked_ < limits_.unwanted;
  if (timeline_ != nullptr && !is_live_) return false;
  return is_asked && (generation_ == 0 || now - loaded_at_ >= limits_.between_loads) &&
         (failure_.empty() || now - loaded_at_ >= limits_.between_loads);
}

void TimelineDesk::run() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    std::erase_if(jobs_, [this](const auto& entry) { return !is_wanted(*entry.second); });
    if (const SharedJob job = next_job()) {
      lock.unlock();
      do_next_job(job);
      lock.lock();
    } else if (is_load_due()) {
      lock.unlock();
      load();
      lock.lock();
    } else {
      changed_.wait_for(lock, limits_.between_loads / 4);
    }
  }
}

void TimelineDesk::do_next_job(const SharedJob& job) {
  SharedTimeline timeline;
  {
    const std::lock_guard lock(mutex_);
    timeline = timeline_;
    job->begun = Clock::now();
  }
  std::string answer;
  try {
    if (search_ == nullptr || &search_->timeline() != timeline.get())
      search_ = std::make_unique<OperationSearch>(timeline);
    answer = job->work(*job);
  } catch (const std::exception& error) {
    answer = Json::object({{"state", "failed"}, {"reason", error.what()}}).dump();
  }
  const std::lock_guard lock(mutex_);
  job->answer = std::move(answer);
}

// Returns null if `goes_on` returned false.
SharedTimeline TimelineDesk::read(const std::function<bool(double)>& goes_on) {
  if (snapshots_ == nullptr) {
    Watched watched = open_();
    if (watched.recorded != nullptr) return load_timeline(std::move(watched), goes_on);
    snapshots_ = std::make_unique<SnapshotLoader>(std::move(watched));
  }
  return snapshots_->load(goes_on);
}

// A failure leaves the last timeline; it is tried again while pages ask.
void TimelineDesk::load() {
  SharedTimeline loaded;
  std::string failure;
  try {
    loaded = read([this](double share) {
      const std::lock_guard lock(mutex_);
      progress_ = share;
      return !is_over_;
    });
  } catch (const std::exception& error) {
    failure = error.what();
    snapshots_.reset();
  }
  const std::lock_guard lock(mutex_);
  loaded_at_ = Clock::now();
  failure_ = failure;
  if (loaded == nullptr) return;
  is_live_ = snapshots_ != nullptr;
  timeline_ = std::move(loaded);
  ++generation_;
  jobs_.clear();
}

}  // namespace eventspace::web
