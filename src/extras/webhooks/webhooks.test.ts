/** Webhooks on every database: from events to requests, by the schedule, without a network. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { Webhook as Verifier } from "standardwebhooks";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { createEvents } from "../../platform/events/events.service.ts";
import { until } from "../../../test/support/until.ts";
import { COMMAND } from "../../lib/actor.ts";
import { silentLogger } from "../../lib/logger.ts";
import { type OutboundResponse, OutboundFailure, type OutboundRequest } from "../../lib/outbound.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import type { WebhookTransaction } from "./delivery.ts";
import type { Webhook } from "./webhook.ts";
import { createWebhooks, type Webhooks } from "./webhooks.service.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const SCHEDULE = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const INSTANCE = "12345678-0000-0000-0000-000000000000";
const URL_OF_RECEIVER = "https://example.com/hook";

type Reply = number | { status: number; "retry-after": string } | "dead";

forEachDialect(({ openDb }) => {
  let database: Database;
  const time = { now: 1_800_000_000_000 };
  const clock = { now: () => time.now };
  /** Stops the job as soon as nothing is due. */
  let stop: AbortController;
  let requests: OutboundRequest[];
  /** Responses to come; then 204. */
  let replies: Reply[];
  let events: ReturnType<typeof createEvents>;
  let webhooks: Webhooks;
  const listeners: (() => Promise<void>)[] = [];

  async function outbound(request: OutboundRequest): Promise<OutboundResponse> {
    requests.push(request);
    const reply = replies.shift() ?? 204;
    if (reply === "dead") throw new OutboundFailure("failed", "the connection is refused");
    const { status, ...headers } = typeof reply === "number" ? { status: reply } : reply;
    return { url: request.url, status, headers: new Headers(headers), body: Buffer.alloc(0) };
  }

  const changes = {
    async write<T>(run: (tx: WebhookTransaction) => Promise<T>): Promise<T> {
      let isChanged = false;
      const value = await database.transaction((db) => run({ db, changed: () => void (isChanged = true) }));
      if (isChanged) for (const listener of listeners) await listener();
      return value;
    },
    subscribe(_: "webhooks", listener: () => Promise<void>) {
      listeners.push(listener);
      return () => {};
    },
  };

  beforeAll(async () => {
    database = await openDb();
    events = createEvents({ database, clock });
    webhooks = createWebhooks({
      database,
      changes,
      record: events.add,
      box: createSecretBox(() => new Uint8Array(32)),
      allowPrivate: false,
      instance: INSTANCE,
      codeOf: (key) => key,
      count: () => {},
      outbound,
      clock,
      logger: silentLogger,
    });
    events.markPending(webhooks.isAwaited);
  });
  beforeEach(async () => {
    requests = [];
    replies = [];
    for (const { id } of await webhooks.list()) await webhooks.remove(id, COMMAND);
    for (const table of ["webhook_deliveries", "events"] as const)
      await database.write.deleteFrom(table).execute();
  });

  const add = async (more = {}): Promise<{ webhook: Webhook; secret: string }> =>
    webhooks.create({ url: URL_OF_RECEIVER, events: ["link.created", "account.disabled"], ...more }, COMMAND);
  const happen = (subject: string, action = "link.create", states: object = { after: { code: subject } }) =>
    database.transaction((db) =>
      events.add(db, [{ at: time.now, actor: COMMAND, action, subject, ...states }]),
    );
  /** Runs the job until nothing is due. */
  async function work(): Promise<void> {
    stop = new AbortController();
    const running = webhooks.job.run(stop.signal);
    while (await isBusy()) await Bun.sleep(5);
    stop.abort();
    await running;
  }
  async function isBusy(): Promise<boolean> {
    // In the order in which work moves on.
    const again = (await webhooks.list()).some(({ replayAfter }) => replayAfter !== null);
    const pending = await database.read.selectFrom("events").select("id").where("untold", "=", 1).execute();
    const due = await database.read
      .selectFrom("webhook_deliveries")
      .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
      .select("webhook_deliveries.id")
      .where("disabled_because", "is", null)
      .where((eb) => eb.or([eb("paused_until", "is", null), eb("paused_until", "<=", time.now)]))
      .where((eb) =>
        eb.or([
          eb("state", "=", "sending"),
          eb.and([eb("state", "=", "waiting"), eb("due_at", "<=", time.now)]),
        ]),
      )
      .execute();
    return pending.length + due.length > 0 || again;
  }
  const log = async (id: number, filter = {}) => (await webhooks.page(id, filter, null, 100)).page;
  const subjects = () => requests.map(({ body }) => JSON.parse(body!).data.subject as string);

  test("an event is sent with headers that the official verifier accepts", async () => {
    const { webhook, secret } = await add();
    await happen("a");
    await happen("b", "link.delete");
    await happen("c", "account.update", { before: { disabled: true }, after: { disabled: true } });
    await happen("d", "account.update", { before: { disabled: false }, after: { disabled: true } });
    await work();
    expect(subjects().toSorted()).toEqual(["a", "d"]);
    const { url, method, headers, body } = requests[0]!;
    expect([url, method]).toEqual([URL_OF_RECEIVER, "POST"]);
    expect(headers!["webhook-timestamp"]).toBe(String(time.now / 1_000));
    const payload = JSON.parse(body!);
    expect(payload).toMatchObject({
      type: "link.created",
      data: { action: "link.create", after: { code: "a" } },
    });
    expect(headers!["webhook-id"]).toBe(`evt_12345678_${payload.data.id}`);
    expect(signatureOf(new Verifier(secret), headers!, body!)).toBe(headers!["webhook-signature"]!);
    const [delivery] = await log(webhook.id, { state: "delivered", event: "link.created" });
    expect(delivery).toMatchObject({ attempts: 1, tries: [{ at: time.now, status: 204, error: null }] });
  });

  test("events of a process that does not know a new webhook yet are sent once, also after a long outage", async () => {
    const deaf = createEvents({ database, clock });
    const happenUnnoticed = (subject: string) =>
      database.transaction((db) =>
        deaf.add(db, [{ at: time.now, actor: COMMAND, action: "link.create", after: {}, subject }]),
      );
    const workOn = async () => {
      stop = new AbortController();
      const running = webhooks.job.run(stop.signal);
      const known = requests.length;
      await until(() => requests.length > known);
      stop.abort();
      await running;
    };
    await happenUnnoticed("before");
    await add();
    await happenUnnoticed("after");
    await happen("a");
    time.now += 10 * 60_000;
    await workOn();
    await happenUnnoticed("later");
    time.now += 2 * 60_000;
    await workOn();
    time.now += 6_000;
    await work();
    expect(subjects().toSorted()).toEqual(["a", "after", "later"]);
  });

  test("after the clock was set back, new events are sent, queued ones too, and none from before the webhook", async () => {
    await add();
    await happen("before");
    // In the same millisecond.
    const { webhook } = await add();
    time.now -= HOUR;
    await happen("a");
    await work();
    expect(subjects().toSorted()).toEqual(["a", "a", "before"]);
    await database.write
      .updateTable("webhook_deliveries")
      .set({ state: "waiting", attempts: 0, due_at: time.now + HOUR })
      .where("webhook_id", "=", webhook.id)
      .execute();
    const running = webhooks.job.run((stop = new AbortController()).signal);
    while (requests.length < 4) await Bun.sleep(5);
    stop.abort();
    await running;
    time.now += HOUR;
  });

  test("two secrets sign for a day after a rotation, then the new one", async () => {
    const { webhook, secret } = await add();
    const next = await webhooks.rotate(webhook.id, COMMAND);
    await happen("a");
    await work();
    time.now += 24 * HOUR;
    await happen("b");
    await work();
    const [both, one] = requests.map(({ headers, body }) => ({ headers: headers!, body: body! }));
    expect(both!.headers["webhook-signature"]).toBe(
      [next.secret, secret].map((key) => signatureOf(new Verifier(key), both!.headers, both!.body)).join(" "),
    );
    expect(one!.headers["webhook-signature"]).toBe(
      signatureOf(new Verifier(next.secret), one!.headers, one!.body),
    );
    const stored = await database.read.selectFrom("webhooks").selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
    const recorded = await database.read.selectFrom("events").selectAll().execute();
    expect(JSON.stringify(recorded)).not.toContain(secret.slice(6));
  });

  test("a dead receiver is tried by the schedule, then the webhook is disabled, with the reason", async () => {
    const { webhook } = await add();
    await happen("a");
    replies = SCHEDULE.map(() => "dead");
    const begun = time.now;
    for (const [n, pause] of SCHEDULE.entries()) {
      time.now += pause - 1;
      if (n > 0) await work();
      expect(requests.length).toBe(n);
      time.now += 1;
      await work();
      expect(requests.length).toBe(n + 1);
    }
    const [delivery] = await log(webhook.id);
    expect(delivery).toMatchObject({ state: "failed", attempts: 10 });
    expect(new Set(delivery!.tries.map(({ error }) => error))).toEqual(
      new Set(["The connection is refused."]),
    );
    expect(await webhooks.get(webhook.id)).toMatchObject({ disabledBecause: "failing", failingSince: begun });
    const { events: known } = await events.page({ action: "webhook.disable" }, null, 5);
    expect(known).toMatchObject([{ actor: "system", subject: "example.com" }]);
    await happen("missed");
    expect(webhooks.isAwaited({ at: 0, actor: COMMAND, action: "link.create", subject: "x" })).toBe(false);
    // What was missed comes by a replay.
    await webhooks.update(webhook.id, { enabled: true }, COMMAND);
    expect(await webhooks.get(webhook.id)).toMatchObject({ disabledBecause: null, failingSince: null });
    const { events: all } = await events.page({ action: "link.create" }, null, 5);
    requests = [];
    await webhooks.replay(webhook.id, all.at(-1)!.id);
    await work();
    expect(subjects()).toEqual(["a", "missed"]);
    expect((await log(webhook.id)).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  test("a link that becomes a share or report, and a share that becomes a link, is sent by the events of the webhook", async () => {
    const [url, share] = ["https://a.example/", "waymark:file/1"];
    const change = (subject: string, action: string, from: string, to: string) =>
      happen(subject, action, { before: { target: from }, after: { target: to } });
    const sent = async (names: string[]) => {
      const { webhook } = await add({ events: names });
      requests = [];
      await change("shared", "share.update", url, share);
      await change("reported", "report.update", url, "waymark:report/0");
      await change("other", "share.update", share, "waymark:folder/2");
      await happen("titled", "share.update", { before: { title: "a" }, after: { title: "b" } });
      await change("link", "link.update", share, url);
      await change("no report", "link.update", "waymark:report/0", url);
      await change("moved", "link.update", url, "https://b.example/");
      await work();
      await webhooks.remove(webhook.id, COMMAND);
      return requests.map(({ body }) => {
        const { type, data } = JSON.parse(body!);
        return `${type} ${data.subject}`;
      });
    };
    const updates = ["shared", "reported", "link", "no report", "moved"].map(
      (name) => `link.updated ${name}`,
    );
    expect((await sent(["link.updated"])).toSorted()).toEqual(updates.toSorted());
    expect((await sent(["share.ended", "share.created"])).toSorted()).toEqual([
      "share.created shared",
      "share.ended link",
    ]);
    expect((await sent(["share.ended", "link.updated"])).toSorted()).toEqual(updates.toSorted());
  });

  test("a replay sends at once what waits for its next attempt, and nothing before it", async () => {
    const { webhook } = await add();
    await happen("earlier");
    await work();
    replies = ["dead", "dead", "dead"];
    await happen("a");
    for (const pause of SCHEDULE.slice(0, 3)) {
      time.now += pause;
      await work();
    }
    expect((await log(webhook.id))[0]).toMatchObject({ state: "waiting", attempts: 3 });
    const { events: all } = await events.page({ action: "link.create" }, null, 5);
    requests = [];
    await webhooks.replay(webhook.id, all[0]!.id);
    await work();
    expect(subjects()).toEqual(["a"]);
    expect((await log(webhook.id))[0]).toMatchObject({ state: "delivered", attempts: 1 });
  });

  test("redirects fail, 410 disables, and Retry-After is honoured up to a day", async () => {
    const { webhook } = await add();
    replies = [302, { status: 429, "retry-after": "3600" }, { status: 503, "retry-after": "31536000" }, 410];
    await happen("a");
    await work();
    expect((await log(webhook.id))[0]!.tries.at(-1)!.error).toBe(
      "The response is 302; redirects are not followed.",
    );
    time.now += 5 * SECOND;
    await work();
    const paused = (await webhooks.get(webhook.id)).pausedUntil;
    expect(paused).toBe(time.now + HOUR);
    // The receiver wants nothing at all.
    await happen("b");
    await work();
    expect(requests.length).toBe(2);
    time.now += HOUR - 1;
    await work();
    expect(requests.length).toBe(2);
    time.now += 1;
    await work();
    expect((await webhooks.get(webhook.id)).pausedUntil).toBe(time.now + 24 * HOUR);
    time.now += 24 * HOUR;
    await work();
    expect(await webhooks.get(webhook.id)).toMatchObject({ disabledBecause: "gone" });
    expect((await log(webhook.id, { state: "failed" })).length).toBe(1);
  });

  test("an attempt that a process did not end counts, and the next one follows by the schedule", async () => {
    const { webhook } = await add();
    await happen("a");
    const crash = () =>
      database.write
        .updateTable("webhook_deliveries")
        .set((eb) => ({ state: "sending", tried_at: time.now, attempts: eb("attempts", "+", 1) }))
        .execute();
    replies = ["dead"];
    await work();
    time.now += 5 * SECOND;
    await crash();
    await work();
    expect(requests.length).toBe(1);
    time.now += 5 * MINUTE;
    await work();
    expect(requests.length).toBe(2);
    const [delivery] = await log(webhook.id);
    expect(delivery).toMatchObject({ state: "delivered", attempts: 3 });
    expect(delivery!.tries[1]!.error).toStartWith("Waymark ended during this attempt.");
    // The last one is repeated.
    await database.write.updateTable("webhook_deliveries").set({ attempts: 9 }).execute();
    await crash();
    await work();
    expect([requests.length, (await log(webhook.id))[0]!.attempts]).toEqual([3, 10]);
  });

  test("tests have one attempt; a delivery is sent again by request; each webhook has its own events", async () => {
    const { webhook } = await add();
    const other = await add({ events: ["link.deleted"] });
    replies = ["dead"];
    const { id } = await webhooks.test(webhook.id);
    await work();
    expect(await webhooks.delivery(webhook.id, id)).toMatchObject({
      delivery: { state: "failed", eventId: null },
      payload: { type: "webhook.test" },
    });
    expect(webhooks.delivery(other.webhook.id, id)).rejects.toThrow("There is no such delivery.");
    await webhooks.resend(webhook.id, id);
    await work();
    expect((await webhooks.delivery(webhook.id, id)).delivery).toMatchObject({
      state: "delivered",
      attempts: 1,
    });
    await happen("gone", "link.delete");
    await work();
    expect((await log(other.webhook.id)).length).toBe(1);
    await database.write.deleteFrom("events").execute();
    const [known] = await log(other.webhook.id);
    expect((await webhooks.delivery(other.webhook.id, known!.id)).payload).toBeNull();
    await webhooks.resend(other.webhook.id, known!.id);
    await work();
    expect((await log(other.webhook.id))[0]).toMatchObject({ state: "failed" });
  });

  test("secrets and URLs are checked", async () => {
    for (const url of [
      "ftp://example.com",
      "https://user:password@example.com/",
      "http://127.0.0.1:8080/",
      "http://[::1]/",
    ])
      expect(add({ url })).rejects.toThrow(/^url: /);
    expect(add({ secret: "whsec_c2hvcnQ=" })).rejects.toThrow("24 to 64 bytes");
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    expect((await add({ secret })).secret).toBe(secret);
    for (let n = 1; n < 20; n++) await add();
    expect(add()).rejects.toThrow("There are 20 webhooks already");
  });
});

function signatureOf(verifier: Verifier, headers: Readonly<Record<string, string>>, body: string): string {
  const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  return verifier.sign(headers["webhook-id"]!, at, body);
}
