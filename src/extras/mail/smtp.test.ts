/** Mails to a real SMTP server in this process: what arrives, and what the server's troubles are called. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { LANGUAGES } from "../../lib/language.ts";
import { createLetters } from "./letter.ts";
import type { MailContent, MailContents } from "./mail.ts";
import { createSmtp, SMTP_LIMITS, type SmtpLimits } from "./smtp.ts";

const PNG = Buffer.from("iVBORw0KGgo=", "base64");
const write = createLetters({
  name: () => "Go links\r\nBcc: eve@example.com",
  accentColor: () => "#1757c2",
  logo: () => null,
  icon: () => ({ type: "image/png", bytes: PNG }),
});

const HOSTILE = "\r\nBcc: eve@example.com\r\n\r\n<b>ש\u202Eלום</b>";
/** A client decodes it to `BANK`. */
const ENCODED = "=?utf-8?q?=42=41=4e=4b?=";
const URL = "https://go.example.com/panel/";
const CONTENTS: MailContents = {
  test: {},
  invitation: { username: "anna", by: HOSTILE, url: URL },
  reset: { username: HOSTILE, url: URL },
  address: { username: HOSTILE, url: URL },
  sign_in: { username: "anna", address: "192.0.2.1", browser: HOSTILE, at: 0, url: URL },
  passkey: { username: "anna", address: "192.0.2.1", browser: HOSTILE, at: 0, url: URL },
  drop: { title: HOSTILE, count: 12, names: [HOSTILE, "b"], url: URL },
  download: { title: HOSTILE, count: 2, url: URL },
  share_ending: { title: HOSTILE, endsAt: null, url: URL },
  share: {
    title: HOSTILE,
    count: 12,
    names: [HOSTILE],
    message: `One\nTwo${HOSTILE}`,
    by: HOSTILE,
    endsAt: 0,
    password: true,
    verify: true,
    url: URL,
  },
  share_code: { title: HOSTILE, code: "012345", minutes: 10 },
  report: {
    title: HOSTILE,
    every: "week",
    period: "1 – 7 November 2026",
    facts: [HOSTILE],
    lists: [HOSTILE, ""],
    url: "https://go.example.com/r",
    end: "https://go.example.com/admin/v1/analytics/readers/x",
  },
  report_confirm: { title: HOSTILE, url: "https://go.example.com/admin/v1/analytics/readers/x" },
  link_threshold: { link: HOSTILE, clicks: 1_000, url: URL },
  target_dead: { link: "a", target: HOSTILE, reason: "404", url: URL },
  backup: { reason: HOSTILE, at: 0 },
  webhook: { receiver: HOSTILE, isGone: true, url: URL },
  certificate: { host: HOSTILE, names: HOSTILE, reason: HOSTILE, url: URL },
};

/** Every text of the content becomes this one. */
const filledWith = (text: string, content: object): object =>
  Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      if (["url", "end", "every"].includes(name)) return [name, value];
      if (Array.isArray(value)) return [name, value.map(() => text)];
      return [name, typeof value === "string" ? text : value];
    }),
  );

const closing: (() => void)[] = [];
let folder: string;
let tls: { key: Buffer; cert: Buffer };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  Bun.spawnSync(
    `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=mail.test -keyout ${key} -out ${cert}`.split(
      " ",
    ),
    { stderr: "ignore" },
  );
  tls = { key: readFileSync(key), cert: readFileSync(cert) };
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What arrives at a server of these options, on a free port. */
async function startServer(options: SMTPServerOptions = {}) {
  const received: { mail: ParsedMail; source: string; to: string[] }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    closeTimeout: 10,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const source = Buffer.concat(chunks).toString();
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ mail: await simpleParser(source), source, to });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  closing.push(() => server.close());
  return { received, port: (server.server.address() as { port: number }).port };
}

