/** Plans where incoming files go: makes their folders, and asks once about all taken names. */
import { responseOf, api, ApiError } from "../../base/api.ts";
import { createFolder, type EntryId } from "../file-queries.ts";
import { inTree } from "../../ui/tree-names.ts";
import { freeNameFor } from "./free-names.ts";
import type { Incoming, IncomingFile } from "./incoming.ts";

export type ConflictChoice = "both" | "replace" | "skip";
/** Null cancels the whole upload. */
export type AskConflicts = (
  names: readonly string[],
  /** Files that would be replaced. */
  replaced: readonly number[],
) => Promise<ConflictChoice | null>;

export type PlannedUpload = IncomingFile & {
  folder: number | null;
  name: string;
  finalName: string;
  replaces: number | null;
};

/** Null is the root of the tree of `team`, absent: of the account. */
type Parent = { id: number | null; team: string | undefined };
type Names = Map<string, EntryId>;
type Place = Parent & { names: Names };

const PAGE = 1_000;

async function namesIn(folder: Parent): Promise<Names> {
  const names: Names = new Map();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { limit: PAGE, ...(cursor !== "" && { cursor }) };
    const response: Awaited<ReturnType<typeof pageOf>> = await pageOf(folder, query);
    for (const { name, id } of response.data.folders) names.set(name, { kind: "folder", id });
    for (const { name, id } of response.data.files) names.set(name, { kind: "file", id });
    cursor = response.data.next_cursor ?? null;
  }
  return names;
}

const pageOf = ({ id, team }: Parent, query: { limit: number; cursor?: string }) =>
  id === null
    ? responseOf(api.GET("/folders", { params: { query: { ...query, ...inTree(team) } } }))
    : responseOf(api.GET("/folders/{id}", { params: { path: { id }, query } }));

/** Null if the person cancelled. @throws ApiError */
export async function planUploads(
  incoming: Incoming,
  target: Parent,
  ask: AskConflicts,
): Promise<PlannedUpload[] | null> {
  const places = new Map<string, Promise<Place>>();
  const root: Promise<Place> = namesIn(target).then((names) => ({ ...target, names }));

  function placeOf(folders: readonly string[]): Promise<Place> {
    if (folders.length === 0) return root;
    const key = folders.join("/");
    const known = places.get(key) ?? enter(placeOf(folders.slice(0, -1)), folders.at(-1)!.normalize("NFC"));
    places.set(key, known);
    return known;
  }

  for (const folders of incoming.folders) await placeOf(folders);
  const planned: PlannedUpload[] = [];
  for (const file of incoming.files) {
    const { id, names } = await placeOf(file.folders);
    const name = file.file.name.normalize("NFC");
    const found = names.get(name);
    planned.push({
      ...file,
      folder: id,
      name,
      finalName: name,
      replaces: found?.kind === "file" ? found.id : null,
    });
  }
  return decide(planned, placeOf, ask);
}

async function decide(
  planned: readonly PlannedUpload[],
  placeOf: (folders: readonly string[]) => Promise<Place>,
  ask: AskConflicts,
): Promise<PlannedUpload[] | null> {
  const taken = new Set<PlannedUpload>();
  for (const one of planned) if ((await placeOf(one.folders)).names.has(one.name)) taken.add(one);
  if (taken.size === 0) return [...planned];
  const choice = await ask(
    [...taken].map(({ folders, name }) => [...folders, name].join("/")),
    [...taken].flatMap(({ replaces }) => replaces ?? []),
  );
  if (choice === null) return null;
  const kept: PlannedUpload[] = [];
  for (const one of planned) {
    if (!taken.has(one)) kept.push(one);
    else if (choice !== "skip") {
      const { names } = await placeOf(one.folders);
      // A folder can't be replaced by a file.
      const replaces = choice === "replace" ? one.replaces : null;
      const name = replaces === null ? freeNameFor(one.name, (free) => names.has(free)) : one.name;
      names.set(name, { kind: "file", id: 0 });
      kept.push({ ...one, name, finalName: name, replaces });
    }
  }
  return kept;
}

async function enter(parent: Promise<Place>, name: string): Promise<Place> {
  const { names, ...above } = await parent;
  const found = names.get(name);
  if (found?.kind === "folder") {
    const place = { ...above, id: found.id };
    return { ...place, names: await namesIn(place) };
  }
  const made = await makeFolder(above, name, names);
  names.set(made.name, { kind: "folder", id: made.id });
  return { ...above, id: made.id, names: new Map() };
}

/** With a number if a file has the name. */
async function makeFolder(parent: Parent, name: string, names: Names) {
  const free = names.has(name) ? freeNameFor(name, (one) => names.has(one)) : name;
  try {
    return { id: await createFolder(free, parent.id, parent.team), name: free };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const now = await namesIn(parent);
    const found = now.get(free);
    if (found?.kind !== "folder") throw error;
    return { id: found.id, name: free };
  }
}
