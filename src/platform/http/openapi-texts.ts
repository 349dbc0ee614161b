/** The document's descriptions of the API, of each tag, and of parameters and fields that many have. */
import { type Endpoint, tokenScope } from "./endpoint.ts";
import { operationIdOf } from "./openapi-names.ts";
import texts from "./openapi-operations.json" with { type: "json" };
import type { Json } from "./openapi-schema.ts";

/** What several operations say. */
const SHARED: Readonly<Record<string, string>> = {
  code: "The end of a code can look like this path: write its last slash as %2F then.",
  own: "Editors count the links that they or their teams own, administrators all.",
  details:
    "It needs details of clicks (`analytics.enable_detailed_logging`); while they are off, `details` is false.",
  live: "The stream stays open until the session or token ends.",
  tus: "Follows tus 1.0.0, so its clients work.",
  hidden: "The stored content can be anything, so it is sent with a policy that lets it run nothing.",
};
/** What operations do beyond their summaries, by operationId. Who may call one follows from its endpoint. */
const OPERATIONS: Readonly<Record<string, string>> = texts;

const CALLERS = {
  account: "every account",
  editor: "editors and administrators",
  admin: "administrators",
};

function whoMay(entry: Endpoint): string {
  if (entry.access === "public") return "Needs no sign-in.";
  const scope = tokenScope(entry);
  const tokens =
    scope === null
      ? "API tokens are refused"
      : scope === "any"
        ? "an API token needs no scope"
        : `an API token needs the scope \`${scope}\``;
  return `For ${CALLERS[entry.access]}; ${tokens}.`;
}

export const OPERATION_IDS: ReadonlySet<string> = new Set(Object.keys(OPERATIONS));

/** @param operationId of an entry that serves two methods */
export const describedOperation = (entry: Endpoint, operationId = operationIdOf(entry)): string =>
  [OPERATIONS[operationId]?.replaceAll(/<(\w+)>/g, (_, name: string) => SHARED[name]!), whoMay(entry)]
    .filter(Boolean)
    .join(" ");

export const INTRODUCTION = `Short links, their numbers, and files.

**Responses.** A success is \`{code: 0, message, data}\`, a list has \`pagination\` or \`next_cursor\` beside \`data\`. A
failure is \`{code, error, message}\`; \`code\` and \`error\` never change their meaning, \`message\` is for people. An
invalid request also has \`details\`: \`[{field, message}]\`.

**Sign-in.** Send \`Authorization: Bearer …\` with an access token or an API token, or the cookies of \`auth/login\`.
With cookies every request that changes something also sends the value of the cookie \`csrf_token\` in the header
\`X-CSRF-Token\`.

**Changes at the same time.** Links, shares, folders, files and tokens have an \`ETag\`. With \`If-Match\` a change or
removal is done only if nobody has changed them since (412 \`PreconditionFailed\`); clicks and downloads refuse none.

**Repeated requests.** With an \`Idempotency-Key\` a \`POST\` that is sent again within 24 hours has the response of the first
one, with \`Idempotent-Replayed: true\`, and makes nothing. With another body it is 422, while the first one runs 409.

**Times** are RFC 3339 in UTC. **Numbers** are at most 2^53-1. Unknown fields and parameters are ignored; with
\`Prefer: handling=strict\` they are refused by name. Every address that
answers GET answers HEAD. \`X-Request-Id\` of an answer is in the log of the server.`;

const TAGS: Readonly<Record<string, string>> = {
  auth: "Sign in, keep a session, change your password.",
  account: "Your account: where it is signed in, second factor, passkeys.",
  users: "Accounts, for administrators.",
  privacy: "What is stored of visitors and accounts: found, exported, deleted.",
  teams: "Owners of links, folders and domains, with members and their roles.",
  tokens: "API tokens: secrets for programs, with scopes and an end.",
  links: "Short links: one at a time, in lists, in batches, as CSV.",
  imports: "Imports from other products: preview, progress, undo.",
  tags: "Words that group links.",
  domains: "Hosts under which links are reached.",
  analytics: "Who followed links: when, from where, with what.",
  events: "Who did what, and how to undo it.",
  webhooks: "Signed requests that notify programs of events, and the log of them.",
  files: "Files, their uploads, downloads and shares.",
  folders: "Folders and their shares.",
  shares: "All shares and drop boxes of an account, and what their codes serve.",
  trash: "Files and folders that can be put back until they are deleted for good.",
  policies: "Where the bytes of files are stored.",
  mail: "Mails that were sent, wait or have failed.",
  mcp: "The Model Context Protocol, through which assistants use links, analytics and shares.",
  config: "Settings that can be changed while the server runs.",
  health: "Health and metrics, for monitoring.",
  meta: "This description.",
};

