/** How long the client waits for an SMTP server in each step, by the times of RFC 5321, and what it reports then. */
import { afterEach, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { until } from "../../../test/support/until.ts";
import { createSmtp, SMTP_LIMITS, SMTP_PHASES, type SmtpLimits, type SmtpPhase } from "./smtp.ts";

const MINUTE = 60_000;
const SHORT_MS = 150;
const MAIL = {
  to: "anna@example.com",
  name: "Go",
  subject: "S",
  text: "T",
  html: "<p>H",
  messageId: "<1@example.com>",
  logo: { type: "image/png", bytes: new Uint8Array(200_000) },
};
/** More than the buffers of both sockets. */
const LARGE = { ...MAIL, logo: { ...MAIL.logo, bytes: new Uint8Array(16_000_000) } };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** At which step the server falls silent; undefined: never. `release` gives that response. */
async function startSilent(at?: SmtpPhase, { pipelining = false } = {}) {
  const taken: string[] = [];
  let withheld: (() => void) | undefined;
  const server = createServer((socket: Socket) => {
    let isContent = false;
    let text = "";
    const say = (phase: SmtpPhase, line: string) => {
      const send = () => void socket.write(`${line}\r\n`);
      if (phase === at) withheld = send;
      else if (withheld === undefined) send();
    };
    socket.on("error", () => {});
    closing.push(() => socket.destroy());
    say("greeting", "220 mail.test");
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (isContent) {
        if (at === "block") return void socket.pause();
        if (!text.endsWith("\r\n.\r\n")) return;
        isContent = false;
        taken.push(text);
        text = "";
        return say("end", "250 taken");
      }
      for (const line of text.split("\r\n").filter(Boolean)) {
        if (line.startsWith("EHLO"))
          say("command", pipelining ? "250-mail.test\r\n250 PIPELINING" : "250 mail.test");
        if (line.startsWith("MAIL")) say("mail", "250 ok");
        if (line.startsWith("RCPT")) say("recipient", "250 ok");
        if (line === "DATA") {
          isContent = withheld === undefined && at !== "data";
          say("data", "354 go on");
        }
      }
      text = "";
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  closing.push(() => server.close());
  return {
    port: (server.address() as { port: number }).port,
    taken,
    isSilent: () => withheld !== undefined,
    release: () => withheld!(),
  };
}

const clientOf = (port: number, limits: SmtpLimits) => {
  const settings = {
    host: "127.0.0.1",
    port,
    user: "",
    password: "",
    from: "go@example.com",
    tls: "none",
  } as const;
  const smtp = createSmtp(settings, limits);
  closing.push(() => void smtp.close());
  return smtp;
};

test("each step has the time of its section", () => {
  const times = Object.values(SMTP_PHASES).flatMap(({ section, ms }) =>
    section ? [[section, ms / MINUTE]] : [],
  );
  expect(times).toEqual([
    ["4.5.3.2.1", 5],
    ["4.5.3.2.2", 5],
    ["4.5.3.2.3", 5],
    ["4.5.3.2.4", 2],
    ["4.5.3.2.5", 3],
    ["4.5.3.2.6", 10],
  ]);
});

const STEPS = ["greeting", "command", "mail", "recipient", "data", "block", "end"] as const;

test.each(STEPS)("a server that is silent at this step is left after its own time: %s", async (phase) => {
  const { port, taken } = await startSilent(phase);
  const trouble = await clientOf(port, { ...SMTP_LIMITS, [phase]: SHORT_MS }).send(
    phase === "block" ? LARGE : MAIL,
  );
  expect(trouble).toMatchObject({ is: "server" });
  expect(trouble!.message).toContain(SMTP_PHASES[phase].awaited);
  const isUnknown = trouble!.message.includes("the server may have the mail");
  expect([isUnknown, taken.length]).toEqual(phase === "end" ? [true, 1] : [false, 0]);
});

test.each([false, true])(
  "the others do not end a step, with pipelining or without: %p",
  async (pipelining) => {
    for (const phase of STEPS.filter((step) => step !== "block")) {
      const server = await startSilent(phase, { pipelining });
      const short = Object.fromEntries(STEPS.map((step) => [step, step === phase ? MINUTE : SHORT_MS]));
      // Pipelined commands wait for one another.
      const more = pipelining && ["mail", "recipient", "data"].includes(phase) ? { [phase]: MINUTE } : {};
      const sending = clientOf(server.port, { ...SMTP_LIMITS, ...short, ...more }).send(MAIL);
      await until(server.isSilent);
      await Bun.sleep(2 * SHORT_MS);
      server.release();
      if (phase === "end") expect(await sending).toBeNull();
    }
  },
);

test("a server that takes a mail slowly gets it once", async () => {
  const server = await startSilent("end");
  const smtp = clientOf(server.port, {
    ...SMTP_LIMITS,
    greeting: SHORT_MS,
    command: SHORT_MS,
    mail: SHORT_MS,
    block: SHORT_MS,
  });
  const sending = smtp.send(MAIL);
  await until(() => server.taken.length === 1);
  await Bun.sleep(3 * SHORT_MS);
  server.release();
  expect(await sending).toBeNull();
  expect(server.taken).toHaveLength(1);
});

test("a stop ends what is not handed over, and waits for the response of what is", async () => {
  for (const [phase, expected] of [
    ["recipient", "stopped"],
    ["end", null],
  ] as const) {
    const server = await startSilent(phase);
    const stop = new AbortController();
    const sending = clientOf(server.port, SMTP_LIMITS).send(MAIL, stop.signal);
    await until(() => server.isSilent() && (phase !== "end" || server.taken.length === 1));
    stop.abort();
    await Bun.sleep(50);
    server.release();
    expect((await sending)?.is ?? null).toBe(expected);
  }
});
