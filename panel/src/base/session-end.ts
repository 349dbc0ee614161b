/** What happens when a session has ended for good or has to prove more, and the messages between tabs of a browser. */

/** Asks over the page. True when signed in again, or when the second factor was shown. */
type Ask = () => Promise<boolean>;

let ask: Ask | null = null;
let asking: Promise<boolean> | null = null;
const leavers: (() => void)[] = [];

/** For one page at a time. Returns a function that ends it. */
export function askAtSessionEnd(run: Ask): () => void {
  ask = run;
  return () => void (ask = null);
}

/** Goes to the sign-in. */
export const leaveHere = (): void => leavers.forEach((leave) => leave());
/** Called when nobody is signed in any more. */
export const whenSignedOut = (run: () => void): void => void leavers.push(run);

/** True when signed in again: the refused request is repeated. Asks once for all requests. */
export function endOfSession(): Promise<boolean> {
  if (ask === null) return Promise.resolve(false);
  asking ??= ask().finally(() => (asking = null));
  return asking.then((isSignedIn) => {
    if (!isSignedIn) leaveHere();
    return isSignedIn;
  });
}

let askFactor: Ask | null = null;
let askingFactor: Promise<boolean> | null = null;

/** Asks for the second factor over the page. For one page at a time. Returns a function that ends it. */
export function askForFactor(run: Ask): () => void {
  askFactor = run;
  return () => void (askFactor = null);
}

/** True when the session has shown the second factor: the refused request is repeated. Asks once for all requests. */
export function showFactor(): Promise<boolean> {
  if (askFactor === null) return Promise.resolve(false);
  askingFactor ??= askFactor().finally(() => (askingFactor = null));
  return askingFactor;
}

export type TabNews = { what: "signed-out" } | { what: "changed" } | { what: "signed-in"; username: string };

const tabs = new BroadcastChannel("waymark-session");

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
export const tellTabs = (news: TabNews): void => tabs.postMessage(news);

export function onTabNews(onNews: (news: TabNews) => void): () => void {
  const listener = ({ data }: MessageEvent<TabNews>) => onNews(data);
  tabs.addEventListener("message", listener);
  return () => tabs.removeEventListener("message", listener);
}

onTabNews(({ what }) => {
  if (what === "signed-out") leaveHere();
});
