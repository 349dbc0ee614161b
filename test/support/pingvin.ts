/** The data folder of a Pingvin Share: tables by its migrations, rows as its ORM writes them, files where it puts them. */
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MIGRATIONS = "backend/prisma/migrations";

/** Null if there is one. */
export function missingPingvin(): string | null {
  const folder = process.env["PINGVIN_DIR"];
  if (folder === undefined) return "PINGVIN_DIR is not set to the folder of Pingvin Share";
  return existsSync(join(folder, MIGRATIONS)) ? null : `there is no ${MIGRATIONS} in ${folder}`;
}

/** By its migrations. */
export function pingvinSchema(): string {
  const folder = join(process.env["PINGVIN_DIR"]!, MIGRATIONS);
  const file = join(mkdtempSync(join(tmpdir(), "waymark-pingvin-schema-")), "pingvin.db");
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name, "migration.sql");
    if (!existsSync(path)) continue;
    const { exitCode, stderr } = Bun.spawnSync(["sqlite3", file], { stdin: readFileSync(path) });
    if (exitCode !== 0) throw new Error(`${name} failed: ${stderr.toString()}`);
  }
  const schema = Bun.spawnSync(["sqlite3", file, ".schema"]).stdout.toString();
  return schema.replaceAll("CREATE TABLE IF NOT EXISTS", "CREATE TABLE");
}

type Share = {
  id: string;
  files: Record<string, string | Uint8Array>;
  name?: string;
  description?: string;
  /** Epoch milliseconds; 0: never. */
  expiration?: number;
  uploadLocked?: boolean;
  views?: number;
  removedReason?: string;
  storageProvider?: string;
  creatorId?: string;
  password?: string;
  maxViews?: number;
  recipients?: string[];
};

export type Pingvin = ReturnType<typeof createPingvin>;

export function createPingvin(folder: string, schema: string) {
  const uploads = join(folder, "uploads", "shares");
  mkdirSync(uploads, { recursive: true });
  const database = new Database(join(folder, "pingvin-share.db"));
  database.run(schema);
  const insert = (table: string, row: Record<string, string | number | null>) => {
    const names = Object.keys(row);
    const list = names.map((name) => `"${name}"`).join(", ");
    database
      .query(`insert into "${table}" (${list}) values (${names.map(() => "?").join(", ")})`)
      .run(...Object.values(row));
  };
  return {
    folder,
    database,
    insert,
    /** Of a file in a share. */
    path: (share: string, file: string) => join(uploads, share, file),
    user(id: string, username: string, email: string): void {
      insert("User", { id, username, email, updatedAt: 0, createdAt: 0 });
    },
    /** Returns the ids of its files. */
    share({ id, files, password, maxViews, recipients = [], uploadLocked = true, ...row }: Share): string[] {
      insert("Share", {
        createdAt: Date.parse("2026-05-06T07:08:09Z"),
        expiration: 0,
        ...row,
        id,
        uploadLocked: uploadLocked ? 1 : 0,
      });
      if (password !== undefined || maxViews !== undefined)
        insert("ShareSecurity", {
          id: crypto.randomUUID(),
          shareId: id,
          password: password ?? null,
          maxViews: maxViews ?? null,
        });
      for (const email of recipients)
        insert("ShareRecipient", { id: crypto.randomUUID(), shareId: id, email });
      mkdirSync(join(uploads, id), { recursive: true });
      return Object.entries(files).map(([name, content]) => {
        const file = crypto.randomUUID();
        writeFileSync(join(uploads, id, file), content);
        insert("File", { id: file, name, shareId: id, size: String(Buffer.from(content).length) });
        return file;
      });
    },
  };
}
