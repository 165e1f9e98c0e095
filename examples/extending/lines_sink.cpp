#include "examples/extending/lines_sink.h"

#include <fstream>
#include <string>
#include <vector>

#include <eventspace/error.h>

namespace example {
namespace {

using namespace eventspace;
using exports::LostEvents;
using exports::Slice;
using exports::Totals;
using exports::Track;

class LinesSink final : public exports::Sink {
 public:
  explicit LinesSink(const std::filesystem::path& file) : name_(file.string()), file_(file) { check(); }

  // A track comes before its slices. Its names are valid during the export.
  using Sink::add;
  void add(const Track& track) override {
    threads_.resize(track.id + std::size_t{1});
    threads_[track.id] = track.thread;
  }
  void add(const Slice& slice) override {
    file_ << slice.begin_ns << ' ' << slice.end_ns - slice.begin_ns << ' ' << threads_.at(slice.track) << ' '
          << slice.name << '\n';
  }
  // Losses are part of each format.
  void add(const LostEvents& lost) override {
    file_ << "# before " << lost.end_ns << ", " << threads_.at(lost.track) << " lost " << lost.records
          << " records\n";
  }
  void end(const Totals& totals) override {
    file_ << "# " << totals.slices << " events, " << totals.lost_records << " records lost\n";
    file_.flush();
    check();
  }

 private:
  void check() const {
    if (!file_) throw EnvironmentError("cannot write " + name_);
  }

  std::string name_;
  std::ofstream file_;
  std::vector<std::string_view> threads_;  // by track
};

}  // namespace

std::unique_ptr<exports::Sink> lines_sink(const std::filesystem::path& file) {
  return std::make_unique<LinesSink>(file);
}

}  // namespace example
