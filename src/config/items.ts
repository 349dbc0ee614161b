/** Settings as lists show them. A set secret is masked unless revealed, an unset one is empty. */
import { formatRfc3339 } from "../lib/rfc3339.ts";
import type { Snapshot } from "./snapshot.ts";
import { MASK } from "./writer.ts";
import { type ConfigKey, definitionOf } from "./definitions.ts";
import type { Category, ValueType } from "./value-types.ts";

export type ConfigItem = {
  key: ConfigKey;
  /** The text in force. */
  value: string;
  valueType: ValueType;
  category: Category;
  requiresRestart: boolean;
  isSensitive: boolean;
  /** Epoch milliseconds; for a setting never written, when the installation was made. */
  updatedAt: number;
  /** The text in force after the next start, if it differs. */
  pendingValue?: string;
};

export type RevealOptions = { secrets?: boolean };

export function itemOf(
  snapshot: Snapshot,
  key: ConfigKey,
  installedAt: number,
  { secrets = false }: RevealOptions = {},
): ConfigItem {
  const definition = definitionOf(key);
  const shown = (text: string) => (definition.sensitive && !secrets && text !== "" ? MASK : text);
  const item: ConfigItem = {
    key,
    value: shown(snapshot.texts[key]),
    valueType: definition.type,
    category: definition.category,
    requiresRestart: definition.requiresRestart,
    isSensitive: definition.sensitive,
    updatedAt: snapshot.updatedAt.get(key) ?? installedAt,
  };
  if (snapshot.latest[key] !== snapshot.texts[key]) item.pendingValue = shown(snapshot.latest[key]);
  return item;
}

export const viewItem = (item: ConfigItem) => ({
  key: item.key,
  value: item.value,
  value_type: item.valueType,
  requires_restart: item.requiresRestart,
  is_sensitive: item.isSensitive,
  updated_at: formatRfc3339(item.updatedAt),
  ...(item.pendingValue === undefined ? {} : { pending_value: item.pendingValue }),
});
