// Writes pictures of the tunnel to a directory: collects the workers' contributions to each picture, and
// writes density-STEP.png and velocity-STEP.png when a picture is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>

#include "apps/windtunnel/gas/field.h"
#include "apps/windtunnel/gas/settings.h"

namespace eventspace::windtunnel {

class Frames {
 public:
  // Throws EnvironmentError if `directory` is not a directory that can be written to.
  Frames(std::filesystem::path directory, const Settings& settings, std::size_t parts);

  // Throws EnvironmentError if a picture is complete and cannot be written.
  void add(std::uint64_t steps_done, const Field& part);

  // The number of pictures written so far.
  std::size_t count() const { return written_; }

 private:
  struct Frame {
    Field field;
    std::size_t parts = 0;
  };

  void write(std::uint64_t steps_done, const Field& field);

  const std::filesystem::path directory_;
  const Settings settings_;
  const std::size_t parts_;
  std::map<std::uint64_t, Frame> frames_;  // incomplete ones, by step
  std::size_t written_ = 0;
};

}  // namespace eventspace::windtunnel
