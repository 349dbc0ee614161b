/**
 * The live view, once a second. While a client watches, its process collects the counters and newest journal records of
 * all workers of the machine. Recording costs nothing more.
 */
import type { LinkName } from "../links/domains/registry.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, appError } from "../lib/errors.ts";
import { shortSender } from "../lib/short-sender.ts";
import type { LiveDrop, LiveRepository } from "./live.repository.ts";
import type { LiveFilter, LiveSecond, WorkerLiveStats } from "./live-clicks.ts";

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
type LiveDropEvent = Partial<LinkName> & {
  file_id: number;
  folder_id: number;
  name: string;
  size: number;
  sender: string;
  sender_name: string | null;
  at: string;
};

type Kind = "clicks" | "drops";

/** `isAllowed` rejects while the permission is unknown. */
export type Viewer = { accountId: number; isAllowed(): Promise<boolean>; filter?: LiveFilter | null };

/** Events of one second. */
type LiveUpdate = { clicks: { second: LiveSecond; text: string } | null; drops: readonly LiveDrop[] };

type Deps = {
  /** Collects the counters and newest clicks of all workers. */
  collect(sinceMs: number): Promise<WorkerLiveStats[]>;
  repository: LiveRepository;
  nameOf(key: string): LinkName;
  clock: Clock;
  limits?: { watchers?: number; ofAccount?: number; watchMs?: number; tickMs?: number };
};

/** The bound of a worker. Each viewer may cost two queries a second. */
export const MOST_WATCHERS = 40;
/** The bound on viewers of drop boxes only, which cost one query together. */
export const MOST_LISTENERS = 100;
/** The bound of either kind. A browser opens no more connections to a server over HTTP/1.1. */
export const MOST_OF_ACCOUNT = 6;
const WATCH_MS = 15 * 60_000;
const TICK_MS = 1_000;
/** Clicks in an event. */
const MOST_LATEST = 20;
const MOST_KNOWN = 1_000;
const OPENING = ": waymark\nretry: 3000\n\n";

