/**
 * The settings in memory. Every write to them ends in an event of the change feed, in this process and in every
 * other; an event makes a new snapshot from the stored rows and swaps it in. Reads of the rows never overlap, and a
 * request for one that comes while another runs is served by one that begins later, so an old answer can't replace a
 * new one. When a read fails the old snapshot stays and the read is tried again every second.
 */
import type { Logger } from "../lib/logger.ts";
import type { ConfigRepository } from "./config.repository.ts";
import { buildSnapshot, type Snapshot, type SettingTexts } from "./snapshot.ts";
import type { SettingsChanges } from "./writer.ts";
import { CONFIG_KEYS, type ConfigKey, type ConfigValues, definitionOf } from "./definitions.ts";

const RETRY_MS = 1000;

type Deps = {
  repository: ConfigRepository;
  changes: Pick<SettingsChanges, "subscribe">;
  logger: Logger;
  /** What settings that need a restart hold; null: what the first read finds. */
  held: Partial<SettingTexts> | null;
};

export function createLiveSettings({ repository, changes, logger, held }: Deps) {
  const listeners = createListeners(logger);
  const report = createReporter(logger);
  let snapshot = buildSnapshot([], { held: held ?? {}, previous: null, onInvalid: () => {} });
  let unsubscribe: (() => void) | null = null;
  let retry: ReturnType<typeof setTimeout> | null = null;
  let closed = false;

  const read = oneAtATime(async () => {
    const invalid = new Map<ConfigKey, string>();
    const next = buildSnapshot(await repository.find(CONFIG_KEYS), {
      held: held ?? {},
      previous: snapshot,
      onInvalid: (key, reason) => invalid.set(key, reason),
    });
    held ??= textsOf(next.latest, (key) => definitionOf(key).requiresRestart);
    report(invalid);
    const previous = snapshot;
    snapshot = next;
    await listeners.tell(previous, next);
  });

  /** Never rejects: the event that it follows is committed, whatever happens here. */
  async function refresh(): Promise<void> {
    if (closed) return;
    try {
      await read();
    } catch (error) {
      logger.warn({ err: error }, "the settings could not be read; the old ones stay and it is tried again");
      if (retry !== null || closed) return;
      retry = setTimeout(() => {
        retry = null;
        void refresh();
      }, RETRY_MS);
      retry.unref();
    }
  }

  return {
    current: (): Snapshot => snapshot,
    /** Reads the stored settings now. Rejects as the database does. */
    read,
    onChange: listeners.add,
    startValues: (): Partial<SettingTexts> => ({ ...held }),
    /** Follows the changes from here on, after a first read. */
    async start(): Promise<void> {
      unsubscribe = changes.subscribe("settings", refresh);
      await read();
    },
    close(): void {
      closed = true;
      unsubscribe?.();
      if (retry !== null) clearTimeout(retry);
    },
  };
}

type Listener<K extends ConfigKey> = (
  value: ConfigValues[K],
  previous: ConfigValues[K],
) => void | Promise<void>;

function createListeners(logger: Logger) {
  const byKey = new Map<ConfigKey, Set<Listener<never>>>();
  return {
    /** Calls `listener` after a changed value came into force, the feed waiting for it. Returns how to stop. */
    add<K extends ConfigKey>(key: K, listener: Listener<K>): () => void {
      const heard = byKey.get(key) ?? new Set();
      byKey.set(key, heard.add(listener));
      return () => void heard.delete(listener);
    },
    async tell(previous: Snapshot, next: Snapshot): Promise<void> {
      const changed = [...byKey].filter(([key]) => previous.texts[key] !== next.texts[key]);
      for (const [key, heard] of changed) {
        for (const listener of heard) {
          try {
            await listener(next.values[key] as never, previous.values[key] as never);
          } catch (error) {
            logger.error(
              { key, err: error },
              "a setting changed, but a part of the program could not follow",
            );
          }
        }
      }
    },
  };
}

/** Warns of each unusable value once, and again when the reason has changed. Values stay out: they may be secrets. */
function createReporter(logger: Logger): (invalid: ReadonlyMap<ConfigKey, string>) => void {
  let known: ReadonlyMap<ConfigKey, string> = new Map();
  return (invalid) => {
    for (const [key, reason] of invalid) {
      if (known.get(key) === reason) continue;
      logger.warn({ key, reason }, "a stored setting can't be used; its default holds instead");
    }
    known = invalid;
  };
}

const textsOf = (texts: SettingTexts, wanted: (key: ConfigKey) => boolean): Partial<SettingTexts> =>
  Object.fromEntries(CONFIG_KEYS.filter(wanted).map((key) => [key, texts[key]]));

/** Calls never overlap; a call made while one runs joins the one that follows it. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const begin = () => {
    next = null;
    running = run();
    return running;
  };
  return () => {
    next ??= running.then(begin, begin);
    return next;
  };
}
