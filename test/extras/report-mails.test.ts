/** The mails of reports with the real program: confirmed and ended by their reader without a sign-in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { type Client, startSignedIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

let smtp: MailServer;
let installation: Installation;
let server: RunningWaymark;
let client: Client;
beforeAll(async () => {
  smtp = await startMailServer();
  ({ installation, server, client } = await startSignedIn({
    ...smtp.settings,
    WAYMARK__LOGGING__ACCESS_SAMPLE: "1",
  }));
});
afterAll(async () => {
  await installation?.remove();
  smtp?.stop();
});

test("a reader confirms by a button, and a mail program ends the mails by one request", async () => {
  const made = await client.call("POST", "/analytics/mails", {
    title: "Week",
    every: "week",
    at: "08:00",
    to: ["lea@example.com"],
  });
  expect([made.status, made.body.data]).toMatchObject([
    201,
    { days: 7, every: "week", at: "08:00", readers: [{ email: "lea@example.com", state: "waiting" }] },
  ]);
  const { id } = made.body.data;
  const state = async () => (await client.call("GET", `/analytics/mails/${id}`)).body.data.readers[0].state;
  await until(() => smtp.mails.length === 1);
  const [path = ""] = /\/admin\/v1\/analytics\/readers\/[\w-]{32}/.exec(String(smtp.mails[0]!.text)) ?? [];
  const url = server.url + path;

  const page = await (await fetch(url, { headers: { "Accept-Language": "de" } })).text();
  expect([page.includes("Bericht erhalten"), await state()]).toEqual([true, "waiting"]);
  const send = (body: string) =>
    fetch(url, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: "https://mail.example" },
    });
  expect((await send("decision=confirm")).status).toBe(200);
  expect(await state()).toBe("active");
  expect((await send("List-Unsubscribe=One-Click")).status).toBe(200);
  expect(await state()).toBe("ended");
  expect((await send("decision=confirm")).status).toBe(200);
  expect(await state()).toBe("ended");
  expect((await fetch(`${url.slice(0, -1)}~`)).status).toBe(404);
  await until(() => server.log().includes("/admin/v1/analytics/readers/…"));
  expect(server.log()).not.toContain(path.slice(-32));
});
