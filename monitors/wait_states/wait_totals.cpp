#include "monitors/wait_states/wait_totals.h"

#include <algorithm>
#include <functional>

#include "monitors/delays/delay_origins.h"
#include "monitors/profile/bounded_map.h"
#include "monitors/wait_states/delay_steps.h"

namespace eventspace {
namespace {

using WaitSite = std::pair<WaitKind, std::uint32_t>;

class TotalsMaker {
 public:
  TotalsMaker(const RunActivities& run, const WaitStates& found) : run_(&run), found_(&found) {
    made_.locations.resize(run.locations());
  }

  WaitTotals make() {
    for (const WaitState& wait : found_->waits) add(wait);
    follow();
    for (auto& [site, row] : rows_) made_.sites.push_back(std::move(row));
    list(waiting_, &SiteWaits::waiting);
    list(origins_, &SiteWaits::origins);
    for (SiteWaits& row : made_.sites)
      for (auto* const times : {&row.waiting, &row.origins})
        std::ranges::stable_sort(*times, std::greater(), &LocationTime::ns);
    std::ranges::stable_sort(made_.sites, std::greater(), [](const SiteWaits& row) { return row.sum.ns; });
    made_.left_out += waiting_.left_out() + origins_.left_out();
    return std::move(made_);
  }

 private:
  using Times = BoundedMap<std::pair<WaitSite, std::uint32_t>, double, max_rows>;

  [[nodiscard]] WaitSite site_of(const WaitState& wait) const {
    const Activity* const call = run_->find(wait.waiting);
    return {wait.kind, call == nullptr ? 0 : call->site};
  }

  void add(const WaitState& wait) {
    if (wait.kind == WaitKind::startup) return;
    const WaitSite site = site_of(wait);
    SiteWaits& row = rows_.try_emplace(site, SiteWaits{site.first, site.second}).first->second;
    for (WaitSum* const sum : {&row.sum, &made_.locations[wait.waiting.location].sum, &made_.all})
      sum->add(wait);
    if (!wait.is_certain()) return;
    if (double* const time = waiting_.entry({site, wait.waiting.location}))
      *time += static_cast<double>(wait.ns());
  }

  void follow() {
    DelayOrigins origins;
    origins.set_observer([this](const DelayStep& step, const OriginShares& shares) {
      add(found_->waits.at(step.tag), shares);
    });
    add_delay_steps(*run_, *found_, origins);
    made_.left_out += origins.left_out();
    // Waits whose signal was forgotten, or that were given up, are not observed.
    for (auto& [site, row] : rows_) row.unknown_ns = std::max(row.sum.ns - followed_[site], 0.0);
    for (const auto& [site, row] : rows_) made_.unknown_ns += row.unknown_ns;
  }

  void add(const WaitState& wait, const OriginShares& shares) {
    const WaitSite site = site_of(wait);
    for (const auto& [origin, ns] : shares.entries()) {
      if (origin == OriginShares::unknown || origin == OriginShares::earlier) continue;
      followed_[site] += ns;
      if (origin != wait.waiting.location) made_.locations[origin].caused_ns += ns;
      if (double* const time = origins_.entry({site, origin})) *time += ns;
    }
  }

  // Both are sorted by site.
  void list(const Times& times, std::vector<LocationTime> SiteWaits::*to) {
    auto row = made_.sites.begin();
    for (const auto& [key, ns] : times.entries()) {
      while (row != made_.sites.end() && WaitSite(row->kind, row->site) < key.first) ++row;
      if (row != made_.sites.end()) ((*row).*to).push_back({key.second, ns});
    }
  }

  const RunActivities* run_;
  const WaitStates* found_;
  WaitTotals made_;
  std::map<WaitSite, SiteWaits> rows_;
  std::map<WaitSite, double> followed_;
  Times waiting_, origins_;
};

}  // namespace

void WaitSum::add(const WaitState& wait) noexcept {
  const auto duration = static_cast<double>(wait.ns());
  (wait.is_certain() ? waits : unclear) += 1;
  (wait.is_certain() ? ns : unclear_ns) += duration;
}

WaitTotals sum_waits(const RunActivities& run, const WaitStates& found) {
  return TotalsMaker(run, found).make();
}

}  // namespace eventspace
