/** The live view of the real program, with two workers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { LiveEvent } from "../src/clicks/live.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn({ WAYMARK__SERVER__WORKERS: "2" }));
  await client.call("POST", "/links", { code: "seen/live", target: "https://example.com/" });
});
afterAll(() => installation.remove());

async function* events(response: Response): AsyncGenerator<LiveEvent> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const data = /^event: clicks\ndata: (.*)$/.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as LiveEvent;
    }
  }
}

const visit = () =>
  fetch(`${server.url}/seen/live`, {
    redirect: "manual",
    keepalive: false,
    headers: { Connection: "close" },
  });

test("clicks of every worker appear within seconds, without addresses", async () => {
  const leaving = new AbortController();
  const response = await client.fetch("/analytics/live", { signal: leaving.signal });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  let sent = 0;
  let seen = 0;
  for await (const event of events(response)) {
    expect(JSON.stringify(event)).not.toContain("127.0.0.1");
    seen += event.latest.filter(({ code }) => code === "seen/live").length;
    if (seen >= 8) break;
    if (sent < 8) {
      await Promise.all(Array.from({ length: 8 }, visit));
      sent += 8;
    }
  }
  leaving.abort();
  expect(seen).toBe(sent);
});

test("the stream needs a login, and the twenty-first viewer of a worker is refused", async () => {
  expect((await fetch(`${server.url}/admin/v1/analytics/live`)).status).toBe(401);
  const leaving = new AbortController();
  const answers = await Promise.all(
    Array.from({ length: 42 }, () =>
      client.fetch("/analytics/live", { signal: leaving.signal, keepalive: false }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(40);
  leaving.abort();
});

test("a stop does not wait for viewers", async () => {
  let response = await client.fetch("/analytics/live");
  // Viewers of the previous test leave within a second.
  for (; response.status === 503; response = await client.fetch("/analytics/live")) await Bun.sleep(100);
  expect(response.status).toBe(200);
  const ending = server.stop();
  // A request that the stop waited for would be cut, and its stream fail.
  for await (const event of events(response)) expect(event.at).toBeString();
  expect(await ending).toBe(0);
});
