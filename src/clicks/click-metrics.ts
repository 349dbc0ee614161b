import { dataPath } from "../lib/data-folder.ts";
import type { Reading, Registry } from "../lib/metrics.ts";
import type { Clicks, ClickStats } from "./clicks.ts";
import { journalBytes } from "./journal/slot.ts";

/** If the flush thread is busy, a scrape takes the last known number. */
const PENDING_BOUND_MS = 2;
const FEW_CLICKS = 10_000;
/** Counting many clicks takes more processor time than a scrape may cost. */
const REFRESH_AFTER_MS = 20;

type Source = Pick<Clicks, "stats" | "pendingLinks">;

export function registerClickMetrics(registry: Registry, clicks: Source, dataDir: string): void {
  registerBooks(registry, clicks.stats);
  registerDetails(registry, () => clicks.stats().details);
  registerPendingLinks(registry, clicks);
  registry.observe(
    "gauge",
    {
      name: "svc_clicks_journal_bytes",
      help: "Disk space of the click journals on this data folder.",
      together: "largest",
    },
    () => one(journalBytes(dataPath(dataDir, "journal"))),
  );
}

const one = (number: number): Reading[] => [[[], number]];
const byState = (states: Record<string, number>, dropped: Record<string, number>): Reading[] => [
  ...Object.entries(states).map(([state, count]): Reading => [[state], count]),
  ...Object.entries(dropped).map(([reason, count]): Reading => [[`dropped_${reason}`], count]),
];

function registerBooks(registry: Registry, stats: () => ClickStats): void {
  registry.observe(
    "counter",
    { name: "svc_clicks_flush_total", help: "Flushes of the click journal.", labels: ["trigger", "status"] },
    () => Object.entries(stats().flushes).map(([outcome, count]): Reading => [outcome.split(" "), count]),
  );
  registry.observe(
    "counter",
    {
      name: "svc_clicks_total",
      help: "Clicks: accepted = stored + pending + dropped.",
      labels: ["state"],
    },
    () => {
      const { accepted, stored, dropped } = stats();
      return byState({ accepted, stored }, dropped);
    },
  );
  registry.observe(
    "counter",
    {
      name: "svc_automated_clicks_total",
      help: "Clicks of automated visitors, which svc_clicks_total includes.",
      labels: ["state"],
    },
    () => {
      const { accepted, stored, dropped } = stats().automated;
      return byState({ accepted, stored, dropped }, {});
    },
  );
  registry.observe(
    "gauge",
    { name: "svc_clicks_pending", help: "Clicks in the journal that are not stored." },
    () => one(stats().pending),
  );
  registry.observe(
    "gauge",
    {
      name: "svc_clicks_last_flush_timestamp_seconds",
      help: "Unix time of the last flush, by outcome.",
      labels: ["status"],
      together: "largest",
    },
    () => Object.entries(stats().flushedAt).map(([status, at]): Reading => [[status], at / 1000]),
  );
  registry.observe(
    "gauge",
    { name: "svc_clicks_flush_duration_seconds", help: "Duration of the last flush." },
    () => one((stats().lastFlush?.durationMs ?? 0) / 1000),
  );
}

function registerDetails(registry: Registry, details: () => ClickStats["details"]): void {
  registry.observe(
    "counter",
    {
      name: "svc_click_details_total",
      help: "Details of clicks: recorded = logged + pending + dropped.",
      labels: ["state"],
    },
    () => {
      const { recorded, logged, dropped } = details();
      return byState({ recorded, logged }, dropped);
    },
  );
  registry.observe(
    "gauge",
    { name: "svc_click_details_pending", help: "Detailed clicks in the journal that are not written yet." },
    () => one(details().pending),
  );
  registry.observe(
    "counter",
    {
      name: "svc_clicks_channel_dropped",
      help: "Details that were dropped; their clicks are counted.",
      labels: ["reason"],
    },
    () => {
      const { full, disconnected } = details().dropped;
      return [
        [["full"], full],
        [["disconnected"], disconnected],
      ];
    },
  );
}

function registerPendingLinks(registry: Registry, { stats, pendingLinks }: Source): void {
  let known = 0;
  let refreshing: ReturnType<typeof setTimeout> | undefined;
  async function refresh(): Promise<void> {
    known = await pendingLinks();
    refreshing = undefined;
  }
  registry.prepare(async () => {
    if (stats().pending <= FEW_CLICKS) known = await pendingLinks(PENDING_BOUND_MS);
    else refreshing ??= setTimeout(refresh, REFRESH_AFTER_MS).unref();
  });
  registry.observe(
    "gauge",
    { name: "svc_clicks_buffer_entries", help: "Distinct codes with clicks that are not stored yet." },
    () => one(known),
  );
}
