/**
 * How the three route prefixes must stand to each other and to the file endpoints: no two equal, none below another.
 * A prefix below another would be answered by that other's "nothing here" and never be reached.
 */

export const ROUTE_PREFIX_KEYS = [
  "routes.admin_prefix",
  "routes.health_prefix",
  "routes.frontend_prefix",
] as const;

export type RoutePrefixKey = (typeof ROUTE_PREFIX_KEYS)[number];

const TAKEN = ["/files", "/folders"];

/** What is wrong with the prefixes together as a sentence that names the key, or null. */
export function findPrefixConflict(prefixes: Readonly<Record<RoutePrefixKey, string>>): string | null {
  for (const [index, key] of ROUTE_PREFIX_KEYS.entries()) {
    const prefix = prefixes[key];
    for (const taken of TAKEN) {
      if (overlap(prefix, taken)) return `${key}: '${prefix}' belongs to the file endpoints at '${taken}'.`;
    }
    for (const other of ROUTE_PREFIX_KEYS.slice(index + 1)) {
      if (overlap(prefix, prefixes[other])) {
        return `${key}: '${prefix}' and ${other} '${prefixes[other]}' are equal or one hides the other; keep them apart.`;
      }
    }
  }
  return null;
}

const overlap = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
