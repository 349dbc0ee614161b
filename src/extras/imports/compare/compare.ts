/** Asks two services where codes lead: HEAD, no redirect followed, some at once, at a bounded rate. */
import { inParallel } from "../../../lib/in-parallel.ts";
import { type Outbound, OutboundFailure } from "../../../lib/outbound.ts";

export type Heard = { status: number | null; location: string | null; problem: string | null };
export type Difference = { code: string; here: Heard; there: Heard };

export type CompareOptions = {
  here: string;
  against: string;
  /** Codes a second. */
  rate: number;
  /** Redirects with another status are a difference, too. */
  exactStatus: boolean;
  outbound: Outbound;
};

const AT_ONCE = 8;
const TIMEOUT_MS = 10_000;
const MOST_LOCATION = 8_192;
/** Of a service that is overloaded or restarts. */
const TRIES = 3;
const RETRY_MS = 1_000;

export const addressOf = (base: string, code: string): string =>
  `${base.endsWith("/") ? base.slice(0, -1) : base}/${code.split("/").map(encodeURIComponent).join("/")}`;

export function createCompare({ here, against, rate, exactStatus, outbound }: CompareOptions) {
  const pauseMs = 1_000 / rate;
  let nextAt = 0;

  /** One code after another, at the rate. */
  async function turn(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + pauseMs;
    if (at > now) await Bun.sleep(at - now);
  }

  async function ask(base: string, code: string): Promise<Heard> {
    const url = addressOf(base, code);
    for (let tries = 1; ; tries++) {
      try {
        const request = { url, method: "HEAD", timeoutMs: TIMEOUT_MS, mostBytes: 0, redirects: 0 } as const;
        const { status, headers } = await outbound(request);
        const isBusy = status === 429 || status === 503;
        if (!isBusy || tries === TRIES) {
          const location = headers.get("location");
          return { status, location: location === null ? null : absolute(location, url), problem: null };
        }
      } catch (error) {
        if (!(error instanceof OutboundFailure)) throw error;
        if (error.reason === "refused" || tries === TRIES)
          return { status: null, location: null, problem: error.message };
      }
      await Bun.sleep(RETRY_MS * tries);
    }
  }

  const differ = (one: Heard, other: Heard): boolean => {
    if (one.problem !== null || other.problem !== null) return true;
    if (exactStatus && one.status !== other.status) return true;
    return kindOf(one) !== kindOf(other) || (kindOf(one) === "redirect" && one.location !== other.location);
  };

  /** Of some codes, in their order. */
  return async function compare(codes: readonly string[], onDone: () => void): Promise<Difference[]> {
    const found: (Difference | undefined)[] = [];
    await inParallel(codes.entries(), AT_ONCE, async ([at, code]) => {
      await turn();
      const [mine, theirs] = await Promise.all([ask(here, code), ask(against, code)]);
      if (differ(mine, theirs)) found[at] = { code, here: mine, there: theirs };
      onDone();
    });
    return found.filter((one) => one !== undefined);
  };
}

/** Why to stop, if one of the services answered no code. */
export function silenceOf(found: readonly Difference[]): string | null {
  for (const [side, name] of [
    ["here", "This service"],
    ["there", "The other service"],
  ] as const)
    if (found.every((one) => one[side].problem !== null))
      return `${name} answers no code: ${found.at(-1)![side].problem}`;
  return null;
}

const kindOf = ({ status }: Heard): string =>
  status !== null && status >= 300 && status < 400 ? "redirect" : `status ${status}`;

/** As URLs are compared; HTTP headers are bytes. */
function absolute(location: string, base: string): string {
  const text = Buffer.from(location, "latin1").toString("utf8");
  return (URL.parse(text.includes("\uFFFD") ? location : text, base)?.href ?? location).slice(
    0,
    MOST_LOCATION,
  );
}
