/** Hands mails to the SMTP server of the start-up settings. The code of Nodemailer is loaded with the first mail. */
import type { Transporter } from "nodemailer";
import { messageOf } from "../lib/errors.ts";
import { withTimeout } from "../lib/timeout.ts";

export type SmtpMessage = {
  to: string;
  /** Of the sender. */
  name: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  /** Shown by the HTML as `cid:logo`. */
  logo: { type: string; bytes: Uint8Array };
};

export type SmtpSettings = {
  host: string;
  port: number;
  user: string;
  password: string;
  from: string;
  tls: "starttls" | "tls" | "none";
};

/** `refused`: for good. `later`: this mail only. `server`: others would fail too. */
export type SmtpTrouble = { is: "refused" | "later" | "server"; message: string };

export type Smtp = ReturnType<typeof createSmtp>;

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
/** For one mail altogether, however slowly the server answers. */
const MAIL_MS = 60_000;

type Limits = { connectMs?: number; silenceMs?: number; mailMs?: number };

export function createSmtp(settings: SmtpSettings, limits: Limits = {}) {
  const { connectMs = CONNECT_MS, silenceMs = SILENCE_MS, mailMs = MAIL_MS } = limits;
  const { host, port, user, password, from, tls } = settings;
  let open: Promise<Transporter> | undefined;

  async function connect() {
    const { createTransport } = await import("nodemailer");
    return createTransport({
      host,
      port,
      secure: tls === "tls",
      requireTLS: tls === "starttls",
      ignoreTLS: tls === "none",
      ...(user !== "" && { auth: { user, pass: password } }),
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      dnsTimeout: connectMs,
      socketTimeout: silenceMs,
      // One after the other: after a crash at most one mail may have been sent twice.
      pool: true,
      maxConnections: 1,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** Ends the connection. The next mail opens another one. */
  async function close(): Promise<void> {
    const opened = open;
    open = undefined;
    (await opened)?.close();
  }

  async function bounded<T>(work: (transport: Transporter) => Promise<T>): Promise<T> {
    const transport = await (open ??= connect());
    return withTimeout(mailMs, work(transport), () => {
      throw Object.assign(new Error(`no answer within ${mailMs / 1000} s`), { code: "ETIMEDOUT" });
    }).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  }

  return {
    from,

    /** Null when the server has taken the mail. */
    async send({ to, name, subject, text, html, messageId, logo }: SmtpMessage): Promise<SmtpTrouble | null> {
      try {
        await bounded((transport) =>
          transport.sendMail({
            from: { name, address: from },
            to: { name: "", address: to },
            envelope: { from, to },
            subject,
            text,
            html,
            messageId,
            // RFC 3834: no automatic answers.
            headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
            attachments: [
              {
                filename: `logo.${logo.type.split("/")[1]}`,
                contentType: logo.type,
                content: Buffer.from(logo.bytes),
                cid: "logo",
                contentDisposition: "inline",
              },
            ],
          }),
        );
        return null;
      } catch (error) {
        return troubleOf(error, `${host}:${port}`);
      }
    },

    /** Connects and signs in. Null if that works. */
    async check(): Promise<string | null> {
      try {
        await bounded((transport) => transport.verify());
        return null;
      } catch (error) {
        return troubleOf(error, `${host}:${port}`).message;
      } finally {
        await close();
      }
    },

    close,
  };
}

type SmtpError = { code?: string; responseCode?: number; response?: string; command?: string };

function troubleOf(error: unknown, server: string): SmtpTrouble {
  const { code = "", responseCode = 0, response = "", command = "" } = error as SmtpError;
  const answer = plain(response || messageOf(error));
  if (code === "EAUTH")
    return {
      is: "server",
      message: `${server} refused the sign-in; check mail.user and mail.password: ${answer}`,
    };
  if (command === "STARTTLS")
    return {
      is: "server",
      message: `${server} offers no STARTTLS (${answer}); set mail.tls to "tls" or "none".`,
    };
  if (responseCode === 0 || responseCode === 421)
    return { is: "server", message: `${server}: ${reasonOf(code, answer)}` };
  const isOfMail = command === "RCPT TO" || command === "DATA";
  const message = `${server} ${responseCode >= 500 ? "refused it" : "asked to wait"}: ${answer}`;
  if (!isOfMail) return { is: "server", message };
  return { is: responseCode >= 500 ? "refused" : "later", message };
}

/** What to do about what Node says of a connection. */
function reasonOf(code: string, answer: string): string {
  if (/certificate|self.signed|altnames|CERT/i.test(answer))
    return `its TLS certificate is not trusted (${answer}); give the server a valid one, or name it in mail.host as in the certificate`;
  if (code === "EDNS") return `there is no such host (${answer}); check mail.host`;
  return answer;
}

// oxlint-disable-next-line no-control-regex -- an answer of several lines becomes one
const plain = (text: string): string =>
  text
    .replace(/[\x00-\x1f\x7f]+/g, " ")
    .trim()
    .slice(0, 300);
