import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { namedObject } from "../../lib/named-object.ts";
import type { Presets, ShownPreset } from "./presets.ts";
import { PRESET_KINDS } from "./preset.ts";

const MOST_NAMES = 40;
const text = z.string().max(2_000);
const content = z
  .record(z.string().max(64), text.or(z.array(text).max(16)))
  .refine((fields) => Object.keys(fields).length <= MOST_NAMES, `must have at most ${MOST_NAMES} fields`);

const kind = z
  .enum(PRESET_KINDS)
  .describe(
    "view: filters and order of the list; report: time and filters of analytics; utm: parameters of campaigns",
  );
const named = {
  kind,
  name: z.string().trim().min(1).max(64),
  content: content.describe("fields as the list takes them, or parameters without utm_"),
};
const preset = namedObject("Preset", {
  id: z.int(),
  ...named,
  owner: z.string().nullable().describe("account, or team:{name} for whose members it is"),
});
const newPreset = namedObject("NewPreset", {
  ...named,
  owner: z.string().max(100).optional().describe("team:{name} for all of its members; default: you"),
});

const viewOfPreset = ({ id, kind: of, name, content: json, ownerName }: ShownPreset) => ({
  id,
  kind: of,
  name,
  content: JSON.parse(json) as z.output<typeof content>,
  owner: ownerName,
});

/** Relative to {admin}/v1. */
export function presetEndpoints({ presets }: { presets: Presets }): Endpoint[] {
  const shared = { access: "editor", scope: "links", tag: "links" } as const;
  return [
    endpoint("GET /presets", {
      ...shared,
      summary: "List saved views or parameters of campaigns, of the account and its teams",
      query: z.object({ kind }),
      response: z.array(preset),
      handle: async ({ query, account }) =>
        (await presets.list(actorOf(account), query.kind)).map(viewOfPreset),
    }),
    endpoint("POST /presets", {
      ...shared,
      summary:
        "Save a view or parameters of campaigns under a name, which replaces earlier ones of that name",
      body: newPreset,
      response: preset,
      handle: async ({ body, account }) => viewOfPreset(await presets.save(actorOf(account), body)),
    }),
    endpoint("DELETE /presets/:id", {
      ...shared,
      summary: "Delete a saved view or saved parameters",
      failures: [404],
      done: "It was deleted.",
      handle: ({ c, account }) =>
        presets.remove(actorOf(account), idParameter(c, "NotFound", "There is no such preset.")),
    }),
  ];
}
