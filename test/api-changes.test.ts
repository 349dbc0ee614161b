/** Clients of a released API work with this one. docs/openapi/ has the document of each release that is still kept. */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { newApiDocument } from "../scripts/openapi.ts";
import { type ApiDocument, breakingChanges } from "./support/api-changes.ts";

const RELEASES = join(import.meta.dir, "..", "docs", "openapi");
const now = (await newApiDocument()) as unknown as ApiDocument;

test.each(readdirSync(RELEASES))("%s", async (name) => {
  const base = (await Bun.file(join(RELEASES, name)).json()) as ApiDocument;
  expect(Object.keys(base.paths).length).toBeGreaterThan(90);
  expect(breakingChanges(base, now)).toEqual([]);
});

const LINKS = "/admin/v1/links";
const link = ({ components }: ApiDocument) => components.schemas["Link"]!;
const body = ({ components }: ApiDocument) => components.schemas["NewLink"]!;
const parameters = ({ paths }: ApiDocument) => paths[LINKS]!["get"]!.parameters!;

test.each<[string, (document: ApiDocument) => void, string]>([
  ["a removed path", ({ paths }) => delete paths["/folders/{id}"], "GET /folders/{id} is gone"],
  ["a removed method", ({ paths }) => delete paths[LINKS]!["post"], `POST ${LINKS} is gone`],
  [
    "another name",
    ({ paths }) => (paths[LINKS]!["get"]!.operationId = "links"),
    `GET ${LINKS} is called links`,
  ],
  [
    "a new required field of requests",
    (document) => (body(document).required = ["target", "title"]),
    `POST ${LINKS} body.title is required`,
  ],
  [
    "a removed field of requests",
    (document) => delete body(document).properties!["note"],
    `POST ${LINKS} body.note is gone`,
  ],
  [
    "a shorter text in requests",
    (document) => Object.assign(body(document).properties!, { code: { type: "string", maxLength: 5 } }),
    `POST ${LINKS} body.code has the maxLength 5`,
  ],
  [
    "a new required parameter",
    (document) => parameters(document).push({ name: "x", in: "query", required: true, schema: {} }),
    `GET ${LINKS} query x is required`,
  ],
  [
    "fewer choices of a parameter",
    (document) => (parameters(document).find(({ name }) => name === "order")!.schema.enum = ["asc"]),
    `GET ${LINKS} query order is one of asc only`,
  ],
  ["a removed parameter", (document) => parameters(document).shift(), `GET ${LINKS} query search is gone`],
  [
    "a removed field of answers",
    (document) => delete link(document).properties!["click_count"],
    `GET ${LINKS} 200.data[].click_count is gone`,
  ],
  [
    "a field of answers that may be missing",
    (document) => (link(document).required = link(document).required!.filter((name) => name !== "code")),
    `GET ${LINKS} 200.data[].code is not always there`,
  ],
  [
    "a field of answers that may be null",
    (document) => (link(document).properties!["click_count"] = { type: ["integer", "null"] }),
    `GET ${LINKS} 200.data[].click_count is answered as null, not only as integer`,
  ],
  [
    "a removed answer",
    ({ paths }) => delete paths[LINKS]!["post"]!.responses["201"],
    `POST ${LINKS} 201 is gone`,
  ],
  ["a removed webhook", ({ webhooks }) => delete webhooks!["link.created"], "link.created is gone"],
  [
    "another sign-in",
    ({ paths }) => (paths[LINKS]!["get"]!.security = [{ bearer: ["admin"] }]),
    `GET ${LINKS} asks for another sign-in`,
  ],
])("%s breaks clients", (_, change, problem) => {
  const changed = structuredClone(now);
  change(changed);
  expect(breakingChanges(now, changed)).toContain(problem);
});

test("what is new breaks none", () => {
  const changed = structuredClone(now);
  link(changed).properties!["more"] = { type: "string" };
  body(changed).properties!["more"] = { type: "string" };
  parameters(changed).push({ name: "more", in: "query", required: false, schema: { type: "string" } });
  changed.components.schemas["ListLinksOrder"]!.enum!.push("random");
  changed.paths["/more"] = changed.paths[LINKS]!;
  expect(breakingChanges(now, changed)).toEqual([]);
});
