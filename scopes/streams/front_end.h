#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paths/links/network.h"
#include "scopes/streams/attaching/attach_point.h"
#include "scopes/streams/events.h"
#include "scopes/streams/report.h"
#include "scopes/streams/stream_options.h"
#include "scopes/streams/topology/topology.h"
#include "tuplespace/system/deadline.h"

namespace eventspace::streams {

/// The front-end of a network of streams. It starts the internal processes of its topology as threads of this
/// process and listens; back-ends attach.
///
///     FrontEnd front_end(Topology::of_text("8x8"));
///     // ... start 64 back-ends, each with front_end.attach_point(rank) ...
///     front_end.wait_for(64, Deadline::after(10s));
///     const std::uint32_t stream = front_end.open({.up = {{"max", {}}}});
///     front_end.send(stream, Format<std::int32_t>::make(tag, 0), Deadline::never());
///     const auto greatest = front_end.receive(stream, Deadline::after(1s));
///
/// A front-end has no thread of its own: it takes part in the network while one of its functions runs, and
/// while it does not, back-ends wait as soon as their streams have no room left.
///
/// Guarantees, for each stream: packets arrive in the order sent. Nothing is lost while all processes live,
/// except as WhenFull and time-outs say, which is counted. Each packet that the user receives names the
/// end-points that are missing in it.
///
/// Not thread-safe. Functions throw EnvironmentError or ConfigurationError.
class FrontEnd {
 public:
  /// Where the internal processes of the topology run.
  enum class Internals : std::uint8_t {
    threads,   ///< as threads of this process, which starts them
    elsewhere  ///< somewhere else: they attach, and announce() says where their children attach
  };
  struct Options {
    std::string name{};      ///< of the network; empty: a new one
    std::string endpoint{};  ///< where children of the front-end attach; empty: a local socket
    std::shared_ptr<const SessionSecurity> security{};
    Internals internals{Internals::threads};
    std::filesystem::path keys{};  ///< the file of the keys in attach points, if the network has keys
    std::string host{};            ///< of this process, for reports; empty: the name of this machine
    std::string announced{};       ///< where children connect to, if that is not `endpoint`
    Adoption adoption{Adoption::ancestor};  ///< of those whose parent is lost
    /// Processes of this session on this machine may attach by its name (Session::back_end). Empty: only
    /// those that are given an attach point.
    std::string session{};
    /// Called several times a second while the front-end waits: returns what has failed since. For those that
    /// start processes of the network. May be empty.
    std::function<std::vector<std::string>()> find_failures{};
  };
  /// With Internals::elsewhere, the stream in which internal processes tell failures unasked, as texts. It is
  /// open from the beginning.
  static constexpr std::uint32_t news_stream = 1;

  explicit FrontEnd(Topology topology, Options options);
  explicit FrontEnd(Topology topology);
  ~FrontEnd();  ///< ends the network
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const Topology& topology() const noexcept;
  [[nodiscard]] const std::string& endpoint() const noexcept;  ///< where its children attach
  /// Where the back-end of this rank attaches: at its parent in the topology or, if that is lost, at the
  /// nearest process above it that is there. Throws std::out_of_range for a rank that the topology lacks.
  [[nodiscard]] AttachPoint attach_point(RankSet::Rank rank) const;

  /// Blocks until so many back-ends are attached; returns whether they are.
  bool wait_for(std::size_t back_ends, Deadline deadline);
  [[nodiscard]] RankSet ranks() const;  ///< of the back-ends that are attached
  /// The same for internal processes.
  bool wait_for_internals(std::size_t internals, Deadline deadline);
  /// What has failed so far, with Internals::elsewhere: texts with host and command, at most 100.
  [[nodiscard]] const std::vector<std::string>& failures() const noexcept;
  /// The ranks of the internal processes that are attached (commands.h): members for a stream of commands.
  [[nodiscard]] RankSet internals() const;

  /// Where the children of an internal process attach, by its number in the topology. Only for those that run
  /// elsewhere.
  void announce(std::uint32_t process, std::string endpoint);
  /// The attach points of all back-ends as one text, see AttachPoint. Leaves out those whose internal process
  /// was not announced.
  [[nodiscard]] std::string attach_text() const;

