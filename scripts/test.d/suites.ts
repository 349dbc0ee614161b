/**
 * Which suite has which file, by its name: `npm test` has `*.test.ts`, CI has `*.ci.test.ts` too, and the whole suite
 * has all, with `*.long.test.ts`. CI and the whole suite need the servers.
 */
import { Glob } from "bun";

/** `long` is what the whole suite has and CI has not. */
export type Suite = "short" | "ci" | "long" | "all";

const LEVELS: Record<Suite, readonly string[]> = {
  short: ["short"],
  ci: ["short", "ci"],
  long: ["long"],
  all: ["short", "ci", "long"],
};

const levelOf = (file: string): string => /\.(ci|long)\.test\.tsx?$/.exec(file)?.[1] ?? "short";

/** The rules of the code base are in `npm run check`. */
const isRule = (file: string): boolean => file.startsWith("test/tidy");

/** The files of a suite whose paths contain one of `paths`. A file that is named whole needs no suite. */
export const findFiles = (root: string, suite: Suite, paths: readonly string[]): string[] =>
  [...new Glob("{src,test}/**/*.test.{ts,tsx}").scanSync({ cwd: root })].filter((file) => {
    if (paths.includes(file)) return true;
    if (!LEVELS[suite].includes(levelOf(file))) return false;
    return paths.length === 0 ? !isRule(file) : paths.some((path) => file.includes(path));
  });

/**
 * The contracts that CI runs on all four databases: the paths of their tests begin with these. A test belongs here when
 * it is about what databases do differently: locks, orders, counts, texts, failures, or all writes of a main table. The
 * whole suite runs every test of a repository on all four.
 */
export const CONTRACTS: readonly string[] = [
  "src/platform/cluster/",
  "src/platform/db/",
  "src/platform/events/events",
  "src/auth/sessions/",
  "src/auth/tokens/tokens",
  "src/auth/users/users",
  "src/clicks/analytics/service.test",
  "src/clicks/clicks",
  "src/clicks/flush",
  "src/clicks/rollups/rebuild",
  "src/clicks/rollups/retention",
  "src/clicks/rollups/rollup",
  "src/files/blobs/blobs",
  "src/files/search/",
  "src/files/tree/removal",
  "src/links/cache/",
  "src/links/links.service",
  "src/links/list/equal-instants",
  "src/links/list/list",
  "src/links/query-batch/query-batch",
  "src/links/tags/",
  "src/links/write/batch",
  "src/extras/mail/outbox",
  "src/extras/webhooks/webhooks",
];

/**
 * Whether CI runs the file on all four databases. It runs the other files on SQLite.
 */
export const isContract = (file: string): boolean =>
  levelOf(file) !== "short" || CONTRACTS.some((path) => file.startsWith(path));
