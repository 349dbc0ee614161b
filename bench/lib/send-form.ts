/**
 * Sends a file in a form at the lowest cost: the kernel moves its bytes (sendfile), without copies. So the client takes
 * little of the cores that it shares with the server. IPv4 and Linux only.
 *
 *     bun bench/lib/send-form.ts <http://address:port/path> <token> <file> <name>
 *
 * Prints {"ms", "answer"}: the time from the first byte to the answer, and the answer's body.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { openLibc } from "../../src/lib/libc.ts";

const [address = "", token = "", path = "", name = ""] = process.argv.slice(2);
const { hostname, port, pathname, search, host } = new URL(address);
const [AF_INET, SOCK_STREAM] = [2, 1];
const AT_ONCE = 1 << 30;

const libc = openLibc({
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  connect: { args: ["i32", "ptr", "u32"], returns: "i32" },
  sendfile: { args: ["i32", "i32", "ptr", "u64"], returns: "i64" },
});
if (libc === null) throw new Error("This benchmark needs Linux");

const file = openSync(path, "r");
const { size } = fstatSync(file);
const boundary = `form${crypto.randomUUID()}`;
const before = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
const after = `\r\n--${boundary}--\r\n`;
const head = [
  `POST ${pathname}${search} HTTP/1.1`,
  `Host: ${host}`,
  `Authorization: Bearer ${token}`,
  `Content-Type: multipart/form-data; boundary=${boundary}`,
  `Content-Length: ${before.length + size + after.length}`,
  "Connection: close",
];

const place = Buffer.alloc(16);
place.writeUInt16LE(AF_INET, 0);
place.writeUInt16BE(Number(port), 2);
place.set(hostname.split(".").map(Number), 4);

const begun = performance.now();
const socket = libc.socket(AF_INET, SOCK_STREAM, 0);
if (libc.connect(socket, place, place.length) !== 0) throw new Error(`Can't connect to ${address}`);
writeSync(socket, `${head.join("\r\n")}\r\n\r\n${before}`);
for (let sent = 0; sent < size; ) {
  const more = Number(libc.sendfile(socket, file, null, AT_ONCE));
  if (more <= 0) throw new Error(`The server took only ${sent} of ${size} bytes`);
  sent += more;
}
writeSync(socket, after);
let answer = "";
const buffer = Buffer.alloc(1 << 16);
// The server closes the connection after its answer.
for (let length = 1; length > 0; answer += buffer.toString("utf8", 0, length)) {
  length = readSync(socket, buffer);
}
const ms = performance.now() - begun;
closeSync(socket);
closeSync(file);
if (!answer.startsWith("HTTP/1.1 201")) throw new Error(answer);
console.log(JSON.stringify({ ms, answer: JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) }));
