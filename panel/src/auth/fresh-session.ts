/**
 * Downloads and pictures are no requests of the client, so a 401 can't be mended after them. Whatever one does after a
 * while renews the session first; a click on a download waits for it.
 */
import { answerOf, api, hasSession } from "../app/api.ts";
import { ADMIN_PREFIX, PANEL_PATH, SERVER_URL } from "../app/place.ts";

/** Before its end a token counts as ended. */
const MARGIN_MS = 30_000;

/** Both clocks: one stops while the machine sleeps, the other one may be set. */
type Moment = { date: number; steady: number };
const now = (): Moment => ({ date: Date.now(), steady: performance.now() });

let known: { at: Moment; lifeMs: number } | null = null;
let asking: Promise<void> | null = null;

function isFresh(): boolean {
  if (known === null) return false;
  const { at, lifeMs } = known;
  const { date, steady } = now();
  return date >= at.date && Math.max(date - at.date, steady - at.steady) < lifeMs - MARGIN_MS;
}

async function ask(): Promise<void> {
  const at = now();
  const { data } = await answerOf(api.GET("/admin/v1/auth/verify"));
  known = { at, lifeMs: data.expires_in * 1000 };
}

/** Asks for the password when the session has ended. */
function freshen(): Promise<void> {
  if (isFresh()) return Promise.resolve();
  asking ??= ask().finally(() => (asking = null));
  return asking;
}

const wake = (): void => {
  if (hasSession() && !isFresh()) freshen().catch(() => {});
};

const ROOT = new URL(SERVER_URL).pathname.replace(/\/$/, "");
const SERVED = ["/files/", "/folders/", `${ADMIN_PREFIX}/`].map((prefix) => ROOT + prefix);

function isDownload({ origin, pathname }: HTMLAnchorElement): boolean {
  return (
    origin === location.origin &&
    !pathname.startsWith(PANEL_PATH) &&
    SERVED.some((prefix) => pathname.startsWith(prefix))
  );
}

function waitOnClick(event: MouseEvent): void {
  const anchor = event.target instanceof Element ? event.target.closest("a") : null;
  if (anchor === null || !isDownload(anchor) || isFresh()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // A menu may have closed by then.
  const copy = Object.assign(document.createElement("a"), { href: anchor.href, target: anchor.target });
  if (anchor.hasAttribute("download")) copy.download = anchor.download;
  freshen().then(
    () => (anchor.isConnected ? anchor : copy).click(),
    () => {},
  );
}

/** Returns how to end it. */
export function keepSessionFresh(): () => void {
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  document.addEventListener("click", waitOnClick, options);
  for (const kind of ["pointerdown", "keydown"] as const) document.addEventListener(kind, wake, options);
  document.addEventListener("visibilitychange", wake, options);
  known = null;
  return () => ended.abort();
}
