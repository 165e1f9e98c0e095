#include "python/module/streams.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <eventspace/session_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "python/module/arguments.h"
#include "python/module/errors.h"
#include "python/module/forks.h"
#include "python/module/packets.h"
#include "python/module/waits.h"

namespace eventspace::python {
namespace {

namespace py = pybind11;
using Ranks = std::vector<RankSet::Rank>;

/// An end of a network, for the thread that made it. Empty after close().
template <class End>
class EndHandle {
 public:
  explicit EndHandle(std::shared_ptr<End> end) : end_(std::in_place, std::move(end)) {}

  /// The end, for as long as the caller uses it: a signal handler may call close() during a wait.
  [[nodiscard]] std::shared_ptr<End> use() const {
    require_owner();
    std::shared_ptr<End> end = end_.use();
    if (end == nullptr) throw OperationError(Status::closed, "this end of the network was closed");
    return end;
  }
  void close() {
    if (end_.is_foreign() || end_.use() == nullptr) return;
    require_owner();
    (void)std::exchange(end_.use(), nullptr);
  }

  /// Calls `attempt`, which waits until a deadline and says whether it is over, again and again until `whole`
  /// has passed, without the GIL. In between, Python handles signals. Throws OperationError (closed) if their
  /// handlers close the end.
  template <class Attempt>
  void in_slices(Deadline whole, Attempt attempt) const {
    const std::shared_ptr<End> end = use();
    while (true) {
      bool is_over = false;
      {
        const WithoutGil released;
        is_over = attempt(*end, earlier(whole, Deadline::after(between_signals))) || whole.passed();
      }
      if (is_over) return;
      if (handles_signals()) handle_signals();
      (void)use();
    }
  }

  bool send(std::uint32_t stream, const py::tuple& values, std::int32_t tag,
            const py::object& timeout) const {
    return send_packet(stream, as_packet(values, tag), timeout);
  }
  bool send_packet(std::uint32_t stream, const streams::Packet& packet, const py::object& timeout) const {
    bool is_sent = false;
    in_slices(deadline_of(timeout), [&](End& end, Deadline slice) {
      is_sent = end.send(stream, packet, slice);
      return is_sent || has_ended(end);
    });
    return is_sent;
  }
  /// The stream, the tag, the values, the missing ranks and the wave of the next packet; None at the end.
  [[nodiscard]] py::object receive(const std::optional<std::uint32_t>& stream,
                                   const py::object& timeout) const {
    std::optional<streams::Received> received;
    in_slices(deadline_of(timeout), [&](End& end, Deadline slice) {
      if (!stream) {
        received = end.receive(slice);
      } else if (auto packet = end.receive(*stream, slice)) {
        received.emplace(streams::Received{*stream, std::move(*packet)});
      }
      return received.has_value() || has_ended(end);
    });
    if (!received) return py::none();
    return py::make_tuple(received->stream, received->packet.tag, values_of(received->packet),
                          received->packet.ranks.ranks(), received->packet.wave);
  }

 private:
  void require_owner() const {
    if (std::this_thread::get_id() != owner_)
      throw UsageError("an end of a network of streams is for the thread that made it");
  }
  static bool has_ended(const streams::FrontEnd& /*ends by itself*/) noexcept { return false; }
  static bool has_ended(const streams::BackEnd& end) noexcept { return end.has_ended(); }

