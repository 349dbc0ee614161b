/** The order of search, that of the database's unique index: by folder, then by the bytes of the name. */
export type NamePlace = { parentId: number; name: string };

export type HeldName = NamePlace & { id: number };

export const keyOfPlace = ({ parentId, name }: NamePlace): string => `${parentId}/${name}`;

export const comparePlaces = (a: NamePlace, b: NamePlace): number =>
  a.parentId - b.parentId || compareBytes(a.name, b.name);

/** By UTF-8 bytes, which differ from UTF-16 only for surrogates. */
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
