/**
 * Why a Redis server that answers lets nobody in. Bun's client only says that the connection was closed, so after a
 * failure the greeting is sent again by hand.
 */
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const REFUSALS: readonly [RegExp, (account: string) => string][] = [
  [
    /^WRONGPASS|^ERR .*(invalid password|called without any password)/i,
    (account) => `refused the password of ${account}`,
  ],
  [/^NOAUTH/, () => "asks for a password, and cache.redis_url has none"],
  [/^NOPERM/, (account) => `does not let ${account} run the commands that Waymark needs`],
  [
    /^ERR .*DB index|^ERR .*SELECT is not allowed/i,
    () => "does not have the database that cache.redis_url names",
  ],
];

const CERTIFICATE = /certificat|self.signed|altname/i;
const LONGEST = 300;

/** A sentence without the password; null if it is another answer, or the server is away. */
export function explainRedisReply(url: string, answer: string): string | null {
  const user = URL.parse(url)?.username ?? "";
  const account = user === "" ? "the default account" : `the account '${decodeURIComponent(user)}'`;
  const stated = answer.replaceAll(/\s+/g, " ").slice(0, LONGEST);
  const refusal = REFUSALS.find(([pattern]) => pattern.test(answer))?.[1](account);
  const advice = answer.startsWith("NOPERM")
    ? "Allow them with ACL SETUSER, or set another account in cache.redis_url."
    : "Correct cache.redis_url.";
  if (refusal !== undefined) return `Redis ${refusal} (${stated}). ${advice}`;
  if (CERTIFICATE.test(answer))
    return `The certificate of Redis was refused (${stated}). Give it one of an authority that this machine trusts, for the host in cache.redis_url.`;
  return null;
}

/** Asks the server of the URL. Null if it lets us in, or says nothing within that time. */
export async function findRedisRefusal(url: string, timeoutMs: number): Promise<string | null> {
  const parsed = URL.parse(url);
  if (parsed === null || !/^(redis|rediss|valkey|valkeys):$/.test(parsed.protocol)) return null;
  const answer = await ask(parsed, timeoutMs);
  return explainRedisReply(url, answer);
}

/** The first line, without the mark of an error; the reason of a failed connection. */
function ask({ protocol, hostname, port, username, password }: URL, timeoutMs: number): Promise<string> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const at = { host, port: Number(port || 6379) };
  const { promise, resolve } = Promise.withResolvers<string>();
  const greeting = ["HELLO", "3"];
  if (password !== "")
    greeting.push("AUTH", decodeURIComponent(username) || "default", decodeURIComponent(password));
  const send = () => socket.write(command(greeting));
  const socket: Socket = /^(rediss|valkeys):$/.test(protocol)
    ? connectTls({ ...at, ...(isIP(host) === 0 && { servername: host }) }, send)
    : connectPlain(at, send);
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (part: string) => {
    text += part;
    if (text.includes("\n") || text.length > LONGEST) resolve(text.split("\r\n", 1)[0]!.replace(/^-/, ""));
  });
  socket.on("error", (error: Error & { code?: string }) => resolve(`${error.code ?? ""} ${error.message}`));
  socket.on("close", () => resolve(""));
  const timer = setTimeout(() => resolve(""), timeoutMs);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

const command = (words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
