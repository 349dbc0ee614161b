import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { type AppError, appError } from "../../lib/errors.ts";
import { type FilePart, readMultipart } from "./multipart.ts";

const BOUNDARY = "----boundary";
const TYPE = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };

const field = (name: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, value: string, filename = "a.csv") =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: text/CSV; charset=utf-8\r\n\r\n${value}\r\n`;
const END = `--${BOUNDARY}--\r\n`;

/** A request whose body arrives in pieces of `step` bytes. With `stays` it never ends. */
function requestOf(
  body: string | Buffer,
  { step = 1 << 20, stays = false, headers = TYPE as Record<string, string> } = {},
) {
  const bytes = Buffer.from(body as string);
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(Uint8Array.from(bytes.subarray(at, (at += step))));
      else if (!stays) controller.close();
      else return new Promise(() => undefined);
      return undefined;
    },
  });
  return new Request("http://localhost/", { method: "POST", headers, body: stream });
}

async function gather(part: FilePart): Promise<{ part: Omit<FilePart, "body">; text: string }> {
  const chunks: Buffer[] = [];
  const { body, ...rest } = part;
  for await (const chunk of body) chunks.push(chunk);
  return { part: rest, text: Buffer.concat(chunks).toString() };
}

const failureOf = async (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => expect.unreachable("should have failed"),
    (error: AppError) => error,
  );

describe("a form", () => {
  const body = `${field("mode", "skip")}${file("file", "a,b\r\nc,--d\r\n")}${field("after", "é\r\n")}${END}`;

  test.each([1, 2, 3, 7, 64, 100_000])("is read in pieces of %d bytes", async (step) => {
    const form = await readMultipart(requestOf(body, { step }), { onFile: gather });
    expect([...form.fields]).toEqual([
      ["mode", "skip"],
      ["after", "é\r\n"],
    ]);
    expect(form.file).toEqual({
      part: { field: "file", filename: "a.csv", mimeType: "text/csv" },
      text: "a,b\r\nc,--d\r\n",
    });
  });

  test("may have no file, a preamble and an epilogue", async () => {
    const text = `preamble\r\n${field("a", "1")}${field("a", "2")}${END}epilogue`;
    const form = await readMultipart(requestOf(text, { step: 5 }), { onFile: gather });
    expect(form).toEqual({ fields: new Map([["a", "2"]]), file: undefined });
  });

  test("may have a field named file", async () => {
    const options = { onFile: gather, isFile: (name: string) => name === "file" };
    const form = await readMultipart(requestOf(field("file", "x") + END), options);
    expect(form.file).toEqual({
      part: { field: "file", filename: undefined, mimeType: undefined },
      text: "x",
    });
  });

  test("may hold an empty file, as browsers send when none is chosen", async () => {
    const form = await readMultipart(requestOf(file("file", "", "") + END), { onFile: gather });
    expect(form.file?.text).toBe("");
    expect(form.file?.part.filename).toBe("");
  });

  test.each([
    ["../../etc/passwd", "../../etc/passwd"],
    ["..", ".."],
    ["C:\\\\x", "C:\\x"],
    ["%2e%2e", "%2e%2e"],
    // Browsers write quotes and line ends like this.
    ["a%22b%0D%0Ac", 'a"b\r\nc'],
    ['a\\"b', 'a"b'],
  ])("decodes the name %p", async (sent, filename) => {
    const form = await readMultipart(requestOf(file("file", "x", sent) + END), { onFile: gather });
    expect(form.file?.part.filename).toBe(filename);
  });

  test("has a type only when the part has one", async () => {
    const untyped = file("file", "x").replace(/Content-Type.*\r\n/, "");
    const typed = await readMultipart(requestOf(field("a", "1") + file("file", "x") + END), {
      onFile: gather,
    });
    expect(typed.file?.part.mimeType).toBe("text/csv");
    const form = await readMultipart(requestOf(untyped + field("a", "1") + END), { onFile: gather });
    expect(form.file?.part.mimeType).toBeUndefined();
  });

  test("written by another client is read", async () => {
    const data = new FormData();
    data.set("mode", "overwrite");
    data.set("file", new File(["x".repeat(300_000)], 'na"me é.csv', { type: "text/csv" }));
    const form = await readMultipart(new Request("http://localhost/", { method: "POST", body: data }), {
      onFile: gather,
    });
    expect(form.fields.get("mode")).toBe("overwrite");
    expect(form.file?.text).toHaveLength(300_000);
  });
});

describe("refused is", () => {
  test.each<[string, Request]>([
    ["JSON", requestOf("{}", { headers: { "Content-Type": "application/json" } })],
    [
      "a form of another type",
      requestOf("a=1", { headers: { "Content-Type": "application/x-www-form-urlencoded" } }),
    ],
    [
      "a missing content type",
      new Request("http://localhost/", { method: "POST", body: new Uint8Array([1]) }),
    ],
    ["a missing boundary", requestOf("x", { headers: { "Content-Type": "multipart/form-data" } })],
    ["a missing body", new Request("http://localhost/", { method: "POST", headers: TYPE })],
    ["an empty body", requestOf("")],
    ["a body without a boundary", requestOf("x".repeat(1000))],
    ["a second file", requestOf(file("file", "a") + file("other", "b") + END)],
    ["a long field", requestOf(field("a", "x".repeat(64 * 1024 + 1)) + END)],
    ["too many fields", requestOf(field("a", "x").repeat(101) + END)],
    ["too many parts without a name", requestOf(`--${BOUNDARY}\r\nX: y\r\n\r\nz\r\n`.repeat(102) + END)],
    ["an endless preamble", requestOf("x".repeat(2 << 20), { step: 65_536, stays: true })],
    ["an endless epilogue", requestOf(END + "x".repeat(2 << 20), { step: 65_536, stays: true })],
    [
      "an endless part header",
      requestOf(`--${BOUNDARY}\r\nX: ${"x".repeat(2 << 20)}`, { step: 65_536, stays: true }),
    ],
  ])("%s", async (_name, request) => {
    expect((await failureOf(readMultipart(request, { onFile: gather }))).name).toBe("InvalidMultipartData");
  });

  test("a body cut at any byte, and the file's consumer receives the error", async () => {
    const body = `${field("mode", "skip")}${file("file", "a,b\r\n")}${END.trimEnd()}`;
    let cut = 0;
    let seen = 0;
    for (; cut < body.length; cut++) {
      const onFile = (part: FilePart) => gather(part).finally(() => seen++);
      const error = await failureOf(readMultipart(requestOf(body.slice(0, cut), { step: 9 }), { onFile }));
      expect([cut, error.name]).toEqual([cut, "InvalidMultipartData"]);
    }
    expect(seen).toBeGreaterThan(20);
  });
});

test("a body with any byte changed is read or refused, and never hangs", async () => {
  const body = Buffer.from(`${field("mode", "skip")}${file("file", "a,b\r\n")}${END}`);
  for (let at = 0; at < body.length; at++) {
    const changed = Buffer.from(body);
    changed[at] = changed[at]! ^ 0x21;
    await readMultipart(requestOf(changed, { step: 50 }), { onFile: gather }).catch((error: AppError) =>
      expect(error.name).toBe("InvalidMultipartData"),
    );
  }
});

const refuseLargeFile = async ({ body }: FilePart) => {
  let size = 0;
  for await (const chunk of body)
    if ((size += chunk.length) > 1_000_000) throw appError("FileTooLarge", "full");
};

test("an error of the consumer ends the upload and the reading", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(
        sent === 65_536 ? Buffer.from(file("file", "x").slice(0, -2)) : new Uint8Array(65_536),
      );
    },
  });
  const request = new Request("http://localhost/", { method: "POST", headers: TYPE, body: endless });
  expect((await failureOf(readMultipart(request, { onFile: refuseLargeFile }))).name).toBe("FileTooLarge");
  expect(sent).toBeLessThan(2_000_000);
});

test("the body is read no faster than the consumer reads", async () => {
  let sent = 0;
  const head = file("file", "").slice(0, -2);
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(sent === 0 ? Buffer.from(head) : new Uint8Array(65_536));
        if ((sent += 65_536) > 6_400_000) {
          controller.enqueue(Buffer.from(`\r\n${END}`));
          controller.close();
        }
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request("http://localhost/", { method: "POST", headers: TYPE, body: stream });
  let taken = 0;
  let furthest = 0;
  const onFile = async ({ body }: FilePart) => {
    for await (const chunk of body) {
      taken += chunk.length;
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      furthest = Math.max(furthest, sent - taken);
    }
  };
  await readMultipart(request, { onFile });
  expect(taken).toBeGreaterThan(6_000_000);
  expect(furthest).toBeLessThan(1_000_000);
});

describe("a client that", () => {
  test("sends nothing is given up", async () => {
    const half = file("file", "x".repeat(1000)).slice(0, 200);
    let seen: unknown;
    const onFile = (part: FilePart) => gather(part).catch((error: unknown) => Promise.reject((seen = error)));
    const error = await failureOf(readMultipart(requestOf(half, { stays: true }), { onFile, stallMs: 20 }));
    expect(error.message).toContain("stalls");
    expect(seen).toBe(error);
  });

  test("takes too long is given up", async () => {
    const slow = requestOf(file("file", "x".repeat(1000)).slice(0, 200), { stays: true });
    const error = await failureOf(readMultipart(slow, { onFile: gather, sendMs: 20 }));
    expect(error.message).toContain("too long");
  });

  test("disconnects makes the consumer fail", async () => {
    const ended = Promise.withResolvers<[unknown, unknown]>();
    using server = Bun.serve({
      port: 0,
      async fetch(request) {
        let seen: unknown;
        const onFile = (part: FilePart) =>
          gather(part).catch((error: unknown) => Promise.reject((seen = error)));
        const error = await failureOf(readMultipart(request, { onFile }));
        ended.resolve([error.name, (seen as AppError).name]);
        return new Response();
      },
    });
    const socket = connect(server.port!, "localhost");
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE["Content-Type"]}\r\nContent-Length: 100000\r\n\r\n`,
    );
    socket.write(file("file", "x".repeat(1000)), () => setTimeout(() => socket.destroy(), 20));
    expect(await ended.promise).toEqual(["InvalidMultipartData", "InvalidMultipartData"]);
  });
});
