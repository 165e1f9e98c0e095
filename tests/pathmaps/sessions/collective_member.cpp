// collective_member PATHMAP PROCESS: each thread of the process exchanges its number on path `sum` in a loop,
// until an exchange fails or the process is killed.
#include <cstdio>
#include <thread>
#include <vector>

#include <eventspace/session.h>

int main(int argc, char** argv) {
  using namespace eventspace;
  if (argc != 3) return 2;
  try {
    Session session = Session::join(argv[1], argv[2]);
    std::vector<std::jthread> threads;
    for (const std::string& name : session.threads()) {
      threads.emplace_back([&session, name] {
        Path& path = session.thread(name).path("sum");
        while (path.exchange(Tuple::of({std::int64_t{1}}))) {
        }
      });
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collective_member: %s\n", error.what());
    return 1;
  }
}
