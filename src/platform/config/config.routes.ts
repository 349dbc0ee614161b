import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext, messageResponse } from "../http/endpoint.ts";
import { createView } from "../../lib/case-names.ts";
import { type Config, HISTORY_LIMIT } from "./config.service.ts";
import { CONFIG_KEYS, type ConfigKey, definitionOf } from "./definitions.ts";
import { NUMBER_UNITS, VALUE_TYPES } from "./value-types.ts";
import { type ConfigItem, viewItem } from "./items.ts";
import type { SettingChange } from "./stored-setting.ts";
import { namedObject } from "../../lib/named-object.ts";

const valueType = z.enum(VALUE_TYPES);
const action = z.enum(["generate_token"]);

const itemResponse = namedObject("Setting", {
  key: z.string(),
  value: z.string(),
  value_type: valueType,
  requires_restart: z.boolean(),
  is_sensitive: z.boolean(),
  updated_at: z.iso.datetime(),
  pending_value: z.string().optional(),
  is_fixed: z
    .boolean()
    .optional()
    .describe("true: waymark.toml or the environment sets it; writing it is refused"),
});
const writtenResponse = itemResponse.extend({ message: z.string().nullable() });
writtenResponse.register(z.globalRegistry, { id: "UpdatedSetting" });

const schemaResponse = namedObject("SettingDefinition", {
  key: z.string(),
  value_type: valueType,
  default_value: z.string(),
  description: z.string(),
  allowed: z.string().describe('what follows "must be", such as a whole number from 1 to 3650'),
  minimum: z.number().nullable().describe("of a number, inclusive; null for other types"),
  maximum: z.number().nullable(),
  unit: z.enum(NUMBER_UNITS).nullable(),
  category: z.string(),
  enum_options: z
    .array(z.object({ value: z.string(), label: z.string(), description: z.string().nullable() }))
    .nullable(),
  requires_restart: z.boolean(),
  editable: z.boolean(),
  order: z.int(),
  action: action.nullable(),
});

const changeResponse = namedObject("SettingChange", {
  id: z.int(),
  config_key: z.string(),
  old_value: z.string().nullable(),
  new_value: z.string().nullable(),
  changed_at: z.iso.datetime(),
  changed_by: z.string(),
});

/** Above any value's bound, so that the validator words the refusal. */
const VALUE_MAX_LENGTH = 2 * 1024 * 1024;
/** Room for the longest value, escaped. */
const BODY_LIMIT = 4 * 1024 * 1024;
const valueBody = z.object({ value: z.string().max(VALUE_MAX_LENGTH) });
const manyBody = namedObject("SettingValues", {
  values: z
    .record(z.string(), z.string().max(VALUE_MAX_LENGTH).nullable())
    .describe("by key; null is the default"),
  dry_run: z.boolean().default(false).describe("true: check the values, store nothing"),
});
const actionBody = z.object({ action });
/** Clamped to 1..100. */
const historyQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .default("20")
    .meta({ type: "integer", minimum: 0, maximum: 999_999_999, default: 20, pattern: undefined })
    .transform((text) => Math.min(Math.max(Number(text), 1), HISTORY_LIMIT)),
});

export type ConfigDeps = {
  config: Config;
  /** Settings decide who signs in and how. @throws Forbidden for a session that has not shown its account's second factor */
  requireFactor(c: HttpContext): Promise<void>;
};

export function configEndpoints(deps: ConfigDeps): Endpoint[] {
  return [...commonEndpoints(deps), restartEndpoint(deps), ...itemEndpoints(deps), ...actionEndpoints(deps)];
}

const shared = { access: "admin", scope: "admin", tag: "config" } as const;
const params = { key: z.enum(CONFIG_KEYS) };