  OfThisProcess<std::shared_ptr<End>> end_;
  std::thread::id owner_{std::this_thread::get_id()};
};

using FrontHandle = EndHandle<streams::FrontEnd>;
using BackHandle = EndHandle<streams::BackEnd>;

std::unique_ptr<FrontHandle> make_front_end(const std::string& topology, const std::string& session) {
  streams::FrontEnd::Options options;
  options.session = session;
  std::shared_ptr<streams::FrontEnd> end;
  {
    const WithoutGil released;
    end = share_without_gil(
        std::make_unique<streams::FrontEnd>(streams::Topology::of_text(topology), std::move(options)));
  }
  return std::make_unique<FrontHandle>(std::move(end));
}

// `point`: the text of an attach point; without one, the back-end finds the network by the session's name, or
// in the environment.
std::unique_ptr<BackHandle> make_back_end(const std::optional<std::string>& point,
                                          std::optional<std::uint32_t> rank, const std::string& session,
                                          double timeout) {
  return std::make_unique<BackHandle>(interruptible([point, rank, session, deadline = after_seconds(timeout)](
                                                        GivenUp& /*ends at its deadline*/) {
    if (!session.empty()) return share_without_gil(open_back_end(session, rank, deadline));
    return share_without_gil(std::make_unique<streams::BackEnd>(
        point ? streams::AttachPoint::of_text(*point, rank) : streams::AttachPoint::from_environment(rank),
        deadline));
  }));
}

// Answers the packet of this wave.
bool answer(const BackHandle& back, std::uint32_t stream, std::uint64_t wave, const py::tuple& values,
            std::int32_t tag, const py::object& timeout) {
  streams::Received asked{stream, {}};
  asked.packet.wave = wave;
  const streams::Packet packet = as_packet(values, tag);
  bool is_sent = false;
  back.in_slices(deadline_of(timeout), [&](streams::BackEnd& end, Deadline slice) {
    is_sent = end.answer(asked, packet, slice);
    return is_sent || end.has_ended();
  });
  return is_sent;
}

std::vector<streams::FilterUse> filters_of(const std::vector<std::string>& names) {
  std::vector<streams::FilterUse> filters;
  filters.reserve(names.size());
  for (const std::string& name : names) filters.push_back({.name = name});
  return filters;
}

streams::Synchronise synchronise_of(const std::string& word) {
  if (word == "wait_for_all") return streams::Synchronise::wait_for_all;
  if (word == "time_out") return streams::Synchronise::time_out;
  if (word == "do_not_wait") return streams::Synchronise::do_not_wait;
  throw py::value_error(
      fmt::format("synchronise: found '{}'; expected 'wait_for_all', 'time_out' or 'do_not_wait'", word));
}

std::uint32_t open_stream(const FrontHandle& front, const std::vector<std::string>& up,
                          const std::vector<std::string>& down, const std::string& synchronise,
                          double time_out, const Ranks& members) {
  streams::StreamOptions options;
  options.up = filters_of(up);
  options.down = filters_of(down);
  options.synchronise = synchronise_of(synchronise);
  options.time_out = of_seconds(time_out);
  options.members = RankSet::of(members);
  const std::shared_ptr<streams::FrontEnd> end = front.use();
  const WithoutGil released;
  return end->open(options);
}

void close_stream(const FrontHandle& front, std::uint32_t stream) {
  const std::shared_ptr<streams::FrontEnd> end = front.use();
  const WithoutGil released;
  end->close(stream);
}

bool wait_for(const FrontHandle& front, std::size_t back_ends, const py::object& timeout) {
  bool are_there = false;
  front.in_slices(deadline_of(timeout), [&](streams::FrontEnd& end, Deadline slice) {
    return are_there = end.wait_for(back_ends, slice);
  });
  return are_there;
}

std::optional<std::tuple<std::string, Ranks, std::string>> next_event(const FrontHandle& front) {
  const auto event = front.use()->next_event();
  if (!event) return std::nullopt;
  return std::tuple(std::string(to_string(event->kind)), event->ranks.ranks(), event->text);
}

}  // namespace

void add_streams(py::module_& module) {
  py::class_<FrontHandle>(module, "FrontEnd")
      .def(py::init(&make_front_end))
      .def("close", &FrontHandle::close)
      .def_property_readonly("back_ends",
                             [](const FrontHandle& of) { return of.use()->topology().back_ends(); })
      .def_property_readonly("ranks", [](const FrontHandle& of) { return of.use()->ranks().ranks(); })
      .def("attach_point",
           [](const FrontHandle& of, std::uint32_t rank) { return of.use()->attach_point(rank).to_text(); })
      .def("attach_text", [](const FrontHandle& of) { return of.use()->attach_text(); })
      .def("wait_for", &wait_for)
      .def("open", &open_stream)
      .def("close_stream", &close_stream)
      .def("send", &FrontHandle::send)
      .def("receive", &FrontHandle::receive)
      .def("next_event", &next_event);
  py::class_<BackHandle>(module, "BackEnd")
      .def(py::init(&make_back_end))
      .def("close", &BackHandle::close)
      .def_property_readonly("rank", [](const BackHandle& of) { return of.use()->rank(); })
      .def_property_readonly("has_ended", [](const BackHandle& of) { return of.use()->has_ended(); })
      .def("send", &BackHandle::send)
      .def("answer", &answer)
      .def("receive", &BackHandle::receive);
}

}  // namespace eventspace::python
