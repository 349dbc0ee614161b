/** Settings as lists show them. A set secret is masked unless revealed, an unset one is empty. */
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { Snapshot } from "./snapshot.ts";
import { MASK } from "./writer.ts";
import { type ConfigKey, definitionOf } from "./definitions.ts";

export type RevealOptions = { secrets?: boolean };

export type ConfigItem = ReturnType<typeof itemOf>;

export function itemOf(
  snapshot: Snapshot,
  key: ConfigKey,
  installedAt: number,
  { secrets = false, fixed = false }: RevealOptions & { fixed?: boolean } = {},
) {
  const definition = definitionOf(key);
  const [text, next] = [snapshot.texts[key], snapshot.latest[key]];
  const shown = (given: string) => (definition.sensitive && !secrets && given !== "" ? MASK : given);
  return {
    key,
    /** The text in force. */
    value: shown(text),
    valueType: definition.type,
    category: definition.category,
    requiresRestart: definition.requiresRestart,
    isSensitive: definition.sensitive,
    /** Epoch milliseconds; for a setting never written, when the installation was made. */
    updatedAt: snapshot.updatedAt.get(key) ?? installedAt,
    /** The text in force after the next start, if it differs. */
    ...(next !== text && { pendingValue: shown(next) }),
    /** Given at the start, so nothing here changes it. */
    isFixed: fixed,
  };
}

export const viewItem = (item: ConfigItem) => ({
  key: item.key,
  value: item.value,
  value_type: item.valueType,
  requires_restart: item.requiresRestart,
  is_sensitive: item.isSensitive,
  updated_at: formatRfc3339(item.updatedAt),
  ...(item.isFixed && { is_fixed: true }),
  ...(item.pendingValue === undefined ? {} : { pending_value: item.pendingValue }),
});
