/**
 * The three route prefixes and the file endpoints must differ, and none may lie below another: the outer one would
 * respond with 404 for it.
 */

export const ROUTE_PREFIX_KEYS = [
  "routes.admin_prefix",
  "routes.health_prefix",
  "routes.frontend_prefix",
] as const;

/** Reads the prefixes as they are now. */
export const routePrefixesIn =
  ({ get }: { get(key: RoutePrefixKey): string }) =>
  (): string[] =>
    ROUTE_PREFIX_KEYS.map((key) => get(key));

/** Reads the prefixes that are in force after the next start: a link there would be dead then. */
export const waitingPrefixesIn =
  ({ getOne }: { getOne(key: RoutePrefixKey): { pendingValue?: string } }) =>
  (): string[] =>
    ROUTE_PREFIX_KEYS.flatMap((key) => getOne(key).pendingValue ?? []);

type RoutePrefixKey = (typeof ROUTE_PREFIX_KEYS)[number];

const TAKEN = ["/files", "/folders"];

/** A sentence that names the key in conflict, or null. */
export function findPrefixConflict(prefixOf: (key: RoutePrefixKey) => string): string | null {
  for (const [index, key] of ROUTE_PREFIX_KEYS.entries()) {
    const prefix = prefixOf(key);
    for (const taken of TAKEN) {
      if (overlap(prefix, taken)) return `${key}: '${prefix}' belongs to the file endpoints at '${taken}'.`;
    }
    for (const other of ROUTE_PREFIX_KEYS.slice(index + 1)) {
      if (overlap(prefix, prefixOf(other))) {
        return `${key}: '${prefix}' and ${other} '${prefixOf(other)}' are equal or one hides the other. Choose different paths.`;
      }
    }
  }
  return null;
}

const overlap = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
