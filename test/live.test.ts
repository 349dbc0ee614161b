/** The live view of the real program, with two workers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { LiveEvent } from "../src/clicks/live.ts";
import { type Client, PASSWORD, signIn, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
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

const visit = (code = "seen/live") =>
  fetch(`${server.url}/${code}`, {
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
      await Promise.all(Array.from({ length: 8 }, () => visit()));
      sent += 8;
    }
  }
  leaving.abort();
  expect(seen).toBe(sent);
});

test("the stream needs a login, and one account takes no places of others", async () => {
  expect((await fetch(`${server.url}/admin/v1/analytics/live`)).status).toBe(401);
  const account = { username: "greedy", password: PASSWORD, role: "editor" };
  expect((await client.call("POST", "/users", account)).status).toBe(201);
  const greedy = await signIn(server.url, PASSWORD, "greedy");
  const leaving = new AbortController();
  const open = { signal: leaving.signal, keepalive: false };
  const answers = await Promise.all(Array.from({ length: 42 }, () => greedy.fetch("/analytics/live", open)));
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  // Six at each of two workers.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(12);
  expect(answers.find(({ status }) => status === 429)!.headers.get("retry-after")).toBe("5");
  for (let n = 0; n < 2; n++) expect((await client.fetch("/analytics/live", open)).status).toBe(200);
  leaving.abort();
});

test("an editor sees clicks of a link until it has another owner", async () => {
  const account = { username: "former", password: PASSWORD, role: "editor" };
  expect((await client.call("POST", "/users", account)).status).toBe(201);
  const former = await signIn(server.url, PASSWORD, "former");
  const body = { code: "handed/on", target: "https://example.com/" };
  expect((await former.call("POST", "/links", body)).status).toBe(201);
  const leaving = new AbortController();
  const streams = [former, client].map((viewer) =>
    viewer.fetch("/analytics/live", { signal: leaving.signal, keepalive: false }),
  );
  const seen = [0, 0];
  const seconds = [0, 0];
  const counts = (await Promise.all(streams)).map(async (response, at) => {
    expect(response.status).toBe(200);
    for await (const { latest } of events(response)) {
      seconds[at]! += 1;
      seen[at]! += latest.filter(({ code }) => code === "handed/on").length;
    }
  });
  for (const count of counts) count.catch(() => undefined);
  const go = () => visit("handed/on");
  // The first events say where the workers begin to count.
  for (; seen.includes(0); await Bun.sleep(200)) await go();
  await client.call("PATCH", "/links/handed%2Fon", { owner: "admin" });
  await until(async () => (await former.call("GET", "/links/handed%2Fon")).status === 404);
  // Clicks from before are shown within two seconds.
  const settled = seconds.map((count) => count + 3);
  await until(() => seconds.every((count, at) => count >= settled[at]!));
  const [before, all] = seen;
  await Promise.all(Array.from({ length: 8 }, go));
  await until(() => seen[1]! >= all! + 8);
  const later = seconds[0]! + 2;
  await until(() => seconds[0]! >= later);
  expect(seen[0]).toBe(before!);
  leaving.abort();
});

test("a stop does not wait for viewers", async () => {
  let response = await client.fetch("/analytics/live");
  // Viewers of the previous test leave within a second.
  for (; response.status === 429; response = await client.fetch("/analytics/live")) await Bun.sleep(100);
  expect(response.status).toBe(200);
  const ending = server.stop();
  // A request that the stop waited for would be cut, and its stream fail.
  for await (const event of events(response)) expect(event.at).toBeString();
  expect(await ending).toBe(0);
});
