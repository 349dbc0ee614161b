/**
 * How long each step of a conversation with an SMTP server may take (RFC 5321, 4.5.3.2). A client that waits shorter for
 * the last response sends the mail again to a server that has taken it.
 *
 * Nodemailer has three bounds: for connecting, the greeting and silence. It names every command, response and block of
 * the content to its logger, which tells here which step has begun.
 */

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

export class SmtpPhaseTimeout extends Error {
  readonly code = "ETIMEDOUT";
  constructor(
    readonly phase: SmtpPhase,
    ms: number,
  ) {
    super(`no ${SMTP_PHASES[phase].awaited} within ${ms >= SECOND ? `${ms / SECOND} s` : `${ms} ms`}`);
  }
}

/** Of one mail. `signal` aborts when a step takes too long. */
export type SmtpWatch = {
  signal: AbortSignal;
  /** The whole mail is handed over: only its response says whether the server has it. */
  isHandedOver(): boolean;
  stop(): void;
};

export function createSmtpPhases(limits: SmtpLimits) {
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
