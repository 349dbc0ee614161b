/** Rules on several settings together. A write that breaks one is refused. */
import type { ConfigKey } from "./definitions.ts";
import { findPrefixConflict, ROUTE_PREFIX_KEYS } from "./route-prefixes.ts";

type JointRule = {
  keys: readonly ConfigKey[];
  /** Return to their defaults when stored values break the rule. */
  fallback: readonly ConfigKey[];
  /** A sentence that names a key, or null. */
  conflict(textOf: (key: ConfigKey) => string): string | null;
};

export const JOINT_RULES: readonly JointRule[] = [
  {
    keys: ROUTE_PREFIX_KEYS,
    fallback: ROUTE_PREFIX_KEYS,
    conflict: findPrefixConflict,
  },
  {
    keys: ["api.cookie_secure", "api.cookie_same_site"],
    fallback: ["api.cookie_same_site"],
    conflict: (textOf) =>
      textOf("api.cookie_same_site") === "None" && textOf("api.cookie_secure") === "false"
        ? "api.cookie_same_site: browsers refuse cookies with 'None' unless api.cookie_secure is on; turn that on, or use Lax or Strict."
        : null,
  },
];
