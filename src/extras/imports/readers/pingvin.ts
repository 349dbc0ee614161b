/** Pingvin Share: its data folder, with a SQLite database and the files of shares. */
import { lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import { appError } from "../../../lib/errors.ts";
import { foreignInstant, foreignTime, isTrue, foreignText } from "./foreign-values.ts";
import type { Cell, ForeignRow, RowsRequest } from "./rows-request.ts";
import type { Reader, SourceFile, SourceLink, SourceProblem } from "./reader.ts";
import { CUT, sqliteRows } from "./sqlite-rows.ts";
import { asciiLower } from "../../../lib/ascii-lower.ts";

const SHARES = {
  tables: { s: "Share", x: "ShareSecurity", u: "User" },
  from: '"Share" s left join "ShareSecurity" x on x.shareId = s.id left join "User" u on u.id = s.creatorId',
  columns: {
    code: "s.id",
    created: "s.createdAt",
    title: "s.name",
    message: "s.description",
    complete: "s.uploadLocked",
    views: "s.views",
    expires: "s.expiration",
    removed: "s.removedReason",
    storage: "s.storageProvider",
    password: "x.password",
    maxViews: "x.maxViews",
    owner: "u.username",
    email: "u.email",
  },
  needed: [
    "s.id",
    "s.creatorId",
    "s.uploadLocked",
    "s.expiration",
    "x.shareId",
    "x.password",
    "u.id",
    "u.email",
  ],
  by: "s",
} as const;

const RECIPIENTS = {
  tables: { r: "ShareRecipient" },
  from: '"ShareRecipient" r',
  columns: { share: "r.shareId", email: "r.email" },
  needed: ["r.shareId", "r.email"],
  by: "r",
} as const;

const REVERSE_SHARES = {
  tables: { r: "ReverseShare" },
  from: '"ReverseShare" r',
  columns: { token: "r.token" },
  needed: ["r.token"],
  by: "r",
} as const;

const FILES = {
  tables: { f: "File", s: "Share" },
  from: '"File" f left join "Share" s on s.id = f.shareId',
  columns: {
    id: "f.id",
    share: "f.shareId",
    name: "f.name",
    size: "f.size",
    created: "f.createdAt",
    storage: "s.storageProvider",
  },
  needed: ["f.id", "f.shareId", "f.name", "f.size", "s.id"],
  by: "f",
} as const;

/** Reverse shares follow all shares. */
const REVERSE = 2 ** 40;
const DATABASE = "pingvin-share.db";
/** Its own ids have up to 50 characters. None leads out of the folder. */
const ID = /^[\w-]{1,64}$/;
/** Held at once. */
const MOST_RECIPIENTS = 100_000;
const IN_S3 = "Its files are in S3; only those in the data folder can be imported.";

function shareOf(
  { position, isCut, values }: ForeignRow,
  recipients: ReadonlyMap<string, string[]>,
): SourceLink | SourceProblem {
  const code = foreignText(values["code"]);
  const refused = (problem: string): SourceProblem => ({ position, code, problem });
  if (isCut) return refused(CUT);
  if (values["removed"] !== null) return refused("It was removed in Pingvin Share.");
  if (!isTrue(values["complete"])) return refused("Its upload was not finished.");
  if (values["storage"] === "S3") return refused(IN_S3);
  const title = foreignText(values["title"]);
  const maxViews = Number(values["maxViews"] ?? 0);
  const email = asciiLower(foreignText(values["email"]));
  return {
    position,
    cells: {
      code,
      target: "",
      title,
      password: foreignText(values["password"]),
      click_count: foreignText(values["views"]),
      created_at: foreignInstant(values["created"]),
      // 1970 stands for never.
      expires_at: isNever(values["expires"]) ? "" : foreignInstant(values["expires"]),
    },
    share: {
      owner: email === "" ? null : { email, name: asciiLower(foreignText(values["owner"])) },
      folder: title || code,
      message: foreignText(values["message"]),
      maxDownloads:
        Number.isSafeInteger(maxViews) && maxViews > 0 ? Math.min(maxViews, MOST_DOWNLOADS) : null,
      recipients: recipients.get(code) ?? [],
    },
  };
}
const MOST_DOWNLOADS = 1_000_000_000;
const isNever = (value: Cell | undefined): boolean =>
  value === 0 || foreignText(value).startsWith("1970-01-01");

async function fileOf(
  { position, isCut, values }: ForeignRow,
  folder: string,
): Promise<SourceFile | SourceProblem> {
  const [id, code, name] = [
    foreignText(values["id"]),
    foreignText(values["share"]),
    foreignText(values["name"]),
  ];
  const refused = (problem: string): SourceProblem => ({ position, code: `${code}/${name}`, problem });
  if (isCut) return refused(CUT);
  if (values["storage"] === "S3") return refused(IN_S3);
  if (!ID.test(id) || !ID.test(code)) return refused("Its id can't be one of Pingvin Share's.");
  const path = join(folder, code, id);
  const found = await lstat(path).catch(() => null);
  if (!found?.isFile()) return refused("It is missing in Pingvin Share's folder.");
  if (found.size !== Number(values["size"]))
    return refused("Its size is another one than Pingvin Share noted.");
  const modifiedAt = foreignTime(values["created"]);
  return { position, code, name, size: found.size, path, ...(modifiedAt !== null && { modifiedAt }) };
}

export const pingvin: Reader = {
  title: "Pingvin Share",
  takes: ["folder"],
  notImported: [
    "Files in S3 are not imported; only those in the data folder are.",
    "Reverse shares are not imported: each of their visitors makes a share. A drop box takes files into one folder.",
    "Accounts are not imported. What an account shared belongs to the account here that has the same verified address or the same name, else to the administrator.",
    "Pingvin Share limits visits; here the limit is of downloads. The visits so far are counted as downloads of a share with a limit.",
  ],
  async open({ source }) {
    const path = join(source, DATABASE);
    if (!(await stat(path).catch(() => null))?.isFile()) {
      throw appError(
        "BadRequest",
        `There is no ${DATABASE} in ${source}. Name Pingvin Share's data folder, which has it and the folder uploads.`,
      );
    }
    const folder = join(source, "uploads", "shares");
    const rows = (request: Omit<RowsRequest, "path" | "after">, after: number) =>
      sqliteRows({ ...request, path, after }, "Pingvin Share");
    return {
      async *links(after) {
        if (after < REVERSE) {
          const recipients = await recipientsIn(rows(RECIPIENTS, 0));
          for await (const row of rows(SHARES, after)) yield shareOf(row, recipients);
        }
        for await (const { position, values } of rows(REVERSE_SHARES, Math.max(0, after - REVERSE))) {
          const problem = "It is a reverse share; make a drop box in its place.";
          yield { position: REVERSE + position, code: foreignText(values["token"]), problem };
        }
      },
      async *files(after) {
        for await (const row of rows(FILES, after)) yield fileOf(row, folder);
      },
    };
  },
};

/** Reads the recipients by share. @throws BadRequest */
async function recipientsIn(rows: AsyncIterable<ForeignRow>): Promise<ReadonlyMap<string, string[]>> {
  const found = new Map<string, string[]>();
  let number = 0;
  for await (const { values } of rows) {
    if (++number > MOST_RECIPIENTS)
      throw appError("BadRequest", `The shares have more than ${MOST_RECIPIENTS} recipients in all.`);
    found.getOrInsertComputed(foreignText(values["share"]), () => []).push(foreignText(values["email"]));
  }
  return found;
}
