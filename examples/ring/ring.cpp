// ring [--rounds N]: threads in a ring pass numbers to both neighbours, and report the received numbers to
// the thread main. `eventspace run ring.yaml` starts its processes. docs/pathmap.md explains the pathmap.
#include <eventspace/eventspace.h>

#include <cstdint>
#include <cstdlib>
#include <future>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace eventspace;

namespace {

std::int64_t number_in(const Received& received, const std::string& path) {
  if (received) return received.tuple.get<std::int64_t>(0);
  throw std::runtime_error(path + ": " + std::string(to_string(received.status)) + " " + received.reason);
}

void send(SessionThread& from, const std::string& path, Tuple tuple) {
  const Status status = from.path(path).write(std::move(tuple));
  if (status != Status::ok) throw std::runtime_error(path + ": " + std::string(to_string(status)));
}

// In each round a thread passes on two numbers, one in each direction, and reports the number that comes from
// the north.
void pass_numbers(SessionThread& me, int rounds) {
  std::int64_t northwards = std::atoi(me.name().c_str() + 1);
  std::int64_t southwards = northwards;
  for (int round = 1; round <= rounds; ++round) {
    me.set_virtual_time(static_cast<std::uint64_t>(round));
    send(me, "send/north/left", Tuple::of({northwards}));
    send(me, "send/south/right", Tuple::of({southwards}));
    northwards = number_in(me.path("receive/south/left").take(), "receive/south/left");
    southwards = number_in(me.path("receive/north/right").take(), "receive/north/right");
    send(me, "report", Tuple::of({southwards, std::string_view(me.name())}));
  }
}

// Each number is reported once in each round.
void add_up_reports(SessionThread& me, int rounds, std::int64_t threads) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < rounds * threads; ++i) sum += number_in(me.path("reports").take(), "reports");
  const std::int64_t expected = rounds * threads * (threads - 1) / 2;
  if (sum != expected)
    throw std::runtime_error("a number was lost: the reports add up to " + std::to_string(sum));
  std::cout << threads << " threads, " << rounds << " rounds: the reports add up to " << sum << '\n';
}

int rounds_of(int argc, char** argv) {
  if (argc == 1) return 1000;
  const int rounds = argc == 3 && std::string_view(argv[1]) == "--rounds" ? std::atoi(argv[2]) : 0;
  if (rounds < 1) throw ConfigurationError("usage: ring [--rounds N], with N of 1 or more");
  return rounds;
}

void run_threads_of(Session& session, int rounds) {
  const auto others = static_cast<std::int64_t>(thread_names(session.plan()).size()) - 1;
  std::vector<std::future<void>> threads;
  for (const std::string& name : session.threads()) {
    threads.push_back(std::async(std::launch::async, [&session, rounds, others, name] {
      try {
        SessionThread& me = session.thread(name);
        name == "main" ? add_up_reports(me, rounds, others) : pass_numbers(me, rounds);
      } catch (...) {
        session.close();  // the other threads would wait for this one
        throw;
      }
    }));
  }
  for (std::future<void>& thread : threads) thread.get();
}

int complain(int status, const std::exception& error) {
  std::cerr << "ring: " << error.what() << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int rounds = rounds_of(argc, argv);
    Session session = Session::from_environment();
    run_threads_of(session, rounds);
  } catch (const ConfigurationError& error) {  // a faulty pathmap, a wrong argument
    return complain(2, error);
  } catch (const EnvironmentError& error) {  // no shared memory, a port that is taken
    return complain(3, error);
  } catch (const std::exception& error) {
    return complain(1, error);
  }
}
