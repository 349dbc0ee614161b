/** Writes settings, history and change event in one transaction, one writer at a time. */
import { hash } from "node:crypto";
import type { Changes, ChangeTransaction } from "../cluster/changes.ts";
import type { Db } from "../db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { pictureIn } from "../../lib/picture.ts";
import { appError } from "../../lib/errors.ts";
import type { ConfigRepository } from "./config.repository.ts";
import { CONFIG_KEYS, type ConfigKey, definitionOf } from "./definitions.ts";
import { JOINT_RULES } from "./joint-rules.ts";
import { VALUE_MAX_BYTES } from "./value-types.ts";

/** Replaces a sensitive value in responses, history and logs. */
export const MASK = "[REDACTED]";

/** Canonical texts. Null returns a setting to its default. */
export type SettingWrites = ReadonlyMap<ConfigKey, string | null>;

/** Former values of the changed settings; null: none was stored. */
export type StoredBefore = ReadonlyMap<ConfigKey, string | null>;

export type SettingsChanges = Pick<Changes, "write" | "subscribe">;

/** A name: that of a command, or `system`. */
export type Author = string | Pick<Actor, "name" | "via">;

/**
 * Returns why a text is refused, or null. `tx`: the transaction that will store the value and holds the lock of the
 * settings.
 */
export type Refusal = (text: string, tx?: Db) => string | null | Promise<string | null>;

type Deps = {
  repository: ConfigRepository;
  changes: SettingsChanges;
  record: RecordEvents<Db>;
  refusals: ReadonlyMap<ConfigKey, Refusal>;
  /** Run after a value is stored; the caller waits. */
  followUps: ReadonlyMap<ConfigKey, () => Promise<void>>;
  clock: Clock;
};

export function createConfigWriter({ repository, changes, record, refusals, followUps, clock }: Deps) {
  /** The stored values that would change. @throws BadRequest when the settings together break a rule */
  async function difference(writes: SettingWrites, tx?: Db): Promise<Map<ConfigKey, string | null>> {
    if (writes.size === 0) return new Map();
    const rules = JOINT_RULES.filter((rule) => rule.keys.some((key) => writes.has(key)));
    const keys = new Set<string>([...writes.keys(), ...rules.flatMap((rule) => rule.keys)]);
    const rows = await repository.find([...keys], tx);
    const stored = new Map(rows.map((row) => [row.key, row.value]));
    const next = (key: ConfigKey): string =>
      (writes.has(key) ? writes.get(key) : stored.get(key)) ?? definitionOf(key).defaultText;
    for (const rule of rules) {
      const conflict = rule.conflict(next);
      if (conflict !== null) throw appError("BadRequest", conflict, { field: "value" });
    }
    const changing = [...writes].filter(([key, value]) => value !== (stored.get(key) ?? null));
    for (const [key] of changing) {
      const refusal = (await refusals.get(key)?.(next(key), tx)) ?? null;
      if (refusal !== null) throw appError("BadRequest", refusal, { field: "value" });
    }
    return new Map(changing.map(([key]) => [key, stored.get(key) ?? null]));
  }

  /** Returns the stored values before. */
  async function store(tx: ChangeTransaction, writes: SettingWrites, author: Author): Promise<StoredBefore> {
    const actor = actorOfAuthor(author);
    const changedBy = actor.name;
    await repository.lock(tx.db);
    const before = await difference(writes, tx.db);
    const changedAt = clock.now();
    for (const [key, oldValue] of before) {
      const value = writes.get(key) ?? null;
      if (value === null) await repository.remove(tx.db, key);
      else await repository.save(tx.db, { key, value, updatedAt: changedAt, updatedBy: changedBy });
      const texts = { oldValue: historyText(key, oldValue), newValue: historyText(key, value) };
      await repository.addChange(tx.db, { key, ...texts, changedAt, changedBy });
      const states = {
        before: { value: eventText(texts.oldValue) },
        after: { value: eventText(texts.newValue) },
      };
      await record(tx.db, [{ at: changedAt, actor, action: "setting.update", subject: key, ...states }]);
    }
    if (before.size > 0) tx.changed("settings", [...before.keys()]);
    return before;
  }

  return {
    /**
     * Stores all or none and returns the keys that changed. `also` runs after them in the same transaction.
     * @throws BadRequest when the settings together break a rule
     */
    async write(
      writes: SettingWrites,
      changedBy: Author,
      also?: (tx: ChangeTransaction, before: StoredBefore) => Promise<void>,
    ): Promise<ConfigKey[]> {
      const changed = await changes.write(async (tx) => {
        const before = await store(tx, writes, changedBy);
        await also?.(tx, before);
        return [...before.keys()];
      });
      for (const key of changed) await followUps.get(key)?.();
      return changed;
    },

    /** The keys that `write` would change. @throws BadRequest like `write` */
    async preview(writes: SettingWrites): Promise<ConfigKey[]> {
      return [...(await difference(writes)).keys()];
    },

    /** Where a generated setting has no usable value. The first of several processes wins. */
    async ensureGenerated(generate: () => string): Promise<void> {
      const keys = CONFIG_KEYS.filter((key) => definitionOf(key).generated);
      if ((await unusable(repository, keys)).length === 0) return;
      await changes.write(async (tx) => {
        await repository.lock(tx.db);
        const missing = await unusable(repository, keys, tx.db);
        await store(tx, new Map(missing.map((key) => [key, generate()])), "system");
      });
    },

    /** Makes every worker and node read the settings again. */
    announce(): Promise<void> {
      return changes.write(async (tx) => tx.changed("settings", ["*"]));
    },
  };
}

const actorOfAuthor = (author: Author): Pick<Actor, "name" | "via"> =>
  typeof author === "string" ? { name: author, via: author === "cli" ? "cli" : "system" } : author;

async function unusable(
  repository: ConfigRepository,
  keys: readonly ConfigKey[],
  tx?: Db,
): Promise<ConfigKey[]> {
  const stored = new Map((await repository.find(keys, tx)).map((row) => [row.key, row.value]));
  return keys.filter((key) => typeof definitionOf(key).canonical(stored.get(key) ?? "") !== "string");
}

/** Events name a picture and a long text; the history keeps them. */
function eventText(text: string): string {
  if (text.length > VALUE_MAX_BYTES && !text.startsWith("data:"))
    return `${Buffer.byteLength(text)} bytes, SHA-256 ${hash("sha256", text)}`;
  const picture = pictureIn(text);
  return picture === null ? text : `${picture.type}, ${picture.width} × ${picture.height}`;
}

/** Without a stored value the default. For a secret only whether there is one. */
function historyText(key: ConfigKey, stored: string | null): string {
  const definition = definitionOf(key);
  const text = stored ?? definition.defaultText;
  return definition.sensitive && text !== "" ? MASK : text;
}
