#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "paths/links/offset_estimator.h"

// Clocks that run at different rates, and links between them whose delays the test knows. All moments are
// true times in nanoseconds.

namespace eventspace::test {

/// Reads `begin` at moment 0 and changes its rate now and then, within `max_ppm` of the true rate.
class SimulatedClock {
 public:
  SimulatedClock(std::mt19937_64& random, double begin, double max_ppm, double seconds,
                 double changes_every_s)
      : pieces_{{0, begin, 0}} {
    std::uniform_real_distribution<double> ppm(-max_ppm, max_ppm);
    for (double at = 0; at < seconds * 1e9; at += changes_every_s * 1e9) {
      const long double reading = exactly(at);
      pieces_.push_back({at, reading, ppm(random) * 1e-6});
    }
  }

  /// The clock's reading at that moment.
  [[nodiscard]] std::int64_t reading(double moment) const {
    return static_cast<std::int64_t>(std::floor(exactly(moment)));
  }
  void step(double moment, double by) {
    const Piece& before = piece_at(moment);
    Piece stepped{moment, exactly(moment) + by, before.rate};
    for (Piece& piece : pieces_) {
      if (piece.from > moment) piece.reading += by;
    }
    const auto place = std::upper_bound(pieces_.begin(), pieces_.end(), moment,
                                        [](double at, const Piece& piece) { return at < piece.from; });
    pieces_.insert(place, stepped);
  }

 private:
  struct Piece {
    double from;
    long double reading;
    double rate;  // minus one
  };
  [[nodiscard]] const Piece& piece_at(double moment) const {
    const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), moment,
                                        [](double at, const Piece& piece) { return at < piece.from; });
    return *std::prev(after);
  }
  [[nodiscard]] long double exactly(double moment) const {
    const Piece& piece = piece_at(moment);
    const long double since = moment - piece.from;
    return piece.reading + since + since * piece.rate;
  }

  std::vector<Piece> pieces_;
};

/// The delays of messages, each way, in nanoseconds: at least this long, and some longer.
struct SimulatedLink {
  double out{50'000};
  double back{50'000};
  double jitter{10'000};
  double answering{20'000};
};

/// An exchange that begins at `moment`; `end` is set to the arrival of its reply.
struct SimulatedExchange {
  double end{0};
  ClockExchange readings;
};

inline SimulatedExchange exchange_at(double moment, const SimulatedClock& here, const SimulatedClock& there,
                                     const SimulatedLink& link, std::mt19937_64& random) {
  std::exponential_distribution<double> more(1.0);
  const double received = moment + link.out + link.jitter * more(random);
  const double answered = received + link.answering * more(random);
  const double arrived = answered + link.back + link.jitter * more(random);
  return {arrived,
          {here.reading(moment), there.reading(received), there.reading(answered), here.reading(arrived)}};
}

}  // namespace eventspace::test
