// python_peer PATHMAP ROUNDS CALLS: what calls.py does in Python, in C++. Prints a line of JSON for each
// round.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include <eventspace/error.h>
#include <eventspace/monitor.h>
#include <eventspace/session.h>

namespace {

using namespace eventspace;
using Clock = std::chrono::steady_clock;

constexpr int events_of_pull = 1948;
constexpr std::array fields{"start_ns", "duration", "thread", "path", "bytes"};

double ns_since(Clock::time_point begun, int calls) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begun).count() / calls;
}

// The element drops its oldest tuple when it is full.
double write(Path& path, int calls) {
  const auto begun = Clock::now();
  for (int i = 0; i < calls; ++i) {
    if (path.write(Tuple::of({std::int64_t{i}, std::string_view("wheel")})) != Status::ok)
      throw EnvironmentError("a write was refused");
  }
  return ns_since(begun, calls);
}

double pull(Scope& scope, Path& path) {
  while (scope.pull().has_more()) continue;
  (void)write(path, events_of_pull);
  const auto begun = Clock::now();
  std::size_t events = 0;
  for (bool has_more = true; has_more;) {
    const Events pulled = scope.pull();
    for (const char* const field : fields) events += pulled.column(field).size();
    has_more = pulled.has_more();
  }
  const double ns = ns_since(begun, 1);
  if (events != fields.size() * events_of_pull) throw EnvironmentError("a pull has other events");
  return ns;
}

void run(const char* pathmap, int rounds, int calls) {
  Session session = Session::join(pathmap, "p0");
  Path& path = session.thread("t0").path("put");
  Monitor monitor = Monitor::of_pathmap(pathmap);
  Scope scope = monitor.open(EventQuery{.paths = "put"});
  for (int round = 0; round < rounds; ++round) {
    const double pulled = pull(scope, path);
    std::cout << fmt::format("{{\"write\": {}, \"pull\": {}}}", write(path, calls), pulled) << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    run(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
    return 0;
  } catch (const eventspace::Error& error) {
    std::cerr << "python_peer: " << error.what() << '\n';
    return 3;
  }
}
