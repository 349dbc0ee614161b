/** Rules on several settings together. Writes that break one are refused; of stored values the defaults hold. */
import type { ConfigKey } from "./definitions.ts";
import { findPrefixConflict, ROUTE_PREFIX_KEYS } from "./route-prefixes.ts";

type JointRule = {
  /** What the rule looks at. */
  keys: readonly ConfigKey[];
  /** What returns to its default when stored values break the rule. */
  fallback: readonly ConfigKey[];
  /** What is wrong, as a sentence that names a key, or null. */
  conflict(textOf: (key: ConfigKey) => string): string | null;
};

export const JOINT_RULES: readonly JointRule[] = [
  {
    keys: ROUTE_PREFIX_KEYS,
    fallback: ROUTE_PREFIX_KEYS,
    conflict: (textOf) =>
      findPrefixConflict({
        "routes.admin_prefix": textOf("routes.admin_prefix"),
        "routes.health_prefix": textOf("routes.health_prefix"),
        "routes.frontend_prefix": textOf("routes.frontend_prefix"),
      }),
  },
  {
    keys: ["api.cookie_secure", "api.cookie_same_site"],
    fallback: ["api.cookie_same_site"],
    conflict: (textOf) =>
      textOf("api.cookie_same_site") === "None" && textOf("api.cookie_secure") === "false"
        ? "api.cookie_same_site: browsers refuse cookies with 'None' unless api.cookie_secure is on; turn that on, or take Lax or Strict."
        : null,
  },
];
