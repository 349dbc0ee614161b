/**
 * What Node's own server hears. Prints its port, then for each connection that has closed a line of JSON: the client's
 * address, and the requests.
 */
import { createServer } from "node:http";

const server = createServer({ headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 });
// After the end of the client's half its requests are still answered.
server.httpAllowHalfOpen = true;
const notes = new WeakMap();

server.on("connection", (socket) => {
  const { remoteAddress } = socket;
  const heard = [];
  let isMalformed = false;
  notes.set(socket, {
    heard,
    refuse(code) {
      isMalformed = code !== "HPE_INVALID_EOF_STATE";
    },
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    setImmediate(() => {
      const requests = heard.map(({ request, pieces }) => ({
        method: request.method,
        target: request.url,
        body: Buffer.concat(pieces).toString("latin1"),
        end: request.complete ? "whole" : isMalformed ? "malformed" : "cut",
      }));
      process.stdout.write(`${JSON.stringify({ caller: remoteAddress, requests })}\n`);
    });
  });
});

function hear(request, response) {
  const note = { request, pieces: [] };
  notes.get(request.socket).heard.push(note);
  request.on("data", (piece) => note.pieces.push(piece));
  request.on("error", () => {});
  // Without a length Node would end connections of HTTP/1.0.
  request.on("end", () => response.writeHead(200, { "Content-Length": 0 }).end());
}
server.on("clientError", ({ code }, socket) => {
  notes.get(socket).refuse(code);
  socket.destroy();
});
server.on("request", hear);
server.on("checkExpectation", hear);
server.on("checkContinue", (request, response) => {
  // Without it the answer would end the connection.
  response.writeContinue();
  hear(request, response);
});
server.listen(0, "127.0.0.1", 4096, () => process.stdout.write(`${server.address().port}\n`));
// With its parent it ends.
process.stdin.on("end", () => process.exit(0)).resume();
