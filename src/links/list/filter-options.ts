import { HELD_STATES } from "../link/held.ts";

/** Options of commands that choose links, as filterQuery takes them. */
export const FILTER_OPTIONS = [
  ["--search <text>", "in the code, target, title or note, case-insensitive"],
  ["--tag <tag>", "with this tag; repeat it for links that have all of them", { repeats: true }],
  ["--created-after <instant>", "RFC 3339; this instant or later"],
  ["--created-before <instant>", "RFC 3339; this instant or earlier"],
  ["--only-active", "without an expiry or before it", { is: "true" }],
  ["--only-expired", "that have expired", { is: "true" }],
  ["--held <state>", "that are waiting, refused or taken_down", { values: HELD_STATES }],
  ["--only-dead", "whose target does not answer", { is: "true" }],
  ["--domain <host>", "default: the default domain; *: every domain"],
  ["--owner <owner>", "of this account, or of team:<name>"],
  ["--team <team>", "of this team"],
  ["--target <text>", "with this text in the target"],
  ["--not-target <text>", "without this text in the target"],
  ["--not-tag <tag>", "without this tag; repeat it for several", { repeats: true }],
  ["--not-owner <owner>", "of others than this account, or team:<name>"],
  ["--import <id>", "of this import, until it is confirmed"],
] as const;
