/**
 * Where links may lead. A write names the hosts that are new in a link: those of its target, rules and fallback. A
 * denied one is refused; one outside a list of allowed hosts is refused or makes the link wait for an administrator.
 */
import type { Actor } from "../../lib/actor.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import { withoutDot } from "../../lib/http-url.ts";
import { codeOf } from "../link/key.ts";
import type { Held } from "../link/held.ts";
import { isInternal } from "../link/internal-target.ts";
import { type LinkOptions, readOptions, writeOptions } from "../link/field-values.ts";
import { sharedCode } from "../rules/rule.ts";

type TargetRole = "editor" | "admin";

/** Hosts stand for their subdomains too. */
export type TargetLists = {
  /** Empty: every host. */
  allow: readonly string[];
  deny: readonly string[];
  /** Whom `allow` binds, and whose other links wait instead of being refused. */
  bound: readonly TargetRole[];
  waiting: readonly TargetRole[];
};

type Leading = { target: string; options: string | null };
type By = { actor: Pick<Actor, "name" | "role"> & { ownOnly?: boolean }; now: number };

/** The options to store, or why the link is refused. `before`: the stored link, or null. */
export type ValidateTargets = (before: Leading | null, after: Leading, by: By) => string | null | AppError;

type Deps = {
  targetLists(): TargetLists;
  /** Whether a URL leads to a link of ours. */
  isOwn(url: string): boolean;
};

export const ANY_TARGET: ValidateTargets = (_, after) => after.options;

export function createTargetValidation(deps: Deps): ValidateTargets {
  return (before, after, { actor, now }) => {
    const options = readOptions(after.options);
    if (isFree(deps.targetLists()) && options.held === null) return after.options;
    const urls = urlsOf(after.target, options);
    const known = before === null ? null : urlsOf(before.target, readOptions(before.options));
    if (known === null ? options.held !== null : String(urls) === String(known)) return after.options;
    const approved = options.held === null ? (known ?? []).flatMap(([, url]) => hostsOf(url)) : [];
    const found = firstUnlisted(deps, urls, approved, actor);
    if (found?.refusal) return found.refusal;
    const held: Held | null = found && { state: "waiting", at: now, by: actor.name, reason: found.host };
    return held === null && options.held === null ? after.options : writeOptions({ ...options, held });
  };
}

/** Validates URLs that are no link's, such as a domain's: what would wait for an administrator as a link is refused. */
export const createUrlValidation =
  (deps: Deps) =>
  /** @throws LinkInvalidUrl for a host that the known URLs do not have */
  (urls: readonly NamedUrl[], known: readonly NamedUrl[], actor: By["actor"]): void => {
    const approved = known.flatMap(([, url]) => hostsOf(url));
    const found = firstUnlisted(deps, urls, approved, actor);
    if (found !== null) throw found.refusal ?? refused(found.field, found.host, UNLISTED);
  };

/** With its field. */
type NamedUrl = readonly [field: string, url: string];

const UNLISTED = "is not among the hosts that links may lead to; ask an administrator";

const isFree = ({ allow, deny }: TargetLists): boolean => allow.length === 0 && deny.length === 0;

/** The first host that is refused, else the first that waits for an administrator, without refusal; null: none. */
function firstUnlisted(
  { targetLists, isOwn }: Deps,
  urls: readonly NamedUrl[],
  approved: readonly string[],
  actor: By["actor"],
): { field: string; host: string; refusal: AppError | null } | null {
  const lists = targetLists();
  const isAdmin = actor.role === undefined ? !actor.ownOnly : actor.role === "admin";
  const role = isAdmin ? "admin" : "editor";
  const isBound = lists.allow.length > 0 && lists.bound.includes(role);
  let waiting: ReturnType<typeof firstUnlisted> = null;
  for (const [field, url, host] of urls.flatMap(([at, one]) =>
    hostsOf(one).map((of) => [at, one, of] as const),
  )) {
    if (approved.includes(host) || isOwn(url)) continue;
    if (isListed(host, lists.deny)) {
      return { field, host, refusal: refused(field, host, "may not be the target of links here") };
    }
    if (!isBound || isListed(host, lists.allow)) continue;
    if (!lists.waiting.includes(role)) return { field, host, refusal: refused(field, host, UNLISTED) };
    waiting ??= { field, host, refusal: null };
  }
  return waiting;
}

const urlsOf = (target: string, { rules, fallbackUrl }: LinkOptions): NamedUrl[] => [
  ...(isInternal(target) ? [] : [["target", target] as const]),
  ...(rules ?? []).flatMap((rule, at): NamedUrl[] =>
    sharedCode(rule.target) === null ? [[`rules.${at}.target`, rule.target]] : [],
  ),
  ...(fallbackUrl === null ? [] : [["fallback_url", fallbackUrl] as const]),
];

/** As URLs have it: lower-case, in Punycode, numbers of addresses in one form. Empty: none. */
const hostOf = (url: string): string => withoutDot(URL.parse(url)?.hostname ?? "");

/** The hosts to which a URL leads; of mailto: those of its recipients. One such as tel: has none: its scheme is permitted. */
function hostsOf(url: string): string[] {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.protocol !== "mailto:") return [hostOf(url)].filter((host) => host !== "");
  const query = [...parsed.searchParams].filter(([name]) => RECIPIENTS.includes(asciiLower(name)));
  const addresses = [decoded(parsed.pathname), ...query.map(([, value]) => value)].flatMap((list) =>
    list.split(","),
  );
  const named = addresses.map((address) =>
    address.slice(address.lastIndexOf("@") + 1).replaceAll(/[>\s]/g, ""),
  );
  return [
    ...new Set(
      named.filter((name) => name !== "").map((name) => hostOf(`http://${name}/`) || asciiLower(name)),
    ),
  ];
}

const RECIPIENTS = ["to", "cc", "bcc"];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isListed = (host: string, list: readonly string[]): boolean =>
  list.some((listed) => host === listed || host.endsWith(`.${listed}`));

const refused = (field: string, host: string, why: string): AppError =>
  appError("LinkInvalidUrl", `${field}: ${host} ${why}.`, { field });

const heldOf = ({ options }: { options: string | null }) => readOptions(options).held;

/** Why a stored link may not be overwritten, changed or deleted by others than reviews; null if it may. */
export const takenDownRefusal = (link: { code: string; options: string | null }): AppError | null =>
  heldOf(link)?.state === "taken_down"
    ? appError(
        "Conflict",
        `"${codeOf(link.code)}" was taken down; it stays as it is until an administrator puts it back.`,
      )
    : null;

/** What overwrites a link that waits goes on waiting, unless it leads elsewhere. */
export const stillHeld = (stored: Leading, entry: Leading): Leading => {
  const held = heldOf(stored);
  return held === null ? entry : { ...entry, options: writeOptions({ ...readOptions(entry.options), held }) };
};
