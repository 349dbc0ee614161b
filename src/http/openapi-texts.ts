/** What the document says of the API and of each tag. */
export const INTRODUCTION = `Short links, their numbers, and files.

**Answers.** A success is \`{code: 0, message, data}\`, a list has \`pagination\` or \`next_cursor\` beside \`data\`. A
failure is \`{code, error, message}\`; \`code\` and \`error\` never change their meaning, \`message\` is for people. An
invalid request also has \`details\`: \`[{field, message}]\`.

**Sign-in.** Send \`Authorization: Bearer …\` with an access token or an API token, or the cookies of \`auth/login\`.
With cookies every request that changes something also sends the value of the cookie \`csrf_token\` in the header
\`X-CSRF-Token\`.

**Changes at the same time.** Links, shares, folders, files and tokens have an \`ETag\`. With \`If-Match\` a change or
removal is done only if nobody has changed them since (412 \`PreconditionFailed\`); clicks and downloads refuse none.

**Repeated requests.** With an \`Idempotency-Key\` a \`POST\` that is sent again within 24 hours has the answer of the first
one, with \`Idempotent-Replayed: true\`, and makes nothing. With another body it is 422, while the first one runs 409.

**Times** are RFC 3339 in UTC. **Numbers** are at most 2^53-1. Unknown fields and parameters are ignored; with
\`Prefer: handling=strict\` they are refused by name. Every address that
answers GET answers HEAD. \`X-Request-Id\` of an answer is in the log of the server.`;

const TAGS: Readonly<Record<string, string>> = {
  auth: "Sign in, keep a session, change the own password.",
  account: "The own account: where it is signed in, second factor, passkeys.",
  users: "Accounts, for administrators.",
  privacy: "What is stored of visitors and accounts: found, exported, deleted.",
  teams: "Owners of links, folders and domains, with members and their roles.",
  tokens: "API tokens: secrets for programs, with scopes and an end.",
  links: "Short links: one at a time, in lists, in batches, as CSV.",
  tags: "Words that group links.",
  domains: "Hosts under which links are reached.",
  analytics: "Who followed links: when, from where, with what.",
  events: "Who did what, and how to undo it.",
  files: "Files, their uploads, downloads and shares.",
  folders: "Folders and their shares.",
  shares: "All shares and drop boxes of an account, and what their codes serve.",
  trash: "Files and folders that can be put back until they are deleted for good.",
  policies: "Where the bytes of files are stored.",
  mail: "Mails that were sent, wait or have failed.",
  config: "Settings that can be changed while the server runs.",
  health: "Health and metrics, for monitoring.",
  meta: "This description.",
};

/** Of parameters whose schema has no description. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  id: "number of the entry, as answers give it",
  code: "the short code; slashes may be written as they are or as %2F",
  key: "name of the setting",
  file: "name of the file",
  state: "only those in this state; absent: all",
  role: "only accounts with this role",
  disabled: "true or false: only disabled accounts, or only others",
  by: "dimension whose values are counted",
  address: "mail address",
  limit: "most entries of the answer",
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

/** In the order of the table above; others follow. */
export function describedTags(used: ReadonlySet<string>): { name: string; description?: string }[] {
  const known = Object.keys(TAGS).filter((name) => used.has(name));
  const others = [...used].filter((name) => !(name in TAGS));
  return [...known, ...others].map((name) => ({ name, ...(TAGS[name] && { description: TAGS[name] }) }));
}
