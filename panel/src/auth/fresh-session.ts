/**
 * The browser requests downloads and pictures itself, so the client can't handle their 401. After a while without
 * requests, any activity renews the session first; a click on a download waits for that.
 */
import { responseOf, api, hasSession } from "../base/api.ts";
import { ADMIN_PREFIX, PANEL_PATH, SERVER_URL } from "../base/place.ts";
import { stateOfSession } from "../base/session-life.ts";

let asking: Promise<unknown> | null = null;

const isFresh = (): boolean => stateOfSession() === "fresh";

/** Asks for the password when the session has ended. */
function freshen(): Promise<unknown> {
  if (isFresh()) return Promise.resolve();
  asking ??= responseOf(api.GET("/admin/v1/auth/verify")).finally(() => (asking = null));
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

/** Returns a function that ends it. */
export function keepSessionFresh(): () => void {
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  document.addEventListener("click", waitOnClick, options);
  for (const kind of ["pointerdown", "keydown"] as const) document.addEventListener(kind, wake, options);
  document.addEventListener("visibilitychange", wake, options);
  return () => ended.abort();
}
