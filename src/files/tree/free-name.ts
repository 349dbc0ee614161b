/** Names for files of people who must not learn which names are taken: `photo.jpg` becomes `photo (2).jpg`. */
const MOST_BYTES = 255;
/** Names in the first query. */
const FEW = 32;
const MOST_DOUBLINGS = 40;
const LONGEST_EXTENSION_BYTES = 32;

type Named = { parentId: number; name: string; isNumbered?: boolean };
type TakenNames = (parentId: number, names: readonly string[]) => Promise<ReadonlySet<string>>;

/** The names of files that are added together; only numbered ones change. */
export async function freeNames(files: readonly Named[], takenIn: TakenNames): Promise<string[]> {
  const given = new Map<number, Set<string>>();
  const givenIn = (parentId: number) => given.getOrInsertComputed(parentId, () => new Set());
  for (const { parentId, name, isNumbered } of files) if (!isNumbered) givenIn(parentId).add(name);
  const names: string[] = [];
  for (const { parentId, name, isNumbered } of files) {
    const mine = givenIn(parentId);
    const free = isNumbered
      ? await freeName(name, async (some) => {
          const taken = await takenIn(parentId, some);
          return (one) => taken.has(one) || mine.has(one);
        })
      : name;
    mine.add(free);
    names.push(free);
  }
  return names;
}

/**
 * One query finds the first numbers, whether or not the name is taken. Then the number doubles, and the gap is halved.
 */
async function freeName(
  name: string,
  among: (names: readonly string[]) => Promise<(name: string) => boolean>,
): Promise<string> {
  const numbered = (number: number) => numberedName(name, number);
  const few = [name, ...Array.from({ length: FEW }, (_, at) => numbered(at + 2))];
  const isTaken = await among(few);
  const found = few.find((one) => !isTaken(one));
  if (found !== undefined) return found;
  const doubled = Array.from({ length: MOST_DOUBLINGS }, (_, at) => FEW * 2 ** (at + 1));
  const isFar = await among(doubled.map(numbered));
  let free = doubled.find((number) => !isFar(numbered(number)))!;
  let taken = doubled.findLast((number) => number < free) ?? FEW + 1;
  while (free - taken > 1) {
    const middle = Math.floor((free + taken) / 2);
    const one = numbered(middle);
    if ((await among([one]))(one)) taken = middle;
    else free = middle;
  }
  return numbered(free);
}

/** Puts the number before the extension, and cuts a long name. */
export function numberedName(name: string, number: number): string {
  const [stem, extension] = splitName(name);
  const end = ` (${number})${extension}`;
  return cutToBytes(stem, MOST_BYTES - Buffer.byteLength(end)).trimEnd() + end;
}

/** Name and extension with its dot, which is empty without one. */
export function splitName(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot) : "";
  if (Buffer.byteLength(extension) > LONGEST_EXTENSION_BYTES || extension.includes(" ")) return [name, ""];
  return [name.slice(0, name.length - extension.length), extension];
}

/** Between two characters. */
export function cutToBytes(text: string, most: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) return text.slice(0, end);
    end += character.length;
  }
  return text;
}
