// workshop [--batches N] [--mistake]: a maker and a packer, each in a separate process, with a queue between
// them. `eventspace run workshop.yaml -- workshop` starts both. docs/library.md explains it.
#include <eventspace/eventspace.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace eventspace;

namespace {

constexpr std::int64_t parts_in_a_batch = 100;

struct Options {
  int batches{3};
  bool mistake{false};  // the packer reads where it should take
};

// This program cannot continue if an operation does not end with `ok`.
void require(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}

void make_parts(SessionThread& maker, const Options& options) {
  Path& put = maker.path("put");
  Path& batch_done = maker.path("batch-done");
  std::int64_t number = 0;
  for (int batch = 1; batch <= options.batches; ++batch) {
    maker.set_virtual_time(static_cast<std::uint64_t>(batch));
    for (std::int64_t part = 0; part < parts_in_a_batch; ++part) {
      const Status status = put.write(Tuple::of({++number, std::string_view("wheel")}));
      require(status == Status::ok, "put: " + std::string(to_string(status)));
    }
    const Received met = batch_done.exchange();
    require(met.status == Status::ok, "batch-done: " + met.reason);
  }
}

void pack_parts(SessionThread& packer, const Options& options) {
  Path& get = packer.path("get");
  Path& batch_done = packer.path("batch-done");
  for (int batch = 1; batch <= options.batches; ++batch) {
    packer.set_virtual_time(static_cast<std::uint64_t>(batch));
    std::int64_t last = 0;
    for (std::int64_t part = 0; part < parts_in_a_batch; ++part) {
      const Received received = options.mistake ? get.read() : get.take();
      require(received.status == Status::ok, "get: " + received.reason);
      last = received.tuple.get<std::int64_t>(0);
    }
    std::cout << "batch " << batch << ": " << parts_in_a_batch << " parts, the last one has number " << last
              << std::endl;
    const Received met = batch_done.exchange();
    require(met.status == Status::ok, "batch-done: " + met.reason);
  }
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--mistake") {
      options.mistake = true;
    } else if (word == "--batches" && i + 1 < argc) {
      options.batches = std::atoi(argv[++i]);
    } else {
      throw ConfigurationError("unknown argument '" + std::string(word) + "'; known: --batches N, --mistake");
    }
  }
  return options;
}

int complain(int status, const std::exception& error) {
  std::cerr << "workshop: " << error.what() << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = options_of(argc, argv);
    Session session = Session::from_environment();
    for (const std::string& name : session.threads()) {  // one in each process
      SessionThread& me = session.thread(name);
      if (name == "maker") make_parts(me, options);
      if (name == "packer") pack_parts(me, options);
    }
  } catch (const ConfigurationError& error) {  // a faulty pathmap, a wrong argument
    return complain(2, error);
  } catch (const EnvironmentError& error) {  // no shared memory, a port that is taken
    return complain(3, error);
  } catch (const std::exception& error) {
    return complain(1, error);
  }
}
