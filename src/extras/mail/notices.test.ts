/** Who is notified of what, on every database. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../platform/db/database.ts";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { silentLogger } from "../../lib/logger.ts";
import { createNoticeRepository, createOutboxRepository } from "./outbox.repository.ts";
import {
  createNotices,
  milestoneIn,
  type NoticeKind,
  type NoticeRecipient,
  type Notices,
} from "./notices.ts";
import { createMailOutbox, type MailTransaction } from "./outbox.ts";

const DAY = 86_400_000;

test("milestones are 100, 1,000, 10,000 and so on, each once", () => {
  const cases: [number, number, number | null][] = [
    [0, 99, null],
    [99, 100, 100],
    [100, 101, null],
    [1, 250_000, 100_000],
    [999, 1_000, 1_000],
    [1_000, 9_999, null],
    [500, 100, null],
  ];
  for (const [before, after, expected] of cases)
    expect([before, after, milestoneIn(before, after)]).toEqual([before, after, expected]);
});

forEachDialect(({ openDb }) => {
  let database: Database;
  let notices: Notices;
  const time = { now: 1_800_000_000_000 };
  /** By account; others have no address. */
  let choices: Record<number, NoticeRecipient["every"]>;
  let offered = true;
  const recorded: unknown[] = [];
  let folder: number;
  let link: number;

  const queued = async () => {
    const rows = await database.read
      .selectFrom("mails")
      .select(["kind", "recipient", "due_at as dueAt", "content"])
      .orderBy("id")
      .execute();
    return rows.map(({ kind, recipient, dueAt, content }) => [
      kind,
      recipient,
      dueAt - time.now,
      JSON.parse(content),
    ]);
  };

  beforeAll(async () => {
    database = await openDb();
    const write = <T>(run: (tx: MailTransaction) => Promise<T>) =>
      database.transaction((db) => run({ db, changed: () => {} }));
    const clock = { now: () => time.now };
    notices = createNotices({
      outbox: createMailOutbox({
        repository: createOutboxRepository(database),
        write,
        isEnabled: () => true,
        clock,
        logger: silentLogger,
      }),
      repository: createNoticeRepository(database),
      write,
      record: async (db, events) => {
        recorded.push(...events.map(({ action, subject, after }) => [action, subject, after]));
        await notices.onEvents(db, events);
      },
      codeOf: (key) => key,
      recipientOf: async (_, accountId, kind: NoticeKind) => {
        const every = choices[accountId];
        if (every === undefined || (every !== "on") !== ["drop", "download"].includes(kind)) return null;
        return { to: { accountId, email: `a${accountId}@example.com`, language: "en" }, every };
      },
      administrators: async () => [0, 1],
      isOffered: () => offered,
      panelUrl: (path) => `https://go.example.com/panel${path}`,
      nameOf: (key) => `go.example.com/${key}`,
      pageOf: encodeURIComponent,
      clock,
    });
    const at = { created_at: 0, updated_at: 0 };
    const { dialect, write: db } = database;
    const entry = { account_id: 7, parent_id: 0, name: "in", size: 0, ...at };
    folder = await dialect.insertReturningId(db, "entries", { ...entry, kind: "folder" });
    link = await dialect.insertReturningId(db, "links", {
      code: "plan",
      target: "https://example.com/",
      expires_at: time.now + DAY,
      ...at,
      owner_id: 7,
    });
    const team = await dialect.insertReturningId(db, "teams", { name: "press", ...at });
    await dialect.insertMany(db, "team_members", [
      { team_id: team, account_id: 8, role: "manager" },
      { team_id: team, account_id: 9, role: "editor" },
    ]);
    await dialect.insertReturningId(db, "links", {
      code: "ours",
      target: "https://example.com/",
      ...at,
      owner_id: -1 - team,
    });
    await dialect.insertMany(db, "shares", [
      {
        link_id: link,
        entry_id: folder,
        account_id: 7,
        max_downloads: 2,
        downloads: 1,
        max_bytes: null,
        max_files: null,
        max_file_size: null,
        created_at: 0,
      },
    ]);
  });

  beforeEach(async () => {
    await database.write.deleteFrom("mails").execute();
    [choices, offered] = [{ 0: "on", 1: "on", 7: "on", 8: "on", 9: "on" }, true];
  });

  const SYSTEM = { name: "system", via: "system" } as const;
  const arrive = (name: string, more: object = {}) =>
    database.transaction((db) =>
      notices.onEvents(db, [
        {
          at: time.now,
          actor: SYSTEM,
          action: "drop.received",
          subject: "box",
          subjectId: 5,
          after: { folder_id: folder, name, ...more },
        },
      ]),
    );

  test("files in a drop box are gathered for the owner of its folder", async () => {
    choices[7] = "hour";
    await arrive("a.pdf");
    await arrive("b.pdf", { title: "Applications" });
    const url = `https://go.example.com/panel/files?folder=${folder}`;
    expect(await queued()).toEqual([
      [
        "drop",
        "a7@example.com",
        DAY / 24,
        { title: "Applications", count: 2, names: ["a.pdf", "b.pdf"], url },
      ],
    ]);
  });

  test("other events cost nothing, nor does anything where no mail can be sent", async () => {
    await notices.onEvents(null as never, [{ at: 0, actor: SYSTEM, action: "link.create", subject: "a" }]);
    offered = false;
    choices[7] = "hour";
    await arrive("a.pdf");
    await notices.counted([{ linkId: link, before: 1, after: 100 }]);
    await notices.backupFailed("no room");
    await notices.certificatesFailed(["go.test"], "no");
    expect(await queued()).toEqual([]);
  });

  test("a dead target and a milestone notify the owner, of a team its managers, once", async () => {
    const ours = (await database.read
      .selectFrom("links")
      .select("id")
      .where("code", "=", "ours")
      .executeTakeFirst())!;
    for (const linkId of [link, ours.id, 999_999]) {
      const grown = { linkId, before: 90, after: 110 };
      await notices.counted([grown, grown, { linkId, before: 0, after: 500 }]);
      await database.transaction((db) =>
        notices.onEvents(db, [
          {
            at: time.now,
            actor: SYSTEM,
            action: "link.target_dead",
            subject: "x",
            subjectId: linkId,
            after: { target: "https://example.com/", problem: "the answer is 404" },
          },
        ]),
      );
    }
    expect((await queued()).map(([kind, to, , { link: name }]) => [kind, to, name])).toEqual([
      ["link_threshold", "a7@example.com", "go.example.com/plan"],
      ["target_dead", "a7@example.com", "go.example.com/plan"],
      ["link_threshold", "a8@example.com", "go.example.com/ours"],
      ["target_dead", "a8@example.com", "go.example.com/ours"],
    ]);
  });

  test("a link tells the number of clicks that it names, mail or not, and no other", async () => {
    const { dialect, write: db } = database;
    const linkId = await dialect.insertReturningId(db, "links", {
      code: "goal",
      target: "https://example.com/",
      created_at: 0,
      updated_at: 0,
      owner_id: 7,
      options: JSON.stringify({ clickThreshold: 250 }),
    });
    const grow = (before: number, after: number) => notices.counted([{ linkId, before, after }]);
    for (const [before, after] of [
      [0, 110],
      [110, 249],
      [250, 300],
      [300, 1_500],
    ] as const)
      await grow(before, after);
    expect([recorded, await queued()]).toEqual([[], []]);
    await grow(0, 250);
    offered = false;
    await grow(249, 251);
    const event = ["link.threshold", "goal", { clicks: 250 }];
    expect(recorded).toEqual([event, event]);
    expect((await queued()).map(([kind, to, , { clicks }]) => [kind, to, clicks])).toEqual([
      ["link_threshold", "a7@example.com", 250],
    ]);
  });

  test("downloads are gathered, and the last one of a limited share is reported at once", async () => {
    const share = { linkId: link, accountId: 7, code: "plan", title: null, maxDownloads: 2, isUsedUp: false };
    choices[7] = "day";
    await notices.downloaded(share);
    await notices.downloaded(share);
    expect((await queued()).map(([kind, , wait, { count }]) => [kind, wait, count])).toEqual([
      ["download", DAY, 2],
    ]);
    choices[7] = "on";
    await notices.downloaded(share);
    await notices.downloaded({ ...share, isUsedUp: true });
    await notices.downloaded({ ...share, isUsedUp: true });
    expect((await queued()).slice(1).map(([kind, , , { endsAt }]) => [kind, endsAt])).toEqual([
      ["share_ending", null],
    ]);
  });

  test("a share that ends within a day is reported once", async () => {
    const run = () => notices.endingJob.run(new AbortController().signal);
    time.now -= 1;
    await run();
    expect(await queued()).toEqual([]);
    time.now += 1;
    await run();
    await run();
    expect((await queued()).map(([kind, to, , { title }]) => [kind, to, title])).toEqual([
      ["share_ending", "a7@example.com", "go.example.com/plan"],
    ]);
  });

  test("administrators hear of a disabled webhook", async () => {
    const event = { at: time.now, actor: SYSTEM, action: "webhook.disable", subject: "example.com" };
    await database.transaction((db) => notices.onEvents(db, [{ ...event, after: { reason: "gone" } }]));
    expect((await queued()).map(([kind, to]) => [kind, to])).toEqual([
      ["webhook", "a0@example.com"],
      ["webhook", "a1@example.com"],
    ]);
  });

  test("administrators get one mail a day about certificates of the same hosts", async () => {
    await notices.certificatesFailed(["go.test", "two.test"], "too many requests");
    await notices.certificatesFailed(["go.test", "two.test"], "too many requests");
    const url = "https://go.example.com/panel/health";
    expect((await queued()).map(([kind, to, , content]) => [kind, to, content])).toEqual(
      ["a0@example.com", "a1@example.com"].map((to) => [
        "certificate",
        to,
        { host: "go.test", names: "go.test, two.test", reason: "too many requests", url },
      ]),
    );
  });

  test("administrators hear of a failed backup", async () => {
    await notices.backupFailed("/backup has no room left.");
    expect((await queued()).map(([kind, to]) => [kind, to])).toEqual([
      ["backup", "a0@example.com"],
      ["backup", "a1@example.com"],
    ]);
  });
});
