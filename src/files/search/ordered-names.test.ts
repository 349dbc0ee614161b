/** Against a model: all names, filtered and sorted. */
import { describe, expect, test } from "bun:test";
import { comparePlaces, type HeldName, type NamePlace } from "./name-place.ts";
import { createNeedle } from "./needle.ts";
import { createOrderedNames } from "./ordered-names.ts";

const PARTS = [
  "a",
  "B",
  "ab",
  "Ä",
  "ß",
  "ss",
  "7",
  "77",
  "文",
  "件",
  "😀",
  "\ue000",
  "_",
  "%",
  " ",
  "é",
  "É",
  ".",
];

/** Numbers that are the same in every run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function found(names: ReturnType<typeof createOrderedNames>, text: string, after: NamePlace) {
  const all: NamePlace[] = [];
  for await (const places of names.matches(createNeedle(text), after)) all.push(...places);
  return all;
}

const byBytes = (a: NamePlace, b: NamePlace): number =>
  a.parentId - b.parentId || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));

test("matches are in the order of folders and bytes, even beyond the first plane", () => {
  const texts = ["", "a", "b", "ab", "\ue000", "😀", "\uffee", "é", "Z", "a😀", "a\ue000"];
  const places = texts.flatMap((name) => [1, 2].map((parentId) => ({ parentId, name })));
  expect(places.toSorted(comparePlaces)).toEqual(places.toSorted(byBytes));
});

describe.each([1, 2, 3])("names and their changes, from the seed %d", (seed) => {
  const random = numbers(seed);
  const anyName = () => Array.from({ length: 1 + random(5) }, () => PARTS[random(PARTS.length)]).join("");

  test("are found like in a list", async () => {
    const names = createOrderedNames(8);
    let model: HeldName[] = [];
    let lastId = 0;
    const without =
      (place: NamePlace) =>
      ({ parentId, name }: NamePlace) =>
        parentId !== place.parentId || name !== place.name;
    const next = (id: number): HeldName => ({ id, parentId: random(4), name: anyName() });
    for (let n = 0; n < 150; n++) {
      const one = next(++lastId);
      model = [...model.filter(without(one)), one];
    }
    model.sort(byBytes);
    for (let at = 0; at < model.length; at += 20) names.append(model.slice(at, at + 20));
    for (let round = 0; round < 40; round++) {
      const gone = new Set<number>();
      const added: HeldName[] = [];
      for (let n = random(12); n > 0; n--) gone.add(model[random(model.length)]?.id ?? 0);
      for (const id of gone) if (random(2) === 0) added.push(next(id));
      for (let n = random(6); n > 0; n--) added.push(next(++lastId));
      const places = new Map(added.map((one) => [`${one.parentId}/${one.name}`, one]));
      const unique = [...places.values()];
      await names.change(gone, unique);
      model = model.filter(({ id }) => !gone.has(id));
      for (const one of unique) model = [...model.filter(without(one)), one];
      model.sort(byBytes);
      for (const text of [...PARTS, anyName(), anyName(), "nowhere"]) {
        const after = model[random(model.length)] ?? { parentId: 0, name: "" };
        const needle = createNeedle(text);
        const expected = model.filter((one) => needle.isIn(one.name));
        expect(await found(names, text, { parentId: 0, name: "" })).toEqual(expected);
        expect(await found(names, text, after)).toEqual(expected.filter((one) => byBytes(one, after) > 0));
      }
    }
  });
});

test("a search continues in the names with which it began", async () => {
  const names = createOrderedNames(2);
  const all = Array.from({ length: 20 }, (_, n) => ({
    id: n,
    parentId: 0,
    name: `n${String(n).padStart(2, "0")}`,
  }));
  names.append(all);
  const search = names.matches(createNeedle("n"), { parentId: 0, name: "" });
  const first = (await search.next()).value as HeldName[];
  await names.change(new Set(all.map(({ id }) => id)), []);
  const rest: HeldName[] = [];
  for await (const places of search) rest.push(...(places as HeldName[]));
  expect([...first, ...rest]).toEqual(all);
  expect(await found(names, "n", { parentId: 0, name: "" })).toEqual([]);
  expect(names.bytes()).toBe(0);
});
