/** Hands mails to the SMTP server of the settings. The code of Nodemailer is loaded with the first mail. */
import type { Transporter } from "nodemailer";
import { messageOf } from "../../lib/errors.ts";
import { withTimeout } from "../../lib/timeout.ts";
import { headerText } from "./foreign.ts";

export type SmtpMessage = {
  to: string;
  /** The name of the sender. */
  name: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  /** Shown by the HTML as `cid:logo`. */
  logo: { type: string; bytes: Uint8Array };
  /** Where its reader ends such mails; null: the mail comes once. */
  unsubscribe?: string | null;
};

export type SmtpSettings = {
  host: string;
  port: number;
  user: string;
  password: string;
  from: string;
  tls: "starttls" | "tls" | "none";
};

/** `refused`: for good. `later`: this mail only. `server`: others would fail too. `stopped`: it was not handed over. */
export type SmtpTrouble = { is: "refused" | "later" | "server" | "stopped"; message: string };

export type Smtp = ReturnType<typeof createSmtp>;

/** A check is for somebody who waits for its result. */
const CHECK_MS = 60_000;
const CHECK_STEP_MS = 20_000;

export function createSmtp(settings: SmtpSettings, limits: SmtpLimits = SMTP_LIMITS, checkMs = CHECK_MS) {
  const { host, port, user, password, from, tls } = settings;
  const phases = createSmtpPhases(limits);
  let open: Promise<Transporter> | undefined;

  const server = {
    host,
    port,
    secure: tls === "tls",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    ...(user !== "" && { auth: { user, pass: password } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };

  async function connect() {
    const { createTransport } = await import("nodemailer");
    return createTransport({
      ...server,
      dnsTimeout: limits.connect,
      // From the start to the end of STARTTLS.
      connectionTimeout: limits.connect + limits.greeting + 3 * limits.command,
      greetingTimeout: limits.greeting,
      // Of silence in any step; the phases end each one before.
      socketTimeout: 2 * Math.max(...Object.values(limits)),
      logger: phases.logger,
      debug: true,
      // One after the other: after a crash at most one mail may have been sent twice.
      pool: true,
      maxConnections: 1,
    });
  }

  /** Ends the connection. The next mail opens another one. */
  async function close(): Promise<void> {
    const opened = open;
    open = undefined;
    (await opened)?.close({ force: true });
  }

  async function checkOnce(): Promise<void> {
    const { createTransport } = await import("nodemailer");
    const ms = Math.min(CHECK_STEP_MS, checkMs);
    const transport = createTransport({
      ...server,
      dnsTimeout: ms,
      connectionTimeout: ms,
      greetingTimeout: ms,
      socketTimeout: ms,
    });
    await withTimeout<unknown>(checkMs, transport.verify(), () => {
      throw Object.assign(new Error(`no answer within ${checkMs / 1000} s`), { code: "ETIMEDOUT" });
    });
  }

  return {
    from,

    /**
     * Null when the server has taken the mail. `stop` ends the attempt, unless the whole mail is handed over: then only
     * the response says whether the server has it.
     */
    async send(message: SmtpMessage, stop?: AbortSignal): Promise<SmtpTrouble | null> {
      const watch = phases.watch();
      const stopped = new AbortController();
      const onStop = () => void (watch.isHandedOver() || stopped.abort(new Error("Waymark stops")));
      if (stop?.aborted) onStop();
      stop?.addEventListener("abort", onStop);
      try {
        const transport = await (open ??= connect());
        const signal = AbortSignal.any([watch.signal, stopped.signal]);
        await transport.sendMail({ ...mailOf(message, from), signal });
        return null;
      } catch (error) {
        await close();
        if (stopped.signal.aborted)
          return { is: "stopped", message: "Waymark stopped before it was handed over." };
        const trouble = troubleOf(causeOf(error), `${host}:${port}`);
        const isUnknown = trouble.is === "server" && watch.isHandedOver();
        return isUnknown
          ? { ...trouble, message: `${trouble.message}; the server may have the mail` }
          : trouble;
      } finally {
        watch.stop();
        stop?.removeEventListener("abort", onStop);
      }
    },

    /** Connects and signs in. Null if that works. */
    async check(): Promise<string | null> {
      try {
        await checkOnce();
        return null;
      } catch (error) {
        return troubleOf(error, `${host}:${port}`).message;
      }
    },

    close,
  };
}

const mailOf = (
  { to, name, subject, text, html, messageId, logo, unsubscribe = null }: SmtpMessage,
  from: string,
) => ({
  from: { name: headerText(name), address: from },
  to: { name: "", address: to },
  envelope: { from, to },
  subject: headerText(subject),
  text,
  html,
  messageId,
  // RFC 3834: no automatic replies.
  headers: {
    "Auto-Submitted": "auto-generated",
    "X-Auto-Response-Suppress": "All",
    // RFC 2369 and 8058.
    ...(unsubscribe !== null && {
      "List-Unsubscribe": `<${unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }),
  },
  attachments: [
    {
      filename: `logo.${logo.type.split("/")[1]}`,
      contentType: logo.type,
      content: Buffer.from(logo.bytes),
      cid: "logo",
      contentDisposition: "inline" as const,
    },
  ],
});

/** An aborted mail has the reason as its cause. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.name === "AbortError" ? (error.cause ?? error) : error;

type SmtpError = { code?: string; responseCode?: number; response?: string; command?: string };

function troubleOf(error: unknown, server: string): SmtpTrouble {
  const { code = "", responseCode = 0, response = "", command = "" } = error as SmtpError;
  const reply = plain(response || messageOf(error));
  if (code === "EAUTH")
    return {
      is: "server",
      message: `${server} refused the sign-in; check mail.user and mail.password: ${reply}`,
    };
  if (command === "STARTTLS")
    return {
      is: "server",
      message: `${server} offers no STARTTLS (${reply}); set mail.tls to "tls" or "none".`,
    };
  if (responseCode === 0 || responseCode === 421)
    return { is: "server", message: `${server}: ${reasonOf(code, reply)}` };
  const isOfMail = command === "RCPT TO" || command === "DATA";
  const message = `${server} ${responseCode >= 500 ? "refused it" : "asked to wait"}: ${reply}`;
  if (!isOfMail) return { is: "server", message };
  return { is: responseCode >= 500 ? "refused" : "later", message };
}

/** What to do about a connection error of Node. */
function reasonOf(code: string, reply: string): string {
  if (/certificate|self.signed|altnames|CERT/i.test(reply))
    return `its TLS certificate is not trusted (${reply}); give the server a valid one, or name it in mail.host as in the certificate`;
  if (code === "EDNS") return `there is no such host (${reply}); check mail.host`;
  return reply;
}

// oxlint-disable-next-line no-control-regex -- a reply of several lines becomes one
const plain = (text: string): string =>
  text
    .replace(/[\x00-\x1f\x7f]+/g, " ")
    .trim()
    .slice(0, 300);

type PhaseTime = { ms: number; section: string | null; awaited: string };

const SECOND = 1_000;
const MINUTE = 60_000;

export const SMTP_PHASES = {
  // The section counts from the open connection. The kernel gives up after two minutes.
  connect: { ms: 30 * SECOND, section: null, awaited: "connection" },
  greeting: { ms: 5 * MINUTE, section: "4.5.3.2.1", awaited: "greeting" },
  mail: { ms: 5 * MINUTE, section: "4.5.3.2.2", awaited: "response to MAIL" },
  recipient: { ms: 5 * MINUTE, section: "4.5.3.2.3", awaited: "response to RCPT" },
  data: { ms: 2 * MINUTE, section: "4.5.3.2.4", awaited: "response to DATA" },
  block: { ms: 3 * MINUTE, section: "4.5.3.2.5", awaited: "room for the next block of the mail" },
  end: { ms: 10 * MINUTE, section: "4.5.3.2.6", awaited: "response to the end of the mail" },
  // EHLO, STARTTLS, AUTH: the RFC names no time; as for MAIL.
  command: { ms: 5 * MINUTE, section: null, awaited: "response" },
} as const satisfies Record<string, PhaseTime>;

export type SmtpPhase = keyof typeof SMTP_PHASES;
export type SmtpLimits = Readonly<Record<SmtpPhase, number>>;

export const SMTP_LIMITS = Object.fromEntries(
  Object.entries(SMTP_PHASES).map(([phase, { ms }]) => [phase, ms]),
) as SmtpLimits;

const PHASE_OF: Readonly<Record<string, SmtpPhase>> = { MAIL: "mail", RCPT: "recipient", DATA: "data" };

type LogEntry = { tnx?: string; remotePort?: number; outByteCount?: number };

/**
 * How long each step of a conversation with an SMTP server may take (RFC 5321, 4.5.3.2). A client that waits shorter
 * for the last response sends the mail again to a server that has taken it.
 *
 * Nodemailer has three bounds: for connecting, the greeting and silence. It names every command, response and block of
 * the content to its logger, which tells here which step has begun.
 */
class SmtpPhaseTimeout extends Error {
  readonly code = "ETIMEDOUT";
  constructor(
    readonly phase: SmtpPhase,
    ms: number,
  ) {
    super(`no ${SMTP_PHASES[phase].awaited} within ${ms >= SECOND ? `${ms / SECOND} s` : `${ms} ms`}`);
  }
}

/** Watches one mail. `signal` aborts when a step takes too long. */
type SmtpWatch = {
  signal: AbortSignal;
  /** The whole mail is handed over: only its response says whether the server has it. */
  isHandedOver(): boolean;
  stop(): void;
};

function createSmtpPhases(limits: SmtpLimits) {
  let current: { enter(phase: SmtpPhase): void } | null = null;
  /** Commands without a response yet: a server with PIPELINING gets several at once. */
  let pending: SmtpPhase[] = [];
  let step: "commands" | "content" | "ended" = "commands";

  const enter = (phase: SmtpPhase) => current?.enter(phase);

  function commanded(command: string): void {
    const phase = PHASE_OF[command.slice(0, 4)] ?? "command";
    pending.push(phase);
    if (pending.length === 1) enter(phase);
  }

  function responded(response: string): void {
    const of = pending.shift();
    if (of === "data" && /^[23]/.test(response)) step = "content";
    if (step === "content") enter("block");
    else if (pending.length > 0) enter(pending[0]!);
  }

  function note({ tnx, remotePort, outByteCount }: LogEntry, text: unknown): void {
    if (tnx === "network" && remotePort !== undefined) {
      pending = [];
      enter("greeting");
    } else if (tnx === "client") commanded(String(text));
    else if (tnx === "server") responded(String(text));
    else if (tnx === "message" && outByteCount !== undefined) {
      step = "ended";
      enter("end");
    } else if (tnx === "message" && step === "content") enter("block");
  }

  const log = (entry: unknown, text: unknown) => {
    if (typeof entry === "object" && entry !== null) note(entry, text);
  };

  return {
    logger: { trace: log, debug: log, info: log, warn: log, error: log, fatal: log },

    /** Ends the watch before. */
    watch(): SmtpWatch {
      const late = new AbortController();
      let timer: ReturnType<typeof setTimeout>;
      let isHandedOver = false;
      const own = {
        enter(phase: SmtpPhase) {
          if (late.signal.aborted) return;
          clearTimeout(timer);
          isHandedOver ||= phase === "end";
          const ms = limits[phase];
          timer = setTimeout(() => late.abort(new SmtpPhaseTimeout(phase, ms)), ms);
        },
      };
      [current, pending, step] = [own, [], "commands"];
      own.enter("connect");
      return {
        signal: late.signal,
        isHandedOver: () => isHandedOver,
        stop() {
          clearTimeout(timer);
          if (current === own) current = null;
        },
      };
    },
  };
}
