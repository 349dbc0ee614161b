/** The script against a page of stubs and a scripted server; test/drops-browser.test.ts runs it in browsers. */
import { expect, test } from "bun:test";
import { UPLOAD_SCRIPT } from "./page-script.ts";

type Sent = { method: string; address: string; headers: Record<string, string> };
type Reply = { status: number; headers?: Record<string, string> };

/** `submit` resolves when the script has sent what it can. */
function openPage(respond: (sent: Sent) => Reply) {
  const stored = new Map<string, string>();
  const sent: Sent[] = [];
  const said: string[] = [];
  const listeners = new Map<string, (event: object) => unknown>();
  const element = (more: object = {}): object =>
    Object.assign(
      {
        style: {},
        classList: {},
        set textContent(text: string) {
          said.push(text);
        },
        setAttribute() {},
        append() {},
        prepend() {},
        after() {},
        insertBefore() {},
        remove() {},
        addEventListener() {},
        closest: () => null,
        querySelectorAll: () => [],
      },
      more,
    );
  const file = new File(["0123"], "a.txt", { lastModified: 1_000 });
  const picker = element({ files: [file], parentElement: element() });
  const texts = JSON.stringify({ most: 1e9, units: ["B"], remove: "", failed: "failed", ended: "ended" });
  const form = element({
    dataset: Object.fromEntries([["told", texts]]),
    querySelector: (what: string) => (what.includes("file]") ? picker : element()),
    addEventListener: (name: string, run: (event: object) => unknown) => listeners.set(name, run),
  });
  class Request {
    upload = {};
    status = 0;
    responseText = "";
    onload = () => {};
    #sent = { method: "", address: "", headers: {} as Record<string, string> };
    #reply: Reply = { status: 0 };
    open(method: string, address: string) {
      Object.assign(this.#sent, { method, address });
    }
    setRequestHeader(name: string, value: string) {
      this.#sent.headers[name] = value;
    }
    getResponseHeader(name: string) {
      return this.#reply.headers?.[name] ?? null;
    }
    send() {
      sent.push(this.#sent);
      this.#reply = respond(this.#sent);
      this.status = this.#reply.status;
      queueMicrotask(() => this.onload());
    }
  }
  const page = {
    document: {
      documentElement: { lang: "en" },
      querySelector: () => form,
      querySelectorAll: () => [],
      createElement: () => element(),
      addEventListener() {},
    },
    location: { pathname: "/in", replace() {} },
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    },
    XMLHttpRequest: Request,
    addEventListener() {},
    removeEventListener() {},
    fetch: async () => new Response("", { status: 500 }),
  };
  new Function(...Object.keys(page), UPLOAD_SCRIPT)(...Object.values(page));
  return {
    stored,
    said,
    submit: async (): Promise<string[]> => {
      await listeners.get("submit")!({ preventDefault() {} });
      return sent.splice(0).map(({ method }) => method);
    },
  };
}

const AT = "/in?upload=1";
const begun = { status: 201, headers: { Location: AT, "Upload-Offset": "0" } };
const at = (offset: number, status = 204) => ({ status, headers: { "Upload-Offset": String(offset) } });

test("an upload whose password has to be given again keeps its address, and goes on afterwards", async () => {
  let isLocked = true;
  const page = openPage(({ method }) => {
    if (method === "POST") return begun;
    if (isLocked) return { status: 401 };
    return method === "HEAD" ? at(2, 200) : at(4);
  });
  expect(await page.submit()).toEqual(["POST", "PATCH"]);
  expect([...page.stored.values()]).toEqual([AT]);
  expect(await page.submit()).toEqual(["HEAD"]);
  isLocked = false;
  expect(await page.submit()).toEqual(["HEAD", "PATCH"]);
  expect(page.stored.size).toBe(0);
});

test("an upload that is given up is ended, because its bytes hold room of the box", async () => {
  const page = openPage(({ method }) =>
    method === "POST" ? begun : { status: method === "PATCH" ? 413 : 204 },
  );
  expect(await page.submit()).toEqual(["POST", "PATCH", "DELETE"]);
  expect(page.stored.size).toBe(0);
});
