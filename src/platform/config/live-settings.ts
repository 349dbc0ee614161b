/**
 * The settings in memory. An event of the change feed reads the rows into a new snapshot. Reads never overlap, and a
 * request during a read is served by the next one, so an old result can't replace a new one. After a failed read the
 * old snapshot stays and the read repeats every second.
 */
import type { Logger } from "../../lib/logger.ts";
import type { ConfigRepository } from "./config.repository.ts";
import { CONFIG_KEYS, type ConfigKey, type ConfigValues, definitionOf } from "./definitions.ts";
import { buildSnapshot, type SettingTexts, type Snapshot } from "./snapshot.ts";
import type { SettingsChanges } from "./writer.ts";

type Listener<K extends ConfigKey> = (
  value: ConfigValues[K],
  previous: ConfigValues[K],
) => void | Promise<void>;

function createListeners(logger: Logger) {
  const byKey = new Map<ConfigKey, Set<Listener<never>>>();
  return {
    /** Calls `listener` after a changed value is in force. The feed waits for it. Returns how to unsubscribe. */
    add<K extends ConfigKey>(key: K, listener: Listener<K>): () => void {
      const listenersOfKey = byKey.get(key) ?? new Set();
      byKey.set(key, listenersOfKey.add(listener));
      return () => void listenersOfKey.delete(listener);
    },
    async notify(previous: Snapshot, next: Snapshot): Promise<void> {
      const changed = [...byKey].filter(([key]) => previous.texts[key] !== next.texts[key]);
      for (const [key, listenersOfKey] of changed) {
        for (const listener of listenersOfKey) {
          try {
            await listener(next.values[key] as never, previous.values[key] as never);
          } catch (error) {
            logger.error(
              { key, err: error },
              "a setting changed, but a part of the program failed to apply it",
            );
          }
        }
      }
    },
  };
}

const RETRY_MS = 1000;

type Deps = {
  repository: ConfigRepository;
  changes: Pick<SettingsChanges, "subscribe">;
  logger: Logger;
  /** Values of settings that need a restart; null: those of the first read. */
  held: Partial<SettingTexts> | null;
  fixed?: Partial<SettingTexts>;
};

export function createLiveSettings({ repository, changes, logger, held, fixed = {} }: Deps) {
  const listeners = createListeners(logger);
  const report = createReporter(logger);
  let snapshot = buildSnapshot([], { held: held ?? {}, fixed, previous: null, onInvalid: () => {} });
  let unsubscribe: (() => void) | null = null;
  let retry: ReturnType<typeof setTimeout> | null = null;
  let closed = false;

  const read = oneAtATime(async () => {
    const invalid = new Map<ConfigKey, string>();
    const next = buildSnapshot(await repository.find(CONFIG_KEYS), {
      held: held ?? {},
      fixed,
      previous: snapshot,
      onInvalid: (key, reason) => invalid.set(key, reason),
    });
    held ??= textsOf(next.latest, (key) => definitionOf(key).requiresRestart);
    report(invalid);
    const previous = snapshot;
    snapshot = next;
    await listeners.notify(previous, next);
  });

  /** Never rejects: its event is committed. */
  async function refresh(): Promise<void> {
    if (closed) return;
    try {
      await read();
    } catch (error) {
      logger.warn(
        { err: error },
        "the settings could not be read; the old ones stay in force until a read succeeds",
      );
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
    /** Rejects with the error of the database. */
    read,
    onChange: listeners.add,
    startValues: (): Partial<SettingTexts> => ({ ...held }),
    /** Reads, then follows the changes. */
    async start(): Promise<void> {
      unsubscribe ??= changes.subscribe("settings", refresh);
      await read();
    },
    close(): void {
      closed = true;
      unsubscribe?.();
      if (retry !== null) clearTimeout(retry);
    },
  };
}

/** Warns once for each unusable value and reason. Never logs the value: it may be a secret. */
function createReporter(logger: Logger): (invalid: ReadonlyMap<ConfigKey, string>) => void {
  let known: ReadonlyMap<ConfigKey, string> = new Map();
  return (invalid) => {
    for (const [key, reason] of invalid) {
      if (known.get(key) === reason) continue;
      logger.warn({ key, reason }, "a stored setting can't be used; its default is used instead");
    }
    known = invalid;
  };
}

const textsOf = (texts: SettingTexts, isIncluded: (key: ConfigKey) => boolean): Partial<SettingTexts> =>
  Object.fromEntries(CONFIG_KEYS.filter(isIncluded).map((key) => [key, texts[key]]));

/** A call during a run joins the next one. */
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
