#include "tests/house/class_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/house/source_tree.h"

namespace eventspace::house {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;

constexpr std::size_t max_methods = 30;

// A class with more does several things: find the concept that hides in it, and give it its own class.
TEST(House, NoClassHasMoreThanThirtyMethods) {
  std::size_t classes = 0;
  for (const SourceFile& source :
       read_sources(SOURCE_DIR, {"apps", "bench", "collectors", "examples", "include", "monitors", "pathmaps",
                                 "paths", "python", "scopes", "tests", "tuplespace"})) {
    std::ifstream file(std::filesystem::path(SOURCE_DIR) / source.path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const ClassSize& found : class_sizes(text)) {
      ++classes;
      EXPECT_LE(found.methods, max_methods) << found.name << " in " << source.path;
    }
  }
  EXPECT_GT(classes, 2000u) << "the test reads too few classes";
}

// --- and that this test would notice -----------------------------------------------------------------------

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
              ElementsAre(FieldsAre("Loop", 7u)));
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
              ElementsAre(FieldsAre("Point", 0u)));
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
              ElementsAre(FieldsAre("Data", 0u)));
}

TEST(ClassSizes, CountsNestedClassesForThemselves) {
  EXPECT_THAT(class_sizes(R"(
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
              ElementsAre(FieldsAre("", 0u), FieldsAre("Inner", 2u), FieldsAre("Outer", 1u),
                          FieldsAre("hash", 1u), FieldsAre("U", 1u)));
}

TEST(ClassSizes, EndsOnAnyText) {
  for (const char* const text : {"", "class", "class A {", "struct {{{(((", "}}}", "class A { void f(", "\"",
                                 "R\"x(", "/*", "template <", "class A { operator", "'", "#define \\"})
    EXPECT_LE(class_sizes(text).size(), 1u) << text;
  EXPECT_THAT(class_sizes("int x;"), IsEmpty());
}

}  // namespace
}  // namespace eventspace::house
