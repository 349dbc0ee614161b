import { createInterface } from "node:readline/promises";
import type { ReadStream } from "node:tty";
import { Writable } from "node:stream";
import { appError } from "../../lib/errors.ts";
import type { Input } from "./command.ts";

const STDIN_LIMIT = 1024 * 1024;

/** Questions go to `stderr`; standard output is for results. */
export function createInput(stdin: ReadStream, stderr: NodeJS.WritableStream): Input {
  return {
    text: () => readAll(stdin),
    async secret(question, option = "--stdin") {
      if (!stdin.isTTY) {
        throw appError("BadRequest", `There is no terminal to ask on. Pipe the value in and add ${option}.`);
      }
      return ask(stdin, stderr, question, { echo: false });
    },
    async confirm(question) {
      if (!stdin.isTTY) return false;
      return /^y(es)?$/i.test((await ask(stdin, stderr, `${question} [y/N] `, { echo: true })).trim());
    },
  };
}

/** Reads a password, which is never an argument, because process lists show those. */
export async function passwordFrom(
  { input }: { input: Input },
  { password, password_stdin: isPiped }: { password: true | undefined; password_stdin: true | undefined },
): Promise<string | undefined> {
  if (isPiped) return input.text();
  return password ? input.secret("Password: ", "--password-stdin") : undefined;
}

async function readAll(stdin: ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += (chunk as Buffer).length;
    if (size > STDIN_LIMIT) throw appError("PayloadTooLarge", "Standard input is larger than 1 MiB.");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

async function ask(
  stdin: ReadStream,
  stderr: NodeJS.WritableStream,
  question: string,
  { echo }: { echo: boolean },
): Promise<string> {
  const output = echo ? stderr : new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: true });
  // The question comes after echo is off, so that a fast answer stays hidden.
  stderr.write(question);
  const aborted = new Promise<never>((_, reject) => {
    lines.once("SIGINT", () => reject(appError("BadRequest", "Cancelled.")));
    lines.once("close", () => reject(appError("BadRequest", "Cancelled.")));
  });
  try {
    return await Promise.race([lines.question(""), aborted]);
  } finally {
    aborted.catch(() => undefined);
    lines.close();
    if (!echo) stderr.write("\n");
  }
}
