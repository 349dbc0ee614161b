/** Recipients of shares: who gets mails, how an address is proved, what is kept of visits. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { ownerOfTeam } from "../../lib/owner.ts";
import { createDropsRepository } from "../drops/repository.ts";
import { createDrops } from "../drops/service.ts";
import { refusal } from "../drive.test-support.ts";
import type { GivenShare } from "../serving/schemas.ts";
import { type SharesHarness, startShares } from "../shares/shares.test-support.ts";
import { createVisitJob } from "./visits-job.ts";

const MINUTE = 60_000;
const [ANNA, BEN, CLEO] = ["anna@example.com", "ben@example.com", "cleo@example.com"];

forEachDialect((dialect) => {
  let at: SharesHarness;
  let me: number;
  let fileId: number;
  beforeAll(async () => void (at = await startShares(await dialect.openDb())));
  beforeEach(async () => {
    me = await at.account();
    fileId = (await at.upload(me, null, "plan.pdf")).id;
    at.mailed.length = 0;
    at.mail.isOn = true;
  });
  afterEach(async () => expect(await at.mismatches()).toEqual([]));
  afterAll(() => at?.close());

  const share = (input: GivenShare) =>
    at.shares.create(me, { kind: "file", id: fileId }, input, at.actor(me));
  const patch = (code: string, input: Parameters<typeof at.changes.patch>[2]) =>
    at.changes.patch(me, code, input, at.actor(me));
  const mailed = () => at.mailed.splice(0).map(({ email, kind }) => `${kind} ${email}`);

  test("who is listed gets the mail, who is listed later too, and nobody twice unless requested", async () => {
    const made = await share({
      title: "Plan",
      message: "Line 1\nLine 2",
      recipients: [ANNA],
      password: "12345678",
    });
    expect(made).toMatchObject({ message: "Line 1\nLine 2", recipients: [ANNA], verify: false });
    expect(at.mailed).toEqual([
      {
        email: ANNA,
        kind: "share",
        content: {
          title: "Plan",
          count: 0,
          names: [],
          message: "Line 1\nLine 2",
          by: expect.stringContaining("user"),
          endsAt: null,
          password: true,
          verify: false,
          asks: false,
          url: `https://go.example/${made.code}`,
        },
      },
    ]);
    expect(JSON.stringify(at.mailed)).not.toContain("12345678");
    mailed();
    await patch(made.code, { recipients: [BEN, ANNA] });
    expect(mailed()).toEqual([`share ${BEN}`]);
    await patch(made.code, { title: "Other" });
    expect(mailed()).toEqual([]);
    expect(await at.shares.sendAgain(me, made.code, [ANNA])).toBe(1);
    expect(await at.shares.sendAgain(me, made.code, null)).toBe(2);
    expect(mailed()).toEqual([`share ${ANNA}`, `share ${ANNA}`, `share ${BEN}`]);
    expect(await refusal(at.shares.sendAgain(me, made.code, [CLEO]))).toBe("BadRequest");
    expect(await refusal(at.shares.sendAgain(await at.account(), made.code, null))).toBe("LinkNotFound");
  });

  test("a share that addresses persons shows from whom, another one and the built-in administrator don't", async () => {
    const { username } = await at.database.read
      .selectFrom("users")
      .select("username")
      .where("id", "=", me)
      .executeTakeFirstOrThrow();
    const name = `press ${me}`;
    const row = { name, created_at: 0, updated_at: 0 };
    const team = await at.database.dialect.insertReturningId(at.database.write, "teams", row);
    const fromOf = async (accountId: number, input: GivenShare) => {
      const { id } = await at.upload(accountId, null, crypto.randomUUID());
      const given = input;
      const made = await at.shares.create(accountId, { kind: "file", id }, given, at.actor(accountId));
      return (await at.shares.find(made.id))?.from;
    };
    expect(await fromOf(me, {})).toBeNull();
    expect(await fromOf(me, { message: "For you" })).toBe(username);
    expect(await fromOf(me, { recipients: [ANNA] })).toBe(username);
    expect(await fromOf(ownerOfTeam(team), { message: "For you" })).toBe(name);
    expect(await fromOf(0, { message: "For you" })).toBeNull();
  });

  test("lists, events and undo have message, recipients and verification", async () => {
    const { id, code } = await share({ message: "first", recipients: [ANNA, BEN], verify: true });
    await patch(code, { message: null, recipients: [CLEO], verify: false });
    const history = await at.history(id);
    expect(history).toMatchObject([
      { after: { message: "first", recipients: [ANNA, BEN], verify: true } },
      {
        before: { message: "first", recipients: [ANNA, BEN], verify: true },
        after: { message: null, recipients: [CLEO], verify: null },
      },
    ]);
    mailed();
    const { events } = await at.events.page({}, null, 1);
    const which = { eventId: events[0]!.id, state: "before" } as const;
    await at.changes.revertLink(me, code, which, { actor: at.actor(me), mayShare: () => {} });
    const [listed] = await at.shares.list(me, { kind: "file", id: fileId });
    expect(listed).toMatchObject({ message: "first", recipients: [ANNA, BEN], verify: true });
    expect(mailed()).toEqual([]);
    await patch(code, { target: "https://example.com/" });
    expect(await at.repository.recipients.ofLinks([id])).toEqual(new Map());
  });

  test("what can't be is refused, and leaves no share and no mail", async () => {
    expect(await refusal(share({ verify: true }))).toBe("BadRequest");
    const { code } = await share({ recipients: [ANNA] });
    mailed();
    for (const input of [
      { recipients: [], verify: true },
      { target: "https://example.com/", message: "for a URL" },
      { target: "https://example.com/", recipients: [BEN] },
    ])
      expect(await refusal(patch(code, input))).toBe("BadRequest");
    at.mail.isOn = false;
    expect(await refusal(share({ recipients: [BEN] }))).toBe("Conflict");
    expect(await refusal(patch(code, { recipients: [ANNA, BEN] }))).toBe("Conflict");
    expect(await refusal(patch(code, { verify: true }))).toBe("Conflict");
    expect(await patch(code, { title: "still changeable", recipients: [ANNA] })).toMatchObject({
      recipients: [ANNA],
    });
    expect(mailed()).toEqual([]);
  });

  test("the mail of a share without a title names its files, or the folder if it holds others", async () => {
    const folder = await at.folder(me, null, "Shared on Nov 29");
    const named = async (title?: string) => {
      const input = { recipients: [ANNA], ...(title !== undefined && { title }) };
      await at.shares.create(me, { kind: "folder", id: folder }, input, at.actor(me));
      return at.mailed.pop()!.content;
    };
    expect(await named()).toMatchObject({ title: "Shared on Nov 29", count: 0, names: [] });
    const first = await at.upload(me, folder, "a.pdf");
    expect(await named()).toMatchObject({ title: "a.pdf", count: 0, names: [] });
    await at.upload(me, folder, "b.pdf");
    expect(await named()).toMatchObject({ title: "", count: 2, names: ["a.pdf", "b.pdf"] });
    expect(await named("Plans")).toMatchObject({ title: "Plans", count: 0, names: [] });
    await at.shares.createOfItems(me, [first.id, fileId], { recipients: [ANNA] }, at.actor(me));
    expect(at.mailed.pop()!.content).toMatchObject({ title: "", count: 2 });
    await at.folder(me, folder, "more");
    expect(await named()).toMatchObject({ title: "Shared on Nov 29", count: 0, names: [] });
  });

  test("a drop box mails those whom it asks for files, and lets in everybody", async () => {
    const folder = await at.folder(me, null, "inbox");
    const limits = { max_bytes: 10, max_files: 1 };
    const drops = createDrops({ ...at.parts, drops: createDropsRepository(at.database) });
    const box = await drops.create(me, folder, { ...limits, recipients: [ANNA] }, at.actor(me));
    // Visitors don't see the name of the folder.
    expect(at.mailed).toMatchObject([{ email: ANNA, content: { asks: true, title: "" } }]);
    mailed();
    expect(await patch(box.code, { recipients: [ANNA, BEN] })).toMatchObject({ recipients: [ANNA, BEN] });
    expect(mailed()).toEqual([`share ${BEN}`]);
    expect(await refusal(patch(box.code, { verify: true }))).toBe("BadRequest");
  });

  test("an account mails only so many a day", async () => {
    const all = Array.from({ length: 100 }, (_, n) => `r${n}@example.com`);
    for (let n = 0; n < 5; n++) await share({ recipients: all });
    expect(await refusal(share({ recipients: [ANNA] }))).toBe("RateLimitExceeded");
    expect(mailed()).toHaveLength(500);
  });

  test("visits name the recipient who has proved it, newest first, and go when they are old", async () => {
    const { id: linkId, code } = await share({ recipients: [ANNA], verify: true });
    const entry = (await at.shares.find(linkId))!;
    const headers = new Headers({
      "user-agent": "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0",
    });
    const [seen, signalled] = [at.visits.deviceOf({ headers }), new Headers([...headers, ["dnt", "1"]])];
    expect(seen).toEqual({ browser: "Firefox", os: "Windows", automated: false });
    const device = at.visits.deviceOf({ headers: signalled });
    expect(device).toEqual({ browser: null, os: null, automated: false });
    const program = at.visits.deviceOf({ headers: new Headers({ "user-agent": "curl/8.5.0" }) });
    expect(program).toMatchObject({ automated: true });
    await Promise.all([
      at.shares.note({ ...entry, visitor: null, device: seen }, { action: "open", name: "plan.pdf" }),
      at.shares.note({ ...entry, visitor: ANNA, device }, { action: "open", name: "plan.pdf" }),
      // Of a link that is gone meanwhile.
      at.shares.note({ ...entry, linkId: -5, visitor: null, device }, { action: "open", name: null }),
    ]);
    at.time.now += MINUTE;
    await at.shares.reportDownload(
      { ...entry, visitor: ANNA, device: { ...device, automated: true } },
      { action: "download", name: "plan.pdf" },
    );
    const visits = (before: number | null, limit: number) => at.shares.visits(me, code, before, limit);
    const first = await visits(null, 2);
    expect(first.visits).toMatchObject([
      { email: ANNA, action: "download", name: "plan.pdf", at: at.time.now, automated: true },
      { email: ANNA, action: "open", browser: null, automated: false },
    ]);
    expect((await visits(first.next, 2)).visits).toMatchObject([
      { email: null, action: "open", os: "Windows" },
    ]);
    expect(await at.shares.mails(me, code)).toMatchObject([{ email: ANNA, state: "accepted", error: null }]);
    const clock = { now: () => at.time.now + MINUTE / 2 };
    const job = createVisitJob({ repository: at.repository.recipients, days: () => 1 / 24 / 60, clock });
    await job.run(new AbortController().signal);
    expect((await visits(null, 10)).visits).toMatchObject([{ action: "download" }]);
    await at.shares.end(me, code, at.actor(me));
    expect(await at.repository.recipients.visits(linkId, null, 10)).toEqual([]);
  });
});
