#include "tests/house/class_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "tests/house/source_tree.h"

namespace eventspace::house {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;

constexpr std::size_t max_methods = 30;

struct FoundClass {
  ClassSize size;
  std::string path;  // of its file
};

std::vector<FoundClass> classes_in(const std::vector<std::string>& folders) {
  std::vector<FoundClass> found;
  for (const SourceFile& source : read_sources(SOURCE_DIR, folders)) {
    std::ifstream file(std::filesystem::path(SOURCE_DIR) / source.path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (ClassSize& size : class_sizes(text)) found.push_back({std::move(size), source.path});
  }
  return found;
}

// A class with more does several things: find the concept that hides in it, and give it its own class.
TEST(House, NoClassHasMoreThanThirtyMethods) {
  const std::vector<FoundClass> classes =
      classes_in({"apps", "bench", "collectors", "examples", "include", "monitors", "pathmaps", "paths",
                  "python", "scopes", "tests", "tuplespace"});
  for (const auto& [size, path] : classes)
    EXPECT_LE(size.methods, max_methods) << size.name << " in " << path;
  EXPECT_GT(classes.size(), 2000u) << "the test reads too few classes";
}

// Otherwise the linker keeps the functions of one class for both ("one definition rule").
TEST(House, NoTwoFilesOfTheLibraryDefineAClassOfTheSameName) {
  std::map<std::string, std::string> paths;  // by full name
  for (const auto& [size, path] :
       classes_in({"collectors", "include", "monitors", "pathmaps", "paths", "scopes", "tuplespace"})) {
    // A build without reports compiles this file in place of stall_report.cpp.
    if (path == "monitors/web/report/no_reports.cpp") continue;
    if (!size.is_unique) continue;
    const auto [other, is_new] = paths.emplace(size.full_name, path);
    EXPECT_TRUE(is_new || other->second == path)
        << path << " defines " << size.full_name << ", as " << other->second << " does; rename one of them";
  }
  EXPECT_GT(paths.size(), 1000u) << "the test reads too few classes";
}

// --- and that this test would notice -----------------------------------------------------------------------

auto Size(const char* name, std::size_t methods) { return FieldsAre(name, methods, _, _); }

TEST(ClassSizes, CountsFunctionsWhereverTheyAreDefined) {
  EXPECT_THAT(class_sizes(R"(
class Server::Loop final : public Base<int>, private Other {
 public:
  void run();
  [[nodiscard]] std::map<int, std::function<void(int)>> handlers() const noexcept { return {{1, {}}}; }
  template <class T, int n = (1 > 0)>
  requires std::integral<T>
  static T largest(T a, T b) { return a < b ? b : a; }
  virtual void stop() = 0;
  auto end() const -> Iterator override;
 private:
  bool operator()(int x) const;
  Loop& operator++();
};)"),
              ElementsAre(Size("Loop", 7u)));
}

TEST(ClassSizes, DoesNotCountConstructorsDefaultedFunctionsAndFriends) {
  EXPECT_THAT(class_sizes(R"(
struct Point {
  explicit Point(int x = f(1)) : x_{x}, y_(0), z_{g<int>()} { check(); }
  explicit(true) Point(double);
  ~Point();
  Point(const Point&) = delete;
  Point& operator=(const Point&) = default;
  friend auto operator<=>(const Point&, const Point&) = default;
  friend bool operator==(const Point& a, const Point& b) { return a.x_ == b.x_; }
  friend class Line;
  using Visit = void (*)(int);
};)"),
              ElementsAre(Size("Point", 0u)));
}

TEST(ClassSizes, DoesNotCountMembersThatLookLikeFunctions) {
  EXPECT_THAT(class_sizes(R"x(
class alignas(64) Data {
  // int comment();
  std::function<void(int)> call_;
  std::function<void()> other_ = [this] { run(); };
  std::array<int, size_of(3)> some_{1, 2};
  int (*pointer_)(int);
  static_assert(sizeof(int) == 4);
  enum class Kind : std::uint8_t { one = value(1), two };
  std::string text_{R"(int raw(); })"};
  char quote_{'{'};
  int number_{1'000};
#define NOT_HERE \
  int continued();
  unsigned bits_ : 3;
};)x"),
              ElementsAre(Size("Data", 0u)));
}

TEST(ClassSizes, CountsNestedClassesForThemselves) {
  EXPECT_THAT(
      class_sizes(R"(
namespace outer::inner {
extern "C" int hook(int x) { struct Local { int f(); }; return x; }
class Outer {
  struct { int x; } point_;
  class Inner { void a(); void b(); };
  void c();
};
template <>
struct hash<Outer> { std::size_t operator()(const Outer&) const; };
int run() { return 0; }
}  // namespace outer::inner
union U { int f(); };)"),
      ElementsAre(Size("", 0u), Size("Inner", 2u), Size("Outer", 1u), Size("hash", 1u), Size("U", 1u)));
}

TEST(ClassSizes, GivesTheFullNamesOfClasses) {
  EXPECT_THAT(class_sizes(R"(
namespace outer::inner {
class Server::Loop final : public Base<int> { class Turn {}; };
template <class T>
struct Form {};
template <>
struct Form<int> { struct Part {}; };
namespace {
struct Hidden { class Deeper {}; };
}
struct { int x; } point;
}
inline namespace v1 { union U {}; }
extern "C" { struct eventspace_tuple {}; })"),
              ElementsAre(FieldsAre("Turn", 0u, "outer::inner::Server::Loop::Turn", true),
                          FieldsAre("Loop", 0u, "outer::inner::Server::Loop", true),
                          FieldsAre("Form", 0u, "outer::inner::Form", true), FieldsAre("Part", 0u, _, false),
                          FieldsAre("Form", 0u, _, false), FieldsAre("Deeper", 0u, _, false),
                          FieldsAre("Hidden", 0u, _, false), FieldsAre("", 0u, _, false),
                          FieldsAre("U", 0u, "v1::U", true),
                          FieldsAre("eventspace_tuple", 0u, "eventspace_tuple", true)));
}

TEST(ClassSizes, EndsOnAnyText) {
  for (const char* const text : {"", "class", "class A {", "struct {{{(((", "}}}", "class A { void f(", "\"",
                                 "R\"x(", "/*", "template <", "class A { operator", "'", "#define \\"})
    EXPECT_LE(class_sizes(text).size(), 1u) << text;
  EXPECT_THAT(class_sizes("int x;"), IsEmpty());
}

}  // namespace
}  // namespace eventspace::house
