/** `photo.jpg` becomes `photo (2).jpg`, and that `photo (3).jpg`. The server counts in the same way. */
const MOST_NAME_BYTES = 255;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export function numberedName(name: string): string {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const known = /^(.*) \((\d{1,6})\)$/s.exec(stem);
  const end = ` (${known === null ? 2 : Number(known[2]) + 1})${extension}`;
  let start = known?.[1] ?? stem;
  while (start !== "" && bytesOf(start + end) > MOST_NAME_BYTES) start = [...start].slice(0, -1).join("");
  return start + end;
}

/** The first numbered name that is not taken. */
export function freeNameFor(name: string, isTaken: (name: string) => boolean): string {
  let free = numberedName(name);
  while (isTaken(free)) free = numberedName(free);
  return free;
}
