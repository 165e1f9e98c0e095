#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/pathmaps/pathmap_text.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// Damages pathmaps: flips, drops, duplicates and moves bytes and lines, and inserts YAML syntax.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string damage(std::string text) {
    const auto times = 1 + below(6);
    for (std::size_t i = 0; i < times && !text.empty(); ++i) damage_once(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void damage_once(std::string& text) {
    static constexpr std::array<std::string_view, 24> pieces{
        "{",   "}",        "[",       "]",     ": ",    "- ",          "? ",
        "&a ", "*a",       "<<: ",    "!t ",   "|\n",   "'",           "\"",
        "#",   "\t",       "\n",      "---\n", "...\n", "%YAML 1.2\n", "99999999999999999999",
        "-1",  "t[0-999]", "\xff\xfe"};
    const auto at = below(text.size());
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(random_());
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(80)));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        std::swap(text[at], text[below(text.size())]);
        break;
    }
  }

  std::mt19937_64 random_;
};

std::string contents(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<std::string> seeds() {
  const std::filesystem::path examples(EVENTSPACE_EXAMPLE_FOLDER);
  auto application = contents(examples / "windtunnel.yaml");
  auto placed = contents(examples / "windtunnel-two-clusters.yaml");
  return {PathmapText().text(), application, placed};
}

TEST(PathmapFuzz, DamagedPathmapsAreReadOrRefusedButNeverCrash) {
  const auto originals = seeds();
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Mutator mutator(seed);
  const auto end = std::chrono::steady_clock::now() + 2s;
  for (std::size_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
    const auto text = mutator.damage(originals[i % originals.size()]);
    const auto result = parse_plan(text, "damaged.yaml");
    ASSERT_NE(result.plan.has_value(), !result.faults.empty()) << text;
  }
}

}  // namespace
}  // namespace eventspace
