/** The order of search: by folder, then by the bytes of the name. The database's unique index has it. */
export type NamePlace = { parentId: number; name: string };

export type HeldName = NamePlace & { id: number };

export const keyOfPlace = ({ parentId, name }: NamePlace): string => `${parentId}/${name}`;

export const comparePlaces = (a: NamePlace, b: NamePlace): number =>
  a.parentId - b.parentId || compareBytes(a.name, b.name);

/** As UTF-8. Only halves of pairs sort otherwise as UTF-16. */
function compareBytes(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one === other) continue;
    return isHalf(one) === isHalf(other) ? one - other : isHalf(one) ? 1 : -1;
  }
  return a.length - b.length;
}

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
