/** Ids of values, remembered between flushes. */
import type { Db } from "../../platform/db/dialect.ts";
import type { ClickValues } from "./values.repository.ts";
import { type Dimension, DIMENSION_NAMES, type Value } from "./dimensions.ts";

/** Within one transaction. */
export type ValueLookup = {
  /** Of existing values. */
  find(values: Iterable<Value>): Promise<void>;
  /** Gives each value an id and marks it as seen. */
  intern(values: Iterable<Value>): Promise<void>;
  /** Undefined if it has none or was not looked up. */
  idOf(value: Value): number | undefined;
  /** Call it after the commit. */
  remember(): void;
};

type Known = { id: number; seenDay: number };

const REMEMBERED = 100_000;

/** Starts a transaction. `day` is the newest of its clicks. */
export type ValueIds = (tx: Db, day: number) => ValueLookup;

export function createValueIds(values: ClickValues): ValueIds {
  const known = new Map<string, Known>();
  return (tx, day) => {
    const learned = new Map<string, Known>();
    const entryOf = (value: Value) => learned.get(keyOf(value)) ?? known.get(keyOf(value));
    const unknownOf = (wanted: Iterable<Value>, isKnown: (entry: Known | undefined) => boolean) => {
      const texts = new Map<Dimension, Set<string>>(DIMENSION_NAMES.map((name) => [name, new Set()]));
      for (const value of wanted) if (!isKnown(entryOf(value))) texts.get(value.dimension)!.add(value.text);
      return [...texts].filter(([, unknown]) => unknown.size > 0);
    };
    return {
      async find(wanted) {
        for (const [dimension, texts] of unknownOf(wanted, (entry) => entry !== undefined)) {
          const found = await values.find(tx, dimension, [...texts]);
          // The day of the value is unknown. Counting it marks it as seen.
          for (const [text, id] of found) learned.set(keyOf({ dimension, text }), { id, seenDay: -1 });
        }
      },
      async intern(wanted) {
        const isFresh = (entry: Known | undefined) => entry !== undefined && entry.seenDay >= day;
        for (const [dimension, texts] of unknownOf(wanted, isFresh)) {
          const ids = await values.intern(tx, dimension, [...texts], day);
          for (const [text, id] of ids) learned.set(keyOf({ dimension, text }), { id, seenDay: day });
        }
      },
      idOf: (value) => entryOf(value)?.id,
      remember() {
        if (known.size + learned.size > REMEMBERED) known.clear();
        for (const [key, entry] of learned) if (entry.seenDay >= 0) known.set(key, entry);
      },
    };
  };
}

const keyOf = ({ dimension, text }: Value): string => `${dimension} ${text}`;
