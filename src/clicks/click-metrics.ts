import { dataPath } from "../lib/data-folder.ts";
import type { Reading, Registry } from "../lib/metrics.ts";
import type { Clicks } from "./clicks.ts";
import { journalBytes } from "./journal/slot.ts";

/** If the flush thread is busy, a scrape takes the last known number. */
const PENDING_BOUND_MS = 2;
const FEW_CLICKS = 10_000;
/** Counting many clicks takes more processor time than a scrape may cost. */
const REFRESH_AFTER_MS = 20;

type Source = Pick<Clicks, "stats" | "pendingLinks">;

export function registerClickMetrics(registry: Registry, clicks: Source, dataDir: string): void {
  const { stats } = clicks;
  const details = () => stats().details;
  const gauge = (name: string, help: string, read: () => number, together: "sum" | "largest" = "sum") =>
    registry.observe("gauge", { name, help, together }, () => [[[], read()]]);
  const counter = (name: string, help: string, labels: readonly string[], read: () => Reading[]) =>
    registry.observe("counter", { name, help, labels }, read);

  counter("svc_clicks_flush_total", "Flushes of the click journal.", ["trigger", "status"], () =>
    Object.entries(stats().flushes).map(([outcome, count]) => [outcome.split(" "), count]),
  );
  counter("svc_clicks_total", "Clicks: accepted = stored + pending + dropped.", ["state"], () => {
    const { accepted, stored, dropped } = stats();
    return byState({ accepted, stored }, dropped);
  });
  const automated = "Clicks of automated visitors, which svc_clicks_total includes.";
  counter("svc_automated_clicks_total", automated, ["state"], () => {
    const { accepted, stored, dropped } = stats().automated;
    return byState({ accepted, stored, dropped }, {});
  });
  gauge("svc_clicks_pending", "Clicks in the journal that are not stored.", () => stats().pending);
  const flushed = {
    name: "svc_clicks_last_flush_timestamp_seconds",
    help: "Unix time of the last flush, by outcome.",
    labels: ["status"],
    together: "largest",
  } as const;
  registry.observe("gauge", flushed, () =>
    Object.entries(stats().flushedAt).map(([status, at]): Reading => [[status], at / 1000]),
  );
  gauge(
    "svc_clicks_flush_duration_seconds",
    "Duration of the last flush.",
    () => (stats().lastFlush?.durationMs ?? 0) / 1000,
  );
  const ofDetails = "Details of clicks: recorded = logged + pending + dropped.";
  counter("svc_click_details_total", ofDetails, ["state"], () => {
    const { recorded, logged, dropped } = details();
    return byState({ recorded, logged }, dropped);
  });
  const waiting = "Detailed clicks in the journal that are not written yet.";
  gauge("svc_click_details_pending", waiting, () => details().pending);
  const lost = "Details that were dropped; their clicks are counted.";
  counter("svc_clicks_channel_dropped", lost, ["reason"], () =>
    (["full", "disconnected"] as const).map((reason) => [[reason], details().dropped[reason]]),
  );
  const distinct = "Distinct codes with clicks that are not stored yet.";
  gauge("svc_clicks_buffer_entries", distinct, createPendingLinks(registry, clicks));
  const disk = "Disk space of the click journals on this data folder.";
  gauge("svc_clicks_journal_bytes", disk, () => journalBytes(dataPath(dataDir, "journal")), "largest");
}

const byState = (states: Record<string, number>, dropped: Record<string, number>): Reading[] => [
  ...Object.entries(states).map(([state, count]): Reading => [[state], count]),
  ...Object.entries(dropped).map(([reason, count]): Reading => [[`dropped_${reason}`], count]),
];

/** Returns how to read the last known number. */
function createPendingLinks(registry: Registry, { stats, pendingLinks }: Source): () => number {
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
  return () => known;
}
