import { expect, test } from "bun:test";
import { COMMAND } from "../lib/actor.ts";
import { createDomainRegistry } from "../links/domains/registry.ts";
import { createFilterNames } from "./filter-names.ts";

test("a filter that names the host of the default domain keeps it when the host changes", async () => {
  let publicUrl = "https://old.example";
  const domains = createDomainRegistry({ list: async () => [], publicUrl: () => publicUrl });
  await domains.load();
  const owners = { resolved: async (named: object) => named };
  const repository = { ownerNames: async () => new Map<number, string>() };
  const names = createFilterNames({ repository, links: { domains, owners } as never });
  const filter = { domain: "old.example", tag: ["a"] };
  const ids = await names.idsOf(filter, COMMAND);
  publicUrl = "https://new.example";
  expect(await names.current({ filter, ids })).toEqual({ ...filter, domain: "(default)" });
});
