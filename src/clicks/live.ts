/**
 * The live view, once a second. While a client watches, its process collects the counters and newest journal records of
 * all workers of the machine. Recording costs nothing more.
 */
import type { LinkName } from "../links/domains/registry.ts";
import type { Clock } from "../lib/clock.ts";
import { appError } from "../lib/errors.ts";
import { shortSender } from "../lib/short-sender.ts";
import { createLiveDrops } from "./live-drops.ts";
import type { LiveDrop, LiveRepository } from "./live.repository.ts";
import type { LiveFilter, LiveSecond } from "./live-filter.ts";
import type { WorkerLiveStats } from "./live-stats.ts";

export type Live = ReturnType<typeof createLive>;

/** Data of an event `clicks`, one a second. */
export type LiveEvent = {
  at: string;
  clicks_per_second: number;
  human_clicks_per_second: number;
  /** Since the last event, oldest first; only the newest of many. No addresses. */
  latest: (LinkName & { clicked_at: string; source: string | null; automated: boolean })[];
};

/** Data of an event `drop`: a file in one of the watcher's drop boxes. The box may be closed. */
export type LiveDropEvent = Partial<LinkName> & {
  file_id: number;
  folder_id: number;
  name: string;
  size: number;
  sender: string;
  sender_name: string | null;
  at: string;
};

/** Events of one second. */
type News = { clicks: { second: LiveSecond; text: string } | null; drops: readonly LiveDrop[] };

type Deps = {
  /** Of all workers. */
  collect(sinceMs: number): Promise<WorkerLiveStats[]>;
  repository: LiveRepository;
  nameOf(key: string): LinkName;
  clock: Clock;
  limits?: { watchers?: number; watchMs?: number; tickMs?: number; checkMs?: number };
};

const MOST_WATCHERS = 20;
const MOST_LISTENERS = 100;
const WATCH_MS = 15 * 60_000;
const TICK_MS = 1_000;
const CHECK_MS = 30_000;
/** In an event. */
const MOST_LATEST = 20;
const MOST_KNOWN = 1_000;
const OPENING = ": waymark\nretry: 3000\n\n";

