/** Settings as lines of `key = value` in TOML, or as one JSON object. */
import { type ConfigKey, definitionOf } from "./definitions.ts";

export const FILE_FORMATS = ["toml", "json"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Values have their own types (true, 15, ["a"]). Keys are whole. */
export function writeConfigFile(
  entries: readonly (readonly [ConfigKey, string])[],
  format: FileFormat,
): string {
  if (format === "json") {
    const members = entries.map(([key, text]) => `  "${key}": ${literal(key, text)}`);
    return `{\n${members.join(",\n")}\n}\n`;
  }
  const lines: string[] = ["# Run-time settings; 'waymark config import' reads them."];
  let category = "";
  for (const [key, text] of entries) {
    if (definitionOf(key).category !== category) lines.push("");
    category = definitionOf(key).category;
    lines.push(`${key} = ${literal(key, text)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** JSON. TOML reads texts without control characters, numbers, booleans and lists the same way. */
function literal(key: ConfigKey, text: string): string {
  const { type } = definitionOf(key);
  return type === "string" || type === "enum" ? JSON.stringify(text) : text;
}
