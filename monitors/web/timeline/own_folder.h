#pragma once

#include <filesystem>
#include <string>

namespace eventspace::web {

/// A temporary folder that only this user can read, for a recording that is read at once. It is removed with
/// the object.
class OwnFolder {
 public:
  /// Throws EnvironmentError.
  OwnFolder();
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  [[nodiscard]] std::filesystem::path recording() const { return std::filesystem::path(place_) / "now.evs"; }

 private:
  std::string place_;
};

}  // namespace eventspace::web
