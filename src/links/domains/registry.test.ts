import { expect, test } from "bun:test";
import type { Domain } from "./domain.ts";
import { createDomainRegistry } from "./registry.ts";

const domain = (id: number, host: string): Domain => ({
  id,
  host,
  ignoreCase: false,
  defaultUrl: null,
  notFoundUrl: null,
  expiredUrl: null,
  createdAt: 0,
  updatedAt: 0,
});

async function open(...domains: Domain[]) {
  const registry = createDomainRegistry({ list: async () => domains });
  await registry.load();
  return registry;
}

test("the host of a request names its domain, whatever the port", async () => {
  const registry = await open(
    domain(1, "go.example"),
    domain(2, "xn--bcher-kva.example"),
    domain(3, "h8080"),
  );
  const at = (host: string | null) => registry.of(host)?.id;
  expect(
    ["go.example", "Go.EXAMPLE", "go.example:", "go.example:8080", "go.example:8080", "go.example.:1"].map(
      at,
    ),
  ).toEqual([1, 1, 1, 1, 1, 1]);
  expect(at("xn--bcher-kva.example")).toBe(2);
  expect(["h8080", "h8080:8080"].map(at)).toEqual([3, 3]);
  for (const other of [null, "", "other.example", "1.go.example", "[::1]:80", "h"]) {
    expect(at(other)).toBeUndefined();
  }
});

test("names: absent and empty are the default domain", async () => {
  const registry = await open(domain(7, "go.example"));
  expect([undefined, null, "", "GO.example"].map(registry.idOf)).toEqual([0, 0, 0, 7]);
  expect(() => registry.idOf("other.example")).toThrow("There is no domain other.example");
  expect(() => registry.idOf("go.example:80")).toThrow("without a port");
  const key = registry.key("a/b", "go.example");
  expect(registry.nameOf(key)).toEqual({ code: "a/b", domain: "go.example" });
  expect(registry.nameOf("a/b")).toEqual({ code: "a/b", domain: null });
  expect(["", "*", "go.example", undefined].map(registry.filterOf)).toEqual([0, null, 7, 0]);
  expect((await open()).filterOf("")).toBeNull();
  expect((await open()).nameOf(key).domain).toBe("removed-7.invalid");
});

test("names: the host of the public URL is the default domain, as in the files of other products", async () => {
  let publicUrl = "https://go.example:8443";
  const registry = createDomainRegistry({
    list: async () => [domain(7, "two.example")],
    publicUrl: () => publicUrl,
  });
  await registry.load();
  expect(["go.example", "Go.Example", "two.example"].map(registry.idOf)).toEqual([0, 0, 7]);
  expect(registry.key("a", "go.example")).toBe("a");
  expect(registry.filterOf("go.example")).toBe(0);
  publicUrl = "";
  expect(() => registry.idOf("go.example")).toThrow("There is no domain go.example");
});

test("a slow read does not undo a later one", async () => {
  const slow = Promise.withResolvers<Domain[]>();
  const results = [slow.promise, Promise.resolve([domain(1, "new.example")])];
  const registry = createDomainRegistry({ list: () => results.shift()! });
  const first = registry.load();
  await registry.load();
  slow.resolve([]);
  await first;
  expect(registry.list()).toHaveLength(1);
});