/** Texts of parameters whose schema has no description. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  id: "number of the entry, as responses give it",
  delivery: "number of the delivery",
  change: "id of the change, as its response gave it",
  token: "what the mail's address ends with",
  version: "number of the version, as the list gives it",
  code: "the short code; slashes may be written as they are or as %2F",
  key: "name of the setting",
  file: "name of the file",
  state: "only those in this state; absent: all",
  role: "only accounts with this role",
  disabled: "true or false: only disabled accounts, or only others",
  by: "dimension whose values are counted",
  address: "mail address",
  limit: "most entries of the response",
  kind: "only entries of this kind",
  "Tus-Resumable": "version of the protocol of resumable uploads",
  "Upload-Length": "bytes of the whole file",
  "Upload-Offset": "bytes that the server has already",
  "X-HTTP-Method-Override": "method that the client can't send itself",
  "If-Match": "ETag of the content; 412 if it is another",
  "If-None-Match": "ETag of the client's copy; 304 if it is current",
  "If-Range": "ETag or time of the client's part; the whole content if it is another",
  "If-Modified-Since": "time of the client's copy; 304 if it is current",
  "If-Unmodified-Since": "time of the content; 412 if it is newer",
};

/** Texts of fields whose schema has no description and whose names do not say it. */
const FIELDS: Readonly<Record<string, string>> = {
  updated_at: "of the last change; clicks and downloads change nothing",
  expires_at: "null: it does not end",
  starts_at: "before this time it does not exist for visitors",
  max_clicks: "how many people may pass; null: any number",
  max_downloads: "how many downloads there may be; null: any number",
  fallback_url: "where the link leads before it starts, after it ends and when it is used up; null: 404",
  redirect_status: "of its responses to visitors",
  forward_query: "the query of a visit is added to the target",
  click_threshold:
    "number of clicks at which an event and a mail are sent; null: 100, 1,000, 10,000 and so on",
  card: "what previews of messengers show; null: the preview of the target",
  rules: "where the link leads some visitors instead; the first rule that holds decides",
  click_count: "of people and automated visitors",
  human_clicks: "those without automated visitors",
  automated_clicks: "those of crawlers, previews and programs",
  human: "clicks without those of automated visitors",
  automated: "clicks of crawlers, previews and programs",
  held: "why the link is closed to visitors: it waits for approval, was refused or taken down; null: it is open",
  created_by: "name of the account, token:{name}, or cli",
  percentage: "of all that were counted",
  bot_percentage: "share of automated visitors",
  total_with_ua: "clicks that are counted here",
  used_bytes: "of all files",
  size: "bytes",
  max_bytes: "of all files the most that it ever takes",
  max_files: "the most that it ever takes",
  max_file_size: "bytes of one file; 0 or null: no limit of its own",
  sha256: "of the content, as 64 hex digits",
  requires_restart: "a new value counts after a restart",
  is_sensitive: "the value is a secret, and masked",
  pending_value: "stored, and waits for a restart; null: none does",
  success: "codes of the links for which it was done",
  failed: "those for which it was not done, with the reason",
  driver_type: "kind of storage",
  base_path: "folder, or prefix in the bucket",
  is_default: "takes files whose folders name no policy",
  clicked_at: "time of the visit",
  recovery_codes_left: "recovery codes that were not used yet",
};

/** With texts for the fields that have none. */
export const withFieldTexts = (schemas: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withTexts(schema)]));

/** Describes fields that have no description. */
export function withTexts(schema: Json): Json {
  const { properties } = schema as { properties?: Record<string, Json> };
  if (properties === undefined) return schema;
  const described = Object.entries(properties).map(([name, field]) => {
    const description = field["description"] ?? FIELDS[name];
    return [name, description === undefined ? field : { ...field, description }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

export const WEBHOOK_HEADERS = [
  ["webhook-id", "the same in every attempt, resend and replay"],
  ["webhook-timestamp", "of the attempt, in seconds since 1970"],
  [
    "webhook-signature",
    "v1, and the Base64 of an HMAC-SHA256; two of them, parted by a blank, while a secret rotates",
  ],
] as const;

/** Tags in the order of the table above; others follow. */
export function describedTags(used: ReadonlySet<string>): { name: string; description?: string }[] {
  const known = Object.keys(TAGS).filter((name) => used.has(name));
  const others = [...used].filter((name) => !(name in TAGS));
  return [...known, ...others].map((name) => ({ name, ...(TAGS[name] && { description: TAGS[name] }) }));
}
