/**
 * The values that options and arguments of commands take, for the completion in shells, from the lists that validate
 * them. Those that Commander checks itself (`choices`) are not here.
 */
import { LANGUAGES } from "../lib/language.ts";
import { ROLES, SCOPES, TEAM_ROLES } from "../lib/access.ts";
import { VISITORS } from "../lib/visitors.ts";
import type { CompletionWord, ValuesOf } from "../platform/cli/completion.ts";

/** By command, then by its options and the names of its arguments. */
type Values = Readonly<Record<string, Readonly<Record<string, CompletionWord[] | ValuesOf>>>>;

const words = (values: readonly (string | number)[]): CompletionWord[] =>
  values.map((value) => [String(value), ""]);

/** `anna:` has the roles behind it. */
const members: ValuesOf = (last) => {
  const name = /^[^:]+:/.exec(last)?.[0];
  return name === undefined ? [] : TEAM_ROLES.map((role) => [name + role, ""]);
};

async function ofConfig(): Promise<Values> {
  const { CONFIG_KEYS, definitionOf, isConfigKey } = await import("../platform/config/definitions.ts");
  const { FILE_FORMATS } = await import("../platform/config/settings-file.ts");
  const keys: CompletionWord[] = CONFIG_KEYS.map((key) => [key, definitionOf(key).description]);
  const written = keys.filter(([key]) => isConfigKey(key) && definitionOf(key).editable);
  const valuesOf: ValuesOf = (_, [key = ""]) => {
    if (!isConfigKey(key)) return [];
    const { type, options } = definitionOf(key);
    if (type === "bool") return words(["true", "false"]);
    return type === "enum" ? (options ?? []).map(({ value, label }) => [value, label]) : [];
  };
  const format = { "--format": words(FILE_FORMATS) };
  return {
    list: { "--category": words([...new Set(CONFIG_KEYS.map((key) => definitionOf(key).category))]) },
    get: { key: keys },
    set: { key: written, value: valuesOf },
    reset: { key: written },
    export: format,
    import: format,
  };
}

async function ofLinks(): Promise<Values> {
  const { HELD_STATES } = await import("../links/link/held.ts");
  const { ORDER_WAYS, SORT_KEYS } = await import("../links/list/query.ts");
  const { REDIRECT_STATUSES } = await import("../links/link/fields.ts");
  const { EXPORT_COLUMNS, IMPORT_MODES } = await import("../links/csv/import-plan.ts");
  const { FORMATS, LEVELS } = await import("../links/qr/picture.ts");
  const held = { "--held": words(HELD_STATES) };
  const status = { "--status": words(REDIRECT_STATUSES) };
  return {
    list: { ...held, "--sort": words(SORT_KEYS), "--order": words(ORDER_WAYS) },
    add: status,
    update: status,
    import: { "--mode": words(IMPORT_MODES) },
    export: { ...held, "--columns": words(EXPORT_COLUMNS) },
    qr: { "--format": words(FORMATS), "--ecc": words(LEVELS) },
    stats: { "--visitors": words(VISITORS) },
  };
}

async function ofWebhooks(): Promise<Values> {
  const { DELIVERY_STATES } = await import("../extras/webhooks/webhook.ts");
  const { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENTS } = await import("../extras/webhooks/webhook-events.ts");
  const events: CompletionWord[] = WEBHOOK_EVENT_NAMES.map((name) => [name, WEBHOOK_EVENTS[name].meaning]);
  return {
    deliveries: { "--state": words(DELIVERY_STATES), "--event": events },
    add: { "--event": events },
    update: { "--event": events },
  };
}

async function ofImports(): Promise<Values> {
  const { ON_CONFLICT } = await import("../extras/imports/move/state.ts");
  const { PRODUCTS } = await import("../extras/imports/readers/products.ts");
  const conflict = { "--on-conflict": words(ON_CONFLICT) };
  return Object.fromEntries(Object.keys(PRODUCTS).map((name) => [name, conflict]));
}

/** By the first word of the command; the command itself has the empty name. */
export const COMMAND_VALUES: Readonly<Record<string, () => Promise<Values>>> = {
  users: async () => ({ add: { "--role": words(ROLES), "--language": words(LANGUAGES) } }),
  teams: async () => ({ add: { "--member": members }, change: { "--member": members } }),
  tokens: async () => ({ add: { "--scope": words(SCOPES) } }),
  config: ofConfig,
  links: ofLinks,
  events: async () => {
    const { EVENT_WAYS } = await import("../platform/events/event.ts");
    return { "": { "--via": words(EVENT_WAYS) } };
  },
  import: ofImports,
  mail: async () => {
    const { MAIL_STATES } = await import("../extras/mail/mail.ts");
    return { list: { "--state": words(MAIL_STATES) } };
  },
  webhooks: ofWebhooks,
  analytics: async () => ({ report: { "--visitors": words(VISITORS) } }),
  doctor: async () => ({ "": { "--fix": words(["all"]) } }),
};

/** Of an option (`--sort`) or argument (`key`) of a command, such as `links list`. */
export async function commandValues(command: string): Promise<Values[string]> {
  const [first = "", ...rest] = command.split(" ");
  const of = Object.hasOwn(COMMAND_VALUES, first) ? await COMMAND_VALUES[first]!() : {};
  const name = rest.join(" ");
  return Object.hasOwn(of, name) ? of[name]! : {};
}
