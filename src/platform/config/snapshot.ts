/** The settings of this process, replaced in one assignment. */
import { CONFIG_KEYS, type ConfigKey, type ConfigValues, definitionOf, isConfigKey } from "./definitions.ts";
import { JOINT_RULES } from "./joint-rules.ts";
import type { StoredSetting } from "./stored-setting.ts";

export type SettingTexts = Readonly<Record<ConfigKey, string>>;

export type Snapshot = {
  /** What `get` returns. A value keeps its identity while its text stays. */
  readonly values: ConfigValues;
  /** Canonical, in force. */
  readonly texts: SettingTexts;
  /** The texts that are in force after the next start. */
  readonly latest: SettingTexts;
  readonly updatedAt: ReadonlyMap<ConfigKey, number>;
};

type Options = {
  /** Texts that settings keep until a restart. */
  held: Partial<SettingTexts>;
  /** Canonical; given at the start, whatever is stored. */
  fixed: Partial<SettingTexts>;
  previous: Snapshot | null;
  /** Called with each unusable stored value and the reason. The default is used instead. */
  onInvalid(key: ConfigKey, reason: string): void;
};

/** Ignores unknown keys: a newer version may have written them. */
export function buildSnapshot(rows: readonly StoredSetting[], options: Options): Snapshot {
  const latest = latestTexts(rows, options);
  const texts = textsInForce(latest, options);
  const values: Record<string, unknown> = {};
  for (const key of CONFIG_KEYS) {
    const unchanged = options.previous !== null && options.previous.texts[key] === texts[key];
    values[key] = unchanged ? options.previous?.values[key] : definitionOf(key).parse(texts[key]);
  }
  const updatedAt = new Map(
    rows.filter((row) => isConfigKey(row.key)).map((row) => [row.key, row.updatedAt]),
  );
  return { values: values as ConfigValues, texts, latest, updatedAt: updatedAt as Map<ConfigKey, number> };
}

/** What breaks a rule together with a text that waits for a restart waits too. */
function textsInForce(latest: SettingTexts, { held, previous }: Options): SettingTexts {
  const texts: Record<ConfigKey, string> = { ...latest, ...held };
  for (const { keys, conflict } of JOINT_RULES) {
    if (previous === null || conflict((key) => texts[key]) === null) continue;
    for (const key of keys) texts[key] = previous.texts[key];
  }
  return texts;
}

function latestTexts(rows: readonly StoredSetting[], { fixed, previous, onInvalid }: Options): SettingTexts {
  const stored = new Map([...rows.map((row) => [row.key, row.value] as const), ...Object.entries(fixed)]);
  const texts = {} as Record<ConfigKey, string>;
  for (const key of CONFIG_KEYS) {
    const definition = definitionOf(key);
    const fallback = definition.generated ? (previous?.latest[key] ?? "") : definition.defaultText;
    const checked = definition.canonical(stored.get(key) ?? fallback);
    if (typeof checked !== "string" && stored.has(key)) onInvalid(key, checked.error);
    texts[key] = typeof checked === "string" ? checked : fallback;
  }
  for (const rule of JOINT_RULES) {
    const conflict = rule.conflict((key) => texts[key]);
    if (conflict === null) continue;
    for (const key of rule.fallback) {
      if (stored.has(key)) onInvalid(key, conflict);
      texts[key] = definitionOf(key).defaultText;
    }
  }
  return texts;
}
