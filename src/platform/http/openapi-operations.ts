/**
 * What operations do beyond their summaries: details, surprises, costs. openapi-operations.json has the texts by
 * operationId. Who may call one follows from its endpoint.
 */
import { type Endpoint, tokenScope } from "./endpoint.ts";
import { operationIdOf } from "./openapi-names.ts";
import texts from "./openapi-operations.json" with { type: "json" };

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

/** @param operationId of an entry that answers two methods */
export const describedOperation = (entry: Endpoint, operationId = operationIdOf(entry)): string =>
  [OPERATIONS[operationId]?.replaceAll(/<(\w+)>/g, (_, name: string) => SHARED[name]!), whoMay(entry)]
    .filter(Boolean)
    .join(" ");
