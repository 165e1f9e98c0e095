#include "python/module/source.h"

#include <utility>

#include "pathmaps/observing/named_session.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/sessions/recorded_file.h"
#include "python/module/errors.h"

namespace eventspace::python {
namespace {

Monitor monitor_of(Source::Kind kind, const std::string& named, const std::string& session) {
  switch (kind) {
    case Source::Kind::recording:
      return Monitor::of_recording(named);
    case Source::Kind::session:
      return Monitor::of_session(named);
    case Source::Kind::pathmap:
      break;
  }
  return Monitor::of_pathmap(named, session);
}

}  // namespace

Source::Source(Kind kind, const std::string& named, std::string session)
    : monitor(monitor_of(kind, named, session)), kind_(kind), named_(named), session_(std::move(session)) {
  if (kind == Kind::recording) recording.emplace(named);
}

Watched Source::watched() const {
  switch (kind_) {
    case Kind::recording: {
      RecordedFile opened = require_recorded_file(named_);
      return {std::move(opened.plan), opened.run->session(), std::move(opened.pathmap),
              std::move(opened.run)};
    }
    case Kind::session:
      return {find_named_session(named_, [](const std::string& /*said by the monitor*/) {}).plan, named_, {}};
    case Kind::pathmap:
      break;
  }
  const std::filesystem::path file = std::filesystem::absolute(named_);
  return {std::make_shared<const Plan>(require_plan(file)), session_, file};
}

SourceHandle::SourceHandle(std::shared_ptr<Source> source) : source_(std::in_place, std::move(source)) {}

std::shared_ptr<Source> SourceHandle::use() const {
  std::shared_ptr<Source> source = source_.use();
  if (source == nullptr) throw OperationError(Status::closed, "this session or recording was closed");
  return source;
}

void SourceHandle::close() noexcept {
  if (!source_.is_foreign()) (void)std::exchange(source_.use(), nullptr);
}

}  // namespace eventspace::python
