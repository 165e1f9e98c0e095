#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/deadline.h>
#include "paths/links/network.h"
#include "scopes/streams/attaching/attach_point.h"
#include "scopes/streams/events.h"
#include "scopes/streams/report.h"
#include "scopes/streams/stream_options.h"
#include "scopes/streams/topology/topology.h"

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
/// A front-end works in the caller's thread: it serves the network only while one of its functions runs.
/// Otherwise back-ends wait as soon as their streams are full.
///
/// Guarantees, for each stream: packets arrive in the order sent. While all processes live, packets are lost
/// only by WhenFull and time-outs, and are then counted. Each packet that the user receives names the
/// end-points that are missing in it.
///
/// Not thread-safe. Functions throw EnvironmentError or ConfigurationError.
class FrontEnd {
 public:
  /// Where the internal processes of the topology run.
  enum class Internals : std::uint8_t {
    threads,   ///< as threads of this process, which starts them
    elsewhere  ///< in other processes: they attach, and announce() tells where their children attach
  };
  struct Options {
    std::string name{};      ///< of the network; empty: a new one
    std::string endpoint{};  ///< where children of the front-end attach; empty: a local socket
    std::shared_ptr<const SessionSecurity> security{};
    Internals internals{Internals::threads};
    std::filesystem::path keys{};  ///< the file of the keys in attach points, if the network has keys
    std::string host{};            ///< name of this machine in reports; empty: its real name
    std::string announced{};       ///< where children connect, if that is not `endpoint`
    Adoption adoption{Adoption::ancestor};  ///< for processes whose parent is lost
    /// Processes of this session on this machine may attach by its name (Session::back_end). Empty: attaching
    /// needs an attach point.
    std::string session{};
    /// Called several times a second while the front-end waits: returns new failures. For callers that start
    /// processes of the network. May be empty.
    std::function<std::vector<std::string>()> find_failures{};
  };
  /// With Internals::elsewhere, the stream in which internal processes report failures unasked, as texts. It
  /// is open from the beginning.
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
  /// nearest living process above it. Throws std::out_of_range for a rank that the topology lacks.
  [[nodiscard]] AttachPoint attach_point(RankSet::Rank rank) const;

  /// Blocks until this many back-ends are attached; returns whether they are.
  bool wait_for(std::size_t back_ends, Deadline deadline);
  [[nodiscard]] RankSet ranks() const;  ///< the attached back-ends
  /// wait_for() for internal processes.
  bool wait_for_internals(std::size_t internals, Deadline deadline);
  /// The failures so far, with Internals::elsewhere: texts with host and command, the first 100.
  [[nodiscard]] const std::vector<std::string>& failures() const noexcept;
  /// The ranks of the attached internal processes (commands.h): members for a stream of commands.
  [[nodiscard]] RankSet internals() const;

  /// Tells where the children of an internal process attach; `process`: its number in the topology. Only for
  /// Internals::elsewhere.
  void announce(std::uint32_t process, std::string endpoint);
  /// The attach points of all back-ends as one text, see AttachPoint. Leaves out back-ends whose internal
  /// process was not announced.
  [[nodiscard]] std::string attach_text() const;

  /// Opens a stream and returns its number. Without members it has all back-ends, and no internal processes.
  /// Its end-points receive the opening before its first packet.
  std::uint32_t open(const StreamOptions& options);
  /// Changes the members of a stream while it is in use: back-ends and internal processes by their ranks, see
  /// EndPoints (members/end_points.h). Later packets go to the new members, and later waves are formed by
  /// them. Empty: all back-ends. Returns false if the stream does not exist.
  bool set_members(std::uint32_t stream, const RankSet& members);
  /// Replaces the filters of a stream while it is in use, in all processes of the network or in none. Each
  /// process makes the new filters. When all have them, all use them from the same wave on. Every wave is
  /// made by either the old or the new filters, none is lost or made twice, and the packets that old filters
  /// have kept are sent up before. Returns the number of that wave, as counted by BackEnd::send and answer():
  /// the first one that no process had begun to process. During the change waves are held, for one message
  /// down and one up through the internal processes; back-ends are not asked. Packets that are sent down
  /// afterwards pass the new filters.
  ///
  /// Blocks until the processes have answered. Returns nullopt, and keeps the old filters, if a process has
  /// not answered until the deadline, or the stream does not exist. Throws ConfigurationError, and keeps the
  /// old filters, if a process cannot make the new ones.
  std::optional<std::uint64_t> set_filters(std::uint32_t stream, const std::vector<FilterUse>& up,
                                           const std::vector<FilterUse>& down, Deadline deadline);
  /// Replaces parameters of one filter, in the same way: `parameters` replace those of the same names, in
  /// both directions. Also throws ConfigurationError if the stream does not have such a filter.
  std::optional<std::uint64_t> set_parameters(std::uint32_t stream, const std::string& filter,
                                              const Parameters& parameters, Deadline deadline);
  /// Ends a stream. Packets on their way are dropped.
  void close(std::uint32_t stream);

  /// Sends a packet down, to `packet.ranks` or to all end-points of the stream. Blocks while there is no room
  /// (WhenFull::wait). Returns false, without sending, if there is no room until the deadline, or the stream
  /// does not exist. The packet leaves at once, except in one case: the caller has just received a packet,
  /// and more are queued for it or several waves of the stream are on the way. Then it may leave with the
  /// next packets, when a function that receives or serves is called.
  bool send(std::uint32_t stream, const Packet& packet, Deadline deadline);
  /// The next packet of a stream; nullopt at the deadline.
  std::optional<Packet> receive(std::uint32_t stream, Deadline deadline);
  /// The next packet of any stream; the streams take turns.
  std::optional<Received> receive(Deadline deadline);
  /// Passes packets of a stream, or of all streams without a function of their own, to `handle` instead. It
  /// is called in turns by functions of this object that wait. `handle` may call functions of this object,
  /// but those that wait only see later packets. An exception becomes an event (EventKind::fault), and the
  /// network continues. Null: packets are queued again.
  void on_packet(std::function<void(const Received& received)> handle);
  void on_packet(std::uint32_t stream, std::function<void(const Received& received)> handle);
  /// A descriptor for the event loop of the program (poll(2), epoll(7)), valid as long as this object. It is
  /// readable when serve() or receive() with Deadline::now() has work to do: call one of them until there are
  /// no more packets, and wait again. It may be readable without need. Must not be read from. Throws
  /// EnvironmentError if the process has run out of descriptors.
  [[nodiscard]] int descriptor();
  /// The next event; nullopt if there is none. Up to 4096 events are queued; further ones are dropped.
  std::optional<Event> next_event();
  /// Passes events to `handle` instead; it is called by functions of this object before they return. `handle`
  /// may call functions of this object, but those that wait only see later events. Null: events are queued
  /// again.
  void on_event(std::function<void(const Event& event)> handle);
  /// Serves the network until the deadline.
  void serve(Deadline deadline);

  [[nodiscard]] StreamCounters counters(std::uint32_t stream) const;
  /// Gathers the counts and queues of all processes of the network through the tree. Blocks until all have
  /// answered, for about a second if one is silent, and not longer than until the deadline; the report names
  /// the processes that have not answered. `eventspace streams` requests the same from outside, and is
  /// answered while a function of this object runs.
  NetworkReport gather_report(Deadline deadline);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::streams
