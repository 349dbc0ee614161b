/** Click counting: the journal that the redirect writes, the flush thread, and the books. */
import { createBooksSnapshotWriter, createClickBooks } from "./books.ts";
import type { DatabaseSettings } from "../platform/db/database.ts";
import { dataPath } from "../lib/data-folder.ts";
import { messageOf } from "../lib/errors.ts";
import type { Config } from "../platform/config/config.service.ts";
import type { Core } from "../platform/core.ts";
import { createDetailGate } from "./details/gate.ts";
import { type DetailSettings, startFlushThread } from "./flush.thread.ts";
import type { AddressMode } from "../lib/kept-address.ts";
import type { GeoSettings } from "./details/geo.ts";
import { type DetailRefusal, SEGMENT_BYTES } from "./journal/format.ts";
import { createOverflow, createSegmentSupply } from "./journal/supply.ts";
import { listSegments, sequenceOf } from "./journal/segment.ts";
import { takeSlot, tidySlot } from "./journal/slot.ts";
import { createJournal, type Journal } from "./journal/journal.ts";

export type { ClickStats } from "./books.ts";

export type Clicks = Awaited<ReturnType<typeof createClicks>>;

export type ClickLimits = {
  segmentBytes: number;
  /** The bound of all segments of this process; beyond it (database away) clicks are dropped. */
  journalBytes: number;
  overflowClicks: number;
  /** Beyond it details are dropped. */
  pendingDetails: number;
  closeMs: number;
};

type ClicksOptions = Pick<Core, "config" | "logger" | "clock"> & {
  settings: DatabaseSettings;
  /** UUID of the database. */
  instance: string;
  /** Its folder `journal` holds the journal. */
  dataDir: string;
  /** Default: none. */
  geo?: GeoSettings;
  /** See loadFlushWorker. */
  flushWorker?: Worker;
  limits?: Partial<ClickLimits>;
};

const LIMITS: ClickLimits = {
  segmentBytes: SEGMENT_BYTES,
  /** 67 million clicks: eleven minutes at 100,000 a second, three weeks at 40. */
  journalBytes: 1024 ** 3,
  overflowClicks: 131_072,
  pendingDetails: 50_000,
  closeMs: 10_000,
};
const TICK_MS = 1000;
const PENDING_BOUND_MS = 500;

const detailSettings = ({ get }: Config): DetailSettings => ({
  locates: get("analytics.enable_geo_lookup") && get("privacy.keep_locations"),
  mostLogRows: get("analytics.max_rows_action") === "stop" ? get("analytics.max_log_rows") : 0,
  // What was recorded while addresses were logged keeps them.
  addresses: get("privacy.addresses") as AddressMode,
});

/** First counts what earlier processes left. The database may be away. */
export async function createClicks(options: ClicksOptions) {
  const { config, logger, clock } = options;
  const limits = { ...LIMITS, ...options.limits };
  const gate = createDetailGate({
    written: () => journal.detailed(),
    sampleRate: () => config.get("analytics.sample_rate"),
    mostPending: limits.pendingDetails,
  });
  const books = createClickBooks(gate, clock);
  const journalDir = dataPath(options.dataDir, "journal");
  const slot = takeSlot(journalDir);
  tidySlot(slot);
  const leftovers = listSegments(slot.dir);
  const intervalMs = () => config.get("click.flush_interval") * 1000;

  const thread = await startFlushThread({
    database: options.settings,
    instance: options.instance,
    journalDir,
    ownDir: slot.dir,
    intervalMs: intervalMs(),
    geo: options.geo ?? { maxminddbPath: null, geoipApiUrl: null },
    details: detailSettings(config),
    logLevel: logger.level,
    leftovers,
    logger,
    worker: options.flushWorker,
    onSettled: books.settled,
    onRetired: () => supply.released(),
    onReport(report) {
      books.flushed(report);
      watchForDue();
    },
  }).catch((error: unknown) => {
    slot.lock.release();
    throw error;
  });

  const supply = createSegmentSupply({
    dir: slot.dir,
    instance: options.instance,
    segmentBytes: limits.segmentBytes,
    maxSegments: Math.max(2, Math.floor(limits.journalBytes / limits.segmentBytes)),
    firstSequence: Math.max(0, ...leftovers.map((path) => sequenceOf(path) + 1)),
    existing: leftovers.length,
    clock,
    logger,
  });
  const journal = createJournal({
    supply,
    overflow: createOverflow(limits.overflowClicks),
    clock,
    onOpened: ({ path }) => thread.opened(path),
    onSealed: ({ path }) => thread.sealed(path),
    onDue: thread.due,
  });
  const stats = () => books.stats(journal.stats());
  const watchForDue = () =>
    journal.dueAfter(Math.max(1, config.get("click.max_clicks_before_flush") - stats().pending));
  const refresh = () => {
    journal.setEnabled(config.get("click.enable_tracking"));
    thread.setInterval(intervalMs());
    thread.setDetails(detailSettings(config));
    watchForDue();
  };

  await journal.start();
  refresh();
  thread.begin();
  const booksFile = createBooksSnapshotWriter({
    dir: slot.dir,
    stats,
    clock,
    onError: (error) =>
      logger.debug({ err: error }, "the click counts for `waymark status` can't be written"),
  });
  const tick = () => {
    journal.tick();
    void booksFile.update();
  };
  tick();
  const ticking = setInterval(tick, TICK_MS);

  return {
    record: journal.record,
    recordRefused: journal.recordRefused,
    /** Returns null if the next click should have details; otherwise it counts the refusal for recordRefused. */
    detailRefusal: (isSignalled = false): DetailRefusal | null =>
      journal.isEnabled() ? gate.refusal(isSignalled) : null,
    recordDetails: ((linkId, atMs, details, isAutomated = false) => {
      if (!journal.isEnabled()) return;
      if (!journal.recordDetails(linkId, atMs, details, isAutomated)) gate.disconnected();
    }) satisfies (...click: Parameters<Journal["recordDetails"]>) => void,
    /** Counts everything recorded so far, and removes it from the journal of this process. */
    settle: () => journal.roll().then(thread.flush),
    /** Counts everything recorded so far. Rejects with an AppError while the database is away. */
    flush: thread.flush,
    stats,
    /** At most `most` clicks after an instant, oldest first. */
    latest: journal.latest,
    /**
     * A lower bound beyond 262,144 uncounted clicks. The last known number if the reply takes longer than the bound.
     * Never rejects.
     */
    pendingLinks: (boundMs = PENDING_BOUND_MS): Promise<number> => thread.pendingLinks(boundMs),
    /** Call it when a `click.`, `analytics.` or `privacy.` key changes. */
    refresh,
    /** A last flush of at most ten seconds. The next start counts the rest. Never rejects. */
    async close(): Promise<void> {
      clearInterval(ticking);
      await journal.close();
      await thread.close(limits.closeMs).catch((error: unknown) => {
        const reason = messageOf(error);
        logger.warn({ reason, pending: stats().pending }, "clicks stay in the journal, to be counted later");
      });
      await booksFile.remove();
      slot.lock.release();
    },
  };
}
