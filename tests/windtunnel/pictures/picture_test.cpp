#include "apps/windtunnel/pictures/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>

#include "apps/windtunnel/gas/tunnel.h"
#include "apps/windtunnel/pictures/colours.h"
#include "tests/error_text.h"

namespace eventspace::windtunnel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A new directory, removed with the test.
class PictureFile : public ::testing::Test {
 protected:
  PictureFile() { fs::create_directories(directory_); }
  ~PictureFile() override { fs::remove_all(directory_); }

  const fs::path& directory() const { return directory_; }

  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }

 private:
  fs::path directory_ = fs::path(::testing::TempDir()) / ("windtunnel-" + std::to_string(::getpid()));
};

Picture grey(std::size_t width, std::size_t height) {
  return {width, height, std::vector<std::uint8_t>(width * height * 3, 128)};
}

std::string failure(const fs::path& file) {
  return test::error_text<std::runtime_error>([&] { write_png(grey(64, 32), file); }, "it was written");
}

Colour pixel(const Picture& picture, double x, double y) {
  const auto column = static_cast<std::size_t>(x * static_cast<double>(picture.width));
  const auto row = static_cast<std::size_t>(y * static_cast<double>(picture.height));
  const auto* const rgb = picture.rgb.data() + (row * picture.width + column) * 3;
  return {rgb[0], rgb[1], rgb[2]};
}

bool operator==(const Colour& a, const Colour& b) {
  return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

TEST(Picture, IsTrueToScaleAndShowsTheObstacle) {
  const TunnelConfig config{.n = 128};
  const auto field = Tunnel(config).sample(8);
  for (const auto quantity : {Quantity::density, Quantity::speed, Quantity::vorticity}) {
    const auto picture = draw(field, quantity, config, 320);
    EXPECT_EQ(picture.width, 320U);
    EXPECT_EQ(picture.height, 185U);
    ASSERT_EQ(picture.rgb.size(), 320U * 185 * 3);
    EXPECT_TRUE(pixel(picture, 0.25, 0.5) == kObstacleColour);
    EXPECT_FALSE(pixel(picture, 0.75, 0.5) == kObstacleColour);
  }
}

TEST(Picture, ColoursStillGasDarkerThanMovingGas) {
  const TunnelConfig still{.n = 128, .obstacle = Obstacle::none, .speed = 0};
  const TunnelConfig moving{.n = 128, .obstacle = Obstacle::none};
  const auto slow = draw(Tunnel(still).sample(64), Quantity::speed, moving, 64);
  const auto fast = draw(Tunnel(moving).sample(64), Quantity::speed, moving, 64);
  EXPECT_LT(pixel(slow, 0.5, 0.5).red + 50, pixel(fast, 0.5, 0.5).red);
}

TEST(Picture, NeedsTheWholeTunnelAndASensibleWidth) {
  const TunnelConfig config{.n = 64};
  EXPECT_THROW(draw(Field(config, 8, {0, 32}), Quantity::speed, config), std::invalid_argument);
  EXPECT_THROW(draw(Field({.n = 96}, 8), Quantity::speed, config), std::invalid_argument);
  EXPECT_THROW(draw(Field(config, 8), Quantity::speed, config, 15), std::invalid_argument);
  EXPECT_THROW(draw(Field(config, 8), Quantity::speed, config, 20000), std::invalid_argument);
}

TEST_F(PictureFile, IsAPngAndNothingElseIsLeftBeside) {
  const auto file = directory() / "flow.png";
  write_png(grey(64, 32), file);
  write_png(grey(64, 32), file);
  EXPECT_EQ(files(), 1);
  std::array<char, 8> head{};
  std::ifstream(file, std::ios::binary).read(head.data(), head.size());
  EXPECT_EQ(std::string(head.data(), head.size()), "\x89PNG\r\n\x1a\n");
}

TEST_F(PictureFile, InAMissingDirectoryIsAnErrorThatHelps) {
  const auto file = directory() / "missing" / "flow.png";
  EXPECT_THAT(failure(file), AllOf(HasSubstr(file.string()), HasSubstr("No such file or directory"),
                                   HasSubstr("make its directory first")));
}

TEST_F(PictureFile, OnAFullDiskIsAnErrorThatHelps) {
  EXPECT_THAT(failure("/dev/full"), AllOf(HasSubstr("'/dev/full'"), HasSubstr("No space left on device"),
                                          HasSubstr("free some space")));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(PictureFile, ThatIsADirectoryIsAnErrorThatHelps) {
  EXPECT_THAT(failure(directory()), AllOf(HasSubstr(directory().string()), HasSubstr("Is a directory")));
}

// A limit on the size of files plays the part of a full disk.
TEST_F(PictureFile, CutShortLeavesTheOldPictureAndNothingHalfWritten) {
  const auto file = directory() / "flow.png";
  write_png(grey(64, 32), file);
  const auto size = fs::file_size(file);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight{50, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  const auto text = failure(file);
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(text, AllOf(HasSubstr(file.string()), HasSubstr("File too large")));
  EXPECT_EQ(fs::file_size(file), size);
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace eventspace::windtunnel