export function createLive({ collect, repository, nameOf, clock, limits = {} }: Deps) {
  const { watchers = MOST_WATCHERS, ofAccount = MOST_OF_ACCOUNT } = limits;
  const { watchMs = WATCH_MS, tickMs = TICK_MS } = limits;
  const placesFor = (most: number) =>
    createLivePlaces({ most, mostOfAccount: ofAccount, onLost: () => publish(null) });
  const places = { clicks: placesFor(watchers), drops: placesFor(MOST_LISTENERS) };
  const viewers = (): number => places.clicks.size() + places.drops.size();
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The next events, or null to check the viewers. */
  let next = Promise.withResolvers<LiveUpdate | null>();
  const drops = createLiveDrops({ repository, clock });
  const seconds = createSeconds(collect, clock);
  const textOf = clicksText(repository, nameOf);

  async function readClicks(): Promise<LiveUpdate["clicks"]> {
    const second = await seconds.next();
    return { second, text: await textOf(second, second.rate.clicks) };
  }

  /** The text for a viewer, null while the database is away, or `gone` if the filter is refused. */
  async function filtered(
    clicks: LiveUpdate["clicks"],
    filter: LiveFilter | null,
  ): Promise<string | "gone" | null> {
    if (clicks === null || filter === null) return clicks && clicks.text;
    try {
      const kept = await filter(clicks.second);
      return await textOf(kept, kept.shown);
    } catch (error) {
      return error instanceof AppError && error.kind !== "unavailable" ? "gone" : null;
    }
  }

  function publish(update: LiveUpdate | null): void {
    const current = next;
    next = Promise.withResolvers();
    current.resolve(update);
  }

  /** Sends nothing for a second while the database is away. */
  async function tick(): Promise<void> {
    const [clicks, files] = await Promise.all([
      places.clicks.size() > 0 ? readClicks().catch(() => null) : null,
      drops.findNew().catch(() => []),
    ]);
    publish({ clicks, drops: files });
    if (viewers() > 0 && !isClosed) timer = setTimeout(() => void tick(), tickMs);
    else timer = undefined;
  }

  function begin(kind: Kind, accountId: number): LivePlace {
    if (isClosed) throw stopping();
    const isFirst = places[kind].size() === 0;
    const place = places[kind].take(accountId);
    if (kind === "clicks" && isFirst) seconds.restart();
    if (timer === undefined) {
      drops.restart();
      timer = setTimeout(() => void tick(), 0);
    }
    return place;
  }

  /** Frees the place of a viewer who leaves at once: the generator itself first waits for the next second. */
  function stream(kind: Kind, viewer: Viewer): AsyncGenerator<string, void> {
    let place: LivePlace | undefined;
    const texts = eventTexts(kind, viewer, () => (place = begin(kind, viewer.accountId)));
    const end = texts.return.bind(texts);
    const leave = () => place?.leave();
    return Object.assign(texts, { return: (value: void) => (leave(), end(value)) });
  }

  async function* eventTexts(
    kind: Kind,
    { accountId, isAllowed, filter = null }: Viewer,
    takePlace: () => LivePlace,
  ): AsyncGenerator<string, void> {
    const end = performance.now() + watchMs;
    const place = takePlace();
    try {
      yield OPENING;
      let coming = next.promise;
      while (!isClosed && performance.now() < end) {
        const update = await coming;
        coming = next.promise;
        // Checked with each update. Rejects while the database is away.
        if (place.isLost || (await isAllowed().catch(() => null)) === false) return;
        if (update === null) continue;
        const clicks = kind === "clicks" ? await filtered(update.clicks, filter) : null;
        if (clicks === "gone") return;
        yield (clicks ?? ": no news\n\n") + dropTexts(update.drops, accountId, nameOf);
      }
    } finally {
      place.leave();
    }
  }

  return {
    /**
     * Server-sent events, first a comment: clicks, and files in the account's drop boxes. Ends when `isAllowed`
     * resolves with false, which is checked once a second and at each `recheck`; when the filter names what the account
     * does not reach any more; when others need the place; and after a quarter of an hour.
     * @throws RateLimitExceeded, ServiceUnavailable with too many viewers
     */
    watch: (viewer: Viewer): AsyncGenerator<string, void> => stream("clicks", viewer),
    /** Likewise, without clicks. */
    watchDrops: (viewer: Viewer): AsyncGenerator<string, void> => stream("drops", viewer),
    watchers: viewers,
    /** Call it when an account, session or token changed. Ends the streams that are no longer allowed. */
    recheck: (): void => publish(null),
    /** Ends all streams. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      next.resolve(null);
    },
  };
}

const stopping = () => appError("ServiceUnavailable", "The server is stopping; try again.");

/** What the workers counted since the last call. */
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

    async next(): Promise<LiveSecond> {
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

/** A place of a viewer. `isLost`: another viewer has it. */
type LivePlace = { readonly accountId: number; isLost: boolean; leave(): void };

type Options = { most: number; mostOfAccount: number; onLost(): void };

const RETRY_SECONDS = 5;

/**
 * The places of viewers: a bounded number for each account and for all. When all are taken, a newcomer gets the oldest
 * place of the account with the most, if it leaves that account with more. So no account keeps others out.
 */
function createLivePlaces({ most, mostOfAccount, onLost }: Options) {
  /** The places in the order in which they were taken. */
  const taken = new Set<LivePlace>();
  const countOf = (accountId: number): number =>
    taken.values().reduce((count, place) => count + Number(place.accountId === accountId), 0);

  function makeRoom(newcomer: number): boolean {
    const counts = new Map<number, number>();
    for (const { accountId } of taken) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    const [largest, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    if (count - 1 <= (counts.get(newcomer) ?? 0)) return false;
    const oldest = taken.values().find(({ accountId }) => accountId === largest)!;
    oldest.isLost = true;
    taken.delete(oldest);
    onLost();
    return true;
  }

  return {
    /** @throws RateLimitExceeded for an account with too many, ServiceUnavailable without room */
    take(accountId: number): LivePlace {
      if (countOf(accountId) >= mostOfAccount) {
        const message = `A worker serves at most ${mostOfAccount} live views of an account at once; close one of yours.`;
        throw appError("RateLimitExceeded", message, { details: { retryAfterSeconds: RETRY_SECONDS } });
      }
      if (taken.size >= most && !makeRoom(accountId)) {
        throw appError(
          "ServiceUnavailable",
          `A worker serves at most ${most} viewers at once; try again later.`,
        );
      }
      const place: LivePlace = { accountId, isLost: false, leave: () => void taken.delete(place) };
      taken.add(place);
      return place;
    },
    size: (): number => taken.size,
  };
}

const MOST = 500;
/** Ids become visible in the order of commits, which may differ by this much. */
const SETTLED_MS = 10_000;

/** Finds files in drop boxes, for the live view of the boxes' owners. */
function createLiveDrops({ repository, clock }: Pick<Deps, "repository" | "clock">) {
  let floor: number | null = null;
  let seen = new Map<number, number>();

  return {
    /** Starts anew: only files that arrive later are found. */
    restart(): void {
      floor = null;
      seen = new Map();
    },

    /** Drops since the last call, oldest first. The first call only notes the position. */
    async findNew(): Promise<LiveDrop[]> {
      if (floor === null) {
        floor = await repository.lastDropId();
        return [];
      }
      const now = clock.now();
      const found = (await repository.dropsAfter(floor, MOST)).filter(({ fileId }) => !seen.has(fileId));
      for (const { fileId } of found) seen.set(fileId, now);
      for (const [id, at] of seen) {
        if (seen.size <= MOST / 2 && now - at <= SETTLED_MS) continue;
        floor = Math.max(floor, id);
        seen.delete(id);
      }
      return found;
    },
  };
}
