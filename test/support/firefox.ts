/** Drives Debian's Firefox over WebDriver BiDi, which it speaks itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.ts";

export const FIREFOX = Bun.which("firefox-esr") ?? Bun.which("firefox");

type Answer = {
  id?: number;
  type: string;
  method?: string;
  result?: never;
  params?: never;
  message?: string;
};
type Node = { sharedId: string };
/** As assistive technology has it. */
export type Named = { role: string; name: string };

/** Keys of WebDriver. */
export const TAB = "\uE004";
const ENTER = "\uE007";

async function addressIn(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`Firefox did not start: ${text}`);
}

/** A browser with a profile of its own and one page; close it. */
export async function startFirefox() {
  const profile = mkdtempSync(join(tmpdir(), "waymark-firefox-"));
  // What moves can't be clicked.
  await Bun.write(join(profile, "user.js"), 'user_pref("ui.prefersReducedMotion", 1);\n');
  const options = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"];
  const child = Bun.spawn([FIREFOX!, ...options, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: profile },
  });
  const socket = new WebSocket(`${await addressIn(child.stderr)}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const complaints: string[] = [];
  let last = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, type, method, result, params, message } = JSON.parse(String(data)) as Answer;
    if (method === "log.entryAdded") {
      const { level, text } = params as unknown as { level: string; text: string };
      if (level === "error") complaints.push(text);
    }
    const call = id === undefined ? undefined : waiting.get(id);
    if (type === "success") call?.resolve(result);
    else if (type === "error") call?.reject(new Error(message));
  });
  const send = <T>(method: string, params: object): Promise<T> => {
    const id = ++last;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject })) as Promise<T>;
  };

  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = await send<{ contexts: { context: string }[] }>("browsingContext.getTree", {});
  const { context } = contexts[0]!;

  const find = async (named: Named): Promise<Node | undefined> => {
    const locator = { type: "accessibility", value: named };
    const begun = performance.now();
    const { nodes } = await send<{ nodes: Node[] }>("browsingContext.locateNodes", { context, locator });
    // A search holds the page for up to some seconds. Without a pause as long, the page does nothing else.
    if (nodes[0] === undefined) await Bun.sleep(performance.now() - begun);
    return nodes[0];
  };
  const act = (actions: object[]) => send("input.performActions", { context, actions });

  const press = async ({ sharedId }: Node): Promise<void> => {
    const origin = { type: "element", element: { sharedId } };
    const actions = [
      { type: "pointerMove", x: 0, y: 0, origin },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await act([{ type: "pointer", id: "mouse", actions }]);
  };

  return {
    complaints,
    open: (url: string) => send("browsingContext.navigate", { context, url, wait: "complete" }),

    /** Waits for it. */
    async seen(named: Named): Promise<Node> {
      let node: Node | undefined;
      await until(async () => (node = await find(named)) !== undefined);
      return node!;
    },

    async click(named: Named): Promise<void> {
      await press(await this.seen(named));
    },

    /** Clicks it until it is gone, also by itself: messages leave after a while. */
    async dismiss(named: Named): Promise<void> {
      await until(async () => {
        const node = await find(named);
        if (node !== undefined) await press(node).catch(() => undefined);
        return node === undefined;
      });
    },

    /** Into what has the focus, then Enter. */
    async typeAndEnter(text: string): Promise<void> {
      const actions = [...text, ENTER].flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      await act([{ type: "key", id: "keys", actions }]);
    },

    async close(): Promise<void> {
      await send("browser.close", {}).catch(() => {});
      await child.exited;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
