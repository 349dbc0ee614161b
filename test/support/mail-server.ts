/** A real SMTP server in the test's process. */
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import type { Settings } from "./waymark.ts";

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** Beyond, mails are only counted. */
const MOST_READ = 100;

export async function startMailServer() {
  const mails: ParsedMail[] = [];
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    closeTimeout: 10,
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      const isRead = ++count <= MOST_READ;
      stream.on("data", (chunk: Buffer) => isRead && chunks.push(chunk));
      stream.on("end", async () => {
        if (isRead) mails.push(await simpleParser(Buffer.concat(chunks)));
        done();
      });
    },
  });
  server.on("error", () => {});
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const { port } = server.server.address() as { port: number };
  return {
    /** In the order of their arrival. */
    mails,
    count: () => count,
    settings: {
      WAYMARK__MAIL__HOST: "127.0.0.1",
      WAYMARK__MAIL__PORT: String(port),
      WAYMARK__MAIL__FROM: "waymark@example.com",
      WAYMARK__MAIL__TLS: "none",
    } satisfies Settings,
    stop: () => server.close(),
  };
}

/** The address that the mail's button opens. */
export const linkIn = (mail: ParsedMail | undefined): string =>
  /^https?:\S+/m.exec(mail?.text ?? "")?.[0] ?? "";