export function createLive({ collect, repository, nameOf, clock, limits = {} }: Deps) {
  const { watchers = MOST_WATCHERS, watchMs = WATCH_MS, tickMs = TICK_MS, checkMs = CHECK_MS } = limits;
  const viewers = { clicks: 0, drops: 0 };
  const most = { clicks: watchers, drops: MOST_LISTENERS };
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Null: nothing new, but something to check. */
  let next = Promise.withResolvers<News | null>();
  let rechecks = 0;
  const drops = createLiveDrops({ repository, clock });
  const seconds = createSeconds(collect, clock);
  const textOf = clicksText(repository, nameOf);

  /** Null while the database is away. */
  async function seen(): Promise<News["clicks"]> {
    const second = await seconds.look();
    return { second, text: await textOf(second, second.rate.clicks) };
  }

  async function filtered(clicks: News["clicks"], filter: LiveFilter | null): Promise<string | null> {
    if (clicks === null || filter === null) return clicks && clicks.text;
    const kept = await filter(clicks.second);
    return textOf(kept, kept.shown);
  }

  function tell(news: News | null): void {
    const current = next;
    next = Promise.withResolvers();
    current.resolve(news);
  }

  /** Sends nothing for a second while the database is away. */
  async function tick(): Promise<void> {
    const [clicks, files] = await Promise.all([
      viewers.clicks > 0 ? seen().catch(() => null) : null,
      drops.news().catch(() => []),
    ]);
    tell({ clicks, drops: files });
    if (viewers.clicks + viewers.drops > 0 && !isClosed) timer = setTimeout(() => void tick(), tickMs);
    else timer = undefined;
  }

  function begin(kind: keyof typeof viewers): void {
    if (kind === "clicks" && viewers.clicks === 0) seconds.restart();
    viewers[kind] += 1;
    if (timer !== undefined) return;
    drops.restart();
    timer = setTimeout(() => void tick(), 0);
  }

  async function* stream(
    kind: keyof typeof viewers,
    isAllowed: () => Promise<boolean>,
    accountId: number | undefined,
    filter: LiveFilter | null = null,
  ): AsyncGenerator<string, void> {
    if (isClosed || viewers[kind] >= most[kind]) {
      throw appError(
        "ServiceUnavailable",
        `A worker serves at most ${most[kind]} viewers at once; try again later.`,
      );
    }
    const end = performance.now() + watchMs;
    begin(kind);
    try {
      yield OPENING;
      // The first check covers changes since the request's own.
      let checkAt = 0;
      let checked = rechecks;
      let coming = next.promise;
      while (!isClosed && performance.now() < end) {
        let news: News | null = null;
        if (checked === rechecks) {
          news = await coming;
          coming = next.promise;
        }
        if (checked !== rechecks || performance.now() >= checkAt) {
          checked = rechecks;
          const isSo = await isAllowed().catch(() => null);
          if (isSo === false) return;
          // Fails while the database is away: asked again with the next news.
          checkAt = isSo === null ? 0 : performance.now() + checkMs;
        }
        if (news === null) continue;
        const clicks = kind === "clicks" ? await filtered(news.clicks, filter).catch(() => null) : null;
        yield (clicks ?? ": no news\n\n") + dropTexts(news.drops, accountId, nameOf);
      }
    } finally {
      viewers[kind] -= 1;
    }
  }

  return {
    /**
     * Server-sent events, first a comment. Ends when `isAllowed` says no, and after a quarter of an hour. It is asked at
     * each `recheck`, and twice a minute for what expires. `accountId`: also watches the account's drop boxes.
     * @throws ServiceUnavailable with too many watchers
     */
    watch: (
      isAllowed: () => Promise<boolean> = async () => true,
      accountId?: number,
      filter: LiveFilter | null = null,
    ): AsyncGenerator<string, void> => stream("clicks", isAllowed, accountId, filter),
    /** Without clicks: only what comes into the account's drop boxes. */
    watchDrops: (isAllowed: () => Promise<boolean>, accountId: number): AsyncGenerator<string, void> =>
      stream("drops", isAllowed, accountId),
    watchers: (): number => viewers.clicks + viewers.drops,
    /** Call it when an account, session or token changed. Ends the streams that are no longer allowed. */
    recheck(): void {
      rechecks += 1;
      tell(null);
    },
    /** Ends all streams. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      next.resolve(null);
    },
  };
}

/** What the workers counted since the last look. */
function createSeconds(collect: Deps["collect"], clock: Clock) {
  let known = new Map<string, WorkerLiveStats>();
  let sinceMs = 0;
  let lookedAt = 0;
  return {
    restart(): void {
      known = new Map();
      sinceMs = clock.now();
      lookedAt = performance.now();
    },

    async look(): Promise<LiveSecond> {
      const atMs = clock.now();
      const startedAt = performance.now();
      const parts = await collect(sinceMs);
      const seconds = Math.max(0.001, (startedAt - lookedAt) / 1000);
      const rateOf = (clicksOf: (part: WorkerLiveStats) => number): number => {
        const clicks = parts.reduce(
          (sum, part) => sum + Math.max(0, clicksOf(part) - clicksOf(known.get(part.worker) ?? part)),
          0,
        );
        return clicks / seconds;
      };
      const rate = {
        clicks: rateOf(({ clicks }) => clicks),
        automated: rateOf(({ automated }) => automated),
      };
      const newest = parts
        .flatMap((part) => part.latest)
        .sort((one, other) => one.atMs - other.atMs)
        .slice(-MOST_KNOWN);
      known = new Map(parts.map((part) => [part.worker, part]));
      sinceMs = atMs;
      lookedAt = startedAt;
      return { atMs, rate, newest };
    },
  };
}

function clicksText(repository: LiveRepository, nameOf: Deps["nameOf"]) {
  return async function textOf({ atMs, rate, newest }: LiveSecond, shown: number): Promise<string> {
    const latest = newest.slice(-MOST_LATEST);
    const codes = await repository.codesOf(latest.map(({ linkId }) => linkId));
    const event: LiveEvent = {
      at: new Date(atMs).toISOString(),
      clicks_per_second: rounded(shown),
      human_clicks_per_second: rounded(rate.clicks - rate.automated),
      latest: latest.flatMap(({ linkId, atMs: clickedAt, source, isAutomated }) => {
        const key = codes.get(linkId);
        if (key === undefined) return [];
        const clicked_at = new Date(clickedAt).toISOString();
        return [{ ...nameOf(key), clicked_at, source, automated: isAutomated }];
      }),
    };
    return eventText("clicks", event);
  };
}

/** Without those of others. */
const dropTexts = (
  files: readonly LiveDrop[],
  accountId: number | undefined,
  nameOf: Deps["nameOf"],
): string =>
  files
    .filter((file) => file.accountId === accountId)
    .map(({ key, fileId, folderId, name, size, sender, senderName, at }) => {
      const event: LiveDropEvent = {
        ...(key !== null && nameOf(key)),
        file_id: fileId,
        folder_id: folderId,
        name,
        size,
        sender: shortSender(sender),
        sender_name: senderName,
        at: new Date(at).toISOString(),
      };
      return eventText("drop", event);
    })
    .join("");

const eventText = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const rounded = (rate: number): number => Math.round(rate * 10) / 10;