const commonEndpoints = ({ config, requireFactor: admit }: ConfigDeps): Endpoint[] => [
  endpoint("GET /config", {
    ...shared,
    summary: "List the run-time settings",
    response: z.array(itemResponse),
    handle: () => config.list().map(viewItem),
  }),
  endpoint("PATCH /config", {
    ...shared,
    admit,
    summary: "Set several settings: all, or none if one is refused",
    body: manyBody,
    bodyLimit: BODY_LIMIT,
    failures: [409],
    response: z.array(itemResponse),
    handle: async ({ body, account }) => {
      const entries = Object.entries(body.values);
      const dryRun = body.dry_run;
      return (await config.change(entries, actorOf(account), { dryRun })).map(viewItem);
    },
  }),
  endpoint("GET /config/schema", {
    ...shared,
    ownsPath: true,
    summary: "List the definitions of the settings",
    response: z.array(schemaResponse),
    handle: () => CONFIG_KEYS.map(schemaView),
  }),
  endpoint("POST /config/reload", {
    ...shared,
    ownsPath: true,
    summary: "Read the stored settings again in every worker and node",
    response: z.object({ message: z.string(), duration_ms: z.int() }),
    async handle() {
      const began = performance.now();
      await config.reload();
      return { message: "Settings reloaded.", duration_ms: Math.round(performance.now() - began) };
    },
  }),
];

const restartEndpoint = ({ config, requireFactor: admit }: ConfigDeps): Endpoint =>
  endpoint("POST /config/restart", {
    ...shared,
    admit,
    ownsPath: true,
    summary:
      "Start the workers of all servers anew, one by one; then settings that need a restart are in force",
    status: 202,
    response: messageResponse,
    async handle({ account }) {
      await config.restart({ name: account.username });
      return { message: "The workers start anew." };
    },
  });

const itemEndpoints = ({ config, requireFactor: admit }: ConfigDeps): Endpoint[] => [
  endpoint("GET /config/:key", {
    ...shared,
    params,
    summary: "Get one setting",
    response: itemResponse,
    handle: ({ c }) => viewItem(config.getOne(c.req.param("key")!)),
  }),
  endpoint("GET /config/:key/history", {
    ...shared,
    params,
    summary: "List a setting's changes, newest first",
    query: historyQuery,
    response: z.array(changeResponse),
    handle: async ({ c, query }) => (await config.history(c.req.param("key")!, query.limit)).map(changeView),
  }),
  endpoint("PUT /config/:key", {
    ...shared,
    admit,
    params,
    summary: "Set a setting",
    body: valueBody,
    bodyLimit: BODY_LIMIT,
    failures: [409],
    response: writtenResponse,
    handle: async ({ c, body, account }) =>
      writtenView(await config.set(c.req.param("key")!, body.value, actorOf(account))),
  }),
  endpoint("DELETE /config/:key", {
    ...shared,
    admit,
    params,
    summary: "Return a setting to its default",
    response: writtenResponse,
    handle: async ({ c, account }) => writtenView(await config.reset(c.req.param("key")!, actorOf(account))),
  }),
];

const actionEndpoints = ({ config, requireFactor: admit }: ConfigDeps): Endpoint[] => [
  endpoint("POST /config/:key/action", {
    ...shared,
    params,
    summary: "Generate a value without storing it",
    body: actionBody,
    response: z.object({ value: z.string() }),
    handle: ({ c, body }) => ({ value: config.runAction(c.req.param("key")!, body.action) }),
  }),
  endpoint("POST /config/:key/execute-and-save", {
    ...shared,
    admit,
    params,
    summary: "Generate a value and store it without showing it",
    body: actionBody,
    response: writtenResponse.extend({ success: z.literal(true) }),
    async handle({ c, body, account }) {
      const item = await config.runActionAndSave(c.req.param("key")!, body.action, actorOf(account));
      return { success: true, ...writtenView(item), message: "A new value is stored. It is not shown." };
    },
  }),
];

const writtenView = (item: ConfigItem): z.input<typeof writtenResponse> => ({
  ...viewItem(item),
  message: item.pendingValue === undefined ? null : "Stored. It takes effect after a restart.",
});

function schemaView(key: ConfigKey, order: number): z.input<typeof schemaResponse> {
  const { bounds, options, ...definition } = definitionOf(key);
  return {
    key,
    value_type: definition.type,
    default_value: definition.defaultText,
    description: definition.description,
    allowed: definition.allowed,
    minimum: bounds?.min ?? null,
    maximum: bounds?.max ?? null,
    unit: bounds?.unit ?? null,
    category: definition.category,
    enum_options: options && [...options],
    requires_restart: definition.requiresRestart,
    editable: definition.editable,
    order,
    action: definition.action,
  };
}

const viewChange = createView(changeResponse);

const changeView = ({ key, ...change }: SettingChange) => viewChange({ configKey: key, ...change });
