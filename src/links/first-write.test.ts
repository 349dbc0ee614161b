/** The condition of a request in its own transaction, on every database. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Db } from "../platform/db/dialect.ts";
import { forEachDialect } from "../platform/db/for-each-dialect.test-support.ts";
import { type LinksRoom, openLinks, refusal, TARGET } from "./links.test-support.ts";
import { appError } from "../lib/errors.ts";
import { beforeFirstWrite } from "../lib/first-write.ts";

forEachDialect((dialect) => {
  let room: LinksRoom;
  beforeAll(async () => {
    room = await openLinks(await dialect.openDb({ threads: true }));
  });
  beforeEach(async () => {
    await room.clear();
    await room.links.create({ code: "a", target: TARGET, title: "first" });
  });

  /** Changes the link if it still has the title. */
  const retitle = (before: string, title: string) =>
    beforeFirstWrite(
      async (tx) => {
        const link = (await room.links.lock(tx as Db, ["a"])).get("a")!;
        if (link.title !== before) throw appError("PreconditionFailed", `It is '${link.title}' now.`);
      },
      () => room.links.patch("a", { title }),
    );

  test("of writers at once that saw the same state, one wins", async () => {
    const outcomes = await Promise.all(
      ["b", "c", "d", "e"].map((title) => refusal(retitle("first", title).result)),
    );
    expect(outcomes.toSorted()).toEqual([
      "PreconditionFailed",
      "PreconditionFailed",
      "PreconditionFailed",
      "no error",
    ]);
    expect((await room.links.get("a")).updatedAt).toBe(room.clock.now());
    const winner = ["b", "c", "d", "e"][outcomes.indexOf("no error")]!;
    expect((await room.links.get("a")).title).toBe(winner);
  });

  test("it rejects the whole transaction, and holds for the first one only", async () => {
    const refused = retitle("other", "b");
    expect([await refusal(refused.result), refused.isCommitted()]).toEqual(["PreconditionFailed", false]);
    let checks = 0;
    const both = beforeFirstWrite(
      async () => void checks++,
      async () => {
        await room.links.patch("a", { title: "b" });
        await room.links.patch("a", { title: "c" });
      },
    );
    await both.result;
    expect([checks, both.isCommitted(), (await room.links.get("a")).title]).toEqual([1, true, "c"]);
    await room.links.patch("a", { title: "d" });
    expect(checks).toBe(1);
  });

  test("what waits already runs ahead of it, in the same transaction", async () => {
    const steps: string[] = [];
    const note = (step: string) => async () => void steps.push(step);
    const nested = (title: string, match: () => Promise<void>) => {
      const inner = () => beforeFirstWrite(match, () => room.links.patch("a", { title })).result;
      return beforeFirstWrite(note("claim"), inner);
    };
    const refused = nested("b", () => Promise.reject(appError("PreconditionFailed", "No.")));
    expect([await refusal(refused.result), refused.isCommitted()]).toEqual(["PreconditionFailed", false]);
    const done = nested("c", note("match"));
    await done.result;
    expect([steps, done.isCommitted()]).toEqual([["claim", "claim", "match"], true]);
    const second = beforeFirstWrite(note("first"), async () => {
      await room.links.patch("a", { title: "d" });
      await beforeFirstWrite(note("second"), () => room.links.patch("a", { title: "e" })).result;
    });
    await second.result;
    expect([steps.slice(3), second.isCommitted()]).toEqual([["first", "second"], true]);
  });
});