/** Replies with what the function writes. */
async function startRaw(respond: (socket: Socket, line: string) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    closing.push(() => socket.destroy());
    respond(socket, "");
    socket.on("data", (data) => respond(socket, data.toString()));
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  closing.push(() => server.close());
  return (server.address() as { port: number }).port;
}

const SETTINGS = { host: "127.0.0.1", user: "", password: "", from: "go@example.com", tls: "none" } as const;
const CHECK_MS = 1_500;
const LIMITS: SmtpLimits = { ...SMTP_LIMITS, greeting: 500, command: 500, end: 500 };
const clientOf = (port: number, more: object = {}) => {
  const smtp = createSmtp({ ...SETTINGS, port, ...more }, LIMITS, CHECK_MS);
  closing.push(() => void smtp.close());
  return smtp;
};
const TEST = write({ kind: "test", content: {} }, "en");
const send = (smtp: ReturnType<typeof createSmtp>, letter = TEST) =>
  smtp.send({ ...letter, to: "anna@example.com", messageId: "<1@example.com>" });
const failing = (message: string, responseCode: number) =>
  Object.assign(new Error(message), { responseCode });

test("every mail in every language arrives whole, and texts of strangers change nothing else", async () => {
  const { received, port } = await startServer();
  const smtp = clientOf(port);
  for (const [kind, content] of Object.entries(CONTENTS)) {
    for (const language of LANGUAGES)
      expect(await send(smtp, write({ kind, content } as MailContent, language))).toBeNull();
  }
  expect(received).toHaveLength(Object.keys(CONTENTS).length * LANGUAGES.length);
  for (const { mail, source, to } of received) {
    expect(to).toEqual(["anna@example.com"]);
    const { headers } = mail;
    expect([headers.has("bcc"), headers.get("auto-submitted"), mail.messageId]).toEqual([
      false,
      "auto-generated",
      "<1@example.com>",
    ]);
    expect(mail.from?.value).toEqual([{ name: "Go links Bcc: eve@example.com", address: "go@example.com" }]);
    expect(mail.subject?.length).toBeGreaterThan(5);
    expect(mail.subject).not.toMatch(/[\r\n\u202e]|undefined/);
    expect(mail.html).not.toMatch(/<b>|\u202e|undefined/);
    expect(mail.text).not.toMatch(/\u202e|undefined|\r\nBcc/);
    expect(mail.html).toContain("prefers-color-scheme:dark");
    expect(Math.max(...source.split("\r\n").map((line) => line.length))).toBeLessThan(999);
    expect(mail.attachments.map(({ cid, content }) => [cid, content.toString("hex")])).toEqual([
      ["logo", PNG.toString("hex")],
    ]);
  }
  const subjects = new Set(received.map(({ mail }) => mail.subject));
  expect(subjects.size).toBeGreaterThan(45);
});

test("no header has an encoded word that somebody typed, nor a client that decodes twice", async () => {
  const { received, port } = await startServer();
  const smtp = clientOf(port);
  const named = createLetters({
    name: () => ENCODED,
    accentColor: () => "#1757c2",
    logo: () => null,
    icon: () => ({ type: "image/png", bytes: PNG }),
  });
  for (const text of [ENCODED, `${ENCODED} ${ENCODED}`, `a ${ENCODED}`, "=?utf-8?q?a b?=", "=?"])
    for (const [kind, content] of Object.entries(CONTENTS))
      expect(
        await send(smtp, named({ kind, content: filledWith(text, content) } as MailContent, "en")),
      ).toBeNull();
  expect(received).toHaveLength(5 * Object.keys(CONTENTS).length);
  for (const { mail, source } of received) {
    const head = source.slice(0, source.indexOf("\r\n\r\n"));
    const words = head.match(/=\?[^?\s]+\?[^?\s]+\?/g) ?? [];
    expect(words.filter((word) => !/^=\?UTF-8\?[BQ]\?$/.test(word.slice(0, 10)))).toEqual([]);
    const { headers } = await simpleParser(`Subject: ${mail.subject}\r\nFrom: ${mail.from?.text}\r\n\r\n`);
    expect([mail.subject, mail.from?.text, headers.get("subject")].join()).not.toContain("BANK");
  }
});

