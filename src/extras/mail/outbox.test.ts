/** The outbox and its delivery on every database, without a network. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import type { Database } from "../../platform/db/database.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createDeliveryRepository, createOutboxRepository } from "./outbox.repository.ts";
import { createDelivery } from "./delivery.ts";
import { createLetters } from "./letter.ts";
import { createMailOutbox, type MailOutbox, type MailTransaction } from "./outbox.ts";
import type { Smtp, SmtpMessage, SmtpTrouble } from "./smtp.ts";

const IDENTITY = {
  name: () => "Go",
  accentColor: () => "#1757c2",
  logo: () => null,
  icon: () => ({ type: "image/png", bytes: new Uint8Array() }),
};
const MINUTE = 60_000;
const ANNA = { accountId: 1, email: "anna@example.com", language: "en" } as const;

test("counts have the separators of the language", () => {
  const content = { title: "Box", count: 12_345, names: ["a"], url: "https://go.example.com/panel/" };
  const said = { en: "12,345 12,344", de: "12.345 12.344", fr: "12\u202f345 12\u202f344" };
  for (const [language, counts] of Object.entries({ ...said, zh: said.en, ja: said.en })) {
    const write = (kind: "drop" | "download") =>
      createLetters(IDENTITY)({ kind, content }, language as keyof typeof said);
    const [count, more] = counts.split(" ");
    expect(write("drop").subject).toContain(count!);
    expect(write("drop").text).toContain(more!);
    expect(write("download").subject).toContain(count!);
  }
});

test("dates are in the zone of the instance, which they name", () => {
  const content = {
    title: "Box",
    endsAt: Date.UTC(2026, 6, 1, 22, 30),
    url: "https://go.example.com/panel/",
  };
  const said = (zone: string, language: "en" | "de") =>
    createLetters(IDENTITY, () => zone)({ kind: "share_ending", content }, language).text;
  expect(said("UTC", "en")).toMatch(/July 1, 2026 at 10:30\sPM UTC/);
  expect(said("Europe/Berlin", "de")).toContain("2. Juli 2026 um 00:30 (Europe/Berlin)");
});

forEachDialect(({ openDb }) => {
  let database: Database;
  const time = { now: 1_800_000_000_000 };
  const clock = { now: () => time.now };
  let sent: SmtpMessage[];
  /** Replies of the server to come; then it takes everything. */
  let troubles: SmtpTrouble[];
  let changed: string[];
  let enabled = true;

  const write = <T>(run: (tx: MailTransaction) => Promise<T>) =>
    database.transaction((db) => run({ db, changed: (_, keys) => void changed.push(...keys) }));
  let outbox: MailOutbox;
  let deliver: () => Promise<void>;
  let run: (lost: AbortSignal, stopping: AbortSignal) => Promise<void>;
  /** Times that the result of a mail finds no database. */
  let away = 0;
  /** The pending reply of the server. */
  let result: Promise<SmtpTrouble | null> | null = null;
  const queue = (n: number, options = {}) =>
    write((tx) =>
      outbox.queue(tx, { ...ANNA, email: `a${n}@example.com` }, { kind: "test", content: {} }, options),
    );
  const states = async () => {
    const { mails } = await outbox.page({}, null, 50);
    return mails.toReversed().map(({ recipient, state }) => `${recipient.split("@")[0]} ${state}`);
  };

  beforeAll(async () => {
    database = await openDb();
    const repository = createOutboxRepository(database);
    outbox = createMailOutbox({ repository, write, isEnabled: () => enabled, clock, logger: silentLogger });
    const smtp = {
      from: "go@example.com",
      async send(message: SmtpMessage) {
        sent.push(message);
        return result ?? troubles.shift() ?? null;
      },
      close: async () => {},
    } as unknown as Smtp;
    const delivery = createDeliveryRepository(database);
    const job = createDelivery({
      repository: {
        ...delivery,
        async finish(id, outcome) {
          if (away-- > 0) throw new DatabaseError("unavailable", new Error("gone"));
          return delivery.finish(id, outcome);
        },
      },
      isEnabled: () => true,
      smtp: () => smtp,
      write: createLetters(IDENTITY),
      instance: "i",
      count: () => {},
      clock,
      logger: silentLogger,
    });
    run = job.run;
    deliver = () => job.run(new AbortController().signal);
  });

  beforeEach(async () => {
    await database.write.deleteFrom("mails").execute();
    [sent, troubles, changed, enabled, away, result] = [[], [], [], true, 0, null];
  });

  test("sends each once in the order of the queue, and forgets what it said", async () => {
    const ids = [await queue(1), await queue(2)];
    expect(changed).toEqual(ids.map(String));
    await deliver();
    await deliver();
    expect(sent.map(({ to, messageId }) => [to, messageId])).toEqual([
      ["a1@example.com", `<i.${ids[0]}@example.com>`],
      ["a2@example.com", `<i.${ids[1]}@example.com>`],
    ]);
    expect(await outbox.get(ids[0]!)).toMatchObject({
      state: "sent",
      attempts: 1,
      sentAt: time.now,
      dueAt: null,
    });
    const rows = await database.read.selectFrom("mails").select("content").execute();
    expect(rows.map(({ content }) => content)).toEqual(["", ""]);
  });

  test("a transaction that fails queues nothing, nor does an outbox that is off", async () => {
    const failing = write(async (tx) => {
      await outbox.queue(tx, ANNA, { kind: "test", content: {} });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    enabled = false;
    expect(await queue(1)).toBeNull();
    await expect(outbox.test(ANNA)).rejects.toThrow("[mail]");
    expect(await states()).toEqual([]);
  });

  test("a refused mail has failed, a delayed one waits longer and longer, and neither holds up others", async () => {
    troubles = [
      { is: "refused", message: "550 no such mailbox" },
      { is: "later", message: "451 greylisted" },
    ];
    const [refused, delayed] = [await queue(1), await queue(2), await queue(3)];
    await deliver();
    expect(await states()).toEqual(["a1 failed", "a2 waiting", "a3 sent"]);
    expect(await outbox.get(refused!)).toMatchObject({ error: "550 no such mailbox" });
    expect(await outbox.get(delayed!)).toMatchObject({
      error: "451 greylisted",
      dueAt: time.now + MINUTE / 2,
    });
    await deliver();
    expect(sent).toHaveLength(3);
    troubles = [{ is: "later", message: "451 greylisted" }];
    time.now += MINUTE / 2;
    await deliver();
    expect(await outbox.get(delayed!)).toMatchObject({ attempts: 2, dueAt: time.now + MINUTE });
    time.now += MINUTE;
    await deliver();
    expect(await states()).toEqual(["a1 failed", "a2 sent", "a3 sent"]);
    await expect(outbox.retry(delayed!)).rejects.toThrow("has been sent");
    await outbox.retry(refused!);
    await deliver();
    expect(await states()).toEqual(["a1 sent", "a2 sent", "a3 sent"]);
  });

  test("gives up after the last pause", async () => {
    const id = await queue(1);
    for (let tries = 1; tries <= 13; tries++) {
      troubles = [{ is: "later", message: "451 not now" }];
      await deliver();
      time.now += 24 * 60 * MINUTE;
    }
    expect(await outbox.get(id!)).toMatchObject({ state: "failed", attempts: 13 });
  });

  test("a server in trouble is tried with one mail, and an urgent one goes at once", async () => {
    const down = { is: "server", message: "mx:25: connection refused" } as const;
    troubles = [down];
    for (const n of [1, 2, 3]) await queue(n);
    await deliver();
    await deliver();
    expect(sent).toHaveLength(1);
    expect(await createDeliveryRepository(database).trouble()).toMatchObject({ error: down.message });
    troubles = [down];
    await outbox.test({ ...ANNA, email: "a4@example.com" });
    await deliver();
    expect(sent.map(({ to }) => to.split("@")[0])).toEqual(["a1", "a4"]);
    time.now += MINUTE;
    await deliver();
    expect(await states()).toEqual(["a1 sent", "a2 sent", "a3 sent", "a4 sent"]);
    expect(await createDeliveryRepository(database).trouble()).toBeNull();
  });

  test("a mail that the process was sending when it ended goes once more, then is given up", async () => {
    const id = await queue(1);
    const taken = () => database.write.updateTable("mails").set({ state: "sending" }).execute();
    await taken();
    troubles = [{ is: "later", message: "451" }];
    await deliver();
    expect(sent).toHaveLength(1);
    await taken();
    await deliver();
    expect(sent).toHaveLength(1);
    const { state, error } = await outbox.get(id!);
    expect([state, error]).toEqual(["failed", expect.stringContaining("ended while it sent this mail")]);
    await outbox.retry(id!);
    await taken();
    await deliver();
    expect(await outbox.get(id!)).toMatchObject({ state: "sent" });
  });

  test("an outage of the database while the server takes a mail does not send it again", async () => {
    const [lost, stopping] = [new AbortController(), new AbortController()];
    const { promise, resolve } = Promise.withResolvers<null>();
    [result, away] = [promise, 1];
    await queue(1);
    const running = run(lost.signal, stopping.signal);
    await until(() => sent.length === 1);
    lost.abort();
    resolve(null);
    await running;
    await deliver();
    expect([await states(), sent.length]).toEqual([["a1 sent"], 1]);
  });

  test("a mail that was not handed over when the process stopped was not interrupted", async () => {
    const stopping = new AbortController();
    const { promise, resolve } = Promise.withResolvers<SmtpTrouble>();
    result = promise;
    const id = await queue(1);
    const running = run(stopping.signal, stopping.signal);
    await until(() => sent.length === 1);
    stopping.abort();
    resolve({ is: "stopped", message: "stopped" });
    await running;
    expect(await states()).toEqual(["a1 waiting"]);
    const row = database.read.selectFrom("mails").select("was_interrupted").where("id", "=", id);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ was_interrupted: 0 });
  });

  test("a link that is no longer valid is not sent", async () => {
    const id = await queue(1, { usefulUntil: time.now });
    await deliver();
    expect(sent).toEqual([]);
    expect(await outbox.get(id!)).toMatchObject({ state: "failed" });
  });

  test("a key is queued once, also by two at once", async () => {
    const ids = await Promise.all([queue(1, { onceKey: "k" }), queue(1, { onceKey: "k" })]);
    expect(ids.filter((id) => id === null).length).toBeLessThanOrEqual(1);
    await deliver();
    expect(await queue(1, { onceKey: "k" })).toBeNull();
    expect(sent).toHaveLength(1);
  });

  test("a digest gathers until it is due, and none is lost while it is sent", async () => {
    const arrive = (name: string) =>
      write((tx) =>
        outbox.gather(tx, ANNA, {
          kind: "drop",
          subject: "7",
          content: { title: "Box", count: 1, names: [name], url: "https://go.example.com/panel/" },
          dueAt: time.now + 5 * MINUTE,
        }),
      );
    for (let n = 1; n <= 12; n++) await arrive(`file ${n}`);
    await deliver();
    expect(sent).toEqual([]);
    time.now += 5 * MINUTE;
    await deliver();
    expect(sent.map(({ subject }) => subject)).toEqual(["12 files arrived in Box"]);
    expect(sent[0]!.text).toContain("• file 10\n… and 2 more");
    await arrive("later");
    expect(await states()).toEqual(["anna sent", "anna waiting"]);
  });

  test("a digest has what arrives at once", async () => {
    const gather = (subject: string, names: string[]) =>
      write((tx) =>
        outbox.gather(tx, ANNA, {
          kind: "drop",
          subject,
          content: { title: "Box", count: names.length, names, url: "https://go.example.com/panel/" },
          dueAt: time.now,
        }),
      );
    for (const box of ["8", "9", "10", "11", "12", "13"])
      await Promise.all([["a"], ["b", "c"], ["d", "e", "f"]].map((names) => gather(box, names)));
    await deliver();
    expect(sent.map(({ subject }) => subject)).toEqual(Array(6).fill("6 files arrived in Box"));
    for (const name of "abcdef") expect(sent[0]!.text).toContain(`• ${name}`);
  });

  test("the log ends after thirty days, and pages give each mail once", async () => {
    for (const n of [1, 2, 3, 4, 5]) await queue(n);
    const first = await outbox.page({}, null, 2);
    const second = await outbox.page({}, first.next, 2);
    const third = await outbox.page({}, second.next, 2);
    const all = [first, second, third].flatMap(({ mails }) => mails.map(({ recipient }) => recipient[1]));
    expect([all.join(""), third.next]).toEqual(["54321", null]);
    expect((await outbox.page({ recipient: "a3@example.com" }, null, 5)).mails).toHaveLength(1);
    expect((await outbox.page({ state: "failed" }, null, 5)).mails).toEqual([]);
    await deliver();
    time.now += 30 * 24 * 60 * MINUTE + 1;
    await deliver();
    expect(await states()).toEqual([]);
  });
});
