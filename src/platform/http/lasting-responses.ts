/**
 * Cuts responses that outlast the right to them: downloads, archives, exports and lists that are still being sent when
 * their session, token, role, membership or share has ended. Their clients can't take a part for the whole.
 */
import { wholeBodyOf } from "../../lib/whole-response.ts";

type LastingResponse = {
  sinceMs: number;
  /** Rejects if that can't be said. */
  isStillAllowed(): Promise<boolean>;
  /** Cheap. */
  isUnderWay(): boolean;
  cut(): void;
};

const CHECK_MS = 1_000;

/** Whether it may be under way for long. The system takes a short one at once, and live streams end by themselves. */
export function lasts(response: Response): boolean {
  const whole = wholeBodyOf(response);
  const length = whole?.length ?? response.headers.get("content-length");
  if (length !== null && Number(length) < SHORT_BODY) return false;
  return response.body !== null && !response.headers.get("content-type")?.startsWith("text/event-stream");
}

/** Bytes or characters. */
const SHORT_BODY = 64 * 1024;

export function createLastingResponses({ checkMs = CHECK_MS } = {}) {
  const sent = new Set<LastingResponse>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function check(response: LastingResponse): Promise<void> {
    const isAllowed = await response.isStillAllowed().catch(() => true);
    if (isAllowed) return;
    sent.delete(response);
    response.cut();
  }

  /** A response younger than a round is left alone: it may be that to the end of its own session. */
  async function look(): Promise<void> {
    const before = performance.now() - checkMs;
    for (const response of sent) if (!response.isUnderWay()) sent.delete(response);
    const old = [...sent].filter(({ sinceMs }) => sinceMs <= before);
    await Promise.all(old.map(check));
    timer = undefined;
    if (sent.size > 0) start();
  }

  function start(): void {
    timer ??= setTimeout(() => void look(), checkMs);
    timer.unref();
  }

  return {
    /** Call it when the response begins. It is checked about once a second while it is under way. */
    add(response: Omit<LastingResponse, "sinceMs">): void {
      sent.add({ ...response, sinceMs: performance.now() });
      start();
    },
    size: (): number => sent.size,
  };
}
