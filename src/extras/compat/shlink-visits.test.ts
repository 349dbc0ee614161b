import { expect, test } from "bun:test";
import { allVisits } from "./shlink-visits.ts";

const HEADER = "short_code,clicked_at,domain\n";
const ROWS_IN_PAGE = 500;

/** Asks for visits of an export without end. */
function listFrom(search: string, signal = new AbortController().signal) {
  const sent = { rows: 0, isLeft: false, order: "" };
  const body = new ReadableStream({
    pull(controller) {
      const rows = Array.from({ length: ROWS_IN_PAGE }, (_, at) => `c${sent.rows + at},,\n`);
      controller.enqueue(Buffer.from((sent.rows === 0 ? HEADER : "") + rows.join("")));
      sent.rows += ROWS_IN_PAGE;
    },
    cancel: () => void (sent.isLeft = true),
  });
  const reply = allVisits({
    call: () => Promise.reject(new Error("nothing else is called")),
    async send(_, { order = "" }) {
      sent.order = order;
      return new Response(body);
    },
    query: new URLSearchParams(search),
    name: "",
    body: {},
    defaultHost: "",
    defaultUrl: null,
    origin: "",
    signal,
  });
  return { reply, sent };
}

test("no more than the newest 20,000 clicks are read", async () => {
  const { reply, sent } = listFrom("page=3&itemsPerPage=2");
  const { visits } = (await reply).body as {
    visits: { data: { visitedUrl: string }[]; pagination: { totalItems: number } };
  };
  expect(visits.data.map(({ visitedUrl }) => visitedUrl)).toEqual(["/c4", "/c5"]);
  expect(visits.pagination.totalItems).toBe(20_000);
  expect(sent.order).toBe("desc");
  expect(sent.isLeft).toBe(true);
  expect(sent.rows).toBeLessThanOrEqual(20_000 + 2 * ROWS_IN_PAGE);
});

test("nothing more is read when the client has left", async () => {
  const client = new AbortController();
  client.abort();
  const { reply, sent } = listFrom("", client.signal);
  expect(await reply.catch((error: unknown) => error)).toBe(client.signal.reason);
  expect(sent.isLeft).toBe(true);
  expect(sent.rows).toBeLessThanOrEqual(3 * ROWS_IN_PAGE);
});
