/** Domains that ignore the case of codes, on all databases. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { forEachDialect } from "../../platform/db/for-each-dialect.test-support.ts";
import { COMMAND } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { keyOf } from "../link/key.ts";
import { type LinksRoom, openLinks, refusal, TARGET } from "../links.test-support.ts";

forEachDialect(({ openDb }) => {
  const settings = { ignoresCase: false };
  const warned: object[] = [];
  let room: LinksRoom;

  beforeAll(async () => {
    room = await openLinks(await openDb({ threads: true }), { ignoresCase: () => settings.ignoresCase });
  });
  beforeEach(async () => {
    settings.ignoresCase = false;
    warned.length = 0;
    await room.clear();
    await room.database.write.deleteFrom("domains").execute();
    await room.links.domains.load();
  });

  const make = (code: string, domain?: string) =>
    room.links.create({ code, target: TARGET, ...(domain && { domain }) });
  const addDomain = (input: object = {}) =>
    room.links.domainService.create({ host: "go.example", ...input }, COMMAND);
  const lower = () =>
    room.links
      .caseJob({ warn: (about: unknown) => void warned.push(about as object) }, { portion: 2, waitMs: 0 })
      .run(new AbortController().signal);
  const codes = async () =>
    (await room.database.read.selectFrom("links").select("code").orderBy("code").execute()).map(
      ({ code }) => code,
    );
  async function messageOf(call: Promise<unknown>): Promise<string> {
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    );
    return error instanceof AppError ? `${error.name}: ${error.message}` : "no error";
  }

  describe("a domain that ignores case", () => {
    test("stores new codes in lower case, and finds them in any", async () => {
      const { id } = await addDomain({ ignore_case: true });
      expect((await make("Sale/A", "go.example")).code).toBe(keyOf(id, "sale/a"));
      expect(await refusal(make("SALE/a", "go.example"))).toBe("LinkAlreadyExists");
      expect((await room.links.get(room.links.domains.key("sALE/a", "go.example"))).target).toBe(TARGET);
      expect(await room.links.available("SALE/A", "go.example")).toMatchObject({ reason: "taken" });
      expect((await make("Sale/A")).code).toBe("Sale/A");
      const random = await room.links.create({ target: TARGET, domain: "go.example" });
      expect(random.code).toBe(random.code.toLowerCase());
      const batch = await room.links.batch.create([
        { code: "B1", target: TARGET, domain: "go.example" },
        { code: "b1", target: TARGET, domain: "go.example" },
      ]);
      expect([batch.success, batch.failed.length]).toEqual([["b1"], 1]);
      const renamed = await room.links.patch(keyOf(id, "b1"), { code: "B2" });
      expect(renamed.code).toBe(keyOf(id, "b2"));
      expect((await room.links.patch(keyOf(id, "b2"), { code: "B2", title: "t" })).code).toBe(
        keyOf(id, "b2"),
      );
      expect(await refusal(make("ADMIN/x", "go.example"))).toBe("LinkReservedCode");
    });

    test("can't begin while codes differ by case only, and names them", async () => {
      const { id } = await addDomain();
      for (const code of ["Abc", "abc", "x", "y"]) await make(code, "go.example");
      await make("ABC");
      const { update } = room.links.domainService;
      expect(await messageOf(update(id, { ignore_case: true }, COMMAND))).toBe(
        "Conflict: Codes differ by case only: Abc and abc. Rename or delete one of each first.",
      );
      await room.links.patch(keyOf(id, "Abc"), { code: "Z", keep_old: true });
      expect(await refusal(update(id, { ignore_case: true }, COMMAND))).toBe("Conflict");
      await room.links.remove(keyOf(id, "abc"));
      expect((await update(id, { ignore_case: true }, COMMAND)).ignoreCase).toBe(true);
      for (let at = 0; at < 30; at++) for (const code of [`q${at}`, `Q${at}`]) await make(code);
      const named = await messageOf(room.links.refuseAlike(0));
      expect(named.match(/ and [qQ]/g)).toHaveLength(10);
    });

    test("can't begin while a code is reserved in lower case, and names it", async () => {
      const { id } = await addDomain();
      for (const code of ["Export", "FILES/x", "Admin/y", "Exports", "Files0", "x/Export"])
        await make(code, "go.example");
      await make("Batch");
      await room.links.patch(keyOf(id, "Admin/y"), { code: "y", keep_old: true });
      const { update } = room.links.domainService;
      expect(await messageOf(update(id, { ignore_case: true }, COMMAND))).toBe(
        "Conflict: Codes are reserved in lower case: Export, FILES/x, Admin/y. Rename or delete them first.",
      );
      expect(await messageOf(room.links.refuseAlike(0))).toContain("Batch");
      for (const code of ["Export", "FILES/x", "y"]) await room.links.remove(keyOf(id, code));
      expect((await update(id, { ignore_case: true }, COMMAND)).ignoreCase).toBe(true);
    });

    test("stores the codes that it has in lower case, with aliases and deleted links", async () => {
      const kept = await make("Kept");
      for (const code of ["Ab", "Cd/E", "fG", "lower"]) await make(code);
      await room.links.patch("Ab", { code: "New", keep_old: true });
      await room.links.patch("New", { code: "neW", keep_old: true });
      await make("Gone");
      await room.links.remove("Gone");
      const { id: deletedId } = await room.database.read
        .selectFrom("deleted_links")
        .select("link_id as id")
        .executeTakeFirstOrThrow();
      settings.ignoresCase = true;
      room.changed.length = 0;
      await lower();
      expect(await codes()).toEqual(["cd/e", "fg", "kept", "lower", "new"]);
      expect(new Set(room.changed.flat())).toEqual(
        new Set(["Ab", "Cd/E", "Kept", "New", "ab", "cd/e", "fG", "fg", "kept", "neW", "new"]),
      );
      const aliases = await room.database.read.selectFrom("link_aliases").select("code").execute();
      expect(aliases).toEqual([{ code: "ab" }]);
      expect((await room.links.get("KEPT")).id).toBe(kept.id);
      expect((await room.links.find("NEW"))?.code).toBe("new");
      expect(await room.links.deleted.restore(COMMAND, deletedId, null)).toBe("gone");
      room.changed.length = 0;
      await lower();
      expect([room.changed, warned]).toEqual([[], []]);
    });

    test("leaves a code that is taken in lower case", async () => {
      for (const code of ["Two", "two", "TWO", "ADMIN"]) await make(code);
      settings.ignoresCase = true;
      await lower();
      expect(await codes()).toEqual(["ADMIN", "TWO", "Two", "two"].sort());
      expect(warned).toEqual([{ codes: ["ADMIN", "TWO", "Two"], count: 3 }]);
    });

    test("is chosen by administrators alone", async () => {
      const { id } = await addDomain();
      const editor = { ...COMMAND, ownOnly: true };
      const { update } = room.links.domainService;
      expect(await refusal(update(id, { ignore_case: true }, editor))).toBe("Forbidden");
    });
  });
});
