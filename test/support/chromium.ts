/** Opens pages in headless Chromium (Debian: chromium-headless-shell or chromium) over its debugging protocol. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** With its own windows, PDF viewer and extensions. */
export const WHOLE_CHROMIUM = Bun.which("chromium");
/** The shell, which lacks those, takes half of the processor time. */
export const CHROMIUM = Bun.which("chromium-headless-shell") ?? WHOLE_CHROMIUM;

const OPTIONS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-pipe",
];

type Message = { id?: number; method?: string; params?: never; result?: never; error?: { message: string } };
type Event = { method: string; params: unknown };

export type Page = {
  /** Every request since the page was made. */
  readonly requests: readonly string[];
  /** Messages of the console, exceptions and violations of the policy. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  /** The value of an expression, which may be a promise. */
  evaluate<T>(expression: string): Promise<T>;
  screenshot(path: string): Promise<void>;
  /** Chooses files of this machine in the input. */
  chooseFiles(selector: string, paths: readonly string[]): Promise<void>;
  /** Drops files and folders of this machine on the element. */
  dropFiles(selector: string, paths: readonly string[]): Promise<void>;
};

export type Look = { width: number; height: number; dark: boolean };

/** A browser with a profile of its own; close it. */
export async function startChromium(program = CHROMIUM!) {
  const profile = mkdtempSync(join(tmpdir(), "waymark-chromium-"));
  const child = Bun.spawn([program, ...OPTIONS, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const [input, output] = [Bun.file(child.stdio[3] as number), Bun.file(child.stdio[4] as number)];
  const writer = input.writer();
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, (event: Event) => void>();
  let last = 0;

  function take(message: Message & { sessionId?: string }): void {
    if (message.id === undefined) {
      listeners.get(message.sessionId ?? "")?.(message as Event);
      return;
    }
    const { resolve, reject } = waiting.get(message.id)!;
    waiting.delete(message.id);
    if (message.error === undefined) resolve(message.result);
    else reject(new Error(message.error.message));
  }

  async function read(): Promise<void> {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of output.stream()) {
      text += decoder.decode(chunk, { stream: true });
      const messages = text.split("\0");
      text = messages.pop()!;
      for (const message of messages) take(JSON.parse(message));
    }
  }
  const reading = read().catch(() => {});

  function send<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    const id = ++last;
    const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
    writer.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    void writer.flush();
    return answer as Promise<T>;
  }

  return {
    async page({ width, height, dark }: Look): Promise<Page> {
      const { targetId } = await send<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await send<{ sessionId: string }>("Target.attachToTarget", {
        targetId,
        flatten: true,
      });
      const call = <T>(method: string, params?: object) => send<T>(method, params, sessionId);
      const requests: string[] = [];
      const complaints: string[] = [];
      let loaded = () => {};
      listeners.set(sessionId, ({ method, params }) => {
        // oxlint-disable-next-line no-explicit-any -- events have many shapes
        const given = params as any;
        if (method === "Network.requestWillBeSent") requests.push(given.request.url);
        else if (method === "Log.entryAdded") complaints.push(`${given.entry.level}: ${given.entry.text}`);
        else if (method === "Runtime.exceptionThrown") complaints.push(given.exceptionDetails.text);
        else if (method === "Audits.issueAdded" && given.issue.code.includes("SecurityPolicy"))
          complaints.push(JSON.stringify(given.issue));
        else if (method === "Page.loadEventFired") loaded();
      });
      for (const domain of ["Page", "Network", "Log", "Runtime", "Audits"]) await call(`${domain}.enable`);
      await call("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: width < 500,
      });
      await call("Emulation.setEmulatedMedia", {
        features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
      });
      return {
        requests,
        complaints,
        async open(url) {
          const whole = new Promise<void>((resolve) => (loaded = resolve));
          await call("Page.navigate", { url });
          await whole;
        },
        async evaluate<T>(expression: string) {
          const { result } = await call<{ result: { value: T } }>("Runtime.evaluate", {
            expression,
            awaitPromise: true,
            returnByValue: true,
          });
          return result.value;
        },
        async chooseFiles(selector, files) {
          const { root } = await call<{ root: { nodeId: number } }>("DOM.getDocument");
          const found = await call<{ nodeId: number }>("DOM.querySelector", {
            nodeId: root.nodeId,
            selector,
          });
          await call("DOM.setFileInputFiles", { files, nodeId: found.nodeId });
        },
        async dropFiles(selector, files) {
          const { result } = await call<{ result: { value: [number, number] } }>("Runtime.evaluate", {
            expression: `(() => {
              const { left, top } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
              return [left + 5, top + 5];
            })()`,
            returnByValue: true,
          });
          const [x, y] = result.value;
          const data = { items: [], files, dragOperationsMask: 1 };
          for (const type of ["dragEnter", "dragOver", "drop"])
            await call("Input.dispatchDragEvent", { type, x, y, data });
        },
        async screenshot(path) {
          const { data } = await call<{ data: string }>("Page.captureScreenshot", { format: "png" });
          await Bun.write(path, Buffer.from(data, "base64"));
        },
      };
    },
    async close(): Promise<void> {
      await send("Browser.close").catch(() => {});
      await child.exited;
      await reading;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