  /// Opens a stream and returns its number. Without members it has all back-ends, and no internal process.
  /// Its end-points learn of it before its first packet.
  std::uint32_t open(const StreamOptions& options);
  /// Changes the members of a stream while it is in use: back-ends and internal processes by their ranks, see
  /// EndPoints (members/end_points.h). Packets sent from now on go to the new members, and later waves are of
  /// these. Empty: all back-ends. Returns false if there is no such stream.
  bool set_members(std::uint32_t stream, const RankSet& members);
  /// Replaces the filters of a stream while it is in use: all of the network or none. Each process makes the
  /// new filters; when all have them, they are used from the same wave on in all processes. No wave is made
  /// by filters of both kinds, none is lost or made twice, and what old filters have kept comes up before.
  /// Returns the number of that wave: the first one, as BackEnd::send and answer() count, of which no process
  /// had made anything yet. Waves wait meanwhile, for one message down and one up through the internal
  /// processes; back-ends are not asked. Packets that go down from then on are for the new filters.
  ///
  /// Blocks until the processes have answered. Returns nothing, and the old filters stay, if one of them has
  /// not until the deadline, or there is no such stream. Throws ConfigurationError, and the old filters stay,
  /// if a process cannot make the new ones.
  std::optional<std::uint64_t> set_filters(std::uint32_t stream, const std::vector<FilterUse>& up,
                                           const std::vector<FilterUse>& down, Deadline deadline);
  /// The same with other parameters of one filter: `parameters` replace those of the same names, in both
  /// directions. Throws ConfigurationError also if the stream has no such filter.
  std::optional<std::uint64_t> set_parameters(std::uint32_t stream, const std::string& filter,
                                              const Parameters& parameters, Deadline deadline);
  /// Ends a stream. Packets on their way are dropped.
  void close(std::uint32_t stream);

  /// Sends a packet down, to `packet.ranks` or to all end-points of the stream. Blocks while there is no room
  /// (WhenFull::wait). Returns false, and sends nothing, if there is none until the deadline, or no such
  /// stream. The packet leaves at once, unless the caller has just received one, and more wait for it or
  /// several waves of the stream are on the way: then it may leave with the next ones, when a function that
  /// receives or serves is called.
  bool send(std::uint32_t stream, const Packet& packet, Deadline deadline);
  /// The next packet of a stream; without a value at the deadline.
  std::optional<Packet> receive(std::uint32_t stream, Deadline deadline);
  /// The next packet of any stream; the streams take turns.
  std::optional<Received> receive(Deadline deadline);
  /// Makes that the packets of a stream, or of all that have no function of their own, are handed to `handle`
  /// instead, in turns, by functions of this object that wait. `handle` may call functions of this object,
  /// but those that wait only see later packets. One that throws is an event (EventKind::fault), and the
  /// network goes on. Null: packets wait again.
  void on_packet(std::function<void(const Received& received)> handle);
  void on_packet(std::uint32_t stream, std::function<void(const Received& received)> handle);
  /// A descriptor for the event loop of the program (poll(2), epoll(7)), valid as long as this object. It is
  /// readable when serve() or receive() with Deadline::now() has something to do; call one of them then,
  /// until it has no packet, and wait again. It may be readable without need. Not to be read from. Throws
  /// EnvironmentError if the process has no descriptors left.
  [[nodiscard]] int descriptor();
  /// The next event; without a value if there is none. At most 4096 wait; further ones are dropped.
  std::optional<Event> next_event();
  /// Makes that events are handed to `handle` instead, by functions of this object before they return.
  /// `handle` may call functions of this object, but those that wait only see later events. Null: they wait
  /// again.
  void on_event(std::function<void(const Event& event)> handle);
  /// Takes part in the network until the deadline.
  void serve(Deadline deadline);

  [[nodiscard]] StreamCounters counters(std::uint32_t stream) const;
  /// What all processes of the network count and hold, gathered through the tree. Blocks until all have
  /// answered, for about a second if one is silent, and not longer than until the deadline; those that have
  /// not answered are named in it. `eventspace streams` asks for the same from outside, and is answered while
  /// a function of this object runs.
  NetworkReport gather_report(Deadline deadline);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::streams