test("a refused mail is refused for good, a greylisted one goes later, a wrong sender stops all", async () => {
  const outcomes = [
    failing("No such mailbox", 550),
    failing("Greylisted", 451),
    failing("Service closing", 421),
  ];
  const { port } = await startServer({ onRcptTo: (_address, _session, done) => done(outcomes.shift()) });
  const smtp = clientOf(port);
  expect(await send(smtp)).toMatchObject({ is: "refused", message: expect.stringContaining("550 No such") });
  expect(await send(smtp)).toMatchObject({ is: "later", message: expect.stringContaining("451 Grey") });
  expect(await send(smtp)).toMatchObject({ is: "server", message: expect.stringContaining("421") });
  expect(await send(smtp)).toBeNull();
  const strict = await startServer({ onMailFrom: (_address, _session, done) => done(failing("Who?", 553)) });
  expect(await send(clientOf(strict.port))).toMatchObject({ is: "server" });
});

test("the whole mail may be refused after its content", async () => {
  const { port } = await startServer({
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => done(failing("Spam", 554)));
    },
  });
  expect(await send(clientOf(port))).toMatchObject({
    is: "refused",
    message: expect.stringContaining("554"),
  });
});

test("a wrong password names which settings to check, and not the password", async () => {
  const { port } = await startServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) =>
      password === "right" ? done(null, { user: 1 }) : done(new Error("Invalid credentials")),
  });
  const wrong = clientOf(port, { user: "go", password: "wrong-secret" });
  const trouble = await send(wrong);
  expect(trouble?.is).toBe("server");
  expect(trouble?.message).toContain("mail.password");
  expect(trouble?.message).not.toContain("wrong-secret");
  expect(await wrong.check()).toContain("mail.user");
  expect(await clientOf(port, { user: "go", password: "right" }).check()).toBeNull();
});

test("silent, slow and vanished servers are left within the bound", async () => {
  const silent = await startRaw(() => {});
  expect(await send(clientOf(silent))).toMatchObject({ is: "server" });
  const dripping = await startRaw((socket, line) => {
    if (line !== "") return;
    const timer = setInterval(() => socket.write("220-x\r\n"), 100);
    socket.on("close", () => clearInterval(timer));
  });
  expect(await send(clientOf(dripping))).toMatchObject({ is: "server" });
  const cutting = await startRaw((socket, line) => {
    if (line === "") socket.write("220 x\r\n");
    else if (line.startsWith("EHLO")) socket.write("250 x\r\n");
    else if (/^(MAIL|RCPT)/.test(line)) socket.write("250 ok\r\n");
    else if (line.startsWith("DATA")) socket.write("354 go\r\n");
    else socket.destroy();
  });
  expect(await send(clientOf(cutting))).toMatchObject({ is: "server" });
  const nobody = await startRaw(() => {});
  closing.splice(-1).forEach((close) => close());
  expect(await send(clientOf(nobody))).toMatchObject({
    is: "server",
    message: expect.stringContaining("127.0.0.1"),
  });
});

test.each(["tls", "starttls"] as const)("%s: an untrusted certificate is refused clearly", async (mode) => {
  const { received, port } = await startServer({ secure: mode === "tls", disabledCommands: [], ...tls });
  const trouble = await send(clientOf(port, { tls: mode }));
  expect(trouble).toMatchObject({
    is: "server",
    message: expect.stringContaining("certificate is not trusted"),
  });
  expect(received).toEqual([]);
});

test("a server without STARTTLS gets nothing in clear unless the settings say so", async () => {
  const { received, port } = await startServer();
  const trouble = await send(clientOf(port, { tls: "starttls" }));
  expect(trouble).toMatchObject({ is: "server", message: expect.stringContaining("mail.tls") });
  expect(received).toEqual([]);
});
