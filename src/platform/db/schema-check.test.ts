import { beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";
import { MIGRATIONS } from "./migrate.ts";
import { findSchemaDifferences } from "./schema-check.ts";

forEachDialect(({ name, openDb }) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDb();
  });
  const differences = () => findSchemaDifferences(database, MIGRATIONS);
  const run = (text: string) => sql.raw(text).execute(database.slow);

  test("a migrated database has no difference, with the table and triggers of a move either", async () => {
    expect(await differences()).toEqual([]);
    await run("create table waymark_move_log (n int)");
    expect(await differences()).toEqual([]);
    await run("drop table waymark_move_log");
  });

  test("each difference is named", async () => {
    await run(`drop index changes_created_at${name.startsWith("m") ? " on changes" : ""}`);
    await run("alter table leases add column note varchar(20)");
    await run("alter table webhook_deliveries drop column event_id").catch(() => {});
    await run("alter table repeats rename column answer to reply");
    await run("drop table recovery_codes");
    const found = await differences();
    for (const sentence of [
      "the index changes_created_at of the table changes is missing",
      "the column leases.note is not of this version",
      "the column repeats.answer is missing",
      "the column repeats.reply is not of this version",
      "the table recovery_codes is missing",
    ])
      expect(found).toContain(sentence);
    if (name === "sqlite") {
      await run("drop trigger entries_name_added");
      expect(await differences()).toContain(
        "the trigger entries_name_added is missing, so searches miss changes",
      );
      await run("create trigger mine after insert on leases begin select 1; end");
      expect(await differences()).toContain(
        "the table leases has the trigger mine, which Waymark did not make",
      );
      return;
    }
    await run(
      name === "postgres"
        ? "alter table leases alter column owner drop not null"
        : "alter table leases modify owner varchar(128) null",
    );
    expect(await differences()).toContain("the column leases.owner takes null, which it must not");
    await run(
      name === "postgres"
        ? "alter table account_mail drop constraint account_mail_email"
        : "drop index account_mail_email on account_mail",
    );
    expect(await differences()).toContain(
      "the constraint account_mail_email of the table account_mail is missing, so the same value can be there twice",
    );
  });
});
