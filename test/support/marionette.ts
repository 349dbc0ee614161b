/** Drives Debian's Firefox over Marionette, which can open pages of extensions. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FIREFOX } from "./firefox.ts";
import { until } from "./until.ts";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
  return promise;
}

/** A browser with a profile of its own and one page; close it. @param preferences further lines of user.js */
export async function startMarionette(preferences: string) {
  const profile = mkdtempSync(join(tmpdir(), "waymark-marionette-"));
  const port = await freePort();
  await Bun.write(join(profile, "user.js"), `user_pref("marionette.port", ${port});\n${preferences}`);
  const child = Bun.spawn(
    [
      FIREFOX!,
      "--headless",
      "--no-remote",
      "--marionette",
      "--remote-allow-system-access",
      "--profile",
      profile,
    ],
    {
      stdio: ["ignore", "ignore", "ignore"],
      env: { ...process.env, HOME: profile },
    },
  );
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const socket = await connected(port);
  let [text, last] = [Buffer.alloc(0), 0];
  socket.on("data", (bytes: Buffer) => {
    text = Buffer.concat([text, bytes]);
    for (let at = text.indexOf(":"); at > 0; at = text.indexOf(":")) {
      const end = at + 1 + Number(text.subarray(0, at));
      if (text.length < end) return;
      const message = JSON.parse(text.subarray(at + 1, end).toString());
      text = text.subarray(end);
      // The first one is a greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const call = waiting.get(id);
      if (error === null) call?.resolve(result?.value ?? result);
      else call?.reject(new Error(error.message));
    }
  });
  const send = <T>(command: string, params: object = {}): Promise<T> => {
    const id = ++last;
    const line = JSON.stringify([0, id, command, params]);
    socket.write(`${Buffer.byteLength(line)}:${line}`);
    return new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject })) as Promise<T>;
  };
  const find = async (selector: string): Promise<string> => {
    const found = await send<Record<string, string>>("WebDriver:FindElement", {
      using: "css selector",
      value: selector,
    });
    return found[ELEMENT]!;
  };
  const run = (script: string) => send<string>("WebDriver:ExecuteScript", { script, args: [] });
  await send("WebDriver:NewSession", {});
  return {
    install: (path: string) => send("Addon:Install", { path, temporary: true }),
    /** Only the browser itself may open pages of extensions. */
    async open(url: string): Promise<void> {
      const principal = "Services.scriptSecurityManager.getSystemPrincipal()";
      const script = `gBrowser.selectedBrowser.fixupAndLoadURIString(arguments[0], { triggeringPrincipal: ${principal} })`;
      await send("Marionette:SetContext", { value: "chrome" });
      await send("WebDriver:ExecuteScript", { script, args: [url] });
      await send("Marionette:SetContext", { value: "content" });
      await until(async () => (await send("WebDriver:GetCurrentURL").catch(() => "")) === url);
      await until(async () => (await run("return document.readyState").catch(() => "")) === "complete");
    },
    type: async (selector: string, keys: string) =>
      send("WebDriver:ElementSendKeys", { id: await find(selector), text: keys }),
    click: async (selector: string) => send("WebDriver:ElementClick", { id: await find(selector) }),
    /** Waits for a text in the element. */
    async seen(selector: string, wanted: string): Promise<void> {
      const script = `return document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`;
      await until(async () => (await run(script)).includes(wanted));
    },
    async close(): Promise<void> {
      socket.destroy();
      child.kill();
      await child.exited;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

async function connected(port: number) {
  let socket: ReturnType<typeof connect> | undefined;
  await until(async () => {
    const tried = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      tried.once("connect", () => resolve(true));
      tried.once("error", () => resolve(false));
    });
    if (isOpen) socket = tried;
    return isOpen;
  });
  return socket!;
}
