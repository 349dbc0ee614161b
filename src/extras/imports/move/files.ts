/** Brings the files of shares, each in one transaction with its place, or finds what would become of them. */
import { fileTrouble } from "../../../lib/file-trouble.ts";
import { createTimeSlices } from "../../../lib/time-slices.ts";
import { isProblem, type SourceFile, type SourceProblem } from "../readers/reader.ts";
import { sourceKeyOf } from "./link-rows.ts";
import { type OnNotes, keepIn, patiently, portionsOf, reached, type Run, writePortion } from "./portions.ts";
import { countNote, type ImportReport, keepNotes, type Note } from "./state.ts";

/** Of a preview: the accounts that shares would belong to, by source key. */
export type ShareTally = Map<string, number>;

const PREVIEWED = 500;
const NO_SHARE = "Its share was not brought, or is gone.";

const noteOf = (file: SourceFile | SourceProblem, reason: string): Note => ({
  position: file.position,
  kind: "file",
  code: "name" in file ? `${file.code}/${file.name}` : file.code,
  reason,
});

/** Counts the file, which is left out for the reason, if there is one. */
function count(report: ImportReport, file: SourceFile | SourceProblem, reason: string | null): Note[] {
  const { counts } = report;
  const size = isProblem(file) ? 0 : file.size;
  counts.files_read++;
  counts.bytes_read += size;
  if (reason === null) {
    counts.files_imported++;
    counts.bytes_imported += size;
    return [];
  }
  const note = noteOf(file, reason);
  countNote(report, note);
  return [note];
}

export async function previewFiles(
  { source, lost, onProgress, deps }: Run,
  report: ImportReport,
  shares: ShareTally,
  onNotes?: OnNotes,
): Promise<void> {
  if (source.files === undefined) return;
  const refusalOf = deps.links.files.planRoom();
  for await (const portion of portionsOf(source.files(0), PREVIEWED, (file) => file, lost)) {
    const notes: Note[] = [];
    for (const file of portion) {
      const account = isProblem(file) ? undefined : shares.get(sourceKeyOf(undefined, file.code));
      const reason = isProblem(file)
        ? file.problem
        : account === undefined
          ? NO_SHARE
          : await refusalOf(account, file.size);
      notes.push(...count(report, file, reason));
    }
    keepNotes(report, notes);
    onNotes?.(notes);
    onProgress?.(report);
  }
}

/** Why it can't come in; null: it came. */
async function bringFile(run: Run, file: SourceFile): Promise<string | null> {
  const { row, deps } = run;
  const { files } = deps.links;
  const link = await deps.repository.linkOf(row.id, sourceKeyOf(undefined, file.code));
  const position = link === null ? null : await files.placeOf(row.id, link);
  if (position === null) return NO_SHARE;
  let written: Parameters<typeof reached>[1] | null = null;
  try {
    const refusal = await patiently(() =>
      files.add(position, row.id, file, async (db) => {
        written = await keepIn(
          run,
          db,
          { filePlace: file.position },
          async (report) => void count(report, file, null),
        );
      }),
    );
    if (refusal === null) reached(run, written!);
    return refusal;
  } catch (error) {
    // A storage that fails ends the import; this is the file that is read.
    if ((error as { syscall?: unknown }).syscall === undefined) throw error;
    return fileTrouble(error) ?? "It can't be read.";
  }
}

export async function bringFiles(run: Run): Promise<void> {
  const { row, source, lost } = run;
  if (source.files === undefined) return;
  row.report.stage = "files";
  row.report.total = 0;
  for await (const file of source.files(0)) if (!isProblem(file)) row.report.total += file.size;
  const slices = createTimeSlices(1);
  for await (const file of source.files(row.filePlace)) {
    if (slices.due()) await slices.rest();
    lost.throwIfAborted();
    const reason = isProblem(file) ? file.problem : await bringFile(run, file);
    if (reason === null) continue;
    await writePortion(run, { filePlace: file.position }, async (_, report, notes) => {
      notes.push(...count(report, file, reason));
    });
  }
}
