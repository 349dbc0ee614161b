/** Writes docs/configuration.md from the two tables of settings. */
import { join } from "node:path";
import { CONFIG_KEYS, type ConfigKey, definitionOf } from "../src/platform/config/definitions.ts";
import { START_SETTINGS } from "../src/server/settings.ts";

export const CONFIGURATION_PAGE = join(import.meta.dir, "../docs/configuration.md");

const INTRODUCTION = `# Configuration

<!-- Made from src/platform/settings/env-settings.ts and src/platform/config/definitions.ts by \`bin/bun scripts/configuration-page.ts\`. -->

Waymark has two kinds of settings. **Start-up settings** define where it listens and where its data is. It reads them
once, from a file and the environment. **Run-time settings** define how it behaves. They are in the database, and you
can change them while it runs.

## Start-up settings

Each is in its section of \`waymark.toml\` in the working folder, or of the file that \`--config\` or \`WAYMARK_CONFIG\`
names. The environment variable \`WAYMARK__SECTION__KEY\` overrides the file, for example
\`WAYMARK__SERVER__PORT=9000\`. With a wrong key or value Waymark does not start, and says where it is and what is allowed.
\`waymark config generate\` writes a commented template.
`;

const RUN_TIME = `## Run-time settings

Change them with \`waymark config set KEY VALUE\`, whether the server runs or not, or with
\`PUT /admin/v1/config/KEY\` and \`{"value": "…"}\`. Values are texts: \`true\` or \`false\` (also \`1\`, \`0\`, \`yes\`, \`no\`,
\`on\`, \`off\`), numbers, and lists as a JSON array or separated by commas. A change applies at once in every worker and
within about a second on every node. Settings marked *Restart* keep their value until the next start and show the new
one as \`pending_value\` until then.

Responses and the history show sensitive settings (marked *Secret*) as \`[REDACTED]\`, or empty while they are not set.
The mask is refused as a value. The API's \`action\` endpoint generates a token to copy; \`execute-and-save\` stores one
without showing it.
Only the set-up and \`waymark reset-password\` set \`api.admin_token\`.

The three route prefixes must differ. None may be below another, and none may be or be below \`/files\` or
\`/folders\`. \`api.cookie_same_site\` can be \`None\` only while \`api.cookie_secure\` is on.

\`waymark config export settings.toml\` writes all of them to a file. \`waymark config import settings.toml\` checks
the whole file, then sets them in one transaction; \`--dry-run\` only prints what would change. An export masks secrets
without \`--show-secrets\`. An import ignores masks. An unset secret is an empty text, and importing that clears it.
`;

const CATEGORY_TITLES: Record<string, string> = {
  auth: "Sign-in",
  cookie: "Cookies",
  routes: "Routes",
  features: "Features",
  tracking: "Click counting",
  cache: "Cache",
  analytics: "Analytics",
  events: "Events",
  links: "Links",
  files: "Files",
  cors: "Cross-origin requests",
};

const HEAD = ["Key", "Default", "Takes", "What it does"];

export function renderConfigurationPage(): string {
  const categories = [...new Set(CONFIG_KEYS.map((key) => definitionOf(key).category))];
  const sections = categories.map((category) => {
    const keys = CONFIG_KEYS.filter((key) => definitionOf(key).category === category);
    return `### ${CATEGORY_TITLES[category] ?? category}\n\n${table(HEAD, keys.map(runTimeRow))}`;
  });
  return [INTRODUCTION, table(HEAD, START_SETTINGS.map(startUpRow)), RUN_TIME, ...sections].join("\n");
}

const startUpRow = (setting: (typeof START_SETTINGS)[number]): string[] => [
  code(setting.key),
  code(String(setting.default)),
  escaped(setting.allowed),
  escaped(setting.description),
];

function runTimeRow(key: ConfigKey): string[] {
  const definition = definitionOf(key);
  const marks = [definition.requiresRestart && "*Restart.*", definition.sensitive && "*Secret.*"];
  return [
    code(key),
    definition.generated ? "generated" : code(definition.defaultText),
    escaped(definition.allowed),
    [escaped(definition.description), ...marks.filter(Boolean)].join(" "),
  ];
}

const code = (text: string): string => (text === "" ? "empty" : `\`${text}\``);
const escaped = (text: string): string => text.replaceAll(/[*_|]/g, "\\$&");

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");

if (import.meta.main) await Bun.write(CONFIGURATION_PAGE, renderConfigurationPage());
