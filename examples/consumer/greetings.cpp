// Writes tuples through a path, and prints the events that were recorded.
#include <eventspace/eventspace.h>

#include <iostream>

using namespace eventspace;

int main(int argc, char** argv) try {
  const char* const pathmap = argc > 1 ? argv[1] : "greetings.yaml";
  Session session = Session::join(pathmap);
  SessionThread& me = session.thread("greeter");
  for (const char* word : {"good morning", "good evening", "good night"}) {
    if (me.path("greet").write(Tuple::of({std::string_view(word)})) != Status::ok) return 1;
  }

  Monitor monitor = Monitor::of_pathmap(pathmap);
  Scope scope = monitor.open("events");
  const Events events = scope.pull();
  for (const Event& event : events) {
    std::cout << event.thread() << ": " << event.verb() << " of " << event.number("bytes").value_or(0)
              << " bytes\n";
  }
} catch (const Error& error) {  // a faulty pathmap, no shared memory
  std::cerr << "greetings: " << error.what() << '\n';
  return 2;
}
