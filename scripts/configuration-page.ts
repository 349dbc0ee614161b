/** docs/configuration.md out of the two tables of settings. `bin/bun scripts/configuration-page.ts` writes it anew. */
import { join } from "node:path";
import { ENV_SETTINGS } from "../src/env-settings.ts";
import { CONFIG_KEYS, type ConfigKey, definitionOf } from "../src/config/definitions.ts";

export const CONFIGURATION_PAGE = join(import.meta.dir, "../docs/configuration.md");

const INTRODUCTION = `# Configuration

<!-- Made from src/env-settings.ts and src/config/definitions.ts by \`bin/bun scripts/configuration-page.ts\`. -->

Waymark has two kinds of settings. **Start-up settings** say where it listens and where its data is; they are read
once, from a file and the environment. **Run-time settings** say how it behaves; they are stored in the database and
changed while it runs.

## Start-up settings

They stand in \`waymark.toml\` in the working folder (or the file given with \`--config\` or in \`WAYMARK_CONFIG\`), each
under its section. The environment variable \`WAYMARK__SECTION__KEY\` wins over the file, for example
\`WAYMARK__SERVER__PORT=9000\`. A wrong key or value stops the start with its place and what is allowed.
\`waymark config generate\` writes a commented template.
`;

const RUN_TIME = `## Run-time settings

Change them with \`waymark config set KEY VALUE\`, whether the server runs or not, or with
\`PUT /admin/v1/config/KEY\` and \`{"value": "…"}\`. Values are texts: \`true\` and \`false\` (also \`1\`, \`0\`, \`yes\`, \`no\`,
\`on\`, \`off\`), numbers, and lists as a JSON array or separated by commas. A change holds at once in every worker and
within about a second on every node. Settings marked *Restart* keep their value until the next start and show the new
one as \`pending_value\` until then.

Sensitive settings (marked *Secret*) read \`[REDACTED]\` in answers and in the history, and empty while they are not
set; the mask is refused as a value. The API's \`action\` endpoint makes a token to copy; \`execute-and-save\` stores one
without showing it.
\`api.admin_token\` is set by \`waymark reset-password\` alone.

The three route prefixes must differ, none may lie below another, and none may be or lie below \`/files\` or
\`/folders\`. \`api.cookie_same_site\` takes \`None\` only while \`api.cookie_secure\` is on.

\`waymark config export settings.toml\` writes all of them to a file and \`waymark config import settings.toml\` checks
the whole file, then sets them in one transaction; \`--dry-run\` only says what would change. Secrets are masked unless
\`--show-secrets\` is given, and masks are left out on import; an unset secret is an empty text, which clears it.
`;

const CATEGORY_TITLES: Record<string, string> = {
  auth: "Sign-in",
  cookie: "Cookies",
  routes: "Routes",
  features: "Features",
  tracking: "Click counting",
  cache: "Cache",
  analytics: "Analytics",
  cors: "Cross-origin requests",
};

const HEAD = ["Key", "Default", "Takes", "What it does"];

/** The whole page. */
export function renderConfigurationPage(): string {
  const categories = [...new Set(CONFIG_KEYS.map((key) => definitionOf(key).category))];
  const sections = categories.map((category) => {
    const keys = CONFIG_KEYS.filter((key) => definitionOf(key).category === category);
    return `### ${CATEGORY_TITLES[category] ?? category}\n\n${table(HEAD, keys.map(runTimeRow))}`;
  });
  return [INTRODUCTION, table(HEAD, ENV_SETTINGS.map(startUpRow)), RUN_TIME, ...sections].join("\n");
}

const startUpRow = (setting: (typeof ENV_SETTINGS)[number]): string[] => [
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
