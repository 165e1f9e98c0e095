#include "paths/remote/lookout.h"

#include <fmt/format.h>

namespace eventspace {

bool LinkLookout::look() {
  link_.progress();
  return link_.has_ended();
}

std::string LinkLookout::reason() const {
  return fmt::format("the connection to {} (on the way to {}) was lost", link_.endpoint(), peer_);
}

bool SharedLookout::look() {
  if (file_ == nullptr) file_ = space_.find_process(process_);
  lost_ = lost_ || (file_ != nullptr && file_->has_ended());
  return lost_;
}

std::string SharedLookout::reason() const {
  return fmt::format("{}, at the other end of the path, has ended", file_->process_text());
}

}  // namespace eventspace
