/** One request of a webhook, and what becomes of its delivery. */
import { type StoredEvent, viewOfEvent } from "../../platform/events/event.ts";
import { type Outbound, OutboundFailure, type OutboundResponse, unchunkedBody } from "../../lib/outbound.ts";
import { parseRetryAfter } from "../../lib/retry-after.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { VERSION } from "../../lib/version.ts";
import {
  signedHeaders,
  type Delivery,
  messageIdOf,
  TEST_EVENT,
  type WebhookAttempt,
  type Webhook,
} from "./webhook.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** After the first, second … failed attempt, as Standard Webhooks recommends. */
const PAUSES = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
export const MOST_RETRY_AFTER_MS = 24 * HOUR;
const TIMEOUT_MS = 15 * SECOND;
const GONE = 410;
/** Twenty attempts of one delivery fit into its row, whatever the characters. */
const MOST_RESPONSE_CHARACTERS = 400;
/** A body that comes later is not waited for: the status decides. */
const BODY_MS = 1_000;
const MOST_RESPONSE_BYTES = 4 * MOST_RESPONSE_CHARACTERS;

/** `error`: null for a success. `retryAfterMs`: from the response, bounded. */
export type MadeAttempt = WebhookAttempt & { isGone: boolean; retryAfterMs: number };

/** Until the next attempt; null after the last one. A test has one. */
export const pauseAfter = ({ eventId, attempts }: Pick<Delivery, "eventId" | "attempts">): number | null =>
  eventId === null ? null : (PAUSES[attempts - 1] ?? null);

/** @param event null: a test */
export function payloadOf(
  delivery: Pick<Delivery, "event" | "createdAt">,
  event: StoredEvent | null,
): object {
  if (event === null) return { type: TEST_EVENT, timestamp: formatRfc3339(delivery.createdAt), data: {} };
  return { type: delivery.event, timestamp: formatRfc3339(event.at), data: viewOfEvent(event) };
}

type Sending = { webhook: Pick<Webhook, "url">; delivery: Delivery; event: StoredEvent | null };

type Deps = { outbound: Outbound; instance: string; now(): number; timeoutMs?: number };

export const createAttempt =
  ({ outbound, instance, now, timeoutMs = TIMEOUT_MS }: Deps) =>
  async ({ webhook, delivery, event }: Sending, secrets: readonly string[]): Promise<MadeAttempt> => {
    const at = now();
    const begun = performance.now();
    const done = (
      status: number | null,
      error: string | null,
      more: Partial<MadeAttempt> = {},
    ): MadeAttempt => ({
      at,
      ms: Math.round(performance.now() - begun),
      status,
      error,
      isGone: status === GONE,
      retryAfterMs: 0,
      ...more,
    });
    const body = JSON.stringify(payloadOf(delivery, event));
    const id = messageIdOf(delivery, instance);
    const headers = {
      "Content-Type": "application/json",
      "User-Agent": `Waymark/${VERSION}`,
      ...signedHeaders({ id, body }, secrets, at),
    };
    const request = { url: webhook.url, method: "POST", headers, body, timeoutMs } as const;
    try {
      const bounds = {
        mostBytes: MOST_RESPONSE_BYTES,
        bodyMs: Math.min(BODY_MS, timeoutMs / 4),
        redirects: 0,
      };
      const answer = await outbound({ ...request, ...bounds });
      const { status, headers: received } = answer;
      const response = beginningOf(answer);
      if (status >= 200 && status < 300) return done(status, null, { response });
      const retryAfterMs = retryAfter(received.get("retry-after"), now());
      return done(status, problemOf(status), { response, retryAfterMs });
    } catch (error) {
      if (error instanceof OutboundFailure) return done(null, sentence(error.message));
      throw error;
    }
  };

/** Without control characters, which would take six bytes each. */
function beginningOf(answer: OutboundResponse): string | null {
  const text = unchunkedBody(answer)
    .toString("utf8")
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  return text.slice(0, MOST_RESPONSE_CHARACTERS).toWellFormed() || null;
}

function problemOf(status: number): string {
  if (status >= 300 && status < 400) return `The response is ${status}; redirects are not followed.`;
  return `The response is ${status}.`;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** In milliseconds, at most a day; 0 without. */
export const retryAfter = (given: string | null, now: number): number =>
  parseRetryAfter(given, now, MOST_RETRY_AFTER_MS) ?? 0;
