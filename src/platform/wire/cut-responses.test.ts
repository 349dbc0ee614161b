/** A response that is cut while it is being sent, and one that has left. */
import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { until } from "../../../test/support/until.ts";
import { startWireServer } from "./wire-server.ts";

const requests: Request[] = [];
const wholes: Promise<boolean>[] = [];
const endless = () =>
  new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(100_000)) });
const server = startWireServer({
  address: { hostname: "127.0.0.1", port: 0, reusePort: false },
  tls: null,
  async respond(arrival) {
    requests.push(arrival.request());
    wholes.push(server.responded(arrival.request()));
    return new Response(arrival.path === "/endless" ? endless() : "short");
  },
  explain: () => new Response(null, { status: 500 }),
});
afterAll(() => server.stop(true));

function open() {
  const socket = connect(server.port, "127.0.0.1");
  const seen = { text: "", isOver: false };
  socket.on("data", (bytes) => {
    seen.text = (seen.text + bytes.toString("latin1")).slice(-1_000);
  });
  socket.on("close", () => (seen.isOver = true)).on("error", () => {});
  return { seen, ask: (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`) };
}

test("a request whose response has left cuts nothing, one under way ends its connection at once", async () => {
  const { seen, ask } = open();
  ask("/short");
  await until(() => seen.text.endsWith("short"));
  const [first] = requests.splice(0) as [Request];
  await until(() => !server.isResponding(first));
  ask("/endless");
  await until(() => requests.length === 1 && server.isResponding(requests[0]!));
  server.cutResponse(first);
  expect(server.isResponding(requests[0]!)).toBeTrue();
  server.cutResponse(requests[0]!);
  expect(server.isResponding(requests[0]!)).toBeFalse();
  await until(() => seen.isOver);
  expect(await Promise.all(wholes)).toEqual([true, false]);
  expect(await server.responded(first)).toBeFalse();
});
