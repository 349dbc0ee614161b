/** Makes links of ours from those of a source, by the rules of the CSV import, before any transaction. */
import { emailSchema } from "../../../lib/email-address.ts";
import { AppError } from "../../../lib/errors.ts";
import { toSpreadsheetCell } from "../../../lib/spreadsheet-text.ts";
import { REORDERING } from "../../../lib/text-direction.ts";
import { CSV_COLUMNS, layoutOf, MORE_COLUMNS } from "../../../links/csv/columns.ts";
import { type CsvLink, csvLinkOf, type CsvRules } from "../../../links/csv/csv-file.ts";
import { MOST_REASON } from "../../../links/link/held.ts";
import { isInternal } from "../../../links/link/internal-target.ts";
import { isSiteCode } from "../../../links/link/code.ts";
import { isProblem, type SourceLink, type SourceProblem, type SourceShare } from "../readers/reader.ts";
import type { Note, NoteKind } from "./state.ts";

export type PreparedLink = {
  position: number;
  /** The hash of domain and code in the source. */
  sourceKey: string;
  /** Without a code of its own: the key is set when it is chosen. */
  needsCode: boolean;
  link: CsvLink;
  /** What the link shares, if it does not lead to its target. */
  share: SourceShare | null;
  /** Set if the link will be imported. */
  notes: Note[];
};

/** `isStrict`: of a table, whose cells are guarded against spreadsheets already. */
type Rules = Omit<CsvRules, "layout"> & { disabled: boolean; title: string };

const COLUMNS = [...CSV_COLUMNS, ...MORE_COLUMNS];
const LAYOUT = layoutOf(COLUMNS);
const LONGEST = { title: 200, note: 2_000, message: 2_000 } as const;
const MOST_RECIPIENTS = 100;
const GUARDED = ["title", "note", "tags"];
/** Passes the rule of codes. */
const PLACEHOLDER = "a";
/** Stands for the target of a share; it is never stored. */
const PLACEHOLDER_URL = "http://localhost/";

export const sourceKeyOf = (domain: string | undefined, code: string): string =>
  new Bun.CryptoHasher("sha256")
    .update(`${domain ?? ""}\n${code}`)
    .digest("hex")
    .slice(0, 32);

export function prepareLink(found: SourceLink | SourceProblem, rules: Rules): PreparedLink | Note {
  const { position } = found;
  const noteOf = (kind: NoteKind, code: string, reason: string): Note => ({
    position,
    kind,
    code: code.slice(0, 200),
    reason,
  });
  if (isProblem(found)) return noteOf("refused", found.code, found.problem);
  const cells: Record<string, string | undefined> = { ...found.cells };
  const code = cells["code"]?.trim() ?? "";
  const notes = (found.lost ?? []).map((reason) => noteOf("partial", code, reason));
  const cut = (text: string, name: keyof typeof LONGEST): string => {
    const shown = legible(text, name !== "title");
    const characters = shown.length > LONGEST[name] ? [...shown] : null;
    if (characters === null || characters.length <= LONGEST[name]) return shown;
    notes.push(noteOf("partial", code, `The ${name} is cut to ${LONGEST[name]} characters.`));
    return `${characters.slice(0, LONGEST[name] - 1).join("")}…`;
  };
  for (const name of ["title", "note"] as const) cells[name] = cut(cells[name] ?? "", name);
  const { share = null } = found;
  if (share !== null) {
    if (isSiteCode(code))
      return noteOf("refused", code, "A share can't have a code that is reserved for the whole site.");
    cells["target"] = PLACEHOLDER_URL;
    share.message = cut(share.message, "message");
    const given = share.recipients.length;
    share.recipients = validRecipients(share.recipients);
    if (share.recipients.length < given)
      notes.push(
        noteOf("partial", code, "Recipients without a valid address, and those beyond 100, are left out."),
      );
  }
  if (!rules.isStrict) for (const name of GUARDED) cells[name] = toSpreadsheetCell(cells[name] ?? "");
  try {
    const fields = COLUMNS.map((column) => (column === "code" ? code || PLACEHOLDER : (cells[column] ?? "")));
    const link = csvLinkOf(position, fields, { ...rules, layout: LAYOUT });
    if (isInternal(link.target))
      return noteOf("refused", code, "It leads to a share of another instance of Waymark.");
    const end = link.unread.find(({ column }) => column === "expires_at");
    if (end !== undefined)
      return noteOf("refused", code, `expires_at can't be read: ${JSON.stringify(end.value)}.`);
    for (const { column } of link.unread) notes.push(noteOf("partial", code, `${column} can't be read.`));
    if (share !== null && link.expiresAt !== null && link.expiresAt <= rules.now)
      return noteOf("refused", code, "It has ended.");
    // Shares always ask for their passwords.
    const isBarred = link.password !== null && share === null;
    const reason = found.disabled ?? (isBarred ? protectedBy(rules.title) : null);
    if (reason !== null || rules.disabled) {
      const why = (reason ?? `Brought from ${rules.title}; approve it to switch it on.`).slice(
        0,
        MOST_REASON,
      );
      notes.push(noteOf("disabled", code, why));
      const held = { state: "waiting", at: rules.now, by: "import", reason: why } as const;
      link.more = { ...link.more, options: { ...link.more.options, held } };
    }
    const sourceKey = sourceKeyOf(cells["domain"]?.trim(), code === "" ? `\n${position}` : code);
    return { position, sourceKey, needsCode: code === "", link, share, notes };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return noteOf("refused", code, error.message);
  }
}

const validRecipients = (emails: readonly string[]): string[] =>
  [...new Set(emails.flatMap((email) => emailSchema.safeParse(email).data ?? []))].slice(0, MOST_RECIPIENTS);

const protectedBy = (title: string) =>
  `It asks for a password in ${title}. Switch on features.enforce_link_passwords, then approve it.`;

const REORDERS = new RegExp(`[${REORDERING}]`, "g");

/** Without characters that a field refuses. */
function legible(text: string, lines: boolean): string {
  const shown = text.toWellFormed().replace(REORDERS, "");
  return lines ? shown.replace(/[^\P{Cc}\n\t]/gu, " ").trim() : shown.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
