/** What filters know of user agents. */
import { asciiLower } from "../../lib/ascii-lower.ts";

export const AGENT_PARTS = ["device", "browser", "os"] as const;

/** Whether a click has what a filter asks for: devices, browsers and systems in any case, as in rules. */
export const isValueOf = (name: string, value: string | null, text: string): boolean =>
  value !== null && AGENT_PARTS.some((part) => part === name)
    ? asciiLower(value) === asciiLower(text)
    : value === text;
