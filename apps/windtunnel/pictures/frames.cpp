#include "apps/windtunnel/pictures/frames.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <eventspace/error.h>
#include "apps/windtunnel/pictures/picture.h"

namespace eventspace::windtunnel {
namespace {

namespace fs = std::filesystem;

std::error_code check_writable(const fs::path& directory) {
  std::error_code error;
  const bool is_directory = fs::is_directory(directory, error);
  if (error) return error;
  if (!is_directory) return std::make_error_code(std::errc::not_a_directory);
  if (::access(directory.c_str(), W_OK | X_OK) != 0) return {errno, std::generic_category()};
  return {};
}

fs::path require_writable(fs::path directory) {
  if (const auto error = check_writable(directory))
    throw EnvironmentError(
        fmt::format("cannot write pictures to '{}': {}; --frames needs an existing directory",
                    directory.string(), error.message()));
  return directory;
}

// Removes the noise of single cells.
constexpr std::size_t kSmoothing = 1;

constexpr auto kQuantities = {std::pair{"density", Quantity::density},
                              std::pair{"velocity", Quantity::speed}};

}  // namespace

Frames::Frames(fs::path directory, const Settings& settings, std::size_t parts)
    : directory_(require_writable(std::move(directory))), settings_(settings), parts_(parts) {}

void Frames::add(std::uint64_t steps_done, const Field& part) {
  const auto found = frames_.try_emplace(steps_done, Frame{Field(settings_.tunnel, settings_.cell())}).first;
  auto& frame = found->second;
  frame.field += part;
  // Workers may be at different steps, so several pictures can be incomplete at the same time.
  if (++frame.parts < parts_) return;
  write(steps_done, frame.field);
  frames_.erase(found);
}

void Frames::write(std::uint64_t steps_done, const Field& field) {
  const auto smooth = field.smoothed(kSmoothing);
  for (const auto& [name, quantity] : kQuantities) {
    const auto picture = draw(smooth, quantity, settings_.tunnel);
    try {
      write_png(picture, directory_ / fmt::format("{}-{:07}.png", name, steps_done));
    } catch (const std::runtime_error& error) {
      throw EnvironmentError(error.what());
    }
    ++written_;
  }
}

}  // namespace eventspace::windtunnel
